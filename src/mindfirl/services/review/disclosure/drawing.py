"""Pairs as their person sees them: the characters that are open, marks, and prices ahead."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, Final

from mindfirl.core.display.cells import Sign, cell
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk import kapr
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices
from mindfirl.core.risk.kapr import View, next_charges
from mindfirl.core.values.schema import LEVELS, PARTIAL, Level
from mindfirl.services.review.disclosure.advising import is_advised, suggested
from mindfirl.services.review.disclosure.opened import charge_from, having, seen_of, units_of
from mindfirl.store.models import AssignedPair, Assignment, OpenCell

_SEVERAL: Final = 2


@dataclass(frozen=True, slots=True)
class Step:
    """A level that a cell can be opened to, and the share of the budget that it takes.

    Where κ refuses it, and that may be told, it takes nothing that could be said.
    """

    level: Level
    takes: Fraction | None
    affordable: bool


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as its person sees it: signs of two rows, marks, and the steps ahead."""

    attribute: str
    level: Level
    rows: tuple[tuple[Sign, ...], tuple[Sign, ...]]
    marks: tuple[str, ...]
    frequencies: tuple[str, str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair as its person sees it; ``state`` counts what was opened in it.

    ``steps`` are those that open several cells at once. Where its person is ``advised``, ``hint``
    is the step to take next, if one is worth its price.
    """

    token: str
    number: int
    state: int
    cells: tuple[ShownCell, ...]
    steps: tuple[Step, ...]
    advised: bool = False
    hint: kapr.Step | None = None


def drawn_pair(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Sequence[OpenCell]
) -> ShownPair:
    """Draw a pair, with the price of every step ahead."""
    return drawn_view(index, mine, row, seen_of(index, mine, row, opened), len(opened))


def drawn_view(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, seen: View, state: int
) -> ShownPair:
    """Draw a pair that is compared already, in which so many cells were opened."""
    steps = _steps(index, mine, seen)
    cells = tuple(
        ShownCell(
            attribute=name,
            level=LEVELS[seen.levels[place]],
            rows=drawn.rows,
            marks=drawn.marks,
            frequencies=(index.frequency(row.left, place), index.frequency(row.right, place)),
            steps=tuple(steps.get(name, ())),
        )
        for place, name in enumerate(index.schema.names)
        for drawn in [cell(seen.differences[place], LEVELS[seen.levels[place]])]
    )
    return ShownPair(
        token=row.token,
        number=row.number,
        state=state,
        cells=cells,
        steps=_row_steps(index, mine, seen),
        advised=is_advised(mine),
        hint=suggested(index, mine, seen, _told_prices(mine, steps)),
    )


def _told_prices(
    mine: Assignment, steps: Mapping[str, Iterable[Step]]
) -> dict[kapr.Step, int | None]:
    """Return what steps take in units, by what their person is told; none for what is too much."""
    return {
        (name, step.level): ceil(step.takes * mine.limit)
        if step.takes is not None and step.affordable
        else None
        for name, ahead in steps.items()
        for step in ahead
    }


def _steps(index: PopulationIndex, mine: Assignment, seen: View) -> dict[str, list[Step]]:
    """Return the steps ahead of each cell, with their prices as shares of the budget."""
    found: dict[str, list[Step]] = {}
    if mine.settings["prices"] == "banded":
        for (name, level), price in banded_of(index, mine, seen).items():
            found.setdefault(name, []).append(Step(level, price, price <= left_of(mine)))
        return found
    kappa, accounting = mine.settings["kappa"], mine.settings["accounting"]
    priced = next_charges(index, seen, kappa=kappa, accounting=accounting)
    for (name, level), charge in priced.items():
        found.setdefault(name, []).append(_step_for(mine, level, charge))
    return found


def _row_steps(index: PopulationIndex, mine: Assignment, seen: View) -> tuple[Step, ...]:
    """Return the steps that open several cells at once."""
    found: list[Step] = []
    before: int | None = None
    for number, level in enumerate(LEVELS[PARTIAL:], start=PARTIAL):
        places = [place for place in having(seen, level) if seen.levels[place] < number]
        if len(places) < _SEVERAL:
            continue
        if mine.settings["prices"] == "banded":
            price = banded_together(index, mine, seen, places, number)
            found.append(Step(level, price, price <= left_of(mine)))
        else:
            before = units_of(index, mine, seen) if before is None else before
            charge = charge_from(index, mine, before, seen.raised(places, number))
            found.append(_step_for(mine, level, charge))
    return tuple(found)


def _step_for(mine: Assignment, level: Level, charge: int | None) -> Step:
    takes = None if charge is None else Fraction(charge, mine.limit or 1)
    return Step(level, takes, charge is not None and charge <= mine.limit - mine.spent)


def left_of(mine: Assignment) -> Fraction:
    """Return the share of the budget that is left."""
    return Fraction(mine.limit - mine.spent, mine.limit) if mine.limit else Fraction(0)


def banded_of(
    index: PopulationIndex, mine: Assignment, seen: View
) -> dict[tuple[str, Level], Fraction]:
    """Return the banded price of every step ahead, as a share of the budget."""
    return next_banded_prices(index, seen, **_terms(mine))


def banded_together(
    index: PopulationIndex, mine: Assignment, seen: View, places: Collection[int], level: int
) -> Fraction:
    """Return the banded price of opening several cells at once, as a share of the budget."""
    return banded_price_together(index, seen, places, level, **_terms(mine))


def _terms(mine: Assignment) -> dict[str, Any]:
    """Return what a banded price depends on beside the pair."""
    return {
        "pairs": mine.size,
        "budget": mine.budget,
        "kappa": mine.settings["kappa"],
        "accounting": mine.settings["accounting"],
    }
