"""The entries of a ledger as an auditor reads them: people by number, levels, prices; no value.

Nothing here checks the ledger: an entry that cannot be read is said to be one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, cast
from uuid import UUID

from django.core.paginator import Paginator
from django.db.models import Min, Q, QuerySet

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger.chain import Entry, read_one
from mindfirl.core.ledger.events import KINDS, Opened, Refused
from mindfirl.core.policy import COMMAND_LINE, INSTALLATION
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.store.models import AssignedPair, Assignment, LedgerLine, OpenCell, Project

AT_ONCE: Final = 30
"""This many entries are on a page: three screens hold them."""

_NOBODY: Final = frozenset({COMMAND_LINE.name, INSTALLATION.name})
"""Actors that are no people."""

Cell = tuple[str, int, str]
"""A cell: its assignment, the number of its pair, and its attribute."""


@dataclass(frozen=True, slots=True)
class People:
    """The numbers of those of whom a ledger tells: who got assignments, and who oversees them."""

    reviewers: Mapping[str, int]
    overseers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ReadEntry:
    """An entry, or the number of one that cannot be read; and the levels its cells were at."""

    number: int
    entry: Entry | None
    before: Mapping[str, Level]

    @property
    def kind(self) -> str:
        return KINDS[type(self.entry.event)] if self.entry else ""


@dataclass(frozen=True, slots=True)
class EntriesPage:
    entries: Sequence[ReadEntry]
    page: int
    pages: int
    total: int


def assignments_by_number(project: Project) -> list[Assignment]:
    return list(project.assignments.order_by("created", "dispatch__number", "pk"))


def reviewer_numbers(assignments: Iterable[Assignment]) -> dict[str, int]:
    """Give numbers to those who got assignments, in the order in which they first got one."""
    found = dict.fromkeys(str(each.account_id) for each in assignments)
    return {account: number for number, account in enumerate(found, start=1)}


def people_of(project: Project, assignments: Iterable[Assignment]) -> People:
    """Give numbers to all of whom a ledger tells; a number stays, whatever comes later."""
    reviewers = reviewer_numbers(assignments)
    ordered = sorted((first, who) for who, first in _first_entries(project).items())
    others = [who for _, who in ordered if who not in reviewers and who not in _NOBODY]
    return People(reviewers, {who: number for number, who in enumerate(others, start=1)})


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Which entries are asked for: of an assignment, a kind, a person (an actor), a round."""

    assignment: UUID | None = None
    kind: str = ""
    actor: str = ""
    round: int = 0

    def __bool__(self) -> bool:
        return bool(self.conditions)

    @property
    def conditions(self) -> dict[str, str | int]:
        asked: dict[str, str | int] = {
            "assignment": str(self.assignment or ""),
            "kind": self.kind,
            "actor": self.actor,
            "round": self.round,
        }
        return {name: value for name, value in asked.items() if value}


EVERYTHING: Final = EntryFilter()


def rounds_of(project: Project) -> list[int]:
    """Return the rounds that entries belong to."""
    found = _lines(project).filter(round__gt=0).order_by("round")
    return list(found.values_list("round", flat=True).distinct())


def actors_of(project: Project) -> list[str]:
    """Return everybody who made an entry."""
    return list(_lines(project).order_by("actor").values_list("actor", flat=True).distinct())


def entries_page(
    project: Project, *, page: str = "1", asked: EntryFilter = EVERYTHING
) -> EntriesPage:
    found = _lines(project).order_by("-number").filter(**asked.conditions)
    pages = Paginator(found.values_list("number", "line"), AT_ONCE)
    shown = pages.get_page(page)
    read = [(number, _read(line, number)) for number, line in shown]
    before = _levels_before(project, (entry for _, entry in read if entry))
    return EntriesPage(
        [ReadEntry(number, entry, before.get(number, {})) for number, entry in read],
        shown.number,
        pages.num_pages,
        pages.count,
    )


def _lines(project: Project) -> QuerySet[LedgerLine]:
    return LedgerLine.objects.filter(project=project)


def _read(line: str, number: int) -> Entry | None:
    try:
        return read_one(line, number)
    except LedgerBroken:
        return None


def _first_entries(project: Project) -> dict[str, int]:
    by_actor = _lines(project).order_by().values("actor").annotate(first=Min("number"))
    first: dict[str, int] = dict(by_actor.values_list("actor", "first"))
    telling = Q(kind__in=["dispatch confirmed", "handed over", "member added", "member removed"])
    for number, line in _lines(project).filter(telling).values_list("number", "line"):
        event = getattr(_read(line, number), "event", None)
        for part in ("proposed_by", "confirmed_by", "person"):
            if who := getattr(event, part, ""):
                _note(first, who, number)
    return first


def _note(first: dict[str, int], who: str, number: int) -> None:
    first[who] = min(number, first.get(who, number))


def _levels_before(project: Project, entries: Iterable[Entry]) -> dict[int, dict[str, Level]]:
    about = {
        entry.number: entry.event for entry in entries if isinstance(entry.event, Opened | Refused)
    }
    numbers = {event.pair for event in about.values()}
    starting, opened = _starting(project, numbers), _opened(project, numbers)
    levels: dict[int, dict[str, Level]] = {}
    for number, event in about.items():
        levels[number] = {}
        for name in event.cells:
            cell = (event.assignment, event.pair, name)
            earlier = [level for entry, level in opened[cell] if entry < number]
            start = starting.get(cell) or starting.get((event.assignment, 0, name), LEVELS[MASKED])
            levels[number][name] = max(start, *earlier, key=LEVELS.index) if earlier else start
    return levels


def _starting(project: Project, numbers: Iterable[int]) -> dict[Cell, Level]:
    """Return the levels at which cells start: of pairs that start lower, and of all others as 0."""
    levels: dict[Cell, Level] = {}
    for each in project.assignments.all():
        for name, level in each.terms.starting:
            levels[str(each.pk), 0, name] = level
    pairs = AssignedPair.objects.filter(assignment__project=project, number__in=numbers)
    for assignment, pair, lower in pairs.values_list("assignment", "number", "lower"):
        for name, level in lower:
            levels[str(assignment), pair, name] = level
    return levels


def _opened(project: Project, numbers: Iterable[int]) -> dict[Cell, list[tuple[int, Level]]]:
    found = OpenCell.objects.filter(
        pair__assignment__project=project, pair__number__in=numbers
    ).values_list("pair__assignment", "pair__number", "attribute", "entry", "level")
    levels: dict[Cell, list[tuple[int, Level]]] = defaultdict(list)
    for assignment, pair, name, entry, level in found:
        levels[str(assignment), pair, name].append((entry, cast("Level", level)))
    return levels
