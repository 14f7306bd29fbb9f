"""The chain of a ledger: its entries as they are stored, in which any change shows.

An entry is a frozen value. Its canonical form is one line of JSON (sorted keys, no spaces, ASCII,
whole numbers and texts only), and its digest the SHA-256 of that line. Each entry holds the digest
of the one before it. A stored line is the digest, a space, and the canonical form. Entries hold
names of columns, levels and numbers, never a value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.events import EVENTS, KINDS, Event

GENESIS: Final = "0" * 64
"""What the first entry holds instead of an earlier digest."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the ledger: what happened, when, by whom, and what came before."""

    number: int
    at: str
    actor: str
    event: Event
    previous: str = GENESIS

    def canonical(self) -> str:
        """Return the one text that the digest is taken of."""
        content = asdict(self)
        content["event"]["kind"] = KINDS[type(self.event)]
        return _canonical(content)

    def line(self) -> str:
        """Return the entry as it is stored: its digest and its canonical form."""
        canonical = self.canonical()
        return f"{_digest(canonical)} {canonical}"


@dataclass(frozen=True, slots=True)
class Head:
    """Where a ledger ends: how many entries it has, and the digest of the last one."""

    entries: int = 0
    digest: str = GENESIS

    def append(self, *, at: str, actor: str, event: Event) -> tuple[Entry, Head]:
        """Return the next entry, and the head after it."""
        entry = Entry(self.entries + 1, at, actor, event, self.digest)
        return entry, Head(entry.number, _digest(entry.canonical()))


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
    entries, broken = read_sound(lines)
    if broken:
        raise broken
    return entries


def read_sound(lines: Iterable[str]) -> tuple[list[Entry], LedgerBroken | None]:
    """Read stored lines as far as they hold together; say what is wrong with the next, if any."""
    now, entries = Head(), []
    try:
        for line in lines:
            now, content = _follow(now, line)
            entries.append(_entry(content))
    except LedgerBroken as broken:
        return entries, broken
    return entries, None


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
    digest, _, canonical = line.removesuffix("\n").partition(" ")
    if _canonical(content) != canonical:
        raise LedgerBroken(number, "it is not in the canonical form")
    return Head(number, digest), content


def _content(line: str, number: int) -> dict[str, Any]:
    digest, _, canonical = line.removesuffix("\n").partition(" ")
    if digest != _digest(canonical):
        raise LedgerBroken(number, "its digest does not fit its content")
    try:
        content: dict[str, Any] = json.loads(canonical)
        content["number"], content["previous"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LedgerBroken(number, "it is not an entry") from None
    return content


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
        for each in fields(thing):
            value = getattr(thing, each.name)
            if each.name != "event" and type(value) is not _TYPES.get(each.name, str):
                raise LedgerBroken(number, f"its {each.name} is not of the right type")
    return entry


_TYPES: Final[dict[str, type]] = {
    **dict.fromkeys(("number", "dispatch", "pairs", "kappa", "budget", "charge", "pair"), int),
    **dict.fromkeys(("acceptance", "linkage", "version", "records", "persons", "unsettled"), int),
    **dict.fromkeys(
        ("accepted", "release", "rows", "blocked", "count", "keys", "linked_by_weight"), int
    ),
    **dict.fromkeys(("attributes", "settings", "starting", "lower", "cells", "columns"), tuple),
}
"""The types of the fields that are not texts."""


def _frozen(value: Any) -> Any:  # noqa: ANN401  # JSON holds anything
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
