"""What all people of a project have seen together: the project-wide score, and its limit.

Each record counts once, with its risk over all rows of all assignments, in whichever version: it
is followed by the lineage of its versions. The sum, in units, is divided by the attributes of the
round times the records that occur in its candidate pairs, as they were when its first dispatch was
confirmed. So it does not depend on how many pairs were given out, or to how many people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Self

from django.db.models import Q, QuerySet

from mindfirl.core.review.opening import ProjectTotal
from mindfirl.core.risk.attackers import AnySighting, Sighting, record_units
from mindfirl.core.risk.kapr import ROWS, View, view_pair
from mindfirl.core.risk.percent import WHOLE, sufficient_share, write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.exposure import Record
from mindfirl.engine.frozen_rows import FrozenRow, FrozenRows
from mindfirl.store.assignments import Batch, Hand
from mindfirl.store.hot_path import newest_dispatch
from mindfirl.store.models import AssignedPair, Assignment, Project, Version
from mindfirl.workspace.open_version import frozen_rows, open_version, open_view, population_of
from mindfirl.workspace.record_lines import RecordLines
from mindfirl.workspace.refusals import PairsRefused

_Rows = dict[Record, list[AnySighting]]


def project_total(
    mine: Assignment, row: AssignedPair, kept: int | None, most: int | None
) -> ProjectTotal:
    """Return what a step of a pair is held against; ``kept`` is what was counted before."""
    rounds = _Rounds.of(mine.project)
    lines, version = rounds.lines, mine.version.number
    records = {record: lines.newest((version, record)) for record in (row.left, row.right)}
    rows = rounds.rows_beside(mine, row)
    return ProjectTotal(
        rounds.count(mine.project) if kept is None else kept,
        most,
        {record: rows.get(newest, []) for record, (newest, _) in records.items()},
        version,
        {record: outdated for record, (_, outdated) in records.items()},
        lines.names(version),
    )


def count_together(project: Project) -> int:
    """Count what all have seen from what is open, record by record, in all rounds, in units."""
    return _Rounds.of(project).count(project)


def most_of(mine: Assignment) -> int | None:
    """Return the most units that all may have seen when somebody opens a cell in an assignment.

    Its own limit and that of the newest dispatch hold, each for the records of its round: what is
    opened in an older round must not break what was promised for a newer one.
    """
    newest, known = newest_dispatch(mine.project_id), set[tuple[int, int]]()
    if newest and (limit := newest["plan"]["project_limit"]) is not None:
        known.add((limit, newest["version"]))
    if mine.terms.project_limit is not None:
        known.add((mine.terms.project_limit, mine.version.number))
    found = _confirmed(mine.project) if known else []
    return min((limit * _places(found, version) for limit, version in known), default=None)


def places_of(version: Version) -> int:
    """Return what the sum is divided by in the round of a version: attributes times records."""
    return _places(_confirmed(version.project), version.number)


_Confirmed = list[tuple[str, dict[str, Any]]]
"""The state of each dispatch that was confirmed, and what it was made of; the oldest first."""


def _confirmed(project: Project) -> _Confirmed:
    found = project.dispatches.filter(state__in=("confirmed", "dispatched")).order_by("number")
    return list(found.values_list("state", "plan"))


def _places(confirmed: _Confirmed, version: int) -> int:
    first = next(plan for _, plan in confirmed if plan["version"] == version)
    return int(first["attributes"]) * int(first["records"])


def check_limit(batch: Batch, hands: Iterable[Hand]) -> None:
    """Refuse pairs, with the levels at which they start, that would put all above their limit."""
    limit, project = batch.plan.project_limit, batch.dispatch.project
    if limit is None:
        return
    seen = _Rounds.of(project).count(project, _coming(batch, hands))
    places = places_of(batch.version)
    if seen <= limit * places:
        return
    enough = sufficient_share(-(-seen // places))
    raise PairsRefused({"project_limit": _refusal(limit, enough)}, enough, "together")


def _refusal(limit: int, enough: int) -> str:
    """Say what is too much, and what to do; records of older rounds can take more than 100%."""
    mend = f"Raise the limit to at least {write_percent(enough)}%, or let fewer cells start open."
    if enough == WHOLE:
        mend = "Leave the limit empty, or let fewer cells start open."
    return (
        f"With these pairs, all people together would be above their limit of "
        f"{write_percent(limit)}%, because of what was seen before and of the starting levels. "
        f"{mend}"
    )


def _coming(batch: Batch, hands: Iterable[Hand]) -> list[Sighting]:
    """Return the rows of pairs that are to be given out; each pair once, whoever gets it."""
    plan = batch.plan
    pairs = {(each.left, each.right): each for hand in hands for each in hand.pairs}
    index, starting = open_version(batch.version).index(plan), dict(plan.starting)
    about = (plan.accounting, batch.version.number)
    views = (
        view_pair(index, Pair(*pair), {**starting, **dict(each.lower)})
        for pair, each in pairs.items()
    )
    return [Sighting(index, view, row, *about) for view in views for row in ROWS]


@dataclass(frozen=True, slots=True)
class _Rounds:
    """Records followed through all versions, with what is kept of those without their index."""

    lines: RecordLines
    frozen: dict[int, FrozenRows]

    @classmethod
    def of(cls, project: Project) -> Self:
        versions = RecordLines.versions_of(project)
        known = {each.number: frozen_rows(each) for each in versions}
        return cls(
            RecordLines.of(versions),
            {number: rows for number, rows in known.items() if rows is not None},
        )

    def count(self, project: Project, coming: Iterable[Sighting] = ()) -> int:
        """Count what all have seen, and what they will have seen once further rows are there."""
        pairs = _with_cells(AssignedPair.objects.filter(assignment__project=project))
        held = list(pairs.exclude(assignment__version__number__in=list(self.frozen)))
        rows: _Rows = {}
        self._add(rows, map(self._followed, coming))
        for version, frozen in self.frozen.items():
            self._add(rows, (self._thawed(version, each) for each in frozen.rows))
        shown = {record for record, each in rows.items() if any(map(_shows, each))}
        shown |= {each for pair in held if _starts_open(pair) for each in self._records(pair)}
        self._add_pairs(rows, [pair for pair in held if shown.intersection(self._records(pair))])
        return sum(record_units(rows[record]) for record in shown)

    def rows_beside(self, mine: Assignment, row: AssignedPair) -> _Rows:
        """Return the rows of all other pairs, whoever has or had them, with the records of one."""
        rows: _Rows = {}
        found, version = Q(), mine.version.number
        for position in (row.left, row.right):
            for number, place in self.lines.everywhere((version, position)):
                if number in self.frozen:
                    kept = self.frozen[number].of_record.get(place, ())
                    self._add(rows, (self._thawed(number, each) for each in kept))
                else:
                    holds = Q(left=place) | Q(right=place)
                    found |= Q(assignment__version__number=number) & holds
        pairs = AssignedPair.objects.filter(found, assignment__project=mine.project_id)
        self._add_pairs(rows, _with_cells(pairs).exclude(pk=row.pk))
        return rows

    def _records(self, pair: AssignedPair) -> list[Record]:
        version = pair.assignment.version.number
        return [self.lines.newest((version, each))[0] for each in (pair.left, pair.right)]

    def _add_pairs(self, rows: _Rows, pairs: Iterable[AssignedPair]) -> None:
        for pair in pairs:
            mine, opened = pair.assignment, list(pair.open_cells.all())
            index = population_of(mine)
            view = open_view(index, mine, pair, opened)
            self._add(rows, map(self._followed, _sightings(mine, view)))

    @staticmethod
    def _add(rows: _Rows, found: Iterable[tuple[Record, AnySighting]]) -> None:
        for record, sighting in found:
            rows.setdefault(record, []).append(sighting)

    def _followed(self, sighting: Sighting) -> tuple[Record, Sighting]:
        version = sighting.version
        record, outdated = self.lines.newest((version, sighting.record))
        names = self.lines.names(version)
        return record, replace(sighting, outdated=outdated, names=names)

    def _thawed(self, version: int, row: FrozenRow) -> tuple[Record, AnySighting]:
        record, outdated, names = self.lines.found((version, row.record))
        return record, row.sighting(version, outdated, names, accounted=True)


def _sightings(mine: Assignment, view: View) -> Iterable[Sighting]:
    index, terms = population_of(mine), mine.terms
    return (Sighting(index, view, row, terms.accounting, mine.version.number) for row in ROWS)


def _shows(sighting: AnySighting) -> bool:
    return any(sighting.shown.values())


def _starts_open(pair: AssignedPair) -> bool:
    return bool(pair.assignment.terms.starting or pair.open_cells.all())


def _with_cells(pairs: QuerySet[AssignedPair]) -> QuerySet[AssignedPair]:
    related = pairs.select_related("assignment__version__frozen")
    return related.prefetch_related("open_cells")
