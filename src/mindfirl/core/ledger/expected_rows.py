"""What the tables of a project must hold, by its ledger.

Every row, or group of rows, that matters has a name in plain words, and a content: a digest, or a
word or number. The same names and contents are made of the tables (``services.ledger``); the first
one that is another is what somebody changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from mindfirl.core.ledger import events, project_events
from mindfirl.core.ledger.chain import Entry
from mindfirl.core.ledger.events import Event
from mindfirl.core.policy import COMMAND_LINE


@dataclass(slots=True)
class ExpectedRows:
    """The contents that rows must have, with the number of the entry that told of each last."""

    contents: dict[str, str] = field(default_factory=dict)
    told_by: dict[str, int] = field(default_factory=dict)
    droppable: set[str] = field(default_factory=set)
    """Rows of older versions, which a newer import may have dropped."""
    original_digests: dict[str, str] = field(default_factory=dict)
    """The digest with which each file was first recorded, by its digest now."""
    number: int = 0
    actor: str = ""
    """The number of the entry that is read, and whose it is."""

    def set(self, name: str, content: object) -> None:
        """Note what a row must hold."""
        self.contents[name] = str(content)
        self.told_by[name] = self.number

    def add(self, name: str, more: int) -> None:
        """Add to the number that a row must hold."""
        now = self.contents.get(name, "0")
        self.set(name, (int(now) if now.isdigit() else 0) + more)

    def drop(self, name: str) -> None:
        """Note that there must be no such row."""
        self.contents.pop(name, None)
        self.told_by[name] = self.number

    def starting(self, beginning: str) -> list[str]:
        """Return the names of rows that begin like this."""
        return [name for name in self.contents if name.startswith(beginning)]


@dataclass(frozen=True, slots=True)
class Difference:
    """A row that is not as its entry tells; entry 0 where none tells of it."""

    name: str
    entry: int
    stored: str
    """What is stored now; nothing where the row is missing."""

    @property
    def words(self) -> str:
        """Say it in one clause."""
        if not self.entry:
            return f"no entry tells of {self.name}"
        return f"{self.name} is {_IS[bool(self.stored)]} entry {self.entry:,} tells"


_IS: Final = {True: "not what", False: "missing, of which"}


def expected_rows(entries: Iterable[Entry]) -> ExpectedRows:
    """Return what the tables must hold after these entries."""
    rows = ExpectedRows()
    for entry in entries:
        rows.number, rows.actor = entry.number, entry.actor
        _CHANGES.get(type(entry.event), _nothing)(rows, entry.event)
    return rows


def without_digests(expected: ExpectedRows) -> ExpectedRows:
    """Return what can be compared when the key of the digests is gone: who is in, and the state."""
    kept = {
        name: content
        for name, content in expected.contents.items()
        if name == PROJECT_STATE or name.startswith(_ROLE)
    }
    return replace(expected, contents=kept)


def without_assignments(expected: ExpectedRows) -> ExpectedRows:
    """Return what a project holds apart from its assignments: rules, roles, plan, releases."""
    kept = {
        name: each for name, each in expected.contents.items() if not _OF_ASSIGNMENT.fullmatch(name)
    }
    return replace(expected, contents=kept)


def differences(expected: ExpectedRows, stored: Mapping[str, str]) -> list[Difference]:
    """Compare contents; the one that the earliest entry tells of comes first."""
    names = [
        name
        for name in {**expected.contents, **stored}
        if expected.contents.get(name) != stored.get(name)
        and not (name in expected.droppable and name not in stored)
    ]
    found = [
        Difference(name, expected.told_by.get(name, 0), stored.get(name, "")) for name in names
    ]
    return sorted(found, key=lambda each: (not each.entry, each.entry, each.name))


# The names of rows; whoever reads the tables uses the same.


def decision_row(assignment: str, pair: int, revision: int) -> str:
    """Name a decision."""
    return f"decision {revision} on pair {pair} of assignment {assignment}"


def latest_decision_row(assignment: str, pair: int) -> str:
    """Name what counts of a pair."""
    return f"the latest decision on pair {pair} of assignment {assignment}"


def comment_row(assignment: str, pair: int, revision: int) -> str:
    """Name a comment."""
    return f"comment {revision} on pair {pair} of assignment {assignment}"


def cell_row(assignment: str, pair: int, attribute: str, level: str) -> str:
    """Name an open cell."""
    return f"the open cell {attribute} ({level}) in pair {pair} of assignment {assignment}"


def pair_row(state: str, assignment: str, pair: int) -> str:
    """Name a pair that is withdrawn or explained."""
    return f"the {state} pair {pair} of assignment {assignment}"


PROJECT_STATE: Final = "the state of the project"
PROJECT_RULES: Final = "the set of rules of the project"


def rules_content(rules: Iterable[tuple[str, str]]) -> str:
    """Write the rules of a project in one line."""
    return ", ".join(f"{name}: {value}" for name, value in rules)


_ROLE: Final = "the role "


def member_row(person: str, role: str) -> str:
    """Name a role that somebody has."""
    return f"{_ROLE}{role} of {person}"


def proposed_row(release: int, column: str, finding: str) -> str:
    """Name a finding that somebody proposed to accept."""
    return f"the proposal to accept the finding {finding} in {column} of release {release}"


def proposed_content(person: str, reason: str) -> str:
    """Write who proposed to accept a finding, and why."""
    return f"{person}: {reason}"


def finding_row(release: int, column: str, finding: str) -> str:
    """Name a finding that was accepted."""
    return f"the accepted finding {finding} in {column} of release {release}"


_OF_ASSIGNMENT: Final = re.compile(r"(?:.* of )?assignment [^ ]+", re.DOTALL)
"""How every row of an assignment is named, and no other row, whatever columns are called."""


def _nothing(rows: ExpectedRows, event: Event) -> None:
    """Change no row."""


def _dispatched(rows: ExpectedRows, event: events.Dispatched) -> None:
    mine = f"assignment {event.assignment}"
    rows.set(mine, event.terms_digest)
    rows.set(f"the pairs of {mine}", event.pairs_digest)
    rows.set(f"the state of {mine}", "open")
    rows.set(f"the budget of {mine}", event.budget)
    rows.set(f"the spending of {mine}", event.charge)
    rows.set(f"the due day of {mine}", event.due)
    rows.set(f"the state of dispatch {event.dispatch}", "dispatched")


def _opened(rows: ExpectedRows, event: events.Opened) -> None:
    rows.add(f"the spending of assignment {event.assignment}", event.charge)
    for cell in event.cells:
        rows.set(cell_row(event.assignment, event.pair, cell, event.level), rows.number)


def _decided(rows: ExpectedRows, event: events.Decided) -> None:
    rows.set(decision_row(event.assignment, event.pair, event.revision), event.digest)
    rows.set(latest_decision_row(event.assignment, event.pair), event.digest)


def _commented(rows: ExpectedRows, event: events.Commented) -> None:
    rows.set(comment_row(event.assignment, event.pair, event.revision), event.digest)


def _explained(rows: ExpectedRows, event: events.Explained) -> None:
    rows.set(pair_row("explained", event.assignment, event.pair), "explained")


def _pairs_withdrawn(rows: ExpectedRows, event: events.PairsWithdrawn) -> None:
    for number in event.numbers:
        rows.set(pair_row("withdrawn", event.assignment, number), "withdrawn")


def _budget_raised(rows: ExpectedRows, event: events.BudgetRaised) -> None:
    rows.set(f"the budget of assignment {event.assignment}", event.budget)


def _due_moved(rows: ExpectedRows, event: events.DueMoved) -> None:
    rows.set(f"the due day of assignment {event.assignment}", event.due)


def _state(state: str) -> Callable[[ExpectedRows, Any], None]:
    def change(rows: ExpectedRows, event: Any) -> None:  # noqa: ANN401  # of any such kind
        rows.set(f"the state of assignment {event.assignment}", state)

    return change


def _submitted(rows: ExpectedRows, event: events.Submitted) -> None:
    _state("submitted")(rows, event)
    rows.set(f"the decisions of assignment {event.assignment}", event.digest)


def _dispatch_proposed(rows: ExpectedRows, event: project_events.DispatchProposed) -> None:
    rows.set(f"dispatch {event.dispatch}", event.digest)
    rows.set(f"the state of dispatch {event.dispatch}", "proposed")


def _dispatch_confirmed(rows: ExpectedRows, event: events.DispatchConfirmed) -> None:
    rows.set(f"the state of dispatch {event.dispatch}", "confirmed")
    rows.set(f"the confirmation of dispatch {event.dispatch}", event.confirmed_by)


def _dispatch_withdrawn(rows: ExpectedRows, event: project_events.DispatchWithdrawn) -> None:
    rows.set(f"the state of dispatch {event.dispatch}", "withdrawn")


_OF_A_VERSION: Final = (
    *("import version", "the pairs of version", "the thresholds of version"),
    "the forecast of version",
)


def _imported(rows: ExpectedRows, event: project_events.Imported) -> None:
    for beginning in _OF_A_VERSION:
        rows.droppable |= set(rows.starting(beginning))
    rows.set(f"import version {event.version}", event.digest)


def _labels_imported(rows: ExpectedRows, event: project_events.LabelsImported) -> None:
    rows.set(f"labels {event.labels}", event.digest)


def _numbers_kept(rows: ExpectedRows, event: project_events.NumbersKept) -> None:
    rows.set(f"the person numbers of linkage {event.linkage}", event.files)


def _values_deleted(rows: ExpectedRows, event: project_events.ValuesDeleted) -> None:
    for version, digest in event.versions:
        rows.set(f"import version {version}", digest)


def _scored(rows: ExpectedRows, event: project_events.Scored | project_events.PairsBrought) -> None:
    rows.set(f"the pairs of version {event.version}", event.digest)
    rows.set(f"the thresholds of version {event.version}", f"{event.lower} {event.upper}")


def _thresholds_set(rows: ExpectedRows, event: project_events.ThresholdsSet) -> None:
    rows.set(f"the thresholds of version {event.version}", f"{event.lower} {event.upper}")


def _weights_moved(rows: ExpectedRows, event: project_events.WeightsMoved) -> None:
    rows.set(f"the pairs of version {event.version}", event.digest)


def _forecast_made(rows: ExpectedRows, event: project_events.ForecastMade) -> None:
    rows.set(f"the forecast of version {event.version}", event.digest)


def _plan_saved(rows: ExpectedRows, event: project_events.PlanSaved) -> None:
    rows.set("the plan", event.digest)


def _rules_set(rows: ExpectedRows, event: project_events.RulesSet) -> None:
    rows.set(PROJECT_RULES, rules_content(event.rules))


def _member_added(rows: ExpectedRows, event: project_events.MemberAdded) -> None:
    rows.set(member_row(event.person, event.role), "member")


def _member_removed(rows: ExpectedRows, event: project_events.MemberRemoved) -> None:
    rows.drop(member_row(event.person, event.role))


def _contradiction_accepted(rows: ExpectedRows, event: events.ContradictionAccepted) -> None:
    rows.set(f"acceptance {event.acceptance}", event.digest)


def _linked(rows: ExpectedRows, event: events.Linked) -> None:
    rows.set(f"linkage {event.linkage}", event.digest)


def _released(rows: ExpectedRows, event: events.Released) -> None:
    rows.set(f"release {event.release}", event.digest)
    rows.set(f"the files of release {event.release}", event.files)
    rows.set(f"the coverage of release {event.release}", event.coverage)
    rows.set(f"the state of release {event.release}", event.state)


def _finding_proposed(rows: ExpectedRows, event: events.FindingProposed) -> None:
    name = proposed_row(event.release, event.column, event.finding)
    rows.set(name, proposed_content(rows.actor, event.reason))


def _finding_settled(rows: ExpectedRows, event: events.FindingSettled) -> None:
    rows.drop(proposed_row(event.release, event.column, event.finding))
    rows.set(finding_row(event.release, event.column, event.finding), event.reason)
    rows.set(f"the state of release {event.release}", event.state)


def _handed_over(rows: ExpectedRows, event: events.HandedOver) -> None:
    if event.release:
        name = f"the handovers of release {event.release}"
        person = "" if event.person == COMMAND_LINE.name else event.person
        rows.set(name, f"{rows.contents.get(name, '')}{event.what} {person};")


_DATA: Final = "data"
"""What a release is called among what is handed over of it."""


def _release_deleted(rows: ExpectedRows, event: events.ReleaseDeleted) -> None:
    rows.drop(f"the files of release {event.release}")
    if f"{_DATA} " not in rows.contents.get(f"the handovers of release {event.release}", ""):
        rows.drop(f"the coverage of release {event.release}")  # nobody has it
    rows.set(f"the state of release {event.release}", "deleted")


def _reported(rows: ExpectedRows, event: project_events.Reported) -> None:
    rows.set(f"report {event.report}", event.digest)


def _closed(rows: ExpectedRows, _event: events.Closed) -> None:
    rows.set(PROJECT_STATE, "closed")
    for name in rows.starting("the state of dispatch "):
        if rows.contents[name] in ("proposed", "confirmed"):
            rows.set(name, "withdrawn")


def _shredded(rows: ExpectedRows, _event: events.Shredded) -> None:
    rows.set(PROJECT_STATE, "shredded")


def _keys_rotated(rows: ExpectedRows, event: project_events.KeysRotated) -> None:
    first = rows.original_digests
    rows.original_digests = {**first, **{new: first.get(old, old) for old, new in event.files}}


def _acknowledged(rows: ExpectedRows, event: project_events.Acknowledged) -> None:
    for name, content in event.accepted:
        if content:
            rows.set(name, content)
        else:
            rows.drop(name)


_CHANGES: Final[dict[type[Event], Callable[[ExpectedRows, Any], None]]] = {
    events.Dispatched: _dispatched,
    events.Opened: _opened,
    events.Decided: _decided,
    events.Commented: _commented,
    events.Explained: _explained,
    events.PairsWithdrawn: _pairs_withdrawn,
    events.BudgetRaised: _budget_raised,
    events.DueMoved: _due_moved,
    events.Paused: _state("paused"),
    events.Resumed: _state("open"),
    events.Ended: _state("ended"),
    events.Submitted: _submitted,
    project_events.DispatchProposed: _dispatch_proposed,
    events.DispatchConfirmed: _dispatch_confirmed,
    project_events.DispatchWithdrawn: _dispatch_withdrawn,
    project_events.Imported: _imported,
    project_events.LabelsImported: _labels_imported,
    project_events.NumbersKept: _numbers_kept,
    project_events.ValuesDeleted: _values_deleted,
    project_events.Scored: _scored,
    project_events.PairsBrought: _scored,
    project_events.ThresholdsSet: _thresholds_set,
    project_events.WeightsMoved: _weights_moved,
    project_events.ForecastMade: _forecast_made,
    project_events.PlanSaved: _plan_saved,
    project_events.RulesSet: _rules_set,
    project_events.MemberAdded: _member_added,
    project_events.MemberRemoved: _member_removed,
    events.ContradictionAccepted: _contradiction_accepted,
    events.Linked: _linked,
    events.Released: _released,
    events.FindingProposed: _finding_proposed,
    events.FindingSettled: _finding_settled,
    events.HandedOver: _handed_over,
    events.ReleaseDeleted: _release_deleted,
    project_events.Reported: _reported,
    events.Closed: _closed,
    events.Shredded: _shredded,
    project_events.KeysRotated: _keys_rotated,
    project_events.Acknowledged: _acknowledged,
}
