"""A column that is needed on both sides, coarsened on the sensitive one: a birth year."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import DataError
from mindfirl.engine.schema.schema_files.schema_file import Coarsening, SchemaFile
from mindfirl.engine.separation.clean_column import cleaned

_LENGTH: Final = {"decade": 3, "year": 4, "month": 7}
"""How much of YYYY-MM-DD is kept."""


def coarsened(
    table: pa.Table,
    column: str,
    how: Coarsening,
    schema: SchemaFile,
    *,
    database: str,
    file: str,
) -> pa.Array | pa.ChunkedArray:
    """Keep a part of every date, or the first characters; what cannot be read is missing."""
    if not isinstance(how, int):
        dates, _ = cleaned(table, column, "date", schema, database=database, file=file)
        parts = pa.array([date_part(value, how) for value in dates.values], pa.string())
        return parts.take(pa.array(dates.codes))
    whole = pc.utf8_trim_whitespace(table.column(column))
    kept = pc.utf8_slice_codeunits(whole, 0, how)
    _check_shortened(whole, kept, file, column)
    attribute = schema.attribute_in(column, database)
    if attribute is None:
        return kept
    values, _ = cleaned(table, column, attribute.kind, schema, database=database, file=file)
    return pc.if_else(pa.array(values.codes != 0), kept, None)


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
