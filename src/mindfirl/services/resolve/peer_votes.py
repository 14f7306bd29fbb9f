"""The votes and comments of others that an adjudicator sees, without names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mindfirl.core.errors import NotYours
from mindfirl.core.review.decisions import VERDICTS, Decision
from mindfirl.store.models import Account, Assignment, Project
from mindfirl.store.queries.votes import SealedVote, votes_on
from mindfirl.store.vault.sealed_comments import unseal


@dataclass(frozen=True, slots=True)
class PeerVote:
    """What somebody decided about a pair; ``settling`` if that was an adjudication."""

    decision: Decision
    comment: str
    settling: bool

    @property
    def order(self) -> tuple[object, ...]:
        """Votes are sorted by what was decided, so that their order does not tell by whom."""
        reason = self.decision.reason or ""
        return (self.settling, VERDICTS.index(self.decision.verdict), reason, self.comment)


def peer_votes(
    *, account: Account, assignment: Assignment, numbers: Iterable[int]
) -> dict[int, tuple[PeerVote, ...]]:
    """Return what others decided about pairs, by their numbers; workers get nothing."""
    if assignment.account_id != account.pk:
        raise NotYours
    if assignment.kind != "adjudication":
        return {}
    return {
        number: tuple(sorted(_unsealed(assignment.project, votes), key=lambda each: each.order))
        for number, votes in votes_on(assignment, numbers).items()
    }


def _unsealed(project: Project, votes: list[SealedVote]) -> list[PeerVote]:
    sealed = [each.comment for each in votes if each.comment]
    words = dict(zip(map(id, sealed), unseal(project, sealed), strict=True))
    return [
        PeerVote(each.decision, words.get(id(each.comment), ""), each.settling) for each in votes
    ]
