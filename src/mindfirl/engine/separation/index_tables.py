"""A population index as a table, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.population.arrays import arrays_digest
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Schema

_PIECE: Final = 8 << 20
"""An array is cut into cells of so many bytes."""

_SALT: Final = "salt"
"""Random bytes among the arrays, so that a digest of few records cannot be guessed."""

_COLUMNS: Final = pa.schema(
    [("name", pa.string()), ("type", pa.string()), ("shape", pa.string()), ("bytes", pa.binary())]
)


def with_salt(arrays: Mapping[str, NDArray[Any]], salt: bytes) -> dict[str, NDArray[Any]]:
    return {_SALT: np.frombuffer(salt, dtype=np.uint8), **arrays}


def index_table(arrays: Mapping[str, NDArray[Any]]) -> pa.Table:
    return pa.Table.from_pylist(list(_pieces(arrays)), schema=_COLUMNS)


def index_digest(table: pa.Table, schema: Schema) -> str:
    return arrays_digest(_arrays(table), schema)


def index_arrays(table: pa.Table) -> dict[str, NDArray[Any]]:
    return {name: array for name, array in _arrays(table).items() if name != _SALT}


def coded_columns(schema: Schema, arrays: Mapping[str, NDArray[Any]]) -> dict[str, CleanColumn]:
    """Return the codes of all records, without their values: enough to count pairs."""
    return {
        name: CleanColumn([], arrays[f"{place}.codes"]) for place, name in enumerate(schema.names)
    }


def _arrays(table: pa.Table) -> dict[str, NDArray[Any]]:
    pieces: dict[str, list[bytes]] = {}
    forms: dict[str, tuple[str, list[int]]] = {}
    for row in table.to_pylist():
        pieces.setdefault(row["name"], []).append(row["bytes"])
        forms[row["name"]] = row["type"], [int(side) for side in row["shape"].split()]
    return {
        name: np.frombuffer(b"".join(pieces[name]), dtype=kind).reshape(shape)
        for name, (kind, shape) in forms.items()
    }


def _pieces(arrays: Mapping[str, NDArray[Any]]) -> Iterator[dict[str, object]]:
    for name, array in arrays.items():
        form = {"name": name, "type": array.dtype.str, "shape": " ".join(map(str, array.shape))}
        content = array.tobytes()
        for start in range(0, max(len(content), 1), _PIECE):
            yield {**form, "bytes": content[start : start + _PIECE]}
