"""The only writer of the ledgers: one chain a project, its head locked by whoever appends.

Who changes what a ledger tells of locks the head by the first statement of a transaction, and
appends in it. So there are no two who follow the same entry, and what is told is what is so. After
the commit, and before anybody gets an answer, the mark in the key folder moves forward.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple, get_args
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone

from mindfirl.core.errors import LedgerBroken, LedgerDistrusted
from mindfirl.core.ledger.chain import Entry, EntryColumns, MadeBy, read_one
from mindfirl.core.ledger.events import KINDS, AfterClosing, AssignmentEvent, Distrusted, Event
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.replay import Head
from mindfirl.core.policy import COMMAND_LINE, INSTALLATION
from mindfirl.store import hot_path as sql
from mindfirl.store.changes import check_open
from mindfirl.store.ledger import marks
from mindfirl.store.models import LedgerHead, LedgerLine, Project

_IN_ANY_STATE: Final = AssignmentEvent | AfterClosing
"""What needs no look at whether the project is closed."""
_OF_ASSIGNMENTS: Final = [KINDS[each] for each in get_args(AssignmentEvent)]
_clock: Final[ContextVar[datetime | None]] = ContextVar("ledger clock", default=None)
_by_command: Final[ContextVar[bool]] = ContextVar("acting by command", default=False)


@contextmanager
def clock_at(at: datetime) -> Iterator[None]:
    """Stamp entries with a time of the past, for projects that are made up as if it were then."""
    token = _clock.set(at)
    try:
        yield
    finally:
        _clock.reset(token)


@contextmanager
def made_by_command() -> Iterator[None]:
    """Mark entries as made by a command, also where it acts for a person."""
    token = _by_command.set(True)
    try:
        yield
    finally:
        _by_command.reset(token)


def is_made_by_command() -> bool:
    return _by_command.get()


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
    entries, digest, at, together, mac = found
    kept_here = _is_kept_here(project.pk, digest, together, mac)
    return LockedHead(Head(entries, digest, at), together if kept_here else None)


def _is_kept_here(project: UUID, digest: str, together: int | None, mac: str) -> bool:
    if together is None:
        return True
    return mac == marks.together_mac(marks.mac_key(), project, digest, together)


def sum_is_kept_here(project: Project) -> bool:
    """Say whether what all people have seen together is as it was kept here."""
    found = _locked(project)
    return found is None or _is_kept_here(project.pk, found[1], found[3], found[4])


class StoredLine(NamedTuple):
    """An entry as it is stored: its line, what shows that it was made here, and its columns."""

    number: int
    line: str
    mac: str
    columns: EntryColumns


def locked_lines(project: Project) -> tuple[Head, list[StoredLine]]:
    """Read a ledger while nobody appends to it; looking at one without entries makes no row."""
    end, found = _locked_end(project), _all_lines(project)
    if found and not end.entries:  # without a head there was no lock, and somebody came first
        end, found = _locked_end(project), _all_lines(project)
    return end, found


def append(
    project: Project,
    *,
    actor: str,
    events: Iterable[Event],
    at: datetime | None = None,
    locked: LockedHead | None = None,
) -> Head:
    """Append events to the ledger of a project, in the caller's transaction; return its head.

    Callers that have locked the head give it, with what all people have seen after the events;
    without it, that is counted again when it matters. What cannot follow the closing of the project
    is refused; assignments have ended by then. A ledger behind its mark is refused.
    """
    head, together = (locked.head, locked.together) if locked else (locked_head(project).head, None)
    told = list(events)
    _check(project, head, told)
    stamp, made_by = written(at or _clock.get() or timezone.now()), _made_by(actor)
    key = marks.mac_key()
    for event in told:
        entry, line, head = head.append_line(at=stamp, actor=actor, event=event, made_by=made_by)
        _add(project.pk, entry, line, key)
    _move_head(project.pk, head, together, key)
    transaction.on_commit(partial(marks.move_mark, project.pk, head))
    return head


def append_acknowledged(project: Project, told: Acknowledged, *, actor: str, end: Head) -> Head:
    """Append that a changed ledger was acknowledged, behind its last stored entry as it is now."""
    at, key = written(_clock.get() or timezone.now()), marks.mac_key()
    by = _made_by(actor)
    entry, line, head = end.append_line(at=at, actor=actor, event=told, made_by=by)
    _add(project.pk, entry, line, key)
    _move_head(project.pk, head, None, key)
    transaction.on_commit(partial(marks.reset_mark, project.pk, head))
    transaction.on_commit(partial(marks.end_alarm, project.pk))
    return head


def _check(project: Project, head: Head, told: list[Event]) -> None:
    if not all(isinstance(event, _IN_ANY_STATE) for event in told):
        check_open(project.pk)
    if any(isinstance(event, Distrusted) for event in told):
        found = marks.alarm_of(project.pk)
        if found:
            raise LedgerDistrusted(found)
    check_reaches_mark(project.pk, head)


def check_reaches_mark(project: UUID, head: Head) -> None:
    """Refuse a ledger that lacks what was written here; where that was acknowledged, go on."""
    mark = marks.read_mark(project)
    at_mark: str | None = head.digest
    if mark.entries < head.entries:
        at_mark = _digest_at(project, mark.entries)
    if mark.entries > head.entries or at_mark != mark.digest:
        if mark in acknowledged_marks(project):  # cut off before the mark was set
            return
        marks.check_mark(mark, head, at_mark)


def entries_about_project(project: Project) -> list[Entry]:
    """Read the entries that are about no assignment; each must have been made here.

    They are few, so this can be done before anything leaves. Whether one is missing is
    left to the verification of the whole ledger.
    """
    key, known = marks.mac_key(), acknowledgements(project.pk).values()
    skipped = [(each.first, each.last) for each in known if each.first]
    rows = LedgerLine.objects.filter(project=project).exclude(kind__in=_OF_ASSIGNMENTS)
    found: list[Entry] = []
    for number, line, mac in rows.order_by("number").values_list("number", "line", "mac"):
        if marks.entry_mac(key, project.pk, line[:64]) == mac:
            found.append(read_one(line, number))
        elif not any(first <= number <= last for first, last in skipped):
            raise LedgerBroken(number, "it was not made here")
    return found


def acknowledged_marks(project: UUID) -> set[Head]:
    """Return the marks that a ledger is known not to reach; entries made elsewhere do not count."""
    return {Head(each.mark, each.mark_digest) for each in acknowledgements(project).values()}


def acknowledgements(project: UUID) -> dict[int, Acknowledged]:
    """Return what was acknowledged here, by the numbers of the entries."""
    key, found = marks.mac_key(), {}
    rows = LedgerLine.objects.filter(project=project, kind="acknowledged")
    for number, line, mac in rows.order_by("number").values_list("number", "line", "mac"):
        with suppress(LedgerBroken):
            entry = read_one(line, number)
            made_here = marks.entry_mac(key, project, line[:64]) == mac and entry.number == number
            if made_here and isinstance(entry.event, Acknowledged):
                found[number] = entry.event
    return found


def _digest_at(project: UUID, number: int) -> str | None:
    if not number:
        return Head().digest
    found = sql.row(sql.FIND_LEDGER_LINE, project, number)
    return str(found[0])[:64] if found else None


def _add(project: UUID, entry: Entry, line: str, key: bytes) -> None:
    mac = marks.entry_mac(key, project, line[:64])
    sql.run(sql.ADD_LEDGER_LINE, project, entry.number, line, mac, *entry.columns)


def _move_head(project: UUID, head: Head, together: int | None, key: bytes) -> None:
    mac = marks.together_mac(key, project, head.digest, together)
    now = (head.entries, head.digest, head.at, together, mac)
    sql.run(sql.MOVE_LEDGER_HEAD, *now, project)


def _made_by(actor: str) -> MadeBy:
    if actor == COMMAND_LINE.name or is_made_by_command():
        return "command"
    return "installation" if actor == INSTALLATION.name else "browser"


def lines(project: Project, *, to: int | None = None) -> Iterator[str]:
    """Return the lines of a ledger, to the last, or a number."""
    return (line for _, line in numbered_lines(project, to=to))


def numbered_lines(
    project: Project, *, after: int = 0, to: int | None = None
) -> Iterator[tuple[int, str]]:
    """Return the lines of a ledger with their numbers, from the first, or after a number."""
    found = LedgerLine.objects.filter(project=project, number__gt=after).order_by("number")
    if to is not None:
        found = found.filter(number__lte=to)
    return iter(found.values_list("number", "line"))


def head_of(project: Project) -> Head:
    known = LedgerHead.objects.filter(project=project).first()
    return Head(known.entries, known.digest, known.at) if known else Head()


def _locked_end(project: Project) -> Head:
    assert connection.in_atomic_block
    found = _locked(project)
    return Head(*found[:3]) if found else Head()


def _all_lines(project: Project) -> list[StoredLine]:
    found = LedgerLine.objects.filter(project=project).order_by("number")
    return [
        StoredLine(number, line, mac, EntryColumns(*columns))
        for number, line, mac, *columns in found.values_list(
            "number", "line", "mac", *EntryColumns._fields
        )
    ]


def _locked(project: Project) -> tuple[int, str, str, int | None, str] | None:
    return sql.row(sql.FIND_LEDGER_HEAD + sql.for_update(), project.pk)


def written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
