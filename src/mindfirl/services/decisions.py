"""Decisions: what a person says of a pair, each change kept with what was open when it was made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from mindfirl.core.decisions import Decision, Reason, Verdict
from mindfirl.core.errors import NotOpen, NotYours, SettingError
from mindfirl.core.events import Submitted
from mindfirl.store.assignments import change
from mindfirl.store.faults import reach
from mindfirl.store.ledger import locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, Revision
from mindfirl.store.populations import let_go
from mindfirl.store.writing import writing


@dataclass(frozen=True, slots=True)
class Decided:
    """What was decided about a pair, and when."""

    pair: int
    decision: Decision
    at: datetime


def decide(
    *, account: Account, assignment: UUID, token: str, decision: Decision | None, now: datetime
) -> None:
    """Keep a decision about a pair, or take it back; saying the same again changes nothing."""
    with writing():
        mine = _open(account, assignment)
        pair = mine.pairs.filter(token=token, withdrawn=False).first()
        if pair is None:
            raise NotYours
        last = pair.revisions.order_by("-number").first()
        if _decision(last) == decision:
            return
        Revision.objects.create(
            pair=pair,
            number=last.number + 1 if last else 1,
            at=now,
            verdict=decision.verdict if decision else "",
            reason=(decision.reason or "") if decision else "",
            state=_levels(pair),
        )
        reach("before commit")
    reach("after commit")


def decisions_of(assignment: Assignment) -> dict[int, Decided]:
    """Return the decisions of an assignment that count, by the numbers of their pairs."""
    found: dict[int, Decided] = {}
    revisions = Revision.objects.filter(pair__assignment=assignment, pair__withdrawn=False)
    for each in revisions.select_related("pair").order_by("pair__number", "number"):
        said = _decision(each)
        if said is None:
            found.pop(each.pair.number, None)
        else:
            found[each.pair.number] = Decided(each.pair.number, said, each.at)
    return found


def submit(*, account: Account, assignment: UUID, now: datetime) -> None:
    """Close an assignment whose pairs are all decided; nothing can be changed in it any more."""
    with writing():
        mine = _open(account, assignment)
        left = mine.pairs.filter(withdrawn=False).count() - len(decisions_of(mine))
        if left:
            raise SettingError(
                f"{left} pairs are not decided yet. Decide them, if need be by “cannot tell”."
            )
        told = Submitted(str(mine.pk))
        change(mine, told, at=now, actor=str(account.pk), state="submitted", ended=now)
        reach("before commit")
    reach("after commit")
    let_go(mine.version)


def _open(account: Account, number: UUID) -> Assignment:
    """Lock the ledger of an assignment, and return it while work on it is possible."""
    mine = (
        Assignment.objects.select_related("project", "version__index")
        .filter(pk=number, account=account)
        .first()
    )
    if mine is None:
        raise NotYours
    locked_head(mine.project)
    mine.refresh_from_db(fields=["state"])
    if mine.state != "open":
        raise NotOpen(mine.state)
    return mine


def _decision(revision: Revision | None) -> Decision | None:
    if revision is None or not revision.verdict:
        return None
    reason = cast("Reason", revision.reason) if revision.reason else None
    return Decision(cast("Verdict", revision.verdict), reason)


def _levels(pair: AssignedPair) -> dict[str, list[str]]:
    """Return what was opened in a pair, cell by cell."""
    opened: Iterable[tuple[str, str]] = pair.open_cells.values_list("attribute", "level")
    levels: dict[str, list[str]] = {}
    for attribute, level in opened:
        levels.setdefault(attribute, []).append(level)
    return levels
