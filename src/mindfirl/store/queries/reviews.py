"""How far people are with their assignments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from mindfirl.store.hot_path.hand_written_sql import FIND_DECIDED
from mindfirl.store.hot_path.statements import fetch_one, rows
from mindfirl.store.models import Account, AssignedPair, Assignment, Project


@dataclass(frozen=True, slots=True)
class Work:
    """An assignment of somebody: how many of its pairs are theirs, and decided."""

    assignment: Assignment
    pairs: int
    decided: int


def own_assignment(account: Account, number: UUID) -> Assignment | None:
    mine = fetch_one(Assignment, "id = %s AND account_id = %s", number, account.pk)
    project = fetch_one(Project, "id = %s", mine.project_id) if mine else None
    if mine and project:
        mine.project = project
    return mine


def work_of(account: Account) -> list[Work]:
    """Return the assignments of somebody, those that can be worked on first, then the newest."""
    found = account.assignments.select_related("project").order_by("-created")
    listed = sorted(found, key=lambda each: _ORDER.index(each.state))
    decided, pairs = decided_in(listed), _pairs_in(listed)
    return [Work(each, pairs.get(each.pk, 0), decided.get(each.pk, 0)) for each in listed]


def decided_in(assignments: Iterable[Assignment]) -> dict[object, int]:
    decided = AssignedPair.objects.filter(assignment__in=list(assignments), withdrawn=False)
    counted = decided.exclude(verdict="").values_list("assignment").annotate(Count("pk"))
    return dict(counted.order_by())


def decided_numbers(assignment: Assignment) -> set[int]:
    return {number for (number,) in rows(FIND_DECIDED, assignment.pk)}


def tokens_of(assignment: Assignment) -> dict[int, str]:
    """Return the tokens of an assignment's pairs by their numbers, in the order of these."""
    return dict(assignment.pairs.filter(withdrawn=False).values_list("number", "token"))


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
