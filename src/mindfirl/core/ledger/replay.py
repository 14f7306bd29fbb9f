"""The ledger: what was dispatched, opened, refused and changed, and what that adds up to.

Its entries are chained (``core.ledger.chain``). Replayed, they give the state and the spending of
every assignment, or the first entry that breaks a rule.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.chain import GENESIS, Entry, Head, read, verify_chain
from mindfirl.core.ledger.events import (
    KINDS,
    AfterClosing,
    AssignmentEvent,
    BudgetRaised,
    Closed,
    Commented,
    ContradictionAccepted,
    DatabaseConfirmed,
    Decided,
    DispatchConfirmed,
    Dispatched,
    DueMoved,
    Ended,
    Event,
    Explained,
    FindingProposed,
    FindingSettled,
    HandedOver,
    Linked,
    Opened,
    PairsWithdrawn,
    Paused,
    ProjectEvent,
    Refused,
    Released,
    ReleaseDeleted,
    Resumed,
    Shredded,
    Submitted,
    UnreadableAccepted,
)
from mindfirl.core.ledger.project_events import StateEvent
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.review.opening import REFUSALS
from mindfirl.core.risk.kapr import within_budget
from mindfirl.core.values.schema import ACCOUNTINGS, LEVELS, MASKED, Level


@dataclass(slots=True)
class Milestones:
    """How far a project is: what it accepted, linked and released, and whether it is closed."""

    acceptances: int = 0
    linkages: int = 0
    releases: int = 0
    deleted: set[int] = field(default_factory=set)
    closed: bool = False
    shredded: bool = False

    def follow(self, event: ProjectEvent) -> str:
        """Take the next event; say which rule it breaks, if any.

        Acceptances, linkages and releases are counted from 1. What is done with a release follows
        it, and ends when it is deleted. Nothing new is made in a closed project, and keys are
        destroyed once it is closed.
        """
        if isinstance(event, Closed):
            return self._close(event)
        if isinstance(event, Shredded):
            return self._shred()
        if isinstance(event, FindingProposed | FindingSettled | HandedOver | ReleaseDeleted):
            return self._of_release(event)
        if self.closed and not isinstance(event, AfterClosing):
            return "the project is closed"
        return "" if isinstance(event, StateEvent) else self._made(event)

    def _close(self, event: Closed) -> str:
        if self.closed or not event.reason:
            return "the project was closed before, or it is not said why"
        self.closed = True
        return ""

    def _shred(self) -> str:
        if self.shredded or not self.closed:
            return "the keys were destroyed before, or the project is not closed"
        self.shredded = True
        return ""

    def _made(
        self,
        event: DatabaseConfirmed | UnreadableAccepted | ContradictionAccepted | Linked | Released,
    ) -> str:
        if isinstance(event, UnreadableAccepted):
            return "" if event.reason else "it is not said why unreadable cells were accepted"
        if isinstance(event, DatabaseConfirmed):
            return "" if event.reason else "it is not said why a database was confirmed"
        if isinstance(event, ContradictionAccepted):
            self.acceptances += 1
            sound = event.acceptance == self.acceptances and bool(event.reason)
            return "" if sound else "the acceptance is not the next one, or it is not said why"
        if isinstance(event, Linked):
            self.linkages += 1
            return "" if event.linkage == self.linkages else "the linkage is not the next one"
        self.releases += 1
        if event.release != self.releases or not 1 <= event.linkage <= self.linkages:
            return "the release is not the next one, or of no linkage"
        return ""

    def _of_release(
        self, event: FindingProposed | FindingSettled | HandedOver | ReleaseDeleted
    ) -> str:
        if isinstance(event, HandedOver) and event.release == 0:
            return ""  # the labels
        if not 1 <= event.release <= self.releases or event.release in self.deleted:
            return "there is no such release, or it was deleted"
        if isinstance(event, ReleaseDeleted):
            self.deleted.add(event.release)
        return ""


__all__ = ["GENESIS", "AssignmentBalance", "Entry", "Head", "read", "replay", "verify_chain"]


@dataclass(frozen=True, slots=True)
class AssignmentBalance:
    """What an assignment was given, how it stands, what it has spent, and what it has opened."""

    terms: Dispatched
    phase: str
    """Open, paused or ended."""
    budget: int
    """What it may spend now, in whole 10⁻⁹: that of its terms, or what it was raised to."""
    due: str
    spent: int
    states: Mapping[int, Mapping[str, Level]]
    """The levels of the pairs that are not as all others were at the start."""

    def state(self, pair: int) -> Mapping[str, Level]:
        """Return the level of every attribute of a pair."""
        return self.states.get(pair) or _starting(self.terms)


def replay(entries: Iterable[Entry]) -> dict[str, AssignmentBalance]:
    """Return the account of every assignment; names the first entry that breaks a rule.

    The rules: a dispatch is confirmed once; an assignment is dispatched once and before anything
    else, with sound terms, by a dispatch that was confirmed, and continues one that has ended;
    cells and pairs are its own; levels and budgets only rise; charges are not negative and stay
    within the budget; nothing is opened while it is paused, and nothing happens after its end, nor
    to any assignment after that of the project. What is linked and released follows
    :class:`mindfirl.core.ledger.replay.Milestones`.
    """
    known = _Known({}, set(), Milestones())
    for entry in entries:
        broken = _replay(known, entry.event)
        if broken:
            raise LedgerBroken(entry.number, broken)
    return {name: each.account() for name, each in known.running.items()}


@dataclass(slots=True)
class _Running:
    terms: Dispatched
    phase: str
    budget: int
    due: str
    spent: int
    states: dict[int, dict[str, Level]]
    revisions: Counter[tuple[str, int]] = field(default_factory=Counter)
    """How often each pair was decided, and commented on."""

    def state(self, pair: int) -> dict[str, Level]:
        return self.states.setdefault(pair, _starting(self.terms))

    def account(self) -> AssignmentBalance:
        states = {pair: MappingProxyType(state) for pair, state in self.states.items()}
        return AssignmentBalance(
            self.terms, self.phase, self.budget, self.due, self.spent, MappingProxyType(states)
        )


@dataclass(frozen=True, slots=True)
class _Known:
    running: dict[str, _Running]
    confirmed: set[int]
    milestones: Milestones


def _starting(terms: Dispatched) -> dict[str, Level]:
    """Return the levels at which the cells of a pair start, unless it is named otherwise."""
    masked: dict[str, Level] = dict.fromkeys(terms.attributes, LEVELS[MASKED])
    return masked | dict(terms.starting)


# Each of these applies an event, or looks at one, and says which rule it breaks; nothing if none.


def _replay(known: _Known, event: Event) -> str:
    if isinstance(event, ProjectEvent):
        return known.milestones.follow(event)
    if known.milestones.closed:
        return "the project is closed"
    if isinstance(event, DispatchConfirmed):
        return _confirmed(known, event)
    if isinstance(event, Dispatched):
        return _dispatched(known, event)
    account = known.running.get(event.assignment)
    return _worked(account, event) if account else "the assignment was never dispatched"


def _worked(account: _Running, event: AssignmentEvent) -> str:
    if isinstance(event, Opened | Refused):
        return _opened(account, event)
    if isinstance(event, Explained | Decided | Commented):
        return _in_pair(account, event)
    if isinstance(event, PairsWithdrawn):
        own = set(range(1, account.terms.pairs + 1))
        return "" if event.numbers and set(event.numbers) <= own else _NO_PAIR
    if account.phase not in _UNENDED:
        return f"the assignment is {account.phase}"
    return _changed(account, event)


def _confirmed(known: _Known, event: DispatchConfirmed) -> str:
    if event.dispatch < 1 or event.dispatch in known.confirmed:
        return "the dispatch was confirmed before, or has no number"
    if not event.proposed_by or not event.confirmed_by:
        return "it is not said who proposed the dispatch, and who confirmed it"
    known.confirmed.add(event.dispatch)
    return ""


def _dispatched(known: _Known, event: Dispatched) -> str:
    if event.assignment in known.running:
        return "the assignment was dispatched before"
    broken = _unsound(event)
    if broken:
        return broken
    if event.dispatch and event.dispatch not in known.confirmed:
        return "its dispatch was never confirmed"
    if event.continues:
        before = known.running.get(event.continues)
        if before is None or before.phase in _UNENDED:
            return "the assignment that it continues has not ended"
    account = _Running(event, "open", event.budget, event.due, event.charge, {})
    known.running[event.assignment] = account
    for pair, cell, level in event.lower:
        account.state(pair)[cell] = level
    return _overspent(account, event.charge)


def _opened(account: _Running, event: Opened | Refused) -> str:
    if account.phase != "open":
        return f"the assignment is {account.phase}"
    broken = _not_open_to(account, event)
    if broken or isinstance(event, Refused):
        return broken
    account.state(event.pair).update(dict.fromkeys(event.cells, event.level))
    account.spent += event.charge
    return _overspent(account, event.charge)


def _in_pair(account: _Running, event: Explained | Decided | Commented) -> str:
    if account.phase != "open":
        return f"the assignment is {account.phase}"
    if not 1 <= event.pair <= account.terms.pairs:
        return _NO_PAIR
    if isinstance(event, Explained):
        return ""
    about = (KINDS[type(event)], event.pair)
    account.revisions[about] += 1
    following = event.revision == account.revisions[about]
    return "" if following else "it is not the next decision or comment on the pair"


def _changed(
    account: _Running, event: BudgetRaised | DueMoved | Paused | Resumed | Ended | Submitted
) -> str:
    if isinstance(event, BudgetRaised):
        if event.budget <= account.budget or not event.reason:
            return "the budget does not rise, or it is not said why"
        account.budget = event.budget
        return ""
    if isinstance(event, DueMoved):
        account.due = event.due
        return ""
    phase = _PHASES[type(event)]
    if phase not in ASSIGNMENT_STATES[account.phase]:
        return f"the assignment is {account.phase}"
    account.phase = phase
    return ""


_PHASES: Final[dict[type[Event], str]] = {
    Paused: "paused",
    Resumed: "open",
    Ended: "ended",
    Submitted: "submitted",
}
_NO_PAIR: Final = "the pair is not one of the assignment's"
_UNENDED: Final = frozenset(state for state, after in ASSIGNMENT_STATES.items() if after)


def _unsound(terms: Dispatched) -> str:
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
    if not 1 <= event.pair <= account.terms.pairs:
        return _NO_PAIR
    if not event.cells or not set(event.cells) <= set(account.terms.attributes):
        return "the cell is not one of the assignment's"
    if event.level not in LEVELS:
        return "there is no such level"
    if isinstance(event, Refused) and event.reason not in REFUSALS:
        return "there is no such reason"
    state = account.state(event.pair)
    if any(LEVELS.index(state[cell]) >= LEVELS.index(event.level) for cell in event.cells):
        return "the cell was open already"
    return ""


def _overspent(account: _Running, charge: int) -> str:
    terms = account.terms
    if charge < 0:
        return "the charge is negative"
    size = {"pairs": terms.pairs, "attributes": len(terms.attributes), "kappa": terms.kappa}
    return "" if within_budget(account.spent, account.budget, **size) else "the budget is overspent"
