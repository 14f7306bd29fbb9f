"""Read a table or a query of a SQL database, known by its URL, which is never printed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, unquote

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.frames import BATCH_ROWS, row_batch
from mindfirl.engine.reading.source import TableSource, checked_header

_PATIENCE_SECONDS: Final = 10

_Answer = Generator[Sequence[Any], None, None]
"""First the names of the columns, then lists of rows."""


@dataclass(frozen=True, slots=True)
class _Faults:
    """What can be said of a failure, by how far the reading came; a driver's words hold values."""

    name: str
    is_table: bool

    def unreachable(self) -> DataError:
        rule = "the database cannot be reached, or does not let you in."
        mend = "Check the URL (host, user, password, path), and that the database is running."
        return DataError(rule, mend, file=self.name)

    def refused(self) -> DataError:
        if self.is_table:
            rule, mend = "there is no such table, or you may not read it.", "Check its name."
        else:
            rule, mend = "the database refused the query.", "Give one SELECT that works there."
        return DataError(rule, mend, file=self.name)

    def unreadable(self) -> DataError:
        rule = "the rows could not be read to their end."
        mend = "Look for text that is not UTF-8, endless dates, errors in a formula, a lost line."
        return DataError(rule, mend, file=self.name)


def open_sql(url: str, *, table: str | None = None, query: str | None = None) -> TableSource:
    """Open a table, or the rows of a query, of PostgreSQL or SQLite."""
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
        rule = "what reads PostgreSQL is not installed."
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
