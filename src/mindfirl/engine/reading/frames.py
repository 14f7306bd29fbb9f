"""Typed columns and cells to text: data frames, Parquet files, what other readers give."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, time
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from mindfirl.core.errors import DataError
from mindfirl.core.values.column_values import RawColumn
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading.file_options import FileReading
from mindfirl.engine.reading.source import TableSource, checked_header


def frame_columns(frame: object, names: Sequence[str]) -> dict[str, RawColumn]:
    try:
        table = pa.table(frame)
    except (pa.ArrowException, TypeError, ValueError, KeyError):
        raise DataError(
            "the data frame cannot be read: a column mixes types, or two have one name.",
            "Give the needed columns only, each of one type, or as text.",
        ) from None
    found = table.column_names
    for name in names:
        if found.count(name) != 1:
            rule = "appears twice" if name in found else "is missing"
            raise DataError(f"this required column {rule}.", "Fix the data frame.", column=name)
    return {name: raw_column(table.column(name), column=name) for name in names}


def raw_column(
    cells: pa.ChunkedArray, *, column: str | None = None, file: str | None = None
) -> RawColumn:
    """Encode a column by its distinct values, as text; a null is a value of its own."""
    try:
        if pa.types.is_dictionary(cells.type):
            return concatenate_raw([_coded(chunk) for chunk in cells.chunks])
        if pa.types.is_string(cells.type) or pa.types.is_string_view(cells.type):
            cells = cells.cast(pa.large_string())
        return _coded(cells.combine_chunks().dictionary_encode())
    except pa.ArrowNotImplementedError:
        rule = "the column is of a type that is neither text nor number nor date."
        raise DataError(rule, "Convert it to text.", file=file, column=column) from None
    except (pa.ArrowInvalid, UnicodeDecodeError):
        rule = "the column holds text that is not UTF-8, or dates beyond the years 1 to 9999."
        raise DataError(rule, "Write it again as text.", file=file, column=column) from None


def concatenate_raw(columns: Sequence[RawColumn]) -> RawColumn:
    distinct: list[object] = []
    codes = [np.array([], dtype=np.int64)]
    for column in columns:
        codes.append(column.codes + len(distinct))
        distinct += column.distinct
    return RawColumn(distinct, np.concatenate(codes))


def _coded(encoded: pa.DictionaryArray) -> RawColumn:
    """Take the values and the codes of a dictionary; a null is a value of its own."""
    distinct = _plain_values(encoded.dictionary)
    codes = encoded.indices.cast("int64").fill_null(len(distinct))
    return RawColumn([*distinct, None], codes.to_numpy())


def _plain_values(cells: pa.Array) -> list[object]:
    """Take typed values as Python's own, dates and times as ISO text."""
    kind = cells.type
    if pa.types.is_timestamp(kind):
        cells = pc.local_timestamp(cells) if kind.tz else cells
        whole_days = pc.equal(pc.floor_temporal(cells, unit="day"), cells)
        dates = cells.cast(pa.date32(), safe=False).cast(pa.large_string())
        cells = pc.if_else(whole_days, dates, cells.cast(pa.large_string()))
    elif pa.types.is_date(kind) or pa.types.is_time(kind):
        cells = cells.cast(pa.large_string())
    elif not _is_plain(kind):
        raise pa.ArrowNotImplementedError
    cells.validate(full=True)
    if pa.types.is_temporal(kind) and pc.any(pc.starts_with(cells, "<")).as_py():
        raise pa.ArrowInvalid  # a date that is out of range is written as a remark in brackets
    values: list[object] = cells.to_pylist()
    return values


def _is_plain(kind: pa.DataType) -> bool:
    types = pa.types
    checks = (
        *(types.is_string, types.is_large_string, types.is_string_view),
        *(types.is_integer, types.is_floating, types.is_decimal, types.is_boolean, types.is_null),
    )
    return any(check(kind) for check in checks)


BATCH_ROWS: Final = 16_384


