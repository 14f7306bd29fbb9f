"""The only writer of the ledgers: one chain a project, its head locked by whoever appends.

Who changes what a ledger tells of locks the head by the first statement of a transaction, and
appends in it. So there are no two who follow the same entry, and what is told is what is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import connection

from mindfirl.core.ledger.events import AfterClosing, AssignmentEvent, Event
from mindfirl.core.ledger.replay import Head
from mindfirl.store import hot_path as sql
from mindfirl.store.changes import check_open
from mindfirl.store.models import LedgerHead, LedgerLine, Project


@dataclass(frozen=True, slots=True)
class LockedHead:
    head: Head
    together: int | None


def locked_head(project: Project) -> LockedHead:
    """Lock the ledger of a project until the transaction ends; return its head.

    This is the first statement of a transaction: on SQLite that takes the lock by itself.
    """
    assert connection.in_atomic_block
    found = _locked(project)
    if found is None:
        # Where two come first at once, the second waits here for the first, and makes nothing.
        LedgerHead.objects.bulk_create(
            [LedgerHead(project=project, digest=Head().digest)], ignore_conflicts=True
        )
        found = _locked(project)
    assert found is not None
    entries, digest, together = found
    return LockedHead(Head(entries, digest), together)


def append(
    project: Project,
    *,
    at: datetime,
    actor: str,
    events: Iterable[Event],
    head: Head | None = None,
    together: int | None = None,
) -> Head:
    """Append events to the ledger of a project, in the caller's transaction; return its head.

    Who has locked the head may give it. ``together`` is what all people have seen after the events;
    where it is not said, it is counted again when it matters. What cannot follow the closing of the
    project is refused; assignments have ended by then.
    """
    head = head or locked_head(project).head
    told = list(events)
    if not all(isinstance(event, AssignmentEvent | AfterClosing) for event in told):
        check_open(project.pk)
    for event in told:
        entry, head = head.append(at=written(at), actor=actor, event=event)
        sql.run(sql.ADD_LEDGER_LINE, project.pk, entry.number, entry.line())
    sql.run(sql.MOVE_LEDGER_HEAD, head.entries, head.digest, together, project.pk)
    return head


def lines(project: Project, *, after: int = 0, to: int | None = None) -> Iterator[str]:
    """Return the lines of a ledger, from the first, or after a number; to the last, or a number."""
    found = LedgerLine.objects.filter(project=project, number__gt=after).order_by("number")
    if to is not None:
        found = found.filter(number__lte=to)
    return iter(found.values_list("line", flat=True))


def head_of(project: Project) -> Head:
    known = LedgerHead.objects.filter(project=project).first()
    return Head(known.entries, known.digest) if known else Head()


def _locked(project: Project) -> tuple[int, str, int | None] | None:
    return sql.row(sql.FIND_LEDGER_HEAD + sql.for_update(), project.pk)


def written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
