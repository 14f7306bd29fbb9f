"""The three bands, and what the model expects of them.

What is expected is what the model believes: if its probabilities are right, so are these figures.
They speak of candidates only. True pairs that were never compared are in none of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.merging.weighing import UNITS
from mindfirl.core.review.evidence import dividing_weight
from mindfirl.engine.pairs.candidates import Candidates, Weights


@dataclass(frozen=True, slots=True)
class Bands:
    """Two weights: from ``upper`` on pairs are linked, below ``lower`` not; people get the rest."""

    lower: float
    upper: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.lower) and math.isfinite(self.upper)):
            raise SettingError("A threshold must be a number. Give two weights.")
        if self.lower > self.upper:
            raise SettingError(
                f"The lower threshold, {self.lower:g}, is above the upper one, {self.upper:g}. "
                f"Swap them, or give the same weight twice to send no pairs to people."
            )

    @property
    def divide(self) -> float:
        """The weight above which a pair speaks for one person: nearest to even odds in the band.

        A pair as heavy as the upper threshold always does.
        """
        return min(dividing_weight(self.lower, self.upper), self.upper - 1 / UNITS)

    def links(self, candidates: Candidates) -> slice:
        return slice(0, count_from(candidates.weight, self.upper))

    def review(self, candidates: Candidates) -> slice:
        weight = candidates.weight
        return slice(count_from(weight, self.upper), count_from(weight, self.lower))

    def non_links(self, candidates: Candidates) -> slice:
        return slice(count_from(candidates.weight, self.lower), len(candidates))


@dataclass(frozen=True, slots=True)
class Burden:
    """The pairs of each band, and the errors that the model expects if people decide rightly."""

    links: int
    review: int
    non_links: int
    false_links: float
    missed_links: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Curve:
    """The burden of any two thresholds; index n is for the n heaviest pairs above a threshold."""

    weight: Weights
    false_links: Weights
    missed_links: Weights

    def at(self, lower: float, upper: float) -> Burden:
        bands = Bands(lower, upper)
        links = count_from(self.weight, bands.upper)
        kept = count_from(self.weight, bands.lower)
        return Burden(
            links=links,
            review=kept - links,
            non_links=len(self.weight) - kept,
            false_links=float(self.false_links[links]),
            missed_links=float(self.missed_links[kept]),
        )

    @property
    def cuts(self) -> NDArray[np.int64]:
        """The numbers of heaviest pairs that a threshold can cut off; equal weights go together."""
        changes = np.flatnonzero(np.diff(self.weight)) + 1
        everything = [len(self.weight)] if len(self.weight) else []
        return np.concatenate(([0], changes, everything)).astype(np.int64)

    def threshold(self, cut: int) -> float:
        """Return a weight that cuts off this many of the heaviest pairs, with few decimals."""
        if not len(self.weight):
            return 0.0
        if cut == 0:
            return float(math.floor(self.weight[0])) + 1
        below = float(self.weight[cut]) if cut < len(self.weight) else -math.inf
        return _short(below, float(self.weight[cut - 1]))


def burden_curve(candidates: Candidates) -> Curve:
    weight = candidates.weight
    nothing = np.zeros(1)
    false = np.concatenate((nothing, np.cumsum(probability(-weight))))
    missed = np.concatenate((nothing, np.cumsum(probability(weight[::-1]))))[::-1]
    return Curve(weight, false, missed)


def count_from(weight: Weights, threshold: float) -> int:
    """Count the weights, heaviest first, that are at least a threshold."""
    return len(weight) - int(np.searchsorted(weight[::-1], threshold, side="left"))


def probability(weight: Weights) -> Weights:
    """Return the probabilities of weights, near 0 as exact as those of their opposites near 1."""
    return np.exp2(-np.logaddexp2(0, -weight))


def _short(below: float, at: float) -> float:
    """Return a number above the one and up to the other with as few decimals as there is."""
    for decimals in range(12):
        scale = 10.0**decimals
        short = math.floor(at * scale) / scale
        if below < short <= at:
            return short
    return at


FALSE_LINKS: Final = 0.00001
MISSED_LINKS: Final = 0.0001
"""What is wanted is 1 error in 1,000. The model is asked for far fewer, because it thinks too well
of itself: it takes attributes for independent of each other, which in families they are not. Where
data are good this costs a few pairs, since few are uncertain.
"""


def bands_for_rates(
    candidates: Candidates, *, false_links: float = FALSE_LINKS, missed_links: float = MISSED_LINKS
) -> Bands:
    """Return the bands that send fewest pairs to people and keep both rates before closure."""
    for rate in (false_links, missed_links):
        if not 0 <= rate <= 1:
            raise SettingError("A rate of errors must be a share. Give a number from 0 to 1.")
    curve = burden_curve(candidates)
    cuts = curve.cuts
    # Both rates only grow with the number of pairs in their band, so the last good cut is the best.
    links = int(cuts[curve.false_links[cuts] <= false_links * cuts][-1])
    lost = missed_links * curve.missed_links[0]
    kept = int(cuts[curve.missed_links[cuts] <= lost][0])
    if links <= kept:
        return Bands(curve.threshold(kept), curve.threshold(links))
    # One threshold keeps both rates: the one with fewest errors of both kinds.
    within = cuts[(cuts >= kept) & (cuts <= links)]
    errors = curve.false_links[within] + curve.missed_links[within]
    single = curve.threshold(int(within[np.argmin(errors)]))
    return Bands(single, single)


def bands_for_pairs(candidates: Candidates, pairs: int) -> Bands:
    """Return the bands that send at most this many pairs to people, where most errors are."""
    if pairs < 0:
        raise SettingError("People cannot take fewer than 0 pairs. Give 0 or more.")
    curve = burden_curve(candidates)
    cuts = curve.cuts
    # For each number of links, the widest band below it that people can take loses fewest links.
    kept = cuts[np.searchsorted(cuts, cuts + pairs, side="right") - 1]
    best = int(np.argmin(curve.false_links[cuts] + curve.missed_links[kept]))
    return Bands(curve.threshold(int(kept[best])), curve.threshold(int(cuts[best])))
