"""Which pairs matter most, where not all can be reviewed.

A review of a pair brings what people are expected to decide better than its weight does. Where a
budget pays for all pairs of a batch, those go out that bring most. Where it does not, a pair must
bring as much for each unit of risk as the others: the price of a unit is raised until what still
pays fits the budget, as with a knapsack that is filled by ratio. What is lost against the best
choice there is, is less than what a single pair brings; nothing, where all pairs cost the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mindfirl.core.forecast.measures import Flags
from mindfirl.core.forecast.paths import Floats, Ints

_HALVINGS: Final = 100
"""So often a range of prices is halved: below what numbers can tell apart."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Reviews:
    """What is expected of reviewing each of many pairs.

    ``right``
        the chance that people decide it rightly.
    ``cost``
        what that takes, in ledger units; nothing where that is not known, or must not be used.
    ``allowance``
        how many units the budget has for each pair that goes out; nothing where it has no end.
    """

    right: Floats
    cost: Ints | None = None
    allowance: int | None = None

    def some(self, chosen: Ints | Flags) -> Reviews:
        """Return what is expected of some pairs."""
        cost = None if self.cost is None else self.cost[chosen]
        return Reviews(self.right[chosen], cost, self.allowance)


def gains(probability: Floats, right: Floats | float) -> Floats:
    """Return by how much people are expected to be right more often than the weights.

    Below 0, they are expected to be right less often: such a pair is best left to its weight.
    """
    gain: Floats = right - np.maximum(probability, 1 - probability)
    return gain


def most_worth(probability: Floats, reviews: Reviews, *, most: int, chance: Ints) -> Ints:
    """Return the numbers of all pairs, the first ``most`` of them being those to be reviewed.

    First come those that the budget of so many pairs pays for, so that the expected gain of all is
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
    """Return the pairs that bring most, so many of them at most and for so many units at most.

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
    """Return the pairs that bring most above their price, so many of them at most."""
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
