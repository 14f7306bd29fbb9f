"""The ledger: what was dispatched, opened and refused, in a chain that shows any change.

An entry is a frozen value. Its canonical form is one line of JSON (sorted keys, no spaces, ASCII,
whole numbers and texts only), and its digest the SHA-256 of that line. Each entry holds the digest
of the one before it. A stored line is the digest, a space, and the canonical form. Entries hold
names of columns, levels and numbers, never a value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.kapr import fits
from mindfirl.core.schema import ACCOUNTINGS, LEVELS, MASKED, Accounting, Level

GENESIS: Final = "0" * 64
"""What the first entry holds instead of an earlier digest."""


Reason = Literal["kappa", "budget"]
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)


@dataclass(frozen=True, slots=True)
class Dispatched:
    """An assignment was given out; all that its score depends on is fixed from here on.

    Its pairs are numbered from 1. ``starting`` is the level at which cells start, ``lower`` names
    the single cells that start below it; ``charge`` is what the starting levels cost.
    """

    assignment: str
    population: str
    pairs: int
    attributes: tuple[str, ...]
    kappa: int
    accounting: Accounting
    budget: int
    settings: tuple[tuple[str, str], ...] = ()
    starting: tuple[tuple[str, Level], ...] = ()
    lower: tuple[tuple[int, str, Level], ...] = ()
    charge: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """Cells of a pair were opened to a level, for a charge in units."""

    assignment: str
    pair: int
    cells: tuple[str, ...]
    level: Level
    charge: int


@dataclass(frozen=True, slots=True)
class Refused:
    """An opening was refused and cost nothing."""

    assignment: str
    pair: int
    cells: tuple[str, ...]
    level: Level
    reason: Reason


Event = Dispatched | Opened | Refused

EVENTS: Final[dict[str, type[Event]]] = {
    "dispatched": Dispatched,
    "opened": Opened,
    "refused": Refused,
}
_KINDS: Final = {event: kind for kind, event in EVENTS.items()}


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
        content["event"]["kind"] = _KINDS[type(self.event)]
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


@dataclass(frozen=True, slots=True)
class Account:
    """What an assignment was given, has spent, and has opened."""

    terms: Dispatched
    spent: int
    states: Mapping[int, Mapping[str, Level]]
    """The levels of the pairs that are not as all others were at the start."""

    def state(self, pair: int) -> Mapping[str, Level]:
        """Return the level of every attribute of a pair."""
        return self.states.get(pair) or _starting(self.terms)


def verify(lines: Iterable[str], head: Head | None = None) -> Head:
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
    now, entries = Head(), []
    for line in lines:
        now, content = _follow(now, line)
        entries.append(_entry(content))
    return entries


def replay(entries: Iterable[Entry]) -> dict[str, Account]:
    """Return the account of every assignment; names the first entry that breaks a rule.

    The rules: an assignment is dispatched once and before anything else, with sound terms; cells
    and pairs are its own; levels only rise; charges are not negative and stay within the budget.
    """
    running: dict[str, _Running] = {}
    for entry in entries:
        broken = _replay(running, entry.event)
        if broken:
            raise LedgerBroken(entry.number, broken)
    return {name: each.account() for name, each in running.items()}


def _follow(now: Head, line: str) -> tuple[Head, dict[str, Any]]:
    """Check a stored line against the head before it; return the next head, and the content."""
    number = now.entries + 1
    digest, _, canonical = line.removesuffix("\n").partition(" ")
    if digest != _digest(canonical):
        raise LedgerBroken(number, "its digest does not fit its content")
    try:
        content = json.loads(canonical)
        place, previous = content["number"], content["previous"]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise LedgerBroken(number, "it is not an entry") from None
    if place != number or type(place) is not int or previous != now.digest:
        raise LedgerBroken(number, "it does not follow the entry before it")
    if _canonical(content) != canonical:
        raise LedgerBroken(number, "it is not in the canonical form")
    return Head(number, digest), content


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
    **dict.fromkeys(("number", "pairs", "kappa", "budget", "charge", "pair"), int),
    **dict.fromkeys(("attributes", "settings", "starting", "lower", "cells"), tuple),
}
"""The types of the fields that are not texts."""


def _frozen(value: Any) -> Any:  # noqa: ANN401  # JSON holds anything
    """Turn the lists of JSON back into tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


