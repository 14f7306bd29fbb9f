"""A column that is needed on both sides, coarsened on the sensitive one: a birth year."""

from __future__ import annotations

from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.engine.cleaning import cleaned
from mindfirl.engine.schemas import Coarsening, SchemaFile

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
        parts = pa.array([_part(value, how) for value in dates.values], pa.string())
        return parts.take(pa.array(dates.codes))
    kept = pc.utf8_slice_codeunits(pc.utf8_trim_whitespace(table.column(column)), 0, how)
    attribute = schema.attribute_in(column, database)
    if attribute is None:
        return kept
    values, _ = cleaned(table, column, attribute.kind, schema, database=database, file=file)
    return pc.if_else(pa.array(values.codes != 0), kept, None)


def _part(date: str, how: str) -> str | None:
    """Keep a part of a canonical date; one that lacks it is missing."""
    part = date[: _LENGTH[how]]
    if len(part) < _LENGTH[how]:
        return None
    return f"{part}0s" if how == "decade" else part
