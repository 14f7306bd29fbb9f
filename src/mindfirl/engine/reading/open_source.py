"""Which reader opens what; reading a whole table at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.reading.delimited import open_delimited
from mindfirl.engine.reading.excel import open_excel
from mindfirl.engine.reading.parquet import open_parquet, read_parquet
from mindfirl.engine.reading.source import TableSource, check_names
from mindfirl.engine.reading.sql import SCHEMES, open_sql

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
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    guess: bool = True,
) -> TableSource:
    """Open a file by its path, or a database by its URL; an encoding may be guessed, and is said.

    A file that lies elsewhere than where its owner has it is called by the name that is given.
    Every column must have a name, and no two the same.
    """
    if _is_url(location):
        source = _open_database(location, sheet=sheet, table=table, query=query)
    else:
        path = Path(location)
        called = path.name if name is None else name
        with _calling(called), _file(path, called) as suffix:
            if table is not None or query is not None:
                rule = "a table or a query belongs to a database, and this is a file."
                raise DataError(rule, "Give the URL of the database.")
            if sheet is not None and suffix not in _WORKBOOKS:
                rule = "a sheet belongs to a workbook, and this is none."
                raise DataError(rule, "Leave the sheet out.")
            source = _called(_open_file(path, suffix, sheet=sheet, guess=guess), called)
    check_names(source.columns, source.name)
    return source


def read_table(path: Path) -> pa.Table:
    """Read a whole file; nobody is asked, so no encoding is guessed.

    All is text but the columns of Parquet; names may be doubled, where nobody needs the column.
    """
    with _file(path, path.name) as suffix:
        if suffix in _PARQUET:
            return read_parquet(path)
        return _open_file(path, suffix, sheet=None, guess=False).whole()


def default_name(location: str, *, table: str | None = None) -> str:
    """Return what a database is called unless it is given a name: the file's stem, the table."""
    if _is_url(location):
        return "query" if table is None else table.rpartition(".")[2]
    return Path(location).stem


def check_ending(name: str) -> None:
    """Refuse a file by its name if no reader opens such files."""
    if Path(name).suffix.lower() not in _ENDINGS:
        mend = f"Give a file whose name ends in {or_list(_ENDINGS)}."
        raise DataError("this kind of file cannot be read.", mend, file=name)


def take_column(table: pa.Table, column: str, *, file: str, mend: str) -> pa.ChunkedArray:
    """Return a needed column; refuse a table that lacks it, or has it twice."""
    found = table.column_names
    if found.count(column) == 1:
        return table.column(column)
    rule = "this needed column stands twice."
    if column not in found:
        alike = column.strip().lower() in [name.strip().lower() for name in found]
        rule = f"this needed column is missing among {len(found)}."
        if alike:
            rule = "this needed column is missing; one differs only in case or spaces."
    raise DataError(rule, mend, file=file, column=column)


def _is_url(location: str) -> bool:
    """Say whether this is meant to be a URL: it may hold a password, and is never repeated."""
    return _URL.match(location) is not None


def _open_database(
    url: str, *, sheet: str | None, table: str | None, query: str | None
) -> TableSource:
    scheme, found, rest = url.strip().partition("://")
    if not found or scheme.lower() not in SCHEMES:
        mend = f"Give a URL that begins with {or_list(f'{known}://' for known in SCHEMES)}."
        raise DataError("this kind of database cannot be read.", mend)
    if sheet is not None:
        raise DataError("a database has no sheets.", "Give a table or a query.")
    return open_sql(f"{scheme.lower()}://{rest}", table=table, query=query)


@contextmanager
def _file(path: Path, name: str) -> Iterator[str]:
    """Check that a path leads to a file whose name is of a known kind, and give its ending."""
    if _is_url(str(path)):
        raise DataError("this is a URL, and a file is needed.", "Give the path of a file.")
    check_ending(name)
    try:
        if not path.is_file():
            rule = "this is not a file." if path.exists() else "there is no such file."
            raise DataError(rule, "Check the path.", file=name)
        yield Path(name).suffix.lower()
    except (OSError, ValueError):
        mend = "Check that you may read it, and that it is whole."
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


def _open_file(path: Path, suffix: str, *, sheet: str | None, guess: bool) -> TableSource:
    if suffix in _DELIMITED:
        return open_delimited(path, guess=guess)
    return open_parquet(path) if suffix in _PARQUET else open_excel(path, sheet)
