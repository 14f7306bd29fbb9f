"""Read files of records: CSV and Parquet. Errors name the file, row, column and rule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from mindfirl.core.errors import DataError, listed

_NOT_UTF8: Final = ("the text is not UTF-8.", "Save the file as UTF-8.")


def read_table(path: Path) -> pa.Table:
    """Read a whole file; every column of a CSV file as text."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise DataError(
            "this kind of file cannot be read.",
            f"Give a file whose name ends in {listed(_READERS)}.",
            file=path.name,
        )
    if not path.is_file():
        raise DataError("there is no such file.", "Check the path.", file=path.name)
    try:
        return reader(path)
    except OSError:
        raise DataError(
            "the file cannot be opened.", "Check that you may read it.", file=path.name
        ) from None


def take_column(table: pa.Table, column: str, path: Path) -> pa.ChunkedArray:
    """Return a needed column; refuse a table that lacks it, or has it twice."""
    found = table.column_names.count(column)
    if found != 1:
        rule = "this needed column stands twice." if found else "this needed column is missing."
        raise DataError(rule, "Mend the header, or the schema.", file=path.name, column=column)
    return table.column(column)


def _read_csv(path: Path) -> pa.Table:
    """Read UTF-8 with commas, with or without a byte order mark; quoted cells may hold lines."""
    header = next(_csv_rows(path), None)
    if not header:
        raise DataError("the file is empty.", "Give a file with a header.", file=path.name)
    if not all(map(_is_unicode, header)):
        raise DataError(*_NOT_UTF8, file=path.name, row=0)
    one_column = len(header) == 1
    try:
        return pa.csv.read_csv(
            path,
            parse_options=pa.csv.ParseOptions(
                newlines_in_values=True, ignore_empty_lines=not one_column
            ),
            convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
        )
    except pa.ArrowInvalid:
        raise _csv_fault(path, header) from None


def _csv_rows(path: Path) -> Iterator[list[str]]:
    """Read row by row; bytes that are not UTF-8 become surrogates."""
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        yield from csv.reader(lines)


def _csv_fault(path: Path, header: Sequence[str]) -> DataError:
    """Find the first row that cannot be read, and say why."""
    try:
        for row, cells in enumerate(_csv_rows(path)):
            for place, cell in enumerate(cells):
                if not _is_unicode(cell):
                    column = f"{place + 1} of {len(header)}"
                    return DataError(*_NOT_UTF8, file=path.name, row=row, column=column)
            if cells and len(cells) != len(header):
                rule = f"the row has {len(cells)} cells, the header {len(header)}."
                mend = "Quote cells that hold a comma, or mend the row."
                return DataError(rule, mend, file=path.name, row=row)
    except csv.Error:
        pass  # the general sentence below says as much as can be said
    return DataError(
        "the file is not well-formed CSV.", "Check its quotes and line ends.", file=path.name
    )


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read_parquet(path: Path) -> pa.Table:
    try:
        return pa.parquet.read_table(path)
    except pa.ArrowInvalid:
        raise DataError(
            "the file is not Parquet, or is damaged.", "Write it again.", file=path.name
        ) from None


_READERS: Final[dict[str, Callable[[Path], pa.Table]]] = {
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
