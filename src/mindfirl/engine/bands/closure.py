"""What the automatic links lead to: A is B, B is C, so A is C, and nobody need be asked.

Unless they lead to a contradiction: two records of a database that knows everybody once. A pair of
twins does that, and no weight tells; so the links of such a group are not trusted, but sent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.persons import components
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.pairs.candidates import Candidates, Positions

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Settlement:
    """What becomes of every candidate, told by flags; without any, it is not linked.

    ``linked``
        linked automatically.
    ``settled``
        in the band for people, but joined by automatic links.
    ``contested``
        heavy enough to be linked, but in a group that joins two records of a database that knows
        everybody once.
    ``sent``
        for people: contested, or in their band and not settled.
    """

    linked: Flags
    settled: Flags
    contested: Flags
    sent: Flags

    @property
    def not_linked(self) -> Flags:
        """Candidates below the lower threshold."""
        return ~(self.linked | self.settled | self.sent)


def settle_candidates(
    candidates: Candidates, bands: Bands, alone: Positions | None = None
) -> Settlement:
    """Say what becomes of every candidate.

    ``alone`` gives for each record the number of its database if that knows everybody once, else a
    negative number. Without it, no link is contested.
    """
    linked, review = (np.zeros(len(candidates), dtype=np.bool_) for _ in range(2))
    linked[bands.links(candidates)] = True
    review[bands.review(candidates)] = True
    size = int(candidates.right.max(initial=-1)) + 1
    person = components(size, candidates.left[linked], candidates.right[linked])
    crowded = np.zeros(size, dtype=np.bool_) if alone is None else _crowded(person, alone[:size])
    doubted = crowded[person[candidates.left]]
    contested = linked & doubted
    joined = person[candidates.left] == person[candidates.right]
    settled_already = review & joined & ~doubted
    return Settlement(
        linked=linked & ~contested,
        settled=settled_already,
        contested=contested,
        sent=contested | (review & ~settled_already),
    )


def settled_by_links(candidates: Candidates, bands: Bands) -> Flags:
    """Say of every candidate whether it is for people although the automatic links join it."""
    return settle_candidates(candidates, bands).settled


def _crowded(person: Positions, alone: Positions) -> Flags:
    """Say of the first record of each group whether one database has two records in the group."""
    flags = np.zeros(len(person), dtype=np.bool_)
    for database in range(int(alone.max(initial=-1)) + 1):
        flags |= np.bincount(person[alone == database], minlength=len(person)) > 1
    return flags
