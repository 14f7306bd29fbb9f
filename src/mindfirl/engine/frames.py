"""Anything with an Arrow stream, to raw columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from mindfirl.core.errors import DataError, listed
from mindfirl.core.population.index import RawColumn

if TYPE_CHECKING:
    import pyarrow as pa


def raw_columns(frame: object, names: Sequence[str]) -> dict[str, RawColumn]:
    """Take the named columns of a data frame, each distinct value once."""
    import pyarrow as pa  # noqa: PLC0415  # loaded only where a data frame is given

    table = pa.table(frame)
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise DataError(
            f"the data frame lacks the needed column {listed(missing)}.",
            "Add or rename it, or change the schema.",
        )
    return {name: raw_column(table.column(name), name) for name in names}


def raw_column(column: pa.ChunkedArray, name: str) -> RawColumn:
    """Encode a column by its distinct values; a null is a value of its own."""
    import pyarrow as pa  # noqa: PLC0415

    if pa.types.is_dictionary(column.type):
        return joined([_coded(chunk) for chunk in column.chunks])
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    try:
        encoded = column.combine_chunks().dictionary_encode()
    except pa.ArrowNotImplementedError:
        raise DataError(
            "the column is of a type that is neither text nor number nor date.",
            "Convert it to text.",
            column=name,
        ) from None
    return _coded(encoded)


def joined(columns: Sequence[RawColumn]) -> RawColumn:
    """Put columns below each other."""
    distinct: list[object] = []
    codes = [np.array([], dtype=np.int64)]
    for column in columns:
        codes.append(column.codes + len(distinct))
        distinct += column.distinct
    return RawColumn(distinct, np.concatenate(codes))


def _coded(encoded: pa.DictionaryArray) -> RawColumn:
    """Take the values and codes of a dictionary; a null is a value of its own."""
    distinct: list[object] = encoded.dictionary.to_pylist()
    codes = encoded.indices.cast("int64").fill_null(len(distinct))
    return RawColumn([*distinct, None], codes.to_numpy())
