"""What is open in the pairs of an assignment, and what all people of a project have seen together.

In that total, a row counts with the risk of its record over all rows of all assignments, in
whichever version: a record is followed by the lineage of its versions. The sum is kept at the head
of the ledger, as κ times units; it is counted again after pairs were given out, because then there
are other rows.
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
from mindfirl.engine.exposure import Record
from mindfirl.store.models import AssignedPair, Assignment, OpenCell, Project
from mindfirl.workspace.comment_checks import open_levels
from mindfirl.workspace.open_version import population_of
from mindfirl.workspace.record_lines import RecordLines


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
    most = None if limit is None else limit * _places_in(mine.project)
    lines, version = RecordLines.of_rounds(mine.project), mine.version.number
    records = {record: lines.newest((version, record)) for record in (row.left, row.right)}
    rows = _rows_of(_pairs_with(mine, row, lines), lines)
    return ProjectTotal(
        seen,
        most,
        {record: rows.get(newest, []) for record, (newest, _) in records.items()},
        version,
        {record: outdated for record, (_, outdated) in records.items()},
        lines.names(version),
    )


def count_together(project: Project) -> int:
    """Count what all have seen from what is open, record by record, in all rounds."""
    lines = RecordLines.of_rounds(project)
    held = list(_with_cells(AssignedPair.objects.filter(assignment__project=project)))
    shown = {record for each in held if _shows(each) for record in _records(each, lines)}
    rows = _rows_of((each for each in held if shown.intersection(_records(each, lines))), lines)
    return sum(record_units(rows[record]) for record in shown)


def _records(pair: AssignedPair, lines: RecordLines) -> list[Record]:
    version = pair.assignment.version.number
    return [lines.newest((version, each))[0] for each in (pair.left, pair.right)]


def _pairs_with(mine: Assignment, row: AssignedPair, lines: RecordLines) -> list[AssignedPair]:
    """Return all other pairs, whoever has or had them, with the records of one, in all rounds."""
    places: dict[int, list[int]] = {}
    for position in (row.left, row.right):
        for version, place in lines.everywhere((mine.version.number, position)):
            places.setdefault(version, []).append(place)
    found = Q()
    for version, among in places.items():
        holds = Q(left__in=among) | Q(right__in=among)
        found |= Q(assignment__version__number=version) & holds
    pairs = AssignedPair.objects.filter(found, assignment__project=mine.project_id)
    return list(_with_cells(pairs).exclude(pk=row.pk))


def _with_cells(pairs: QuerySet[AssignedPair]) -> QuerySet[AssignedPair]:
    return pairs.select_related("assignment__version").prefetch_related("open_cells")


def _rows_of(
    pairs: Iterable[AssignedPair], lines: RecordLines
) -> dict[Record, list[tuple[Sighting, int]]]:
    """Return the rows on which each record is shown, with the κ of their assignments."""
    found: dict[Record, list[tuple[Sighting, int]]] = {}
    for each in pairs:
        terms, version = each.assignment.terms, each.assignment.version.number
        index = population_of(each.assignment)
        view = open_pair(index, each.assignment, each, list(each.open_cells.all())).view
        for row in ROWS:
            record, outdated = lines.newest((version, view.records[row]))
            known = (version, outdated, lines.names(version))
            sighting = Sighting(index, view, row, terms.accounting, *known)
            found.setdefault(record, []).append((sighting, terms.kappa))
    return found


def _shows(pair: AssignedPair) -> bool:
    return bool(pair.assignment.terms.starting or pair.open_cells.all())


def _places_in(project: Project) -> int:
    given = project.assignments.values_list("size", "attributes")
    return sum(2 * size * len(attributes) for size, attributes in given)
