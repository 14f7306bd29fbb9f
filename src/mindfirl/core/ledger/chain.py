"""The chain of a ledger: its entries as they are stored, in which any change shows.

An entry is a frozen value. Its canonical form is one line of JSON (sorted keys, no spaces, ASCII,
whole numbers and texts only), and its digest the SHA-256 of that line. Each entry holds the digest
of the one before it. A stored line is the digest, a space, and the canonical form. Entries hold
names of columns, levels and numbers, never a value.

All kinds of entries have one form, whose number every entry says. A new kind changes no old entry.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields
from typing import Any, Final, Literal, NamedTuple, get_args, get_origin, get_type_hints

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.events import EVENTS, KINDS, Event
from mindfirl.core.ledger.project_events import Acknowledged

GENESIS: Final = "0" * 64
"""What the first entry holds instead of an earlier digest."""
FORMAT: Final = 2
"""The form of entries; a ledger of another form is refused."""
OLDER_FORM: Final = "it is in an older form of entries, which this release does not read"

MadeBy = Literal["browser", "command", "token", "installation"]
"""How somebody acted; the installation acts by itself when the term of something is over."""
MADE_BY: Final[tuple[MadeBy, ...]] = get_args(MadeBy)


class EntryColumns(NamedTuple):
    """What a table holds beside the line of an entry, so that entries can be found by it."""

    format: int
    kind: str
    actor: str
    made_by: str
    round: int
    assignment: str
    pair: int


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the ledger: what happened, when, by whom, how, and what came before."""

    number: int
    at: str
    actor: str
    event: Event
    previous: str = GENESIS
    made_by: MadeBy = "browser"
    round: int = 1
    format: int = FORMAT

    @property
    def columns(self) -> EntryColumns:
        """Return what the entry can be found by; without an assignment or pair, nothing or 0."""
        about = (getattr(self.event, "assignment", ""), getattr(self.event, "pair", 0))
        kind = KINDS[type(self.event)]
        return EntryColumns(self.format, kind, self.actor, self.made_by, self.round, *about)

    def canonical(self) -> str:
        """Return the one text that the digest is taken of."""
        content = _fields_of(self)
        content["event"] = {**_fields_of(self.event), "kind": KINDS[type(self.event)]}
        return _canonical(content)

    def line(self) -> str:
        """Return the entry as it is stored: its digest and its canonical form."""
        canonical = self.canonical()
        return f"{_digest(canonical)} {canonical}"


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger ends: how many entries it has, and the digest and time of the last one."""

    entries: int = 0
    digest: str = GENESIS
    at: str = field(default="", compare=False)

    def append(
        self, *, at: str, actor: str, event: Event, made_by: MadeBy = "browser"
    ) -> tuple[Entry, Head]:
        """Return the next entry, never stamped earlier than the last, and the head after it."""
        entry, _line, head = self.append_line(at=at, actor=actor, event=event, made_by=made_by)
        return entry, head

    def append_line(
        self, *, at: str, actor: str, event: Event, made_by: MadeBy = "browser"
    ) -> tuple[Entry, str, Head]:
        """Return the next entry, as it is stored as well, and the head after it."""
        stamp = max(at, self.at)
        entry = Entry(self.entries + 1, stamp, actor, event, self.digest, made_by)
        line = entry.line()
        return entry, line, Head(entry.number, line[:64], stamp)


def verify_chain(lines: Iterable[str], head: Head | None = None) -> Head:
    """Check the chain of stored lines, against a known head where one is given; return its head.

    Raises :class:`LedgerBroken` with the number of the first bad entry. Without a head, entries
    cut off at the end are not missed; entries behind a known head are newer, and checked as well.
    """
    now = Head()
    if head and not head.entries and head != now:
        raise LedgerBroken(1, "the known head counts no entries, and has a digest all the same")
    for line in lines:
        now, _ = _follow(now, line)
        if head and now.entries == head.entries and now.digest != head.digest:
            raise LedgerBroken(now.entries, "it is not the entry that the known head names")
    if head and now.entries < head.entries:
        raise LedgerBroken(now.entries + 1, f"the known head counts {head.entries} entries")
    return now


def read(lines: Iterable[str]) -> list[Entry]:
    """Read stored lines back into entries, checking the chain."""
    found = read_rows(list(enumerate(lines, start=1)))
    if found.broken:
        raise found.broken
    return list(found.entries)


def lines_digest(lines: Iterable[str]) -> str:
    """Digest stored lines as they are, whatever is wrong with them."""
    return _digest("\n".join(lines))


@dataclass(frozen=True, slots=True)
class ReadLedger:
    """As much of a ledger as holds together, and what is wrong with the next entry, if any."""

    entries: Sequence[Entry]
    head: Head
    broken: LedgerBroken | None = None


Row = tuple[int, str]
"""A line, and the number under which it is stored."""


def read_rows(rows: Sequence[Row], known: Iterable[Acknowledged] = ()) -> ReadLedger:
    """Read stored rows as far as they hold together, or it is known that they do not.

    Acknowledged entries must be what they were then; of these, those that can be read count.
    """
    ranges = {each.first: each for each in known if each.first}
    now, entries, place = Head(), list[Entry](), 0
    try:
        while place < len(rows):
            if now.entries + 1 in ranges:
                told = ranges[now.entries + 1]
                block = [row for row in rows[place:] if row[0] <= told.last]
                now = _acknowledged(now, block, told)
                entries += _readable(block)
                place += len(block)
                continue
            now, content = _follow_row(now, rows[place])
            entries.append(_entry(content))
            place += 1
    except LedgerBroken as broken:
        return ReadLedger(entries, now, broken)
    return ReadLedger(entries, now)


def _follow_row(now: Head, row: Row) -> tuple[Head, dict[str, Any]]:
    number, line = row
    if number != now.entries + 1:
        raise LedgerBroken(now.entries + 1, "it is missing, or stored under another number")
    return _follow(now, line)


def _acknowledged(now: Head, block: Sequence[Row], told: Acknowledged) -> Head:
    if lines_digest(line for _, line in block) != told.lines:
        raise LedgerBroken(told.first, "it is not what it was when it was acknowledged")
    return Head(told.last, block[-1][1][:64] if block else now.digest, now.at)


def _readable(block: Iterable[Row]) -> Iterator[Entry]:
    for number, line in block:
        with suppress(LedgerBroken):
            yield read_one(line, number)


def read_one(line: str, number: int) -> Entry:
    """Read one stored line, whatever stands before it."""
    return _entry(_content(line, number))


def followed(head: Head, lines: Iterable[str]) -> Iterator[Head]:
    """Check the chain of the lines that come after a head; give the head after each."""
    for line in lines:
        head, _ = _follow(head, line)
        yield head


def _follow(now: Head, line: str) -> tuple[Head, dict[str, Any]]:
    """Check a stored line against the head before it; return the next head, and the content."""
    number = now.entries + 1
    content = _content(line, number)
    place = content["number"]
    if place != number or type(place) is not int or content["previous"] != now.digest:
        raise LedgerBroken(
            number, "it does not follow the entry before it: one of them was changed"
        )
    if content["at"] < now.at:
        raise LedgerBroken(number, "its time is before that of the entry before it")
    digest, _, canonical = line.removesuffix("\n").partition(" ")
    if _canonical(content) != canonical:
        raise LedgerBroken(number, "it is not in the canonical form")
    return Head(number, digest, content["at"]), content


def _content(line: str, number: int) -> dict[str, Any]:
    digest, _, canonical = line.removesuffix("\n").partition(" ")
    if digest != _digest(canonical):
        raise LedgerBroken(number, "its digest does not fit its content")
    try:
        content: dict[str, Any] = json.loads(canonical)
        content["number"], content["previous"]
        sound = type(content["at"]) is str
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LedgerBroken(number, "it is not an entry") from None
    if not sound:
        raise LedgerBroken(number, "it is not an entry")
    if content.get("format") != FORMAT:
        raise LedgerBroken(number, OLDER_FORM)
    return content


def _fields_of(thing: Any) -> dict[str, Any]:  # noqa: ANN401  # an entry or an event
    return {each.name: getattr(thing, each.name) for each in fields(thing)}


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _digest(canonical: str) -> str:
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _entry(content: dict[str, Any]) -> Entry:
    """Make an entry of its canonical content; every field must be of its declared type."""
    number = content["number"]
    try:
        event = dict(content.pop("event"))
        made = EVENTS[event.pop("kind")](**{name: _frozen(value) for name, value in event.items()})
        entry = Entry(event=made, **content)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise LedgerBroken(number, "its event is unknown to this version") from None
    for thing in (entry, made):
        for name, expected in _TYPES[type(thing)].items():
            if type(getattr(thing, name)) is not expected:
                raise LedgerBroken(number, f"its {name} is not of the right type")
    if entry.made_by not in MADE_BY or entry.round < 1:
        raise LedgerBroken(number, "it is not said how it was made, or in which round")
    return entry


def _type(hint: Any) -> type:  # noqa: ANN401  # whatever a field is declared as
    if hint is int:
        return int
    return tuple if get_origin(hint) is tuple else str


_TYPES: Final[dict[type[object], dict[str, type]]] = {
    kind: {name: _type(hint) for name, hint in get_type_hints(kind).items() if name != "event"}
    for kind in (Entry, *EVENTS.values())
}
"""The types of the fields of an entry and of each event; words of a set are texts."""


def _frozen(value: Any) -> Any:  # noqa: ANN401  # JSON holds anything
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
