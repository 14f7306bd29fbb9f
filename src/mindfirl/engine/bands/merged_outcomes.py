"""What becomes of candidates when weights and votes merge records, and only decisions are final."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from mindfirl.core.merging.merged_persons import MergedPersons, merge_persons
from mindfirl.core.merging.weighing import UNCOMPARED, WeighedPairs
from mindfirl.core.persons import Links, LinkSource
from mindfirl.engine.bands.settlement import Decided, Outcomes, Settlement, outcomes
from mindfirl.engine.pairs.candidates import Candidates, Positions, pair_keys

VoteBits = Mapping[tuple[int, int], float]
"""The bits that votes add to the weights of pairs, left before right: for is positive."""


def merged_outcomes(
    candidates: Candidates,
    settlement: Settlement,
    decided: Decided,
    votes: VoteBits,
    *,
    records: int,
    alone: Positions,
) -> tuple[Outcomes, MergedPersons]:
    """Merge records to persons; ``decided`` is final, ``alone`` as :func:`record_ids.alone`.

    The links are decisions and the positive pairs inside persons. ``unsettled`` counts the pairs
    that were sent to people and have no final decision, as :func:`outcomes` does.
    """
    closed = outcomes(candidates, settlement, decided)
    final = closed.links.source != LinkSource.AUTOMATIC
    links = Links(closed.links.left[final], closed.links.right[final], closed.links.source[final])
    found = merge_persons(
        records,
        weighed_pairs(candidates, votes),
        decided=links,
        nonlinks=closed.nonlinks,
        databases=alone,
    )
    return replace(closed, links=found.links), found


def weighed_pairs(candidates: Candidates, votes: VoteBits) -> WeighedPairs:
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
        np.concatenate([candidates.weight, np.full(int(new.sum()), UNCOMPARED)]),
        np.concatenate([added, bits[new]]),
    )
