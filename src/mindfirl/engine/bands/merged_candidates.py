"""Candidates merged to persons by their weights, by votes on them, and by final decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from mindfirl.core.merging.merge import NO_PAIRS
from mindfirl.core.merging.merged_persons import MergedPersons, merge_persons
from mindfirl.core.merging.weighing import UNCOMPARED, WeighedPairs
from mindfirl.core.persons import Links, PairPositions
from mindfirl.engine.pairs.candidates import Candidates, Positions, pair_keys

VoteBits = Mapping[tuple[int, int], float]
"""The bits that votes add to the weights of pairs, left before right: for is positive."""

NO_LINKS: Final = Links(NO_PAIRS.left, NO_PAIRS.right, np.zeros(0, dtype=np.int8))


def merge_candidates(
    candidates: Candidates,
    alone: Positions | None = None,
    *,
    divide: float = 0.0,
    votes: VoteBits | None = None,
    decided: Links = NO_LINKS,
    nonlinks: PairPositions = NO_PAIRS,
) -> MergedPersons:
    """Merge records to persons.

    ``alone`` is as :func:`record_ids.alone` gives it, with all records. Pairs above the weight
    ``divide`` speak for one person, those below it against. ``decided`` links and ``nonlinks`` are
    final.
    """
    databases = _nowhere(candidates) if alone is None else alone
    return merge_persons(
        len(databases),
        weighed_pairs(candidates, votes or {}, divide),
        decided=decided,
        nonlinks=nonlinks,
        databases=databases,
    )


def _nowhere(candidates: Candidates) -> Positions:
    return np.full(int(candidates.right.max(initial=-1)) + 1, -1)


def weighed_pairs(candidates: Candidates, votes: VoteBits, divide: float = 0.0) -> WeighedPairs:
    """Return candidates with the bits of their votes; other pairs with votes as uncompared ones."""
    pairs = np.array(list(votes), dtype=np.int64).reshape(-1, 2)
    bits = np.array(list(votes.values()), dtype=np.float64)
    order = np.argsort(pair_keys(pairs[:, 0], pairs[:, 1]))
    pairs, bits = pairs[order], bits[order]
    voted, keys = pair_keys(pairs[:, 0], pairs[:, 1]), pair_keys(candidates.left, candidates.right)
    known = np.flatnonzero(np.isin(keys, voted))
    added = np.zeros(len(candidates))
    added[known] = bits[np.searchsorted(voted, keys[known])]
    new = ~np.isin(voted, keys[known])
    return WeighedPairs(
        np.concatenate([candidates.left, pairs[new, 0]]),
        np.concatenate([candidates.right, pairs[new, 1]]),
        np.concatenate([candidates.weight - divide, np.full(int(new.sum()), UNCOMPARED)]),
        np.concatenate([added, bits[new]]),
    )
