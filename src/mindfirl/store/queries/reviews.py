"""How far people are with their assignments, and what stands open in a project's pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import TruncHour

from mindfirl.core.values.schema import FULL, LEVELS, MASKED, Level
from mindfirl.store.hot_path import COUNT_DECIDED, row
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell, Project


@dataclass(frozen=True, slots=True)
class Work:
    """An assignment, how many pairs it has, and how many of them belong to contradictions."""

    assignment: Assignment
    pairs: int
    decided: int
    contradictions: int = 0
    contradicting: int = 0


def work_of(account: Account) -> list[Work]:
    """Return the assignments of somebody, those that can be worked on first, then the newest."""
    found = account.assignments.select_related("project").order_by("-created")
    listed = sorted(found, key=lambda each: _ORDER.index(each.state))
    decided, pairs, rings = decided_in(listed), _pairs_in(listed), _rings_in(listed)
    return [
        Work(each, pairs.get(each.pk, 0), decided.get(each.pk, 0), *rings.get(each.pk, ()))
        for each in listed
    ]


def _rings_in(assignments: Iterable[Assignment]) -> dict[object, tuple[int, int]]:
    """Count the contradictions of adjudications, and their pairs."""
    held = AssignedPair.objects.filter(
        assignment__in=[each for each in assignments if each.kind == "adjudication"],
        withdrawn=False,
        ring__gt=0,
    )
    counted = held.values("assignment").annotate(
        rings=Count("ring", distinct=True), pairs=Count("pk")
    )
    return {each["assignment"]: (each["rings"], each["pairs"]) for each in counted.order_by()}


def decided_in(assignments: Iterable[Assignment]) -> dict[object, int]:
    decided = AssignedPair.objects.filter(assignment__in=list(assignments), withdrawn=False)
    counted = decided.exclude(verdict="").values_list("assignment").annotate(Count("pk"))
    return dict(counted.order_by())


def count_decided(assignment: Assignment) -> int:
    counted = row(COUNT_DECIDED, assignment.pk)
    return int(counted[0]) if counted else 0


def tokens_of(assignment: Assignment) -> dict[int, str]:
    return dict(assignment.pairs.filter(withdrawn=False).values_list("number", "token"))


@dataclass(frozen=True, slots=True)
class PairMarks:
    """How often the decision on a pair has changed, and whether its person has flagged it."""

    revision: int
    flagged: bool


def standings_of(assignment: Assignment) -> dict[int, PairMarks]:
    held = assignment.pairs.filter(withdrawn=False).values_list("number", "revision", "flagged")
    return {number: PairMarks(revision, flagged) for number, revision, flagged in held}


def rings_of(assignment: Assignment) -> dict[int, tuple[int, ...]]:
    """Return for each pair that is part of a contradiction the numbers of all its pairs."""
    held = assignment.pairs.filter(withdrawn=False, ring__gt=0)
    rings: dict[int, list[int]] = {}
    for number, ring in held.order_by("number").values_list("number", "ring"):
        rings.setdefault(ring, []).append(number)
    return {number: tuple(numbers) for numbers in rings.values() for number in numbers}


def _pairs_in(assignments: Iterable[Assignment]) -> dict[object, int]:
    held = AssignedPair.objects.filter(assignment__in=list(assignments), withdrawn=False)
    return dict(held.values_list("assignment").annotate(Count("pk")).order_by())


_ORDER = ("open", "paused", "submitted", "ended")


Levels = dict[Level, int]
"""How many cells stand at each level."""


def levels_of(project: Project) -> dict[str, Levels]:
    """Count the cells of all pairs that were given out, attribute by attribute, at each level.

    A pair that two people have counts twice, and so does one that was passed on: what was opened in
    it was seen.
    """
    counts: dict[str, Levels] = defaultdict(lambda: dict.fromkeys(LEVELS, 0))
    terms = _terms(project)
    for group, pairs in _pairs(project):
        for attribute, level in group.starting(terms).items():
            counts[attribute][level] += pairs
    for group, attribute, level, cells in _opened(project):
        counts[attribute][group.starting(terms)[attribute]] -= cells
        counts[attribute][level] += cells
    return dict(counts)


def decided_by_hour(project: Project) -> dict[datetime, int]:
    held = AssignedPair.objects.filter(assignment__project=project, withdrawn=False)
    decided = held.filter(decided__isnull=False).annotate(hour=TruncHour("decided"))
    hours = decided.values_list("hour")
    return dict(hours.annotate(Count("pk")).order_by("hour"))


@dataclass(frozen=True, slots=True)
class _Group:
    """The pairs of an assignment in which the same cells start below the starting levels."""

    assignment: object
    lower: list[tuple[str, Level]]

    def starting(self, terms: dict[object, dict[str, Level]]) -> dict[str, Level]:
        return terms[self.assignment] | dict(self.lower)


def _terms(project: Project) -> dict[object, dict[str, Level]]:
    found = Assignment.objects.filter(project=project).order_by("-dispatch__number", "pk")
    return {
        each.pk: dict.fromkeys(each.attributes, LEVELS[MASKED]) | dict(each.terms.starting)
        for each in found
    }


def _pairs(project: Project) -> Iterator[tuple[_Group, int]]:
    found = AssignedPair.objects.filter(assignment__project=project)
    counted = found.values_list("assignment", "lower").annotate(Count("pk"))
    for assignment, lower, pairs in counted.order_by("-assignment__dispatch__number"):
        yield _Group(assignment, lower), pairs


def _opened(project: Project) -> Iterator[tuple[_Group, str, Level, int]]:
    """Count the cells of each group that were opened, each at the highest of its levels."""
    opened = OpenCell.objects.filter(pair__assignment__project=project)
    fuller = OpenCell.objects.filter(
        pair=OuterRef("pair"), attribute=OuterRef("attribute"), level=LEVELS[FULL]
    )
    highest = opened.filter(Q(level=LEVELS[FULL]) | ~Exists(fuller))
    rows = highest.values_list("pair__assignment", "pair__lower", "attribute", "level")
    for assignment, lower, attribute, level, cells in rows.annotate(Count("pk")).order_by():
        yield _Group(assignment, lower), attribute, cast("Level", level), cells
