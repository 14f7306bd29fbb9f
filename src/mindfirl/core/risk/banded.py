"""Banded prices: what a worker is told depends on what is visible alone.

An exact price tells how rare the hidden value is. A banded price assumes the rarest value that
could be there, and is rounded up to 1, 2 or 5 × 10⁻ᵐ of the budget. The exact charge is made on
opening and is never more.
"""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.population.attribute_index import MISSING, Column
from mindfirl.core.population.conditions import Possible, count_fitting
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import (
    ROWS,
    Risk,
    Step,
    View,
    next_steps,
    row_possible,
    row_risks,
    units,
)
from mindfirl.core.values.schema import Accounting, check_pair_count

MOST_VALUES: Final = 64
"""An attribute with more values than this may hold one that a single record has."""


def next_banded_prices(
    index: PopulationIndex,
    view: View,
    *,
    pairs: int,
    budget: int,
    kappa: int = 1,
    accounting: Accounting = "paper",
) -> dict[Step, Fraction]:
    """Return the banded price of each next step, as a share of a budget of whole 10⁻⁹."""
    whole = _whole(index, pairs, budget)
    look = next_steps(index, view, kappa=kappa, accounting=accounting)
    possible = [row_possible(index, view, row, accounting) for row in ROWS]
    before = units(look.now, kappa)
    found = {}
    for step, opening in look.steps.items():
        worst = []
        for row, risk in zip(ROWS, opening.risks, strict=True):
            missing = not view.differences[opening.places[0]].sides[row].marks
            k = _least_k(index, opening.places, possible[row], missing=missing)
            worst.append(Risk(risk.shown, risk.scale, k))
        found[step] = round_up(Fraction(kappa * (units(worst, kappa) - before), whole))
    return found


def banded_price_together(
    index: PopulationIndex,
    view: View,
    places: Collection[int],
    level: int,
    *,
    pairs: int,
    budget: int,
    kappa: int = 1,
    accounting: Accounting = "paper",
) -> Fraction:
    """Return the banded price of several cells at once: they may leave a single record."""
    whole = _whole(index, pairs, budget)
    before = units(row_risks(index, view, accounting), kappa)
    after = row_risks(index, view.raised(places, level), accounting)
    worst = units((Risk(risk.shown, risk.scale, 1) for risk in after), kappa)
    return round_up(Fraction(kappa * (worst - before), whole))


def _whole(index: PopulationIndex, pairs: int, budget: int) -> int:
    """Return what a budget of whole 10⁻⁹ holds, in units of κ = 1."""
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise SettingError("Banded prices are shares of a budget. Set a whole number above 0.")
    return 2 * check_pair_count(pairs) * len(index.schema.attributes) * budget


def round_up(share: Fraction) -> Fraction:
    """Round a share up to the next 1, 2 or 5 times a power of ten; 0 stays 0."""
    if share <= 0:
        return Fraction(0)
    power = Fraction(1)
    while power * 10 <= share:
        power *= 10
    while power > share:
        power /= 10
    return next(step * power for step in (1, 2, 5, 10) if step * power >= share)


def _least_k(
    index: PopulationIndex, places: tuple[int, ...], possible: Possible, *, missing: bool
) -> int:
    """Return the smallest k that opening some cells could leave, whatever they hide.

    That a row's value is missing can be seen: then k is the number of those that have none.
    """
    column = index.columns[places[0]]
    if len(places) > 1 or column.values.size - 1 > MOST_VALUES:
        return 1
    counts = _value_counts(column, possible)
    return counts[MISSING] if missing else min(count for count in counts[MISSING + 1 :] if count)


def _value_counts(column: Column, possible: Possible) -> list[int]:
    """Count the holders of each value of an attribute among the possible records."""
    if possible.ids is not None:
        size = column.values.size
        counts: list[int] = np.bincount(column.codes[possible.ids], minlength=size).tolist()
        return counts
    return [count_fitting(possible, [column.equals(code)]) for code in range(column.values.size)]
