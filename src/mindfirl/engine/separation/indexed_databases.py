"""Databases indexed together, each named by its file's stem; a population index as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, SettingError, or_list
from mindfirl.core.population.arrays import arrays_digest
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.progress import StepProgress
from mindfirl.core.values.column_values import RawColumn
from mindfirl.core.values.schema import Schema
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames
from mindfirl.engine.reading.open_source import read_table, take_column
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.attribute_cells import attribute_values

_PIECE: Final = 8 << 20
"""An array is cut into cells of this many bytes."""

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


_MEND: Final = "Mend the header, or name the column in the schema."


@dataclass(frozen=True, slots=True, repr=False)
class LoadedDatabase:
    path: Path
    table: pa.Table
    first: int

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def size(self) -> int:
        return int(self.table.num_rows)

    def take(self, column: str) -> pa.ChunkedArray:
        return take_column(self.table, column, file=self.path.name, mend=_MEND)

    def texts(self, column: str) -> list[str]:
        return column_texts(self.take(column), self.path.name, column)


def column_texts(cells: pa.ChunkedArray, file: str, column: str) -> list[str]:
    raw = frames.raw_column(cells, file=file, column=column)
    distinct = [text_of(value).strip() for value in raw.distinct]
    return [distinct[code] for code in raw.codes.tolist()]


def read_databases(
    paths: Sequence[Path], schema: SchemaFile, *, progress: StepProgress
) -> list[LoadedDatabase]:
    databases: list[LoadedDatabase] = []
    for place, path in enumerate(paths, start=1):
        first = databases[-1].first + databases[-1].size if databases else 0
        table = read_table(path, schema.file_options(path.stem))
        databases.append(LoadedDatabase(path, table, first))
        if not databases[-1].size:
            raise DataError("there is no record in it.", "Give at least one.", file=path.name)
        progress(place, len(paths))
    names = [database.name for database in databases]
    if len(set(names)) < len(names):
        raise SettingError("Two files of records have the same name. Rename one of them.")
    for named in schema.databases:
        if named not in names:
            rule = "a column is given for a file that is not among the records."
            mend = f"Name the files without their endings: {or_list(names)}."
            raise DataError(rule, mend, file=schema.file)
    return databases


def index_databases(
    databases: Sequence[LoadedDatabase], schema: SchemaFile, *, progress: StepProgress
) -> PopulationIndex:
    """Index the records of all databases; an error names its file and the row in it."""
    columns: dict[str, RawColumn] = {}
    for name in schema.schema.names:
        parts = []
        for database in databases:
            try:
                parts.append(attribute_values(database.take, schema, name, database.name))
            except DataError as error:
                raise error.located(file=database.path.name) from None
        columns[name] = frames.concatenate_raw(parts)
    try:
        return build_index(schema.schema, columns, progress=progress)
    except DataError as error:
        raise _in_its_file(error, schema, databases) from None


def _in_its_file(
    error: DataError, schema: SchemaFile, databases: Sequence[LoadedDatabase]
) -> DataError:
    """Name the file, and count the row in it, of an error found among all records."""
    assert error.row is not None
    assert error.column is not None
    home = max((each for each in databases if each.first < error.row), key=lambda each: each.first)
    return error.located(
        file=home.path.name,
        row=error.row - home.first,
        column=schema.column(error.column, home.name),
    )
