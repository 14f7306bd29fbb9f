"""Gold pairs: pairs with a known answer that go out among others, to check reviewers by them.

Their answers come from elsewhere, from adjudicators, or from quality samples on which all agree.
"""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from mindfirl.core.lineage import NOWHERE
from mindfirl.store.models import AssignedPair, Version
from mindfirl.store.queries.votes import EXTERNAL, PairKey, Votes
from mindfirl.workspace.carried_votes import lineages_of, votes_in


def gold_pairs(version: Version, reviewers: Collection[UUID]) -> set[PairKey]:
    """Return the pairs by which reviewers of one round can be checked: none of them has had one."""
    known = {pair for pair, said in votes_in(version).items() if _is_known(said)}
    return known - _had(version, reviewers)


def _is_known(said: Votes) -> bool:
    """Say whether a pair has an answer, which reviewers do not dispute if it is from elsewhere."""
    if said.answer is None or said.adjudicating:
        return False
    return said.origin != EXTERNAL or not said.disputed


def _had(version: Version, reviewers: Collection[UUID]) -> set[PairKey]:
    """Return the pairs that somebody had in any round, whatever became of records and decisions."""
    rounds = AssignedPair.objects.filter(assignment__account__in=reviewers).order_by()
    own = rounds.filter(assignment__version=version)
    found = set(own.values_list("left", "right"))
    for number, lineage in lineages_of(version).earlier.items():
        before = rounds.filter(
            assignment__project=version.project_id, assignment__version__number=number
        )
        for pair in before.values_list("left", "right"):
            left, right = sorted(int(lineage.after[record]) for record in pair)
            if left != NOWHERE:
                found.add((left, right))
    return found
