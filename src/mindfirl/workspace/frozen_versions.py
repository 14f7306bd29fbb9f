"""Versions whose index is deleted: what was shown of their records, frozen.

No assignment of such a version is open, so nothing more is shown of it. What its rows showed, and
the smallest k∪ of each record, are all that limits and reports of later rounds need of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from mindfirl.core.display.cells import disclosed_characters
from mindfirl.core.risk.attackers import Sighting, possible_records
from mindfirl.core.risk.kapr import ROWS, row_risks
from mindfirl.core.values.schema import MASKED, PARTIAL
from mindfirl.engine.frozen_rows import FrozenRow, FrozenRows, frozen_table
from mindfirl.store.models import AssignedPair, Assignment, Version
from mindfirl.store.vault.sealed_comments import comments_in
from mindfirl.workspace.comment_checks import comments_set_aside
from mindfirl.workspace.open_version import open_view, population_of


def freeze(version: Version) -> pa.Table:
    """Count what was shown in all assignments of a version, none of which is open."""
    listed = list(version.assignments.select_related("project", "version").order_by("created"))
    rows = [each for mine in listed for each in _rows(mine)]
    unions = _Unions.of(rows)
    aside = {
        str(mine.pk): frozenset(comments_set_aside(mine, comments_in(mine))) for mine in listed
    }
    kept = {name: numbers for name, numbers in aside.items() if numbers}
    return frozen_table(FrozenRows(tuple(map(unions.frozen, rows)), kept))


@dataclass(frozen=True, slots=True)
class _Row:
    mine: Assignment
    pair: AssignedPair
    sighting: Sighting
    """Of a row, by the accounting of its assignment."""
    published: Sighting
    k: int
    strict_k: int

    @property
    def opened(self) -> bool:
        return any(level != MASKED for level in self.sighting.view.levels)


def _rows(mine: Assignment) -> Iterator[_Row]:
    index, accounting = population_of(mine), mine.terms.accounting
    for pair in mine.pairs.prefetch_related("open_cells"):
        view = open_view(index, mine, pair, list(pair.open_cells.all()))
        published, strict = row_risks(index, view, "paper"), row_risks(index, view, "strict")
        for row in ROWS:
            paper = Sighting(index, view, row, "paper")
            own = Sighting(index, view, row, accounting)
            yield _Row(mine, pair, own, paper, published[row].k, strict[row].k)


@dataclass(frozen=True, slots=True)
class _Unions:
    """k∪ of each record: over all rows, and over those on which something is open."""

    own: Mapping[Hashable, int]
    together: Mapping[Hashable, int]
    accounted: Mapping[Hashable, int]

    @classmethod
    def of(cls, rows: Iterable[_Row]) -> _Unions:
        listed = list(rows)
        opened = [each for each in listed if each.opened]
        return cls(
            _fewest(
                ((each.published.record, each.mine.account_id), each.published) for each in opened
            ),
            _fewest((each.published.record, each.published) for each in opened),
            _fewest((each.sighting.record, each.sighting) for each in listed),
        )

    def frozen(self, row: _Row) -> FrozenRow:
        sighting, record = row.sighting, row.sighting.record
        view, shown = sighting.view, sighting.shown
        return FrozenRow(
            assignment=str(row.mine.pk),
            pair=row.pair.number,
            row=sighting.row,
            record=record,
            lengths=tuple(sighting.lengths.values()),
            partial=tuple(
                disclosed_characters(difference, PARTIAL)[sighting.row][0] if level else 0
                for difference, level in zip(view.differences, view.levels, strict=True)
            ),
            levels=view.levels,
            shown=tuple(tuple(sorted(each)) for each in shown.values()),
            k=row.k,
            strict_k=row.strict_k,
            own_k=self.own.get((record, row.mine.account_id), row.k),
            together_k=self.together.get(record, row.k),
            accounted_k=self.accounted[record],
        )


def _fewest(sightings: Iterable[tuple[Hashable, Sighting]]) -> dict[Hashable, int]:
    found: defaultdict[Hashable, list[Sighting]] = defaultdict(list)
    for name, each in sightings:
        found[name].append(each)
    return {name: possible_records(each) for name, each in found.items()}