@dataclass(slots=True)
class _Running:
    """An account while entries are replayed."""

    terms: Dispatched
    spent: int
    states: dict[int, dict[str, Level]]

    def state(self, pair: int) -> dict[str, Level]:
        return self.states.setdefault(pair, _starting(self.terms))

    def account(self) -> Account:
        states = {pair: MappingProxyType(state) for pair, state in self.states.items()}
        return Account(self.terms, self.spent, MappingProxyType(states))


def _starting(terms: Dispatched) -> dict[str, Level]:
    """Return the levels at which the cells of a pair start, unless it is named otherwise."""
    masked: dict[str, Level] = dict.fromkeys(terms.attributes, LEVELS[MASKED])
    return masked | dict(terms.starting)


def _replay(running: dict[str, _Running], event: Event) -> str:
    """Apply one event; say which rule it breaks, if any."""
    account = running.get(event.assignment)
    if isinstance(event, Dispatched):
        if account is not None:
            return "the assignment was dispatched before"
        broken = _unsound(event)
        if broken:
            return broken
        running[event.assignment] = account = _Running(event, event.charge, {})
        for pair, cell, level in event.lower:
            account.state(pair)[cell] = level
        return _overspent(account, event.charge)
    if account is None:
        return "the assignment was never dispatched"
    broken = _not_open_to(account, event)
    if broken or isinstance(event, Refused):
        return broken
    account.state(event.pair).update(dict.fromkeys(event.cells, event.level))
    account.spent += event.charge
    return _overspent(account, event.charge)


def _unsound(terms: Dispatched) -> str:
    """Say what is wrong with the terms of an assignment, if anything."""
    named = set(terms.attributes)
    starting = dict(terms.starting)
    if min(terms.pairs, terms.kappa, len(named)) < 1 or len(named) < len(terms.attributes):
        return "its pairs, kappa or attributes cannot be"
    if terms.accounting not in ACCOUNTINGS or terms.budget < 0:
        return "its accounting or budget cannot be"
    if not set(starting) <= named or not set(starting.values()) <= set(LEVELS):
        return "its starting levels name no attribute, or no level"
    for pair, cell, level in terms.lower:
        if not 1 <= pair <= terms.pairs or cell not in starting or level not in LEVELS:
            return "a cell that starts lower is not one of the assignment's"
        if LEVELS.index(level) > LEVELS.index(starting[cell]):
            return "a cell that starts lower starts higher"
    return ""


def _not_open_to(account: _Running, event: Opened | Refused) -> str:
    """Say why an opening or a refusal cannot be, if so."""
    if not 1 <= event.pair <= account.terms.pairs:
        return "the pair is not one of the assignment's"
    if not event.cells or not set(event.cells) <= set(account.terms.attributes):
        return "the cell is not one of the assignment's"
    if event.level not in LEVELS:
        return "there is no such level"
    if isinstance(event, Refused) and event.reason not in REASONS:
        return "there is no such reason"
    state = account.state(event.pair)
    if any(LEVELS.index(state[cell]) >= LEVELS.index(event.level) for cell in event.cells):
        return "the cell was open already"
    return ""


def _overspent(account: _Running, charge: int) -> str:
    """Say whether a charge is negative or more than the budget had left."""
    terms = account.terms
    if charge < 0:
        return "the charge is negative"
    size = {"pairs": terms.pairs, "attributes": len(terms.attributes), "kappa": terms.kappa}
    return "" if fits(account.spent, terms.budget, **size) else "the budget is overspent"
