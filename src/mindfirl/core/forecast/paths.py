"""What steps are worth, and which pairs matter most where not all can be reviewed.

A step is worth its expected gain for each unit of risk that it takes. Which step comes next does
not depend on the budget; the budget says how much a step must be worth. So ways are nested: one way
for each pair, and all steps sorted by their worth, are the whole frontier.

A review of a pair brings what people are expected to decide better than its weight does. Where a
budget does not pay for all pairs of a batch, the price of a unit of risk is raised until what still
pays fits the budget, as with a knapsack that is filled by ratio. What is lost against the best
choice there is, is less than what a single pair brings; nothing, where all pairs cost the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
_Number = TypeVar("_Number", np.int64, np.float64)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Paths:
    """The steps of many pairs, those of a pair one after the other; and where each pair starts.

    ``pair`` is rising. ``worth`` is what a step must be thought worth to be taken: its expected
    gain for a unit of risk, but no more than that of the step before. ``units`` is its charge,
    ``characters`` are those shown after it, ``differing`` those of them that belong to values that
    differ, and ``probability`` is what is thought after it.
    """

    start: Floats
    pair: Ints
    worth: Floats
    units: Ints
    characters: Ints
    differing: Ints
    probability: Floats

    def __len__(self) -> int:
        return len(self.start)

    def worth_within(self, units: int) -> float:
        """Return what steps must be worth so that all worth it cost this many units at most."""
        order = np.argsort(-self.worth, kind="stable")
        spent = np.cumsum(self.units[order])
        within = int(np.searchsorted(spent, units, side="right"))
        if within == len(order):
            return 0.0
        beyond = float(self.worth[order[within]])
        return max(0.0, float(np.nextafter(beyond, np.inf)))

    def reached(self, worth: float) -> Reached:
        """Return where all pairs stand when every step that is worth so much was taken."""
        size = len(self)
        taken = self.worth >= worth
        steps = np.bincount(self.pair[taken], minlength=size)
        firsts = np.searchsorted(self.pair, np.arange(size))
        last = firsts + steps - 1
        moved = steps > 0
        at = np.where(moved, last, 0)
        units = np.bincount(self.pair[taken], self.units[taken], minlength=size)
        return Reached(
            np.where(moved, _at(self.probability, at), self.start),
            units.astype(np.int64),
            np.where(moved, _at(self.characters, at), 0),
            np.where(moved, _at(self.differing, at), 0),
            steps,
        )

    def some(self, chosen: Ints) -> Paths:
        """Return the ways of some pairs, which must be given in rising order."""
        number = np.full(len(self), -1)
        number[chosen] = np.arange(len(chosen))
        kept = number[self.pair] >= 0
        return Paths(
            self.start[chosen],
            number[self.pair[kept]],
            self.worth[kept],
            self.units[kept],
            self.characters[kept],
            self.differing[kept],
            self.probability[kept],
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reached:
    """Where pairs stand: what is thought of each, what it cost, and how much it shows."""

    probability: Floats
    units: Ints
    characters: Ints
    differing: Ints
    steps: Ints


def _at(values: NDArray[_Number], places: Ints) -> NDArray[_Number]:
    """Take values by place; where there are none at all, nobody has moved either."""
    return values[places] if len(values) else np.zeros(len(places), values.dtype)


def concatenate_paths(size: int, parts: list[tuple[Ints, Paths]]) -> Paths:
    """Put the ways of parts of the pairs together, each part given with its pairs' numbers."""
    start = np.zeros(size)
    for numbers, part in parts:
        start[numbers] = part.start
    if not parts:
        return Paths(start, *(np.zeros(0, kind) for kind in (int, float, int, int, int, float)))
    pair = np.concatenate([numbers[part.pair] for numbers, part in parts])
    order = np.argsort(pair, kind="stable")
    worth, units, characters, differing, probability = (
        np.concatenate([getattr(part, name) for _, part in parts])[order]
        for name in ("worth", "units", "characters", "differing", "probability")
    )
    return Paths(start, pair[order], worth, units, characters, differing, probability)


