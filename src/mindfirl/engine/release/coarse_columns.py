"""Quasi-identifiers that somebody chose to release, coarsened: a year of birth, part of a ZIP."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Kind
from mindfirl.engine.schema.schema_files.schema_file import COARSENINGS, Coarsening, SchemaFile
from mindfirl.engine.separation.coarsening import date_part

MOST_CHARACTERS = 4
"""So many characters of a value are released at the most."""


def ways_to_coarsen(kind: Kind) -> tuple[Coarsening, ...]:
    if kind == "category":
        return ()
    return COARSENINGS if kind == "date" else tuple(range(1, MOST_CHARACTERS + 1))


def coarsenable(schema: SchemaFile) -> dict[str, tuple[Coarsening, ...]]:
    return {
        each.name: ways
        for each in schema.schema.attributes
        if schema.roles[each.name] == "quasi-identifier" and (ways := ways_to_coarsen(each.kind))
    }


def coarse_name(attribute: str, how: Coarsening) -> str:
    return f"{attribute}_{how}"


def coarse(attribute: str, column: CleanColumn, how: Coarsening) -> pa.Array:
    """Keep a part of every value; refuse where that leaves most of them whole."""
    parts = [_part(value, how) for value in column.values]
    whole = np.array([part == value for part, value in zip(parts, column.values, strict=True)])
    filled = column.codes != 0
    if 2 * whole[column.codes[filled]].sum() > filled.sum():
        rule = "Most values would stay whole."
        raise DataError(rule, "Keep fewer characters, or leave it out.", column=attribute)
    return pa.array(parts, pa.string()).take(pa.array(column.codes))


def _part(value: str, how: Coarsening) -> str | None:
    if not value:
        return None
    return value[:how] if isinstance(how, int) else date_part(value, how)
