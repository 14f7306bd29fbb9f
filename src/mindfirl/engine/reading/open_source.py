"""Which reader opens what: files by ending, SQL databases by URL, which is never printed."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import pyarrow as pa

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.reading.delimited import open_delimited
from mindfirl.engine.reading.excel import open_excel, sheets_of
from mindfirl.engine.reading.file_options import DETECTED, FileOptions, FileReading
from mindfirl.engine.reading.frames import BATCH_ROWS, open_parquet, read_parquet, row_batch
from mindfirl.engine.reading.source import TableSource, check_names, checked_header

_PATIENCE_SECONDS: Final = 10

_Answer = Generator[Sequence[Any], None, None]
"""First the names of the columns, then lists of rows."""


@dataclass(frozen=True, slots=True)
class _Faults:
    """What can be said of a failure, by how far the reading came; a driver's words hold values."""

    name: str
    is_table: bool

    def unreachable(self) -> DataError:
        rule = "the database cannot be reached, or refuses access."
        mend = "Check the URL (host, user, password, path), and that the database is running."
        return DataError(rule, mend, file=self.name)

    def refused(self) -> DataError:
        if self.is_table:
            rule = "this table does not exist, or you have no permission to read it."
            mend = "Check its name."
        else:
            rule = "the database refused the query."
            mend = "Give one SELECT statement that works there."
        return DataError(rule, mend, file=self.name)

    def unreadable(self) -> DataError:
        rule = "the rows could not be read to their end."
        mend = "Look for text that is not UTF-8, endless dates, errors in a formula, a lost line."
        return DataError(rule, mend, file=self.name)