_HALVINGS: Final = 100
"""So often a range of prices is halved: below what numbers can tell apart."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reviews:
    """What is expected of reviewing each of many pairs: the chance to decide it rightly.

    ``cost`` is what that takes, in ledger units; nothing where it is not known, or must not be
    used. ``allowance`` is how many units the budget has for each pair; nothing where it has no end.
    """

    right: Floats
    cost: Ints | None = None
    allowance: int | None = None

    def some(self, chosen: Ints | NDArray[np.bool_]) -> Reviews:
        """Return what is expected of some pairs."""
        cost = None if self.cost is None else self.cost[chosen]
        return Reviews(self.right[chosen], cost, self.allowance)


def gains(probability: Floats, right: Floats | float) -> Floats:
    """Return by how much people are expected to be right more often than the weights, or less."""
    gain: Floats = right - np.maximum(probability, 1 - probability)
    return gain


def most_worth(probability: Floats, reviews: Reviews, *, most: int, chance: Ints) -> Ints:
    """Return the numbers of all pairs, the first ``most`` of them being those to be reviewed.

    First come those that a budget for this many pairs pays, so that the expected gain of all is
    as large as it can be; then, since a batch is filled, those that bring most for a unit of risk.
    ``chance`` holds the numbers of the pairs in a random order: among equals, it decides.
    """
    gain = gains(probability, reviews.right)
    by_gain = np.lexsort((chance, -gain))
    cost, allowance = reviews.cost, reviews.allowance
    if cost is None or allowance is None:
        return by_gain
    wanted = by_gain[:most]
    if cost[wanted[gain[wanted] > 0]].sum() <= allowance * most:
        return by_gain
    paid = np.zeros(len(gain), dtype=np.bool_)
    shuffled = np.argsort(chance)
    paid[shuffled[_paid_for(gain[shuffled], cost[shuffled], most, allowance * most)]] = True
    brings = gain > 0
    for_a_unit = np.where(brings, gain / np.maximum(cost, 1), gain)
    return np.lexsort((chance, -for_a_unit, ~brings, ~paid))


def _paid_for(gain: Floats, cost: Ints, most: int, units: int) -> Ints:
    """Return the pairs that bring most, this many of them at most and for this many units at most.

    Below the price at which what pays fits the units, it does not; the pairs that make the
    difference are exchanged one by one, as long as they fit.
    """
    dear = cost > 0
    low, high = 0.0, float(np.max(gain[dear] / cost[dear], initial=0.0))
    for _ in range(_HALVINGS):
        price = (low + high) / 2
        if cost[_paying(gain, cost, most, price)].sum() <= units:
            high = price
        else:
            low = price
    within, beyond = (_paying(gain, cost, most, price) for price in (high, low))
    return _exchanged(within, beyond, cost, units)


def _paying(gain: Floats, cost: Ints, most: int, price: float) -> Ints:
    left = gain - price * cost
    paying = np.flatnonzero(left > 0)
    if len(paying) <= most:
        return paying
    return paying[np.argpartition(-left[paying], most - 1)[:most]] if most else paying[:0]


def _exchanged(within: Ints, beyond: Ints, cost: Ints, units: int) -> Ints:
    """Go from pairs that fit towards those that do not, exchange by exchange, while it fits."""
    chosen = set(within.tolist())
    spent = int(cost[within].sum())
    leaving = np.setdiff1d(within, beyond).tolist()
    for number in np.setdiff1d(beyond, within).tolist():
        other = leaving.pop() if leaving else None
        more = int(cost[number]) - (0 if other is None else int(cost[other]))
        if 0 < more <= units - spent:
            chosen = (chosen - {other}) | {number}
            spent += more
    return np.array(sorted(chosen), dtype=np.int64)
