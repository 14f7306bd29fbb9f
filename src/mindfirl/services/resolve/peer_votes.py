"""What an adjudicator hears of others: their votes and comments, without names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mindfirl.core.errors import NotYours
from mindfirl.core.review.decisions import VERDICTS, Decision
from mindfirl.store.models import Account, Assignment, Project
from mindfirl.store.queries.votes import Vote, votes_on
from mindfirl.store.vault.sealed_comments import unseal


@dataclass(frozen=True, slots=True)
class Heard:
    """What somebody said of a pair; ``settling`` where that was to settle a conflict."""

    decision: Decision
    comment: str
    settling: bool

    @property
    def order(self) -> tuple[object, ...]:
        """Where it stands among others: by what was said, so that nothing tells who said it."""
        reason = self.decision.reason or ""
        return (self.settling, VERDICTS.index(self.decision.verdict), reason, self.comment)


def heard_on(
    *, account: Account, assignment: Assignment, numbers: Iterable[int]
) -> dict[int, tuple[Heard, ...]]:
    """Return what others said of pairs, by their numbers, to the one who settles them.

    Whoever reviews hears nothing of what others say.
    """
    if assignment.account_id != account.pk:
        raise NotYours
    if assignment.kind != "adjudication":
        return {}
    return {
        number: tuple(sorted(_heard(assignment.project, votes), key=lambda each: each.order))
        for number, votes in votes_on(assignment, numbers).items()
    }


def _heard(project: Project, votes: list[Vote]) -> list[Heard]:
    sealed = [each.comment for each in votes if each.comment]
    words = dict(zip(map(id, sealed), unseal(project, sealed), strict=True))
    return [Heard(each.decision, words.get(id(each.comment), ""), each.settling) for each in votes]
