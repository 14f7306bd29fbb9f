"""What a pair counts in merging: its weight within bounds, as a whole number of small units.

Sums of whole numbers are exact. So neither the order of pairs nor the order of merges changes a
sum, and groups come out the same wherever they are computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError
from mindfirl.core.persons import PairPositions, Positions

Weights = NDArray[np.float64]
Flags = NDArray[np.bool_]

MOST: Final = 8.0
"""Beyond this many bits, for or against, a pair counts hardly more."""
_BEYOND: Final = 2.0**-8
"""What a bit beyond that counts: next to nothing, but of two sure pairs the surer comes first."""
_MOST_BEYOND: Final = 2.0**8
UNCOMPARED: Final = -1.0
"""What a pair counts that was not compared."""
DROPPED: Final = -10.0
"""A pair below this weight counts as one that was not compared: scoring need not keep it."""
UNITS: Final = 2.0**20
"""Units in one bit. Sums stay exact up to 900 million pairs."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedPairs(PairPositions):
    """Compared pairs, each once, in any order, with their weights and the bits that votes add."""

    weight: Weights
    votes: Weights | None = None

    @property
    def bits(self) -> Weights:
        """What votes add to each weight."""
        return np.zeros(len(self.weight)) if self.votes is None else self.votes

    def take(self, places: Positions) -> WeighedPairs:
        """Return some of the pairs."""
        return WeighedPairs(
            self.left[places], self.right[places], self.weight[places], self.bits[places]
        )


def counted_weights(pairs: WeighedPairs) -> Weights:
    """Return what each pair counts, in bits; a pair with votes is never a dropped one."""
    weight, votes = pairs.weight, pairs.bits
    if not len(pairs.left) == len(weight) == len(votes):
        raise SettingError("Some pairs have no weight. Give one weight for each pair.")
    if np.isnan(weight + votes).any():
        raise SettingError("Some weights are not numbers. Give a number for each pair.")
    whole = weight + votes
    within = np.clip(whole, -MOST, MOST)
    beyond = np.clip(whole - within, -_MOST_BEYOND, _MOST_BEYOND) * _BEYOND
    counted = np.round((within + beyond) * UNITS) / UNITS
    return np.where((weight < DROPPED) & (votes == 0), UNCOMPARED, counted)


def pair_gains(counted: Weights) -> Weights:
    """Return by how many units pairs count more than uncompared ones: whole numbers."""
    return (counted - UNCOMPARED) * UNITS
