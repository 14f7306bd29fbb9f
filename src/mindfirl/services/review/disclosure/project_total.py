"""What all people of a project have seen together, held against the limit that it set.

Somebody who reviews a record in several pairs, or two who talk, know what all its rows show. So a
row counts with the risk of its record over all rows of all assignments of the import version. The
sum is kept at the head of the ledger, as κ times units; it is counted anew when pairs were given
out since, because then there are other rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.db.models import Q, QuerySet

from mindfirl.core.risk.attackers import Sighting, record_risk
from mindfirl.core.risk.kapr import ROWS, Risk, View
from mindfirl.services.review.disclosure.opened import population_of, seen_of
from mindfirl.store.models import AssignedPair, Assignment, Project

Rows = list[tuple[Sighting, int]]
"""The rows on which a record is shown, each with the κ of its assignment."""


@dataclass(frozen=True, slots=True)
class Together:
    """What all will have seen after a step, and whether the project allows that."""

    seen: int
    allowed: bool


def together_after(
    mine: Assignment, row: AssignedPair, after: View, kept: int | None
) -> Together | None:
    """Return what all will have seen when a pair is opened so far; nothing where that is no matter.

    Where prices are banded, a refusal tells no more than that the rarest value would be too much.
    """
    limit = mine.settings["project_limit"]
    if not limit and kept is None:
        return None
    now = counted_together(mine.project) if kept is None else kept
    pairs = list(_pairs_with(mine, after.records))
    before, then = _rows_of(pairs), _rows_of(pairs, {row.pk: after})
    seen = now + sum(weighed(then[each]) - weighed(before[each]) for each in after.records)
    if not limit:
        return Together(seen, allowed=True)
    told = seen
    if mine.settings["prices"] == "banded":
        told = now + sum(
            weighed(then[each], worst=True) - weighed(before[each]) for each in after.records
        )
    return Together(seen, allowed=told <= int(limit) * _places_in(mine.project))


def counted_together(project: Project) -> int:
    """Count what all have seen from what is open, record by record."""
    total = 0
    for version in {each.version_id for each in project.assignments.all()}:
        pairs = AssignedPair.objects.filter(assignment__project=project)
        held = list(_with_cells(pairs.filter(assignment__version=version)))
        shown = {record for each in held if _shows(each) for record in (each.left, each.right)}
        rows = _rows_of(each for each in held if {each.left, each.right} & shown)
        total += sum(weighed(rows[record]) for record in shown)
    return total


def weighed(rows: Rows, *, worst: bool = False) -> int:
    """Return what a record's rows count, with κ; at worst nobody else could be the one shown."""
    risk = record_risk([sighting for sighting, _ in rows])
    if worst:
        risk = Risk(risk.shown, risk.scale, 1)
    return sum(kappa * risk.units(kappa) for _, kappa in rows)


def _pairs_with(mine: Assignment, records: Iterable[int]) -> QuerySet[AssignedPair]:
    """Return all pairs of the import version, whoever has or had them, that hold some records."""
    among = list(records)
    pairs = AssignedPair.objects.filter(
        Q(left__in=among) | Q(right__in=among),
        assignment__project=mine.project_id,
        assignment__version=mine.version_id,
    )
    return _with_cells(pairs)


def _with_cells(pairs: QuerySet[AssignedPair]) -> QuerySet[AssignedPair]:
    return pairs.select_related("assignment").prefetch_related("open_cells")


def _rows_of(
    pairs: Iterable[AssignedPair], instead: Mapping[int, View] | None = None
) -> dict[int, Rows]:
    """Return the rows of each record; some pairs may be put in another state than they are."""
    found: dict[int, Rows] = {}
    for each in pairs:
        terms = each.assignment.settings
        index = population_of(each.assignment)
        seen = (instead or {}).get(each.pk) or seen_of(
            index, each.assignment, each, each.open_cells.all()
        )
        for row in ROWS:
            sighting = Sighting(index, seen, row, terms["accounting"])
            found.setdefault(sighting.record, []).append((sighting, terms["kappa"]))
    return found


def _shows(pair: AssignedPair) -> bool:
    return bool(pair.assignment.settings["starting"] or pair.open_cells.all())


def _places_in(project: Project) -> int:
    """Count the rows of all assignments, times their attributes."""
    given = project.assignments.values_list("size", "settings__attributes")
    return sum(2 * size * len(attributes) for size, attributes in given)
