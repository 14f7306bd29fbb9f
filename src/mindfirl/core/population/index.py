"""All attributes together: what a row's cells say about a record, and who is still possible."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.display.cells import frequency_band
from mindfirl.core.display.compare import Difference, Relation, compare_records
from mindfirl.core.errors import DataError, EmptyPopulation, NoSuchRecord
from mindfirl.core.population.attribute_index import MISSING, Column, build_column
from mindfirl.core.population.conditions import Bitmap, Condition, Dense, Possible, pack, possible
from mindfirl.core.population.distinct_values import Values, ValueTable, tabulate_columns
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.values.clean import clean, first_fault
from mindfirl.core.values.column_values import CleanColumn, RawColumn
from mindfirl.core.values.schema import (
    FULL,
    PARTIAL,
    Accounting,
    Attribute,
    Pair,
    Schema,
    Settings,
    Value,
)
from mindfirl.core.values.standardise import unreadable_date

Levels = tuple[int, ...]
"""A level number for every attribute of a pair."""

DENSE_SHARE = 32
DENSE_LEAST = 256
"""A set is kept as a bitmap from a 32nd of the records on, and never below this many records."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PopulationIndex:
    """The bitmap index over all records of a data set; immutable."""

    schema: Schema
    size: int
    columns: tuple[Column, ...]
    crosswise: dict[tuple[int, int], Bitmap]

    def pair(self, left: int, right: int) -> Pair:
        """Name two different records by position."""
        for position in (left, right):
            whole = isinstance(position, int | np.integer) and not isinstance(position, bool)
            if not whole or not 0 <= position < self.size:
                raise NoSuchRecord(self.size)
        if left == right:
            raise NoSuchRecord(self.size, same=True)
        return Pair(int(left), int(right))

    def record(self, position: int) -> tuple[Value, ...]:
        """Return the values of a record, in the order of the attributes."""
        return tuple(
            Value(column.values.characters(int(column.codes[position]))) for column in self.columns
        )

    def frequency(self, position: int, place: int) -> str:
        """Name how common a record's value is, where the attribute shows it; else nothing."""
        column = self.columns[place]
        code = int(column.codes[position])
        shown = self.schema.attributes[place].frequency and code != MISSING
        return frequency_band(column.count(code)) if shown else ""

    def differences(self, pair: Pair) -> tuple[Difference, ...]:
        """Compare the two records of a pair."""
        return compare_records(self.schema, self.record(pair.left), self.record(pair.right))

    def possible(self, conditions: Sequence[Condition]) -> Possible:
        """Find the records that fit all conditions."""
        return possible(self.size, conditions)

    def row_conditions(
        self,
        record: int,
        differences: Sequence[Difference],
        levels: Levels,
        row: int,
        accounting: Accounting,
    ) -> list[Condition]:
        """Say what all cells of a row, at their levels, require of a record."""
        return [
            condition
            for place in range(len(self.columns))
            for condition in self.cell_conditions(
                record, place, differences[place], levels[place], row=row, accounting=accounting
            )
        ]

    def cell_conditions(
        self,
        record: int,
        place: int,
        difference: Difference,
        level: int,
        *,
        row: int,
        accounting: Accounting,
    ) -> list[Condition]:
        """Say what one cell of a row requires of a record: the table of the score's definition."""
        column = self.columns[place]
        code = int(column.codes[record])
        if level == FULL:
            return [column.equals(code)]
        conditions: list[Condition] = []
        relation = difference.relation
        if level == PARTIAL:
            if relation is Relation.EDITED:
                conditions.append(column.matches(code, difference.sides[row].edited))
            elif relation is Relation.IDENTICAL and difference.kind != "category":
                conditions.append(column.shared())
        if accounting == "strict":
            conditions += self._unopened(record, relation, place)
        return conditions

    def _unopened(self, record: int, relation: Relation, place: int) -> list[Condition]:
        """Say what a cell below full tells by its mask and its marks (strict accounting)."""
        column = self.columns[place]
        code = int(column.codes[record])
        if code == MISSING:
            return [column.equals(MISSING)]
        conditions = [column.matches(code, ())]
        if relation is Relation.IDENTICAL:
            conditions.append(column.shared())
        if relation is Relation.SWAPPED:
            group = next(group for group in self.crosswise if place in group)
            conditions.append(Dense((self.crosswise[group],)))
        if self.schema.attributes[place].frequency:
            conditions.append(column.same_band(record))
        return conditions


def build_index(
    schema: Schema,
    columns: Mapping[str, RawColumn],
    *,
    dense_limit: int | None = None,
    progress: StepProgress = no_step_progress,
) -> PopulationIndex:
    """Standardise and index all records, given as one raw column per attribute."""
    cleaned = (
        _without_faults(attribute, columns[attribute.name], schema.settings)
        for attribute in schema.attributes
    )
    return index_tables(
        schema, tabulate_columns(schema, cleaned), dense_limit=dense_limit, progress=progress
    )


def index_columns(schema: Schema, columns: Mapping[str, CleanColumn]) -> PopulationIndex:
    """Index all records, given as one clean column per attribute."""
    return index_tables(schema, tabulate_columns(schema, (columns[name] for name in schema.names)))


def index_tables(
    schema: Schema,
    tables: Iterable[ValueTable],
    *,
    dense_limit: int | None = None,
    progress: StepProgress = no_step_progress,
) -> PopulationIndex:
    """Index all records, given as one table per attribute, in their order."""
    steps = len(schema.attributes)
    built: list[Column] = []
    progress(0, steps)
    for attribute, table in zip(schema.attributes, tables, strict=True):
        size = len(table.codes)
        if size == 0:
            raise EmptyPopulation
        limit = max(DENSE_LEAST, size // DENSE_SHARE) if dense_limit is None else dense_limit
        built.append(build_column(table, dense_limit=limit, bands=attribute.frequency))
        progress(len(built), steps)
    crosswise = {group: _crosswise(*(built[place] for place in group)) for group in schema.swaps}
    return PopulationIndex(schema, len(built[0].codes), tuple(built), crosswise)


def _without_faults(attribute: Attribute, raw: RawColumn, settings: Settings) -> CleanColumn:
    """Standardise a raw column; refuse one with an unreadable value."""
    try:
        column = clean(raw, attribute.kind, settings, None, order=settings.date_order)
    except DataError as error:
        raise error.located(column=attribute.name) from None
    for finding in column.findings:
        if finding.rule == "unreadable":
            fault = unreadable_date(settings.date_order)
            raise first_fault(fault, finding.rows[0], finding.count).located(column=attribute.name)
    return column


def _crosswise(first: Column, second: Column) -> Bitmap:
    """Pack the records whose two values some record holds the other way round."""
    to_second = _same_values(first.values, second.values)[first.codes]
    to_first = _same_values(second.values, first.values)[second.codes]
    both = np.flatnonzero((to_first > MISSING) & (to_second > MISSING))
    width = second.values.size
    held = first.codes[both].astype(np.int64) * width + second.codes[both]
    crossed = to_first[both] * width + to_second[both]
    flags = np.zeros(len(first.codes), dtype=np.bool_)
    flags[both] = np.isin(crossed, held)
    return pack(flags)


def _same_values(ours: Values, theirs: Values) -> NDArray[np.int64]:
    """Return, for each of our values, its code in the other column, or that of missing."""
    known = {value: code for code, value in enumerate(theirs.every())}
    codes = (known.get(value, MISSING) for value in ours.every())
    return np.fromiter(codes, dtype=np.int64, count=ours.size)
