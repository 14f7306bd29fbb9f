"""Typed cells to text, as :mod:`mindfirl.engine.reading.frames` and the core would write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, time
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames

BATCH_ROWS: Final = 16_384


def column_text(cells: pa.Array, *, file: str, column: str) -> pa.Array:
    """Turn a typed column into text; what is missing in it stays missing."""
    types = pa.types
    as_it_is = (types.is_string, types.is_large_string, types.is_string_view, types.is_integer)
    if any(check(cells.type) for check in as_it_is):
        return _valid(cells, file, column).cast(pa.string())
    raw = frames.raw_column(pa.chunked_array([cells]), file=file, column=column)
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
