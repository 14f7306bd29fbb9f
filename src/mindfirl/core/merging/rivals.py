"""Rivals: pairs of which at most one can be right, because a database knows everybody once.

A record is compared with two records of such a database: they are rivals. If the best two are
nearly as heavy, the weight does not say which is right, and neither is linked automatically.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindfirl.core.merging.weighing import Flags, WeighedPairs, Weights
from mindfirl.core.persons import Positions

NEAR: Final = 2.0
"""A second best within fewer bits than this is a rival; one usual vote decides between them."""


def with_near_rivals(pairs: WeighedPairs, databases: Positions) -> Flags:
    """Say of each positive pair whether it is one of several best that are nearly as heavy.

    ``databases`` has the number of each record's database if that knows everybody once, else -1.
    Votes count as part of the weight.
    """
    weight = pairs.weight + pairs.bits
    places, star = _stars(pairs, databases)
    near = np.zeros(len(weight), dtype=np.bool_)
    near[places[_several_best(star, weight[places])]] = True
    return near & (weight > 0)


def shared_probabilities(pairs: WeighedPairs, databases: Positions) -> Weights:
    """Return the probability of each pair: its odds, shared with those of all its rivals."""
    odds = np.exp2(np.clip(pairs.weight + pairs.bits, -_MOST_BITS, _MOST_BITS))
    places, star = _stars(pairs, databases)
    all_odds = np.bincount(star, weights=odds[places])
    # Rounding may take a little more away than there is.
    others = np.maximum(all_odds[star] - odds[places], 0)
    return odds / (1 + odds + np.bincount(places, weights=others, minlength=len(odds)))


def bits_for_rivals(pairs: WeighedPairs, databases: Positions) -> float:
    """Return the bits to add to all weights so that sharing among rivals loses no match.

    Weights say how likely pairs are before anything is known of rivals. What a pair loses to its
    rivals, others gain: a record that can be only one of few is likelier that one. It is 0 where
    some pairs cannot have rivals, and where no such number of bits brings all matches back: then
    some person occurs twice in a database after all.
    """
    places, _ = _stars(pairs, databases)
    if len(np.unique(places)) < len(pairs.left):
        return 0.0
    wanted = float(np.exp2(-np.logaddexp2(0, -pairs.weight)).sum())
    low, high = 0.0, _MOST_FOR_RIVALS
    if _shared(pairs, databases, high) < wanted:
        return 0.0
    while high - low > _EXACT:
        middle = (low + high) / 2
        enough = _shared(pairs, databases, middle) >= wanted
        low, high = (low, middle) if enough else (middle, high)
    return round(low, 3)


_MOST_FOR_RIVALS: Final = 4.0
_EXACT: Final = 2.0**-12


def _shared(pairs: WeighedPairs, databases: Positions, bits: float) -> float:
    heavier = WeighedPairs(pairs.left, pairs.right, pairs.weight + bits)
    return float(shared_probabilities(heavier, databases).sum())


_MOST_BITS: Final = 500.0
"""Odds of more bits are no more certain, and their sums would not be finite."""


def _stars(pairs: WeighedPairs, databases: Positions) -> tuple[Positions, Positions]:
    """Return places of pairs, and a number for their one record and the other one's database.

    A pair is in two stars if both databases know everybody once, and in none inside one of them.
    """
    here = np.concatenate([pairs.left, pairs.right])
    there = np.concatenate([pairs.right, pairs.left])
    chosen = (databases[there] >= 0) & (databases[here] != databases[there])
    star = here[chosen] * (int(databases.max(initial=0)) + 1) + databases[there[chosen]]
    places = np.tile(np.arange(len(pairs.left)), 2)[chosen]
    return places, np.unique(star, return_inverse=True)[1]


def _several_best(star: Positions, weight: Weights) -> Flags:
    """Say of each pair whether it is near the best of its star, and not alone in that."""
    best = np.full(int(star.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(best, star, weight)
    near = weight > best[star] - NEAR
    return near & (np.bincount(star[near], minlength=len(best)) > 1)[star]
