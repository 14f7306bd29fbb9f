"""Read a table or a query of a SQL database, known by its URL, which is never printed."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import Any, Final
from urllib.parse import quote, unquote

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.engine.tables.cells import BATCH_ROWS, row_batch
from mindfirl.engine.tables.source import Source, checked_header

_PATIENCE_SECONDS: Final = 10

_Answer = Generator[Sequence[Any], None, None]
"""First the names of the columns, then lists of rows."""


def open_sql(url: str, *, table: str | None = None, query: str | None = None) -> Source:
    """Open a table, or the rows of a query, of PostgreSQL or SQLite."""
    if (table is None) == (query is None):
        raise DataError("a database needs a table or a query.", "Give one of the two.")
    name = "query" if table is None else table
    select = f"SELECT * FROM {_quoted(name)}" if query is None else query  # noqa: S608  # quoted
    ask = _READERS[url.partition("://")[0]]
    with closing(ask(url, select, name)) as answer:
        header = checked_header(next(answer), name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        first = 1
        with closing(ask(url, select, name)) as answer:
            next(answer)
            for rows in answer:
                yield row_batch(rows, places, first=first, file=name, of=len(header))
                first += len(rows)

    return Source(name, header, read)


def _quoted(table: str) -> str:
    return ".".join('"' + part.replace('"', '""') + '"' for part in table.split("."))


def _ask_sqlite(url: str, select: str, name: str) -> _Answer:
    """Ask a file that is opened for reading only."""
    path = unquote(url.partition("://")[2].removeprefix("/"))
    asked = False
    try:
        file = f"file:{quote(path)}?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=_PATIENCE_SECONDS)) as connection:
            connection.execute("SELECT 1 FROM sqlite_master").close()
            asked = True
            cursor = connection.execute(select)
            yield [column[0] for column in cursor.description or ()]
            while rows := cursor.fetchmany(BATCH_ROWS):
                yield rows
    except (sqlite3.Error, sqlite3.Warning, ValueError):
        raise (_refused(name) if asked else _unreachable(name)) from None


def _ask_postgresql(url: str, select: str, name: str) -> _Answer:
    """Ask a server, in a transaction that may only read, through a cursor that it keeps."""
    try:
        import psycopg  # noqa: PLC0415  # an extra that few need
    except ImportError:
        rule = "what reads PostgreSQL is not installed."
        raise DataError(rule, "Run: pip install 'mindfirl[postgresql]'", file=name) from None
    asked = False
    try:
        with psycopg.connect(
            url, connect_timeout=_PATIENCE_SECONDS, client_encoding="utf8"
        ) as connection:
            asked = connection.read_only = True
            with connection.cursor("mindfirl") as cursor:
                cursor.execute(select.encode())
                yield [column.name for column in cursor.description or ()]
                while rows := cursor.fetchmany(BATCH_ROWS):
                    yield rows
    except (psycopg.Error, ValueError):
        raise (_refused(name) if asked else _unreachable(name)) from None


def _unreachable(name: str) -> DataError:
    rule = "the database cannot be reached, or does not let you in."
    mend = "Check the URL (host, user, password, path), and that the database is running."
    return DataError(rule, mend, file=name)


def _refused(name: str) -> DataError:
    rule = "the database did not answer: no such table, no right to read it, or no sound query."
    mend = "Try it in the database's own tool first; a query is one SELECT."
    return DataError(rule, mend, file=name)


_READERS: Final[dict[str, Callable[[str, str, str], _Answer]]] = {
    "postgresql": _ask_postgresql,
    "postgres": _ask_postgresql,
    "sqlite": _ask_sqlite,
}
SCHEMES: Final = tuple(_READERS)
