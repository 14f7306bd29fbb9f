"""How far the review of a project is: what stands open in its pairs, and when they were decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import TruncHour

from mindfirl.core.values.schema import FULL, LEVELS, MASKED, Level
from mindfirl.store.models import AssignedPair, Assignment, OpenCell, Project

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
    """Count the decisions that count, by the hour in which they were made, the first hour first."""
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
    """Return the level at which each attribute starts, for every assignment, the newest first."""
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