def column_text(cells: pa.Array, *, file: str, column: str) -> pa.Array:
    """Turn a typed column into text; what is missing in it stays missing."""
    types = pa.types
    as_it_is = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    if any(check(cells.type) for check in as_it_is):
        return _valid(cells, file, column).cast(pa.string())
    raw = raw_column(pa.chunked_array([cells]), file=file, column=column)
    texts = [value if isinstance(value, str) else text_of(value) or None for value in raw.distinct]
    return pa.array(texts, pa.string()).take(pa.array(raw.codes))


def row_batch(
    rows: Iterable[Sequence[object]], places: Sequence[int], *, first: int, file: str, of: int
) -> pa.RecordBatch:
    """Make a batch of rows, counted from the first, whose cells are Python's own values."""
    texts: list[list[str | None]] = [[] for _ in places]
    for row, cells in enumerate(rows, start=first):
        for column, place in zip(texts, places, strict=True):
            try:
                column.append(cell_text(cells[place]))
            except DataError as error:
                raise error.located(file=file, row=row, column=f"{place + 1} of {of}") from None
    arrays = [pa.array(column, pa.string()) for column in texts]
    return pa.RecordBatch.from_arrays(arrays, names=[str(place) for place in places])


def cell_text(cell: object) -> str | None:
    """Turn one cell of a workbook or a database into text; a time at midnight is a date."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, datetime):
        cell = cell.replace(tzinfo=None)
        cell = cell.date() if cell.time() == time() else cell
    return text_of(cell) or None


def _valid(cells: pa.Array, file: str, column: str) -> pa.Array:
    """Refuse text that is not UTF-8, which a writer may have left unchecked."""
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        rule = "the column holds text that is not UTF-8."
        raise DataError(rule, "Write it again.", file=file, column=column) from None
    return cells


MOST_BYTES: Final = 64 << 30
_BATCH_BYTES: Final = 8 << 20


def open_parquet(path: Path, *, most_bytes: int = MOST_BYTES) -> TableSource:
    """Open a Parquet file; refuse one that unpacks to more than the limit."""
    with _opened_parquet(path, most_bytes) as file:
        names, rows = file.schema_arrow.names, file.metadata.num_rows
        batch_rows = _batch_rows(file.metadata)
    header = checked_header(names, path.name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        asked = [names[place] for place in places]
        with _opened_parquet(path, most_bytes) as file:
            for batch in file.iter_batches(batch_rows, columns=asked):
                texts = [
                    column_text(batch.column(name), file=path.name, column=name) for name in asked
                ]
                yield pa.RecordBatch.from_arrays(texts, names=asked)

    return TableSource(path.name, header, read, about_rows=rows, read_as=FileReading("parquet"))


def read_parquet(path: Path) -> pa.Table:
    with _opened_parquet(path, MOST_BYTES) as file:
        checked_header(file.schema_arrow.names, path.name)
        return file.read()


@contextmanager
def _opened_parquet(path: Path, most_bytes: int) -> Iterator[pa.parquet.ParquetFile]:
    """Open a file within the limit; say in our words what is wrong with it."""
    try:
        with pa.parquet.ParquetFile(path) as file:
            if _unpacked(file.metadata) > most_bytes:
                rule = f"the file unpacks to more than {most_bytes:,} bytes."
                raise DataError(rule, "Split it.", file=path.name)
            yield file
    except (pa.ArrowException, OSError, ValueError):
        rule = "the file is not Parquet, is encrypted, or is damaged."
        raise DataError(rule, "Write it again.", file=path.name) from None


def _unpacked(metadata: pa.parquet.FileMetaData) -> int:
    groups = range(metadata.num_row_groups)
    return sum(int(metadata.row_group(group).total_byte_size) for group in groups)


def _batch_rows(metadata: pa.parquet.FileMetaData) -> int:
    each: int = _unpacked(metadata) // max(metadata.num_rows, 1) + 1
    return min(BATCH_ROWS, _BATCH_BYTES // each + 1)
