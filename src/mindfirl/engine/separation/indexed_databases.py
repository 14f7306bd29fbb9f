"""Several files of records, indexed together; each file is a database, named by its stem."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import DataError, SettingError, or_list
from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.progress import StepProgress
from mindfirl.core.values.column_values import RawColumn
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames
from mindfirl.engine.reading.open_source import read_table, take_column
from mindfirl.engine.schema.schema_files.schema_file import SchemaFile

_MEND: Final = "Mend the header, or name the column in the schema."


@dataclass(frozen=True, slots=True, repr=False)
class LoadedDatabase:
    """One file of records: its table, and where its records begin among all."""

    path: Path
    table: pa.Table
    first: int

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.table.num_rows)

    def texts(self, column: str) -> list[str]:
        """Return a column as plain text; a missing value is empty."""
        file = self.path.name
        return column_texts(take_column(self.table, column, file=file, mend=_MEND), file, column)


def column_texts(cells: pa.ChunkedArray, file: str, column: str) -> list[str]:
    """Return the cells of a column as plain text; a missing value is empty."""
    raw = frames.raw_column(cells, file=file, column=column)
    distinct = [text_of(value).strip() for value in raw.distinct]
    return [distinct[code] for code in raw.codes.tolist()]


def read_databases(
    paths: Sequence[Path], schema: SchemaFile, *, progress: StepProgress
) -> list[LoadedDatabase]:
    """Read all files; each must have a name of its own and hold records."""
    databases: list[LoadedDatabase] = []
    for place, path in enumerate(paths, start=1):
        first = databases[-1].first + databases[-1].size if databases else 0
        databases.append(LoadedDatabase(path, read_table(path), first))
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
            file, column = database.path.name, schema.column(name, database.name)
            cells = take_column(database.table, column, file=file, mend=_MEND)
            parts.append(frames.raw_column(cells, file=file, column=column))
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
