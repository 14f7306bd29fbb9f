"""What a forecast expects of each pair, kept to choose pairs by: no value, but made of values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.pairs.pair_sets import Keys, pair_keys

_SLICES: Final = 20
"""Pairs are alike when, masked, they are thought the same with chances in one of so many slices."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prospects:
    """What is expected of each pair, in the order given.

    What is thought of it masked; how probably the answer is right after the steps that are worth
    it; and what these cost, in units.
    """

    masked: Floats
    right: Floats
    units: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CandidateProspects:
    """Candidates by their numbers, and what is expected of each."""

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
    """Put what is expected of pairs into a table, to be kept."""
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
    """Take out of a table what is expected of some candidates, given by their keys and numbers.

    Of some there may be nothing: a forecast of many pairs is made of some of them.
    """
    of = {name: table.column(name).to_numpy() for name in table.column_names}
    kept = pair_keys(of["left"], of["right"])
    _, here, there = np.intersect1d(keys, kept, return_indices=True)
    found = (of[name][there] for name in ("masked", "answer_right", "units"))
    return CandidateProspects(numbers[here], Prospects(*found))
