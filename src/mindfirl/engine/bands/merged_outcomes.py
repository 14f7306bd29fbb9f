"""What linking makes of pairs where votes are evidence: weights and votes merge records.

Only an adjudicator's decision is final. A pair that nobody settled goes by its weight, like any
other: linking asks no rule of its own for it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from mindfirl.core.merging.cluster_findings import Findings, findings_in
from mindfirl.core.persons import Links, LinkSource, Persons
from mindfirl.engine.bands.merged_candidates import VoteBits, merge_candidates
from mindfirl.engine.bands.settlement import Decided, Outcomes, Settlement, outcomes
from mindfirl.engine.pairs.candidates import Candidates, Keys, Positions, pair_keys


@dataclass(frozen=True, slots=True, eq=False)
class MergedOutcomes:
    """All links and non-links, how many undecided pairs are linked, and the persons that come."""

    outcomes: Outcomes
    linked_by_weight: int
    persons: Persons
    findings: Findings


def merged_outcomes(
    candidates: Candidates,
    settlement: Settlement,
    decided: Decided,
    votes: VoteBits,
    *,
    alone: Positions,
    divide: float = 0.0,
    resolved: Collection[tuple[int, int]] = (),
) -> MergedOutcomes:
    """Merge records to persons; ``decided`` is final, ``alone`` as :func:`record_ids.alone`.

    The links are decisions and the positive pairs inside persons. Undecided are pairs for people,
    and pairs with votes, that are neither ``decided`` nor among the ``resolved`` ones, on which
    weight and votes agree.
    """
    closed = outcomes(candidates, settlement, decided)
    final = closed.links.source != LinkSource.AUTOMATIC
    links = Links(closed.links.left[final], closed.links.right[final], closed.links.source[final])
    merged = merge_candidates(
        candidates, alone, divide=divide, votes=votes, decided=links, nonlinks=closed.nonlinks
    )
    person = merged.persons.person
    keys = pair_keys(candidates.left, candidates.right)
    known = np.isin(keys, _keys([*decided, *resolved]))
    undecided = (settlement.sent | np.isin(keys, _keys([*votes]))) & ~known
    together = person[candidates.left] == person[candidates.right]
    return MergedOutcomes(
        outcomes=replace(closed, links=merged.links, unsettled=int(undecided.sum())),
        linked_by_weight=int((undecided & together).sum()),
        persons=merged.persons,
        findings=findings_in(person, merged.weighed, links),
    )


def _keys(pairs: list[tuple[int, int]]) -> Keys:
    positions = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return pair_keys(positions[:, 0], positions[:, 1])
