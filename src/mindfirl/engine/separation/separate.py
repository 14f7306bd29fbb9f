"""Identities and sensitive values apart: two tables, and a third that joins them.

Every record gets two random numbers, its pseudonyms: one among the identities, one among the
sensitive values. Each table is in the order of its own pseudonyms, so that neither its numbers nor
its order say anything about the other. Only the joining table knows both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.values.clean import MOST_ROWS, clean, written_order
from mindfirl.core.values.column_values import (
    CellCounts,
    CleanColumn,
    ColumnFinding,
    RawColumn,
    cell_counts,
)
from mindfirl.core.values.schema import Attribute, DateOrder, Kind
from mindfirl.engine.reading import frames
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.schema_file import Coarsening, SchemaFile
from mindfirl.engine.separation.attribute_cells import attribute_values


def cleaned(
    table: pa.Table, column: str, kind: Kind, schema: SchemaFile, *, database: str, file: str
) -> CleanColumn:
    """Clean a column as being of a kind, by the rules for its attribute, if it has one.

    A column that is a part of a composed date stands for the whole of it.
    """
    attribute = schema.attribute_in(column, database)
    name = attribute.name if attribute else None
    try:
        if name is not None and kind == "date" and schema.is_composed(name, database):
            raw = attribute_values(table.column, schema, name, database)
        else:
            raw = frames.raw_column(table.column(column))
        return _clean(raw, kind, schema, name, database)[0]
    except DataError as error:
        raise error.located(file=file, column=column) from None


def _clean(
    raw: RawColumn, kind: Kind, schema: SchemaFile, attribute: str | None, database: str
) -> tuple[CleanColumn, DateOrder | None]:
    """Clean raw values; say in which order they write their dates, if they do."""
    settings, order = schema.schema.settings, None
    if kind == "date":
        order = written_order(raw, settings, schema.date_order(attribute, database))
    return clean(raw, kind, settings, schema.missing_of(attribute), order=order), order


_LENGTH: Final = {"decade": 3, "year": 4, "month": 7}
"""How much of YYYY-MM-DD is kept."""


def coarsened(
    table: pa.Table, column: str, how: Coarsening, schema: SchemaFile, *, database: str, file: str
) -> pa.Array | pa.ChunkedArray:
    """Keep a part of every date, or the first characters; what cannot be read is missing."""
    if not isinstance(how, int):
        dates = cleaned(table, column, "date", schema, database=database, file=file)
        return _date_parts(dates, how)
    whole = pc.utf8_trim_whitespace(table.column(column))
    kept = pc.utf8_slice_codeunits(whole, 0, how)
    _check_shortened(whole, kept, file, column)
    attribute = schema.attribute_in(column, database)
    if attribute is None:
        return kept
    values = cleaned(table, column, attribute.kind, schema, database=database, file=file)
    return pc.if_else(pa.array(values.codes != 0), kept, None)


def _date_parts(dates: CleanColumn, how: str) -> pa.Array:
    parts = pa.array([date_part(value, how) for value in dates.values], pa.string())
    return parts.take(pa.array(dates.codes))


def _check_shortened(whole: pa.ChunkedArray, kept: pa.ChunkedArray, file: str, column: str) -> None:
    """Refuse a number of characters that leaves most values whole: that is no coarsening."""
    filled = pc.sum(pc.greater(pc.utf8_length(whole), 0)).as_py() or 0
    shortened = pc.sum(pc.not_equal(whole, kept)).as_py() or 0
    if filled and shortened <= filled / 2:
        rule = f"{shortened:,} of {filled:,} values are shortened, so most would stay whole."
        raise DataError(rule, "Keep fewer characters.", file=file, column=column)


def date_part(date: str, how: str) -> str | None:
    """Keep a part of a canonical date; one that lacks it is missing."""
    part = date[: _LENGTH[how]]
    if len(part) < _LENGTH[how]:
        return None
    return f"{part}0s" if how == "decade" else part


PSEUDONYM: Final = "#pseudonym"
RECORD: Final = "#record"
IDENTITY: Final = "#identity"
SENSITIVE: Final = "#sensitive"
"""The columns that are ours; a schema names nothing so that it begins like one of them."""

_BYTES: Final = 16

Randomness = Callable[[int], bytes]

Order = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cleaned:
    column: CleanColumn
    findings: tuple[ColumnFinding, ...]
    date_order: DateOrder | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Separated:
    identity: pa.Table
    sensitive: pa.Table
    joining: pa.Table
    attributes: dict[str, Cleaned]
    coarsened_dates: dict[str, CellCounts]
    """Of the sensitive columns of which a part of the dates is kept."""

    @property
    def counts(self) -> dict[str, CellCounts]:
        """How many cells of each attribute are filled, and can be read."""
        rows = self.identity.num_rows
        return {key: cell_counts(each.findings, rows) for key, each in self.attributes.items()}

    @property
    def filled(self) -> dict[str, int]:
        return {
            name: int(pc.sum(pc.greater(pc.utf8_length(column), 0)).as_py() or 0)
            for name, column in zip(
                self.sensitive.column_names, self.sensitive.columns, strict=True
            )
            if name != PSEUDONYM
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Pseudonyms:
    """A random number for each record, and the order that these numbers make."""

    numbers: NDArray[np.uint8]
    order: Order

    def array(self, order: Order) -> pa.Array:
        buffer = pa.py_buffer(np.ascontiguousarray(self.numbers[order]))
        return pa.FixedSizeBinaryArray.from_buffers(pa.binary(_BYTES), len(order), [None, buffer])


def separate(
    source: TableSource,
    schema: SchemaFile,
    database: str,
    *,
    randomness: Randomness,
    progress: StepProgress = no_step_progress,
) -> Separated:
    """Read the columns that have a role, and take them apart; progress is told in rows read."""
    hidden = schema.sensitive_columns(database, source.columns)
    columns = sorted({*schema.needed(database), *hidden.values()})
    table = source.table(columns, progress)
    if not table.num_rows:
        raise DataError("there is no record in it.", "Give at least one.", file=source.name)
    identities, sensitives = (_pseudonyms(table.num_rows, randomness) for _ in range(2))
    with ThreadPoolExecutor(1) as aside:
        apart = aside.submit(
            _sensitive, table, schema, database, hidden, sensitives, file=source.name
        )
        attributes = {
            attribute.name: _shuffled(
                _cleaned(table, schema, attribute, database, source.name),
                identities.order,
                randomness,
            )
            for attribute in schema.schema.attributes
        }
        records = _record_ids(table, schema.id_column(database), source.name)
        identity = _identity(records, attributes, identities)
        joining = {
            IDENTITY: identities.array(sensitives.order),
            SENSITIVE: sensitives.array(sensitives.order),
        }
        sensitive, dates = apart.result()
        return Separated(identity, sensitive, pa.table(joining), attributes, dates)


def kept_columns(identity: pa.Table, names: Iterable[str]) -> dict[str, CleanColumn]:
    columns = {}
    for name in names:
        encoded = identity.column(name).combine_chunks().dictionary_encode()
        values = ["", *encoded.dictionary.to_pylist()]
        codes = pc.fill_null(pc.add(encoded.indices.cast(pa.int64()), 1), 0)
        columns[name] = CleanColumn(values, codes.to_numpy())
    return columns


def _pseudonyms(size: int, randomness: Randomness) -> _Pseudonyms:
    numbers = np.frombuffer(randomness(size * _BYTES), dtype=np.uint8).reshape(size, _BYTES)
    leading = np.ascontiguousarray(numbers[:, :8]).view(np.uint64).ravel()
    return _Pseudonyms(numbers, np.argsort(leading))


def _cleaned(
    table: pa.Table, schema: SchemaFile, attribute: Attribute, database: str, file: str
) -> Cleaned:
    name = attribute.name
    try:
        raw = attribute_values(table.column, schema, name, database)
        found, order = _clean(raw, attribute.kind, schema, name, database)
    except DataError as error:
        column = error.column or schema.column(name, database)
        raise error.located(file=file, column=column) from None
    findings = found.findings
    if schema.is_composed(name, database) and schema.schema.settings.latest_year is not None:
        findings += tuple(_short_years(table.column(schema.sources(name, database)[0])))
    rewritten = any(finding.rule == "date form" for finding in findings)
    return Cleaned(found, findings, order if rewritten else None)


def _short_years(cells: pa.ChunkedArray) -> Iterator[ColumnFinding]:
    """Find years of two digits, which are read when a date is composed."""
    short = pc.match_substring_regex(pc.utf8_trim_whitespace(cells), r"^[0-9]{2}(\.0*)?$")
    rows = np.flatnonzero(short.to_numpy() == np.True_)
    if len(rows):
        yield ColumnFinding("two-digit year", len(rows), tuple((rows[:MOST_ROWS] + 1).tolist()))


def _record_ids(table: pa.Table, column: str | None, file: str) -> pa.Array:
    if column is None:
        return pa.array(np.arange(1, table.num_rows + 1)).cast(pa.string())
    cells = pc.fill_null(_combined(pc.utf8_trim_whitespace(table.column(column))), "")
    counts = pc.value_counts(cells)
    if len(counts) < len(cells) or pc.any(pc.equal(cells, "")).as_py():
        raise _not_an_id(cells, file, column)
    return cells


def _not_an_id(cells: pa.Array, file: str, column: str) -> DataError:
    seen: set[str] = set()
    for row, cell in enumerate(cells.to_pylist(), start=1):
        if not cell or cell in seen:
            rule = "the record id is that of an earlier row." if cell else "there is no record id."
            mend = "Fix it, or name another column. Without a record ID, row numbers are used."
            return DataError(rule, mend, file=file, row=row, column=column)
        seen.add(cell)
    raise AssertionError


def _identity(
    records: pa.Array, attributes: dict[str, Cleaned], identities: _Pseudonyms
) -> pa.Table:
    order = pa.array(identities.order)
    columns: dict[str, Any] = {PSEUDONYM: identities.array(identities.order)}
    columns[RECORD] = records.take(order)
    for name, each in attributes.items():
        columns[name] = _text_column(each.column)
    return pa.table(columns)


def _text_column(column: CleanColumn) -> pa.Array:
    """Write a clean column as text, each distinct value once; code 0 is missing."""
    codes = column.codes.astype(np.int32) - 1
    indices = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(column.values[1:], pa.string()))


def _shuffled(cleaned: Cleaned, order: Order, randomness: Randomness) -> Cleaned:
    """Put a column and its distinct values into new orders: theirs would tell that of the file."""
    column = cleaned.column
    size = len(column.values)
    drawn = np.argsort(np.frombuffer(randomness(8 * (size - 1)), dtype=np.uint64)) + 1
    codes = np.zeros(size, dtype=np.int64)
    codes[drawn] = np.arange(1, size)
    values = ["", *map(column.values.__getitem__, drawn.tolist())]
    return Cleaned(
        CleanColumn(values, codes[column.codes[order]]), cleaned.findings, cleaned.date_order
    )


def _sensitive(
    table: pa.Table,
    schema: SchemaFile,
    database: str,
    hidden: dict[str, str],
    sensitives: _Pseudonyms,
    *,
    file: str,
) -> tuple[pa.Table, dict[str, CellCounts]]:
    order = pa.array(sensitives.order)
    ways = {each.name: each.coarsen for each in schema.sensitive}
    columns: dict[str, Any] = {PSEUDONYM: sensitives.array(sensitives.order)}
    counts: dict[str, CellCounts] = {}
    for name, column in hidden.items():
        cells, how = table.column(column), ways[name]
        if isinstance(how, int):
            cells = coarsened(table, column, how, schema, database=database, file=file)
        elif how is not None:
            dates = cleaned(table, column, "date", schema, database=database, file=file)
            counts[name] = cell_counts(dates.findings, table.num_rows)
            cells = _date_parts(dates, how)
        columns[name] = _combined(cells).take(order)
    return pa.table(columns), counts


def _combined(cells: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Put the chunks of a text column together, which may be more than 2 GiB then."""
    large = cells.cast(pa.large_string())
    return large.combine_chunks() if isinstance(large, pa.ChunkedArray) else large
