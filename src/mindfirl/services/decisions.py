"""Decisions: what a person says of a pair, each change kept with what was open when it was made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from mindfirl.core.decisions import Decision, Reason, Verdict
from mindfirl.core.errors import NotOpen, NotYours, SettingError
from mindfirl.core.events import Submitted
from mindfirl.store.assignments import change
from mindfirl.store.faults import reach
from mindfirl.store.ledger import locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, Revision
from mindfirl.store.populations import let_go
from mindfirl.store.writing import writing

_PAIR: Final = ("number", "revision", "verdict", "reason", "decided", "assignment__state")


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about a pair, and when."""

    pair: int
    decision: Decision
    at: datetime


def decide(
    *,
    account: Account,
    assignment: Assignment,
    token: str,
    decision: Decision | None,
    now: datetime,
) -> int:
    """Keep a decision about a pair, or take it back; saying the same again changes nothing.

    The number of the pair is returned.
    """
    with writing():
        _lock(account, assignment)
        pairs = AssignedPair.objects.select_related("assignment").only(*_PAIR)
        pair = pairs.filter(assignment=assignment.pk, token=token, withdrawn=False).first()
        if pair is None:
            raise NotYours
        if pair.assignment.state != "open":
            raise NotOpen(pair.assignment.state)
        if _decision(pair) == decision:
            return pair.number
        _revise(pair, decision, now)
        reach("before commit")
    reach("after commit")
    return pair.number


def decisions_of(assignment: Assignment) -> dict[int, Decided]:
    """Return the decisions of an assignment that count, by the numbers of their pairs."""
    held = assignment.pairs.filter(withdrawn=False).exclude(verdict="")
    return {
        number: Decided(number, _said(verdict, reason), at)
        for number, verdict, reason, at in held.values_list(
            "number", "verdict", "reason", "decided"
        )
        if at is not None
    }


def submit(*, account: Account, assignment: Assignment, now: datetime) -> None:
    """Close an assignment whose pairs are all decided; nothing can be changed in it any more."""
    with writing():
        _lock(account, assignment)
        assignment.refresh_from_db(fields=["state"])
        if assignment.state != "open":
            raise NotOpen(assignment.state)
        left = assignment.pairs.filter(withdrawn=False, verdict="").count()
        if left:
            raise SettingError(
                f"{left} pairs are not decided yet. Decide them, if need be by “cannot tell”."
            )
        told = Submitted(str(assignment.pk))
        change(assignment, told, at=now, actor=str(account.pk), state="submitted", ended=now)
        reach("before commit")
    reach("after commit")
    let_go(assignment.version)


def _lock(account: Account, mine: Assignment) -> None:
    """Lock the ledger of an assignment of somebody's own."""
    if mine.account_id != account.pk:
        raise NotYours
    locked_head(mine.project)


def _decision(pair: AssignedPair) -> Decision | None:
    """Return what was said of a pair last."""
    return _said(pair.verdict, pair.reason) if pair.verdict else None


def _said(verdict: str, reason: str) -> Decision:
    return Decision(cast("Verdict", verdict), cast("Reason", reason) if reason else None)


def _revise(pair: AssignedPair, decision: Decision | None, now: datetime) -> None:
    """Keep a revision, and on the pair what it says."""
    pair.revision += 1
    pair.verdict = decision.verdict if decision else ""
    pair.reason = (decision.reason or "") if decision else ""
    pair.decided = now if decision else None
    Revision.objects.create(
        pair=pair,
        number=pair.revision,
        at=now,
        verdict=pair.verdict,
        reason=pair.reason,
        state=_levels(pair),
    )
    pair.save(update_fields=["revision", "verdict", "reason", "decided"])


def _levels(pair: AssignedPair) -> dict[str, list[str]]:
    """Return what was opened in a pair, cell by cell."""
    opened: Iterable[tuple[str, str]] = pair.open_cells.values_list("attribute", "level")
    levels: dict[str, list[str]] = {}
    for attribute, level in opened:
        levels.setdefault(attribute, []).append(level)
    return levels
