"""What is open in the pairs of an assignment, and what all people of a project have seen together.

In that total, a row counts with the risk of its record over all rows of all assignments of the
import version. The sum is kept at the head of the ledger, as κ times units; it is counted again
after pairs were given out, because then there are other rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.db.models import Q, QuerySet

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.opening import OpenPair, ProjectTotal, Totals
from mindfirl.core.review.shown_pair import characters_in
from mindfirl.core.risk.attackers import Sighting, record_units
from mindfirl.core.risk.kapr import ROWS, view_pair
from mindfirl.core.values.schema import Pair
from mindfirl.store.models import AssignedPair, Assignment, OpenCell, Project
from mindfirl.workspace.comment_checks import open_levels
from mindfirl.workspace.open_version import population_of


def open_pair(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Sequence[OpenCell]
) -> OpenPair:
    state = open_levels(mine, row, opened)
    return OpenPair(view_pair(index, Pair(row.left, row.right), state), len(opened))


def totals_of(mine: Assignment, project: ProjectTotal | None = None) -> Totals:
    return Totals(mine.size, mine.budget, mine.limit, mine.spent, project)


def count_characters(mine: Assignment) -> tuple[int, int]:
    index = population_of(mine)
    shown = characters = 0
    for row in mine.pairs.prefetch_related("open_cells"):
        pair = open_pair(index, mine, row, list(row.open_cells.all()))
        counts = characters_in(pair.view)
        shown, characters = shown + counts[0], characters + counts[1]
    return shown, characters


def project_total(mine: Assignment, row: AssignedPair, kept: int | None) -> ProjectTotal:
    """Return what a step of a pair is held against."""
    limit = mine.terms.project_limit
    seen = count_together(mine.project) if kept is None else kept
    others = _pairs_with(mine, (row.left, row.right)).exclude(pk=row.pk)
    most = None if limit is None else limit * _places_in(mine.project)
    return ProjectTotal(seen, most, _rows_of(others))


def count_together(project: Project) -> int:
    """Count what all have seen from what is open, record by record."""
    total = 0
    for version in {each.version_id for each in project.assignments.all()}:
        pairs = AssignedPair.objects.filter(assignment__project=project)
        held = list(_with_cells(pairs.filter(assignment__version=version)))
        shown = {record for each in held if _shows(each) for record in (each.left, each.right)}
        rows = _rows_of(each for each in held if {each.left, each.right} & shown)
        total += sum(record_units(rows[record]) for record in shown)
    return total


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


def _rows_of(pairs: Iterable[AssignedPair]) -> dict[int, list[tuple[Sighting, int]]]:
    """Return the rows on which each record is shown, with the κ of their assignments."""
    found: dict[int, list[tuple[Sighting, int]]] = {}
    for each in pairs:
        terms = each.assignment.terms
        index = population_of(each.assignment)
        view = open_pair(index, each.assignment, each, list(each.open_cells.all())).view
        for row in ROWS:
            sighting = Sighting(index, view, row, terms.accounting)
            found.setdefault(sighting.record, []).append((sighting, terms.kappa))
    return found


def _shows(pair: AssignedPair) -> bool:
    return bool(pair.assignment.terms.starting or pair.open_cells.all())


def _places_in(project: Project) -> int:
    given = project.assignments.values_list("size", "attributes")
    return sum(2 * size * len(attributes) for size, attributes in given)
