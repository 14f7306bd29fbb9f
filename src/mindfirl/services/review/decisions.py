"""Decisions: what a person says of a pair, each change kept with what was open when it was made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from mindfirl.core.errors import DecidedElsewhere, NotOpen, NotYours, SettingError
from mindfirl.core.ledger import events
from mindfirl.core.review.decisions import Decision
from mindfirl.store.assignments import change
from mindfirl.store.hot_path import current_decision, keep_revision
from mindfirl.store.ledger.digests import digests_of, opened_digests
from mindfirl.store.ledger.writer import LockedHead, append, locked_head
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.votes import decision_of
from mindfirl.store.vault.sealed_comments import commented_on, comments_in
from mindfirl.workspace.comment_checks import comments_set_aside
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import forget_indexes


@dataclass(frozen=True, slots=True)
class PairDecision:
    pair: int
    decision: Decision
    at: datetime


@dataclass(frozen=True, slots=True)
class KeptDecision:
    """The number of a pair, how often its decision has changed, and whether it has a comment."""

    number: int
    revision: int
    commented: bool


def decide(
    *,
    account: Account,
    assignment: Assignment,
    token: str,
    decision: Decision | None,
    now: datetime,
    seen: int | None = None,
) -> KeptDecision:
    """Keep a decision about a pair, or take it back.

    ``seen`` is the revision on the page that it was made on, if any: another decision than that is
    not overwritten. Asked again, it changes nothing.
    """
    mine = assignment
    with commit():
        ledger = _lock(account, mine)
        latest = current_decision(assignment, token)
        if latest is None:
            raise NotYours
        if assignment.state != "open":
            raise NotOpen(assignment.state)
        before = decision_of(latest.verdict, latest.reason) if latest.verdict else None
        if before == decision:
            return KeptDecision(latest.number, latest.revision, latest.commented)
        if seen is not None and seen != latest.revision:
            raise DecidedElsewhere
        verdict, reason = (decision.verdict, decision.reason or "") if decision else ("", "")
        keep_revision(latest, verdict, reason, now)
        digests = opened_digests(mine.project_id, latest.identity_key, latest.digest_key)
        about = (str(mine.pk), latest.number, latest.revision + 1)
        digest = digests.decision(about, (verdict, reason), now, latest.levels)
        told = events.Decided(*about, digest)
        append(mine.project, at=now, actor=str(account.pk), events=[told], locked=ledger)
    return KeptDecision(latest.number, latest.revision + 1, latest.commented)


def decisions_of(assignment: Assignment) -> dict[int, PairDecision]:
    held = assignment.pairs.filter(withdrawn=False).exclude(verdict="")
    return {
        number: PairDecision(number, decision_of(verdict, reason), at)
        for number, verdict, reason, at in held.values_list(
            "number", "verdict", "reason", "decided"
        )
        if at is not None
    }


def submit(*, account: Account, assignment: Assignment, now: datetime) -> None:
    """Close an assignment whose pairs are all decided; nothing can be changed in it any more."""
    with commit():
        _lock(account, assignment)
        assignment.refresh_from_db(fields=["state", "project"])  # and with it the name of the key
        if assignment.state != "open":
            raise NotOpen(assignment.state)
        left = assignment.pairs.filter(withdrawn=False, verdict="").count()
        if left:
            raise SettingError(
                f"Not submitted: {left} pairs are not decided yet. Decide them; use “cannot tell” "
                f"if necessary."
            )
        bare = len(unreasoned(assignment))
        if bare:
            raise SettingError(
                f"Not submitted: {bare} decisions have no reason. Decisions on conflicts need a "
                f"reason; enter it next to the decision, under Reason."
            )
        repeating = len(comments_set_aside(assignment, comments_in(assignment)))
        if repeating:
            raise SettingError(
                f"Not submitted: {repeating} comments repeat something that you have opened. "
                f"Rewrite or remove them; then submit."
            )
        left_as = assignment.pairs.filter(withdrawn=False)
        latest = left_as.values_list("number", "revision", "verdict", "reason")
        digest = digests_of(assignment.project).decisions(str(assignment.pk), latest)
        told = events.Submitted(str(assignment.pk), digest)
        change(assignment, told, at=now, actor=str(account.pk), state="submitted", ended=now)
    forget_indexes(assignment.version)


def unreasoned(assignment: Assignment) -> list[int]:
    """Return the numbers of decided pairs that lack a reason; only adjudicators must give one."""
    if assignment.kind != "adjudication":
        return []
    decided = assignment.pairs.filter(withdrawn=False).exclude(verdict="")
    reasoned = commented_on(assignment)
    return [number for number in decided.values_list("number", flat=True) if number not in reasoned]


def _lock(account: Account, mine: Assignment) -> LockedHead:
    if mine.account_id != account.pk:
        raise NotYours
    return locked_head(mine.project)
