"""How many pairs to review: in which order, what comes of an amount, and what guards the rest.

What is expected follows from the match weights, as if they were right. So every dispatch also
carries pairs from outside the band: they show whether the weights are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, comb, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.review.evidence import Accuracy

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

OFFERED: Final = (0, 500, 2_000)
"""Amounts of pairs that are offered besides the whole band."""
_Z80: Final = 1.2815515655446004
"""The normal quantile of 90%: an interval of 80%."""


def review_order(weight: Floats, merged: Flags | None = None) -> NDArray[np.int64]:
    """Return pairs in the order of their review, as numbers.

    Pairs come first where the weight says one thing and merging another, where that is known; then
    those nearest to even odds.
    """
    nearness = np.abs(weight)
    agreed = np.zeros(len(weight), dtype=np.bool_) if merged is None else (weight > 0) == merged
    return np.lexsort((nearness, agreed))


@dataclass(frozen=True, slots=True)
class ExpectedResult:
    """What reviewing this many pairs comes to: F1 of all links, as a range.

    ``false_links`` and ``missed`` are expected numbers of errors: fewest, most.
    """

    pairs: int
    low: float
    high: float
    false_links: tuple[float, float] = (0.0, 0.0)
    missed: tuple[float, float] = (0.0, 0.0)


def amounts_offered(band: int, own: int | None = None) -> tuple[int, ...]:
    """Return the amounts to choose from: nothing, some, the whole band, and one's own."""
    if own is not None and own < 0:
        raise SettingError("People cannot review fewer than 0 pairs. Give 0 or more.")
    return tuple(sorted({min(each, band) for each in (*OFFERED, band, own or 0)}))


def expected_results(
    weight: Floats,
    order: NDArray[np.int64],
    amounts: Sequence[int],
    *,
    reviews: int = 2,
    accuracy: Accuracy | None = None,
    never_compared: tuple[float, float] = (0.0, 0.0),
) -> list[ExpectedResult]:
    """Say what to expect of all pairs if the first of an order are reviewed, for each amount.

    The low end is for reviewers who all make the same errors, the high end for errors that are
    independent; both leave room for chance. Links that were ``never_compared`` are missed, at
    least and at most as many as said.
    """
    who = accuracy or Accuracy()
    alike, apart = (
        _reviewed(weight[order], reviews, who, shared=shared) for shared in (True, False)
    )
    fewest, most = min(never_compared), max(never_compared)
    results = []
    for amount in amounts:
        ends = [
            _outcome(weight, order[:amount], reviewed[:, :amount], lost)
            for reviewed, lost in ((alike, most), (apart, fewest))
        ]
        low = min(each.f1 - _Z80 * each.spread for each in ends)
        high = max(each.f1 + _Z80 * each.spread for each in ends)
        false, missed = [each.false for each in ends], [each.missed for each in ends]
        results.append(
            ExpectedResult(
                amount,
                max(low, 0.0),
                min(high, 1.0),
                (min(false), max(false)),
                (min(missed), max(missed)),
            )
        )
    return results


def _reviewed(weight: Floats, reviews: int, who: Accuracy, *, shared: bool) -> Floats:
    """Return how likely pairs are linked after review: where they are the same, and where not."""
    bits = who.bits
    says_same, says_different = bits["surely the same"], bits["surely different"]
    linked = np.zeros((2, len(weight)))
    for same in range(reviews + 1):
        added = same * says_same + (reviews - same) * says_different
        chances = [
            _chance_of(same, reviews, share, shared=shared)
            for share in (who.same, 1 - who.different)
        ]
        linked += np.outer(chances, weight + added > 0)
    return linked


def _chance_of(same: int, reviews: int, share: float, *, shared: bool) -> float:
    """Return the chance that this many of all reviewers say "same", each with the chance given."""
    if shared:
        return {0: 1 - share, reviews: share}.get(same, 0.0) if reviews else 1.0
    return comb(reviews, same) * share**same * (1 - share) ** (reviews - same)


@dataclass(frozen=True, slots=True)
class _Outcome:
    f1: float
    spread: float
    false: float
    missed: float


def _outcome(weight: Floats, numbers: NDArray[np.int64], reviewed: Floats, lost: float) -> _Outcome:
    """Return the errors and the F1 to expect of all pairs, and how much chance moves F1."""
    chance = np.exp2(-np.logaddexp2(0, -weight))
    linked = np.tile(weight > 0, (2, 1)).astype(np.float64)
    linked[:, numbers] = reviewed
    right, false = chance * linked[0], (1 - chance) * linked[1]
    missed = chance * (1 - linked[0])
    whole = float((2 * right + false + missed).sum()) + lost
    if whole == 0:
        return _Outcome(1.0, 0.0, 0.0, 0.0)
    f1 = 2 * float(right.sum()) / whole
    # The change of F1 by a pair is linear in what becomes of it, since there are many.
    gained, spoilt = (2 - 2 * f1) / whole, f1 / whole
    mean = gained * right - spoilt * (false + missed)
    squares = gained**2 * right + spoilt**2 * (false + missed)
    spread = sqrt(max(float((squares - mean**2).sum()), 0.0))
    return _Outcome(f1, spread, float(false.sum()), float(missed.sum()))


GUARD_SHARE: Final = 0.1
FEWEST_GUARDS: Final = 100


@dataclass(frozen=True, slots=True)
class GuardSize:
    """How many pairs from outside the band go out: automatic links, and pairs below the band."""

    links: int
    below: int

    @property
    def pairs(self) -> int:
        """All pairs of the sample."""
        return self.links + self.below


def guard_size(looks: int, *, links: int, below: int) -> GuardSize:
    """Return the size of the sample that guards the automatic bands, where they have that many.

    It is a tenth of the looks, or 100: two thirds automatic links, the rest from below the band.
    Where one side has too few, the other makes up for them.
    """
    wanted = max(ceil(looks * GUARD_SHARE), FEWEST_GUARDS)
    from_links = min(ceil(wanted * 2 / 3), links)
    from_below = min(wanted - from_links, below)
    return GuardSize(min(wanted - from_below, links), from_below)


def spread_over_weights(weight: Floats, count: int, chance: NDArray[np.int64]) -> NDArray[np.int64]:
    """Pick pairs from all parts of a range of weights, one at random from each in turn.

    ``chance`` is a random order of the pairs. Parts hold equally many pairs.
    """
    size = len(weight)
    wanted = min(count, size)
    by_weight = np.lexsort((chance, weight))
    part = np.arange(size) * max(wanted, 1) // max(size, 1)
    within = np.lexsort((chance[by_weight], part))
    _, first = np.unique(part[within], return_index=True)
    return np.sort(by_weight[within[first[:wanted]]]) if wanted else np.arange(0)
