"""What a forecast expects of each pair that it was made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.engine.pairs.candidates import Keys, Positions, pair_keys

_SLICES: Final = 20
"""Pairs are alike when the chances to be the same, masked, are in one of this many slices."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prospects:
    """Of each pair: what is thought of it masked, its chance to end right, its cost in units."""

    masked: Floats
    right: Floats
    units: Ints

    def take(self, numbers: Ints) -> Prospects:
        return Prospects(self.masked[numbers], self.right[numbers], self.units[numbers])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CandidateProspects:
    numbers: Ints
    prospects: Prospects

    def right_as_masked(self) -> Floats:
        """Return how probably answers are right, on average over pairs that are alike masked.

        So whatever is chosen by it tells nothing of a pair that its masked cells do not tell.
        """
        alike = np.minimum((self.prospects.masked * _SLICES).astype(np.int64), _SLICES - 1)
        sums = np.bincount(alike, weights=self.prospects.right, minlength=_SLICES)
        mean: Floats = sums / np.maximum(np.bincount(alike, minlength=_SLICES), 1)
        return mean[alike]


def prospect_table(left: Positions, right: Positions, prospects: Prospects) -> pa.Table:
    return pa.table(
        {
            "left": left,
            "right": right,
            "masked": prospects.masked,
            "answer_right": prospects.right,
            "units": prospects.units,
        }
    )


def candidate_prospects(table: pa.Table, keys: Keys, numbers: Ints) -> CandidateProspects:
    """Take out of a table what is expected of some candidates, as far as there is any."""
    of = {name: table.column(name).to_numpy() for name in table.column_names}
    kept = pair_keys(of["left"], of["right"])
    _, here, there = np.intersect1d(keys, kept, return_indices=True)
    found = (of[name][there] for name in ("masked", "answer_right", "units"))
    return CandidateProspects(numbers[here], Prospects(*found))
