"""The cells of an attribute: those of a column, a date of its parts, or the rest of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.values.clean import ValueReader
from mindfirl.core.values.column_values import RawColumn
from mindfirl.core.values.composed import composed_date, rest_of
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames
from mindfirl.engine.schema.schema_file import SchemaFile

Take = Callable[[str], pa.ChunkedArray]
"""Returns a column of a database by its name."""


def attribute_values(take: Take, schema: SchemaFile, attribute: str, database: str) -> RawColumn:
    columns = [_raw(take, each) for each in schema.sources(attribute, database)]
    if schema.is_composed(attribute, database):
        return _composed(columns, schema, attribute)
    others = [
        _raw(take, column)
        for other in schema.without.get(attribute, ())
        for column in schema.sources(other, database)
    ]
    return _rests(columns[0], others) if others else columns[0]


def _raw(take: Take, column: str) -> RawColumn:
    return frames.raw_column(take(column), column=column)


def _composed(parts: Sequence[RawColumn], schema: SchemaFile, attribute: str) -> RawColumn:
    settings = schema.schema.settings
    reader = ValueReader("date", settings).knowing(schema.missing_of(attribute))
    return _row_by_row(
        parts,
        lambda texts: composed_date(
            texts, latest_year=settings.latest_year, missing=reader.placeholders
        ),
    )


def _rests(column: RawColumn, others: Sequence[RawColumn]) -> RawColumn:
    return _row_by_row([column, *others], lambda texts: rest_of(texts[0], texts[1:]))


def _row_by_row(columns: Sequence[RawColumn], made: Callable[[list[str]], str]) -> RawColumn:
    """Make a value of the values of each row; rows that have the same are looked at once."""
    texts = [[text_of(value) for value in column.distinct] for column in columns]
    first, codes = _rows_that_differ([column.codes for column in columns])
    places = [column.codes[first].tolist() for column in columns]
    distinct = [
        made([held[place] for held, place in zip(texts, row, strict=True)])
        for row in zip(*places, strict=True)
    ]
    return RawColumn(distinct, codes)


def _rows_that_differ(codes: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the first of all rows with the same codes, and which of these each row is like."""

    def joined(known: NDArray[Any], more: NDArray[Any]) -> NDArray[Any]:
        both = known.astype(np.int64) * (int(more.max(initial=0)) + 1) + more
        return np.unique(both, return_inverse=True)[1]

    together = reduce(joined, codes)
    _, first, places = np.unique(together, return_index=True, return_inverse=True)
    return first, places
