"""The score by a plain scan of all records, written from its definition, for the tests alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from mindfirl.core.values.schema import Accounting, Characters, Schema
from tests.support.naive_compare import Cell

Record = Sequence[Characters]


@dataclass(frozen=True)
class Row:
    """One row of a pair: its record, how the pair differs, and the level of every cell."""

    record: Record
    cells: Sequence[Cell]
    levels: Sequence[int]
    side: int


@dataclass(frozen=True)
class World:
    """All records of a data set, as characters."""

    schema: Schema
    records: Sequence[Record]

    @cached_property
    def counts(self) -> list[Counter[Characters]]:
        return [Counter(column) for column in zip(*self.records, strict=True)]

    def occurrences(self, attribute: int, value: Characters) -> int:
        return self.counts[attribute][value]

    def band(self, attribute: int, value: Characters) -> int:
        count = self.occurrences(attribute, value)
        return sum(count > limit for limit in (1, 5, 100))

    def k(self, row: Row, rule: Accounting) -> int:
        return len(self.possible(row, rule))

    def possible(self, row: Row, rule: Accounting) -> set[int]:
        return {
            number
            for number, x in enumerate(self.records)
            if all(self._fits(x, row, place, rule) for place in range(len(row.cells)))
        }

    def _fits(self, x: Record, row: Row, place: int, rule: Accounting) -> bool:
        """The table "What a row's cells say about a record x", line by line."""
        mine, theirs = row.record[place], x[place]
        cell, level = row.cells[place], row.levels[place]
        if level == 2:
            return theirs == mine
        if rule == "strict" and not self._fits_unopened(x, row, place):
            return False
        if level == 0 or cell.kind == "category":
            return True
        if cell.relation in ("missing", "swapped", "different"):
            return True
        if cell.relation == "identical":
            return bool(theirs) and self.occurrences(place, theirs) >= 2
        visible = cell.edited[row.side]
        return len(theirs) == len(mine) and all(theirs[at] == mine[at] for at in visible)

    def _fits_unopened(self, x: Record, row: Row, place: int) -> bool:
        """The strict rules for a cell below full."""
        mine, theirs, cell = row.record[place], x[place], row.cells[place]
        if not mine or not theirs:
            return mine == theirs
        rules = [
            cell.kind == "category" or len(mine) == len(theirs),
            cell.relation != "identical" or self.occurrences(place, theirs) >= 2,
            cell.relation != "swapped" or self._crosswise(x, place),
            not self.schema.attributes[place].frequency
            or self.band(place, mine) == self.band(place, theirs),
        ]
        return all(rules)

    def _crosswise(self, x: Record, place: int) -> bool:
        first, second = next(group for group in self.schema.swaps if place in group)
        return any(y[first] == x[second] and y[second] == x[first] for y in self.records)


def shares(row: Row) -> list[Fraction]:
    """Return p(i,j) for one row."""
    return [
        Fraction(len(shown(row, place)), len(value)) if value else Fraction(0)
        for place, value in enumerate(row.record)
    ]


def shown(row: Row, place: int) -> frozenset[int]:
    """Return the positions of one cell that are shown on a row."""
    level = row.levels[place]
    if level == 2:
        return frozenset(range(len(row.record[place])))
    return row.cells[place].edited[row.side] if level == 1 else frozenset()
