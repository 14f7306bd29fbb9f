"""A pair as its person sees it: characters that are open, marks, and the steps ahead.

An offered step says what share of the budget it takes, exactly or in bands as the terms say, and
whether enough is left for it. Nothing else about the hidden values is in a shown pair.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Final

from mindfirl.core.display.cells import Sign, cell, disclosed_characters, offered_levels
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.opening import OpenPair, Totals, charge_for, units_of
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices
from mindfirl.core.risk.kapr import Step, View, next_charges
from mindfirl.core.values.schema import LEVELS, PARTIAL, Level, level_number

Advise = Callable[[View, Mapping[Step, int | None]], Step | None]
"""Suggests the next step, given what is seen and the told prices in units, None for too much."""

_SEVERAL: Final = 2


@dataclass(frozen=True, slots=True)
class Offer:
    """A step that could be next, and its share of the budget; None where κ refuses it openly.

    It does where prices are exact, and where it has refused the step to the person before.
    """

    step: Step
    takes: Fraction | None
    affordable: bool

    @property
    def level(self) -> Level:
        """The level that the step opens to."""
        return self.step.level


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as its person sees it: signs of two rows, marks, and the steps ahead."""

    attribute: str
    level: Level
    rows: tuple[tuple[Sign, ...], tuple[Sign, ...]]
    marks: tuple[str, ...]
    frequencies: tuple[str, str]
    steps: tuple[Offer, ...]


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
    steps: tuple[Offer, ...]
    advised: bool = False
    hint: Step | None = None


@dataclass(frozen=True, slots=True)
class Meters:
    """What is spent of the budget, and how many characters are shown of how many."""

    spent: Fraction
    shown: int
    characters: int


def show_pair(
    index: PopulationIndex,
    terms: Terms,
    totals: Totals,
    pair: OpenPair,
    *,
    token: str,
    number: int,
    refused: Collection[Step] = (),
    advise: Advise | None = None,
) -> ShownPair:
    """Show a pair, with the price of every step ahead that was not ``refused`` by κ before."""
    view = pair.view
    offers = _without(refused, offered_steps(index, terms, totals, view))
    cells = tuple(
        ShownCell(
            attribute=name,
            level=drawn.level,
            rows=drawn.rows,
            marks=drawn.marks,
            frequencies=(
                index.frequency(view.pair.left, place),
                index.frequency(view.pair.right, place),
            ),
            steps=tuple(offer for offer in offers if offer.step.attribute == name),
        )
        for place, name in enumerate(index.schema.names)
        for drawn in [cell(view.differences[place], LEVELS[view.levels[place]])]
    )
    prices = {offer.step: _told_units(offer, totals) for offer in offers} if advise else {}
    return ShownPair(
        token=token,
        number=number,
        state=pair.opened,
        cells=cells,
        steps=_without(refused, tuple(_row_steps(index, terms, totals, view))),
        advised=advise is not None,
        hint=advise(view, prices) if advise else None,
    )


def offered_steps(
    index: PopulationIndex, terms: Terms, totals: Totals, view: View
) -> tuple[Offer, ...]:
    """Return the steps ahead of all cells, with their prices as the person is told them."""
    if terms.prices == "banded":
        bands = next_banded_prices(index, view, **totals.banding(terms))
        return tuple(Offer(step, price, price <= totals.left) for step, price in bands.items())
    charges = next_charges(index, view, kappa=terms.kappa, accounting=terms.accounting)
    return tuple(_exact(step, charge, totals) for step, charge in charges.items())


def characters_in(view: View) -> tuple[int, int]:
    """Count the characters that a pair shows, and those that it has."""
    counts = [
        count
        for difference, level in zip(view.differences, view.levels, strict=True)
        for count in disclosed_characters(difference, level)
    ]
    return sum(shown for shown, _ in counts), sum(every for _, every in counts)


def _row_steps(index: PopulationIndex, terms: Terms, totals: Totals, view: View) -> Iterator[Offer]:
    before: int | None = None
    for number, level in enumerate(LEVELS[PARTIAL:], start=PARTIAL):
        step, places = Step("", level), _raised(view, level, number)
        if len(places) < _SEVERAL:
            continue
        if terms.prices == "banded":
            price = banded_price_together(index, view, places, number, **totals.banding(terms))
            yield Offer(step, price, price <= totals.left)
        else:
            before = units_of(index, terms, view) if before is None else before
            charge = charge_for(index, terms, before, view.raised(places, number))
            yield _exact(step, charge, totals)


def _raised(view: View, level: Level, number: int) -> list[int]:
    return [
        place
        for place, difference in enumerate(view.differences)
        if view.levels[place] < number and level in offered_levels(difference)
    ]


def _exact(step: Step, charge: int | None, totals: Totals) -> Offer:
    takes = None if charge is None else Fraction(charge, totals.limit or 1)
    return Offer(step, takes, charge is not None and charge <= totals.limit - totals.spent)


def _without(refused: Collection[Step], offers: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """Take back the prices of steps of which a person knows that κ refuses them."""
    least = {each.attribute: level_number(each.level) for each in refused}
    return tuple(
        replace(offer, takes=None, affordable=False)
        if level_number(offer.level) >= least.get(offer.step.attribute, len(LEVELS))
        else offer
        for offer in offers
    )


def _told_units(offer: Offer, totals: Totals) -> int | None:
    """Return what a step takes in units by its told price; None where that is too much."""
    if offer.takes is None or not offer.affordable:
        return None
    return ceil(offer.takes * totals.limit)
