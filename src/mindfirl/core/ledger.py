"""The ledger: what was dispatched, opened and refused, in a chain that shows any change.

An entry is a frozen value. Its canonical form is one line of JSON (sorted keys, no spaces, ASCII,
whole numbers and texts only), and its digest the SHA-256 of that line. Each entry holds the digest
of the one before it. A stored line is the digest, a space, and the canonical form. Entries hold
names of columns, levels and numbers, never a value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Literal

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.kapr import fits
from mindfirl.core.schema import LEVELS, MASKED, Accounting, Level, level_number

GENESIS: Final = "0" * 64
"""What the first entry holds instead of an earlier digest."""


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
    reason: Literal["kappa", "budget"]


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
        return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

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
    """What an assignment was given, has spent, and has opened: levels by pair and attribute."""

    terms: Dispatched
    spent: int
    opened: dict[int, dict[str, Level]] = field(default_factory=dict)

    def state(self, pair: int) -> dict[str, Level]:
        """Return the level of every attribute of a pair."""
        state: dict[str, Level] = dict.fromkeys(self.terms.attributes, LEVELS[MASKED])
        state.update(self.terms.starting)
        state.update({cell: level for other, cell, level in self.terms.lower if other == pair})
        return state | self.opened.get(pair, {})


def verify(lines: Iterable[str], head: Head | None = None) -> Head:
    """Check the chain of stored lines, against a known head where one is given; return its head.

    Raises :class:`LedgerBroken` with the number of the first bad entry. Without a head, entries
    cut off at the end cannot be missed.
    """
    now = Head()
    for line in lines:
        now = _follow(now, line)
        if head and now.entries == head.entries and now.digest != head.digest:
            raise LedgerBroken(now.entries, "it is not the entry that the known head names")
    if head and now.entries < head.entries:
        raise LedgerBroken(now.entries + 1, f"the known head counts {head.entries} entries")
    return now


def read(lines: Iterable[str]) -> list[Entry]:
    """Read stored lines back into entries; they must verify."""
    kept = list(lines)
    verify(kept)
    return [_entry(json.loads(line.split(" ", 1)[1])) for line in kept]


def replay(entries: Iterable[Entry]) -> dict[str, Account]:
    """Return the account of every assignment; names the first entry that breaks a rule.

    The rules: an assignment is dispatched once and before anything else, cells and pairs are its
    own, levels only rise, charges are not negative and stay within the budget.
    """
    accounts: dict[str, Account] = {}
    for entry in entries:
        event = entry.event
        account = accounts.get(event.assignment)
        if isinstance(event, Dispatched):
            broken = "the assignment was dispatched before" if account else ""
            account = Account(event, event.charge)
        elif account is None:
            raise LedgerBroken(entry.number, "the assignment was never dispatched")
        else:
            broken = _breaks(account, event)
            if isinstance(event, Opened) and not broken:
                account = _opened(account, event)
        broken = broken or _overspent(account, event)
        if broken:
            raise LedgerBroken(entry.number, broken)
        accounts[event.assignment] = account
    return accounts


def _follow(now: Head, line: str) -> Head:
    """Check one stored line against the head before it."""
    number = now.entries + 1
    digest, _, canonical = line.rstrip("\n").partition(" ")
    if digest != _digest(canonical):
        raise LedgerBroken(number, "its digest does not fit its content")
    try:
        content = json.loads(canonical)
        place, previous = content["number"], content["previous"]
    except (ValueError, TypeError, KeyError):
        raise LedgerBroken(number, "it is not an entry") from None
    if place != number or previous != now.digest:
        raise LedgerBroken(number, "it does not follow the entry before it")
    return Head(number, digest)


def _digest(canonical: str) -> str:
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _entry(content: dict[str, Any]) -> Entry:
    """Make an entry of its canonical content."""
    try:
        event = dict(content.pop("event"))
        kind = EVENTS[event.pop("kind")]
        return Entry(
            event=kind(**{name: _frozen(value) for name, value in event.items()}), **content
        )
    except (KeyError, TypeError):
        raise LedgerBroken(
            content.get("number", 0), "its event is unknown to this version"
        ) from None


def _frozen(value: Any) -> Any:  # noqa: ANN401  # JSON holds anything
    """Turn the lists of JSON back into tuples."""
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _breaks(account: Account, event: Opened | Refused) -> str:
    """Say which rule an opening or a refusal breaks, if any."""
    if not 1 <= event.pair <= account.terms.pairs:
        return "the pair is not one of the assignment's"
    if not event.cells or not set(event.cells) <= set(account.terms.attributes):
        return "the cell is not one of the assignment's"
    state = account.state(event.pair)
    wanted = level_number(event.level)
    if any(level_number(state[cell]) >= wanted for cell in event.cells):
        return "the cell was open already"
    return ""


def _overspent(account: Account, event: Event) -> str:
    """Say whether a charge is negative or more than the budget has left."""
    terms = account.terms
    if getattr(event, "charge", 0) < 0:
        return "the charge is negative"
    size = {"pairs": terms.pairs, "attributes": len(terms.attributes), "kappa": terms.kappa}
    return "" if fits(account.spent, terms.budget, **size) else "the budget is overspent"


def _opened(account: Account, event: Opened) -> Account:
    """Return the account after an opening; its levels are kept up in place."""
    account.opened.setdefault(event.pair, {}).update(dict.fromkeys(event.cells, event.level))
    return Account(account.terms, account.spent + event.charge, account.opened)
