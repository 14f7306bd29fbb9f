"""What the commands read: databases of records, a schema, a list of pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click
import pyarrow as pa
from rich.console import Console
from rich.progress import Progress

from mindfirl.core.errors import DataError, EmptyPopulation, NoSuchRecord, SettingError
from mindfirl.core.population.index import PopulationIndex, RawColumn, build_index
from mindfirl.core.schema import ACCOUNTINGS, LEVELS, Pair
from mindfirl.engine import frames
from mindfirl.engine.schemas import SchemaFile, read_schema
from mindfirl.engine.tables import read_table, take_column

_Command = TypeVar("_Command", bound=Callable[..., Any])

_PATH: Final = click.Path(path_type=Path)
_OPTIONS: Final = (
    click.argument("records", nargs=-1, type=_PATH, required=True),
    click.option(
        "--pairs",
        "pairs_path",
        type=_PATH,
        required=True,
        metavar="FILE",
        help="The pairs to look at: CSV or Parquet with the columns left and right.",
    ),
    click.option(
        "--schema",
        "schema_path",
        type=_PATH,
        required=True,
        metavar="FILE",
        help="The attributes and how they are compared: TOML.",
    ),
    click.option(
        "--level",
        type=click.Choice(LEVELS),
        default="masked",
        show_default=True,
        help="The level of every cell.",
    ),
    click.option(
        "--kappa",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="The smallest anonymity set that is allowed.",
    ),
    click.option(
        "--accounting",
        type=click.Choice(ACCOUNTINGS),
        default="paper",
        show_default=True,
        help="Count by the published rules, or count what masks and marks give away, too.",
    ),
)


def pair_options(command: _Command) -> _Command:
    """Add the arguments and options of a command that works on pairs."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Database:
    """One file of records: its table, and where its records begin among all."""

    path: Path
    table: pa.Table
    first: int

    @property
    def name(self) -> str:
        """The file's name without its ending."""
        return self.path.stem


@dataclass(frozen=True, slots=True)
class Inputs:
    """All records, indexed, and the pairs to look at."""

    index: PopulationIndex
    pairs: tuple[Pair, ...]


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar on the terminal while work goes on; nothing where there is no terminal."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(label)
        yield lambda done, steps: bar.update(task, completed=done, total=steps)


def load(records: Sequence[Path], pairs: Path, schema: Path, *, kappa: int) -> Inputs:
    """Read and index the records, and find the records that the pairs name."""
    read = read_schema(schema)
    databases: list[Database] = []
    with progress_bar("Reading records") as progress:
        for place, path in enumerate(records):
            progress(place, len(records))
            first = databases[-1].first + databases[-1].table.num_rows if databases else 0
            databases.append(Database(path, read_table(path), first))
    if len({database.name for database in databases}) < len(databases):
        raise SettingError("Two files of records have the same name. Rename one of them.")
    index = _index(read, databases)
    if kappa > index.size:
        raise SettingError(f"κ is {kappa}, but there are only {index.size} records. Lower it.")
    return Inputs(index, tuple(_pairs(index, read, databases, pairs)))


def _index(read: SchemaFile, databases: Sequence[Database]) -> PopulationIndex:
    columns: dict[str, RawColumn] = {}
    for name in read.schema.names:
        parts = []
        for database in databases:
            column = read.column(name, database.name)
            parts.append(
                frames.raw_column(take_column(database.table, column, database.path), column)
            )
        columns[name] = frames.joined(parts)
    with progress_bar("Indexing records") as progress:
        try:
            return build_index(read.schema, columns, progress=progress)
        except DataError as error:
            raise _in_its_file(error, read, databases) from None
        except EmptyPopulation:
            rule, mend = "there is no record in it.", "Give at least one."
            raise DataError(rule, mend, file=databases[0].path.name) from None


def _in_its_file(error: DataError, read: SchemaFile, databases: Sequence[Database]) -> DataError:
    """Name the file, and count the row in it, of an error found among all records."""
    assert error.row is not None
    assert error.column is not None
    home = max((each for each in databases if each.first < error.row), key=lambda each: each.first)
    return error.located(
        file=home.path.name,
        row=error.row - home.first,
        column=read.column(error.column, home.name),
    )


def _pairs(
    index: PopulationIndex, read: SchemaFile, databases: Sequence[Database], path: Path
) -> Iterator[Pair]:
    table = read_table(path)
    known = {database.name: _positions(database, read.record_id) for database in databases}
    sides = [
        list(_side(table, side, place, list(known), path))
        for place, side in enumerate(("left", "right"))
    ]
    if not sides[0]:
        raise DataError("there is no pair in it.", "Give at least one.", file=path.name)
    for row, ends in enumerate(zip(*sides, strict=True), start=1):
        positions = []
        for (database, record), side in zip(ends, ("left", "right"), strict=True):
            found = known.get(database, {}).get(record)
            if found is None:
                rule = "there is no such record in the database."
                mend = "Check the ids; columns left_database and right_database say where to look."
                raise DataError(rule, mend, file=path.name, row=row, column=side)
            positions.append(found)
        try:
            yield index.pair(*positions)
        except NoSuchRecord as error:
            raise DataError("not a pair.", str(error), file=path.name, row=row) from None


def _side(
    table: pa.Table, side: str, place: int, databases: Sequence[str], path: Path
) -> Iterator[tuple[str, str]]:
    """List the database and the record id that one side of each pair names."""
    records = _texts(take_column(table, side, path))
    if f"{side}_database" in table.column_names:
        return zip(_texts(take_column(table, f"{side}_database", path)), records, strict=True)
    if len(databases) > 2:  # noqa: PLR2004  # left in the first, right in the second
        raise DataError(
            "with more than two databases, pairs must say which they mean.",
            "Add this column.",
            file=path.name,
            column=f"{side}_database",
        )
    home = databases[min(place, len(databases) - 1)]
    return ((home, record) for record in records)


def _positions(database: Database, record_id: str | None) -> dict[str, int]:
    """Map the id of every record of a database, or its row number, to its position among all."""
    if record_id is None:
        return {str(row + 1): database.first + row for row in range(database.table.num_rows)}
    positions: dict[str, int] = {}
    for row, record in enumerate(_texts(take_column(database.table, record_id, database.path))):
        if record in positions or not record:
            raise DataError(
                "the record id is empty or stands twice.",
                "Give every record an id of its own.",
                file=database.path.name,
                row=row + 1,
                column=record_id,
            )
        positions[record] = database.first + row
    return positions


def _texts(column: pa.ChunkedArray) -> list[str]:
    return ["" if value is None else str(value).strip() for value in column.to_pylist()]