def open_sql(url: str, *, table: str | None = None, query: str | None = None) -> TableSource:
    if (table is None) == (query is None):
        raise DataError("a database needs a table or a query.", "Give one of the two.")
    name = "query" if table is None else table
    faults = _Faults(name, is_table=table is not None)
    select = f"SELECT * FROM {_quoted(name)}" if query is None else query  # noqa: S608  # quoted
    ask = _READERS[url.partition("://")[0]]
    with closing(ask(url, select, faults)) as answer:
        header = checked_header(next(answer), name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        first = 1
        with closing(ask(url, select, faults)) as answer:
            next(answer)
            for rows in answer:
                yield row_batch(rows, places, first=first, file=name, of=len(header))
                first += len(rows)

    return TableSource(name, header, read)


def _quoted(table: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def _ask_sqlite(url: str, select: str, faults: _Faults) -> _Answer:
    """Ask a file that is opened for reading only."""
    path = unquote(url.partition("://")[2].removeprefix("/"))
    fault = faults.unreachable()
    if not Path(path).is_file():
        raise fault
    try:
        file = f"file:{quote(path)}?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=_PATIENCE_SECONDS)) as connection:
            connection.execute("PRAGMA temp_store = MEMORY").close()  # else sorts go to the disk
            connection.execute("SELECT 1 FROM sqlite_master").close()
            fault = faults.refused()
            cursor = connection.execute(select)
            fault = faults.unreadable()
            yield [column[0] for column in cursor.description or ()]
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield rows
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        raise fault from None


def _ask_postgresql(url: str, select: str, faults: _Faults) -> _Answer:
    """Ask a server, in a transaction that may only read, through a cursor that it keeps."""
    try:
        import psycopg  # noqa: PLC0415  # an extra that few need
    except ImportError:
        rule = "the PostgreSQL driver is not installed."
        raise DataError(rule, "Run: pip install 'mindfirl[postgresql]'", file=faults.name) from None
    fault = faults.unreachable()
    try:
        with psycopg.connect(
            url, connect_timeout=_PATIENCE_SECONDS, client_encoding="utf8"
        ) as connection:
            fault = faults.refused()
            connection.read_only = True
            with connection.cursor("mindfirl") as cursor:
                cursor.execute(select.encode())
                fault = faults.unreadable()
                yield [column.name for column in cursor.description or ()]
                while rows := cursor.fetchmany(BATCH_ROWS):
                    yield rows
    except (psycopg.Error, ValueError):
        raise fault from None


_READERS: Final[dict[str, Callable[[str, str, _Faults], _Answer]]] = {
    "postgresql": _ask_postgresql,
    "postgres": _ask_postgresql,
    "sqlite": _ask_sqlite,
}
SCHEMES: Final = tuple(_READERS)


_DELIMITED: Final = (".csv", ".tsv", ".txt")
_PARQUET: Final = (".parquet",)
_WORKBOOKS: Final = (".xlsx", ".xls", ".xlsb", ".ods")
_ENDINGS: Final = (*_DELIMITED, *_PARQUET, *_WORKBOOKS)
_URL: Final = re.compile(r"\s*[a-z][a-z0-9+.-]+:(?:/|.*@)", re.IGNORECASE | re.DOTALL)
"""A letter and a colon begin a path of Windows."""


def open_table(
    location: str,
    *,
    name: str | None = None,
    options: FileOptions = DETECTED,
    table: str | None = None,
    query: str | None = None,
    guess: bool = True,
) -> TableSource:
    """Open a file by its path, or a database by its URL; an encoding may be guessed, and is said.

    A file that lies elsewhere than where its owner has it is called by the name that is given.
    Every column must have a name, and no two the same.
    """
    if _is_url(location):
        source = _open_database(location, options, table=table, query=query)
    else:
        path = Path(location)
        called = path.name if name is None else name
        with _calling(called), _file(path, called) as suffix:
            if table is not None or query is not None:
                rule = "a table or a query belongs to a database, and this is a file."
                raise DataError(rule, "Give the URL of the database.")
            _check_options(options, suffix)
            source = _called(_open_file(path, suffix, options, guess=guess), called)
    check_names(source.columns, source.name)
    return source


def _check_options(options: FileOptions, suffix: str) -> None:
    if options.sheet and suffix not in _WORKBOOKS:
        rule = "a sheet belongs to a workbook, and this is none."
        raise DataError(rule, "Leave the sheet out.")
    if (options.encoding or options.delimiter) and suffix not in _DELIMITED:
        rule = "an encoding or a delimiter belongs to a text file, and this is none."
        raise DataError(rule, "Leave it out.")


def read_table(path: Path, options: FileOptions = DETECTED) -> pa.Table:
    """Read a whole file without guessing; Parquet has its types, and names may be doubled."""
    with _file(path, path.name) as suffix:
        _check_options(options, suffix)
        if suffix in _PARQUET:
            return read_parquet(path)
        return _open_file(path, suffix, options, guess=False).whole()


def default_name(location: str, *, table: str | None = None) -> str:
    """Return what a database is called unless it is given a name: the file's stem, the table."""
    if _is_url(location):
        return "query" if table is None else table.rpartition(".")[2]
    return Path(location).stem


def check_ending(name: str) -> None:
    if Path(name).suffix.lower() not in _ENDINGS:
        mend = f"Give a file whose name ends in {or_list(_ENDINGS)}."
        raise DataError("this kind of file cannot be read.", mend, file=name)


def take_column(table: pa.Table, column: str, *, file: str, mend: str) -> pa.ChunkedArray:
    found = table.column_names
    if found.count(column) == 1:
        return table.column(column)
    rule = "this required column appears twice."
    if column not in found:
        alike = column.strip().lower() in [name.strip().lower() for name in found]
        rule = f"this required column is missing among {len(found)}."
        if alike:
            rule = "this required column is missing; one differs only in case or spaces."
    raise DataError(rule, mend, file=file, column=column)


def _is_url(location: str) -> bool:
    """Say whether this is meant to be a URL: it may hold a password, and is never repeated."""
    return _URL.match(location) is not None


def _open_database(
    url: str, options: FileOptions, *, table: str | None, query: str | None
) -> TableSource:
    scheme, found, rest = url.strip().partition("://")
    if not found or scheme.lower() not in SCHEMES:
        mend = f"Give a URL that begins with {or_list(f'{known}://' for known in SCHEMES)}."
        raise DataError("this kind of database cannot be read.", mend)
    if options != DETECTED:
        rule = "a database has no sheets, encodings or delimiters."
        raise DataError(rule, "Give a table or a query.")
    return open_sql(f"{scheme.lower()}://{rest}", table=table, query=query)


@contextmanager
def _file(path: Path, name: str) -> Iterator[str]:
    """Check that a path leads to a file whose name is of a known kind, and give its ending."""
    if _is_url(str(path)):
        raise DataError("this is a URL, and a file is needed.", "Give the path of a file.")
    check_ending(name)
    try:
        if not path.is_file():
            rule = "this is not a file." if path.exists() else "the file does not exist."
            raise DataError(rule, "Check the path.", file=name)
        yield Path(name).suffix.lower()
    except (OSError, ValueError):
        mend = "Check that you have permission to read it and that it is complete."
        raise DataError("the file cannot be opened.", mend, file=name) from None


@contextmanager
def _calling(name: str) -> Iterator[None]:
    """Let errors call a file by its name, wherever it lies."""
    try:
        yield
    except DataError as error:
        raise error.located(file=name) from None


def _called(source: TableSource, name: str) -> TableSource:
    if source.name == name:
        return source

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with _calling(name):
            yield from source.reader(places)

    return replace(source, name=name, reader=read)


def reading_of(path: Path, *, name: str) -> FileReading:
    """Return what can be said of a file that cannot be read with its options."""
    suffix = Path(name).suffix.lower()
    if suffix not in _WORKBOOKS:
        return FileReading("text" if suffix in _DELIMITED else "parquet")
    try:
        return FileReading("workbook", sheets=sheets_of(path))
    except DataError:
        return FileReading("workbook")


def _open_file(path: Path, suffix: str, options: FileOptions, *, guess: bool) -> TableSource:
    if suffix in _DELIMITED:
        return open_delimited(path, guess=guess, options=options)
    return open_parquet(path) if suffix in _PARQUET else open_excel(path, options.sheet or None)
