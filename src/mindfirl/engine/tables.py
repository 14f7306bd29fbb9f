"""Read files of records: CSV and Parquet. Errors name the file, row, column and rule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from mindfirl.core.errors import DataError, listed

_DELIMITERS: Final = ",;\t|"
_SAMPLE_LINES: Final = 50
_LONGEST_CELL: Final = 1_000_000
_NOT_UTF8: Final = ("the text is not UTF-8.", "Save the file as UTF-8.")


def read_table(path: Path) -> pa.Table:
    """Read a whole file; every column of a CSV file as text."""
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        mend = f"Give a file whose name ends in {listed(_READERS)}."
        raise DataError("this kind of file cannot be read.", mend, file=path.name)
    try:
        if not path.is_file():
            rule = "this is not a file." if path.exists() else "there is no such file."
            raise DataError(rule, "Check the path.", file=path.name)
        return reader(path)
    except (OSError, ValueError):
        mend = "Check that you may read it, and that it is whole."
        raise DataError("the file cannot be opened.", mend, file=path.name) from None


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


def _read_csv(path: Path) -> pa.Table:
    """Read UTF-8, with or without a byte order mark; quoted cells may hold lines."""
    try:
        delimiter = _delimiter(path)
        header, second = islice(chain(_csv_rows(path, delimiter), (None, None)), 2)
    except csv.Error:
        raise _malformed(path) from None
    if header is None:
        raise DataError("the file is empty.", "Give a file with a header.", file=path.name)
    if not header:
        raise DataError("the first line is blank.", "Put the header there.", file=path.name)
    if not all(map(_is_unicode, header)):
        raise DataError(*_NOT_UTF8, file=path.name, row=0)
    names = [name.strip() for name in header]
    if second is None:
        return pa.table([pa.array([], pa.string()) for _ in header], names=names)
    try:
        table = pa.csv.read_csv(
            path,
            read_options=pa.csv.ReadOptions(block_size=8 << 20),
            parse_options=pa.csv.ParseOptions(
                delimiter=delimiter,
                newlines_in_values=True,
                ignore_empty_lines=len(header) > 1,
            ),
            convert_options=pa.csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
        )
    except pa.ArrowInvalid:
        raise _csv_fault(path, delimiter, header) from None
    if any(
        (pc.max(pc.binary_length(cells)).as_py() or 0) > _LONGEST_CELL for cells in table.columns
    ):
        raise _csv_fault(path, delimiter, header)
    return table.rename_columns(names)


def _delimiter(path: Path) -> str:
    """Take the delimiter that cuts the first lines into the same number of cells, and most."""
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        sample = [line for _, line in zip(range(_SAMPLE_LINES), file, strict=False)]
    found, most = ",", 1
    for delimiter in _DELIMITERS:
        widths = {
            len(row) for row in csv.reader(sample[:1] + sample[1:-1], delimiter=delimiter) if row
        }
        if len(widths) == 1 and max(widths) > most:
            found, most = delimiter, max(widths)
    return found


def _csv_rows(path: Path, delimiter: str) -> Iterator[list[str]]:
    """Read row by row; bytes that are not UTF-8 become surrogates."""
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        yield from csv.reader(lines, delimiter=delimiter)


def _csv_fault(path: Path, delimiter: str, header: Sequence[str]) -> DataError:
    """Find the first row that cannot be read, and say why."""
    row = -1
    try:
        for cells in _csv_rows(path, delimiter):
            row += bool(cells) or len(header) == 1
            for place, cell in enumerate(cells, start=1):
                if not _is_unicode(cell):
                    column = f"{place} of {len(header)}"
                    return DataError(*_NOT_UTF8, file=path.name, row=row, column=column)
            if cells and len(cells) != len(header):
                rule = f"the number of cells is {len(cells)}, in the header {len(header)}."
                mend = "Quote cells that hold a delimiter, or mend the row."
                return DataError(rule, mend, file=path.name, row=row)
    except csv.Error:
        rule = f"the row cannot be read, or has a cell of more than {_LONGEST_CELL:,} characters."
        return DataError(rule, "Check the quotes.", file=path.name, row=row + 1)
    return _malformed(path)


def _malformed(path: Path) -> DataError:
    mend = "Check its quotes and line ends."
    return DataError("the file is not well-formed CSV.", mend, file=path.name)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _read_parquet(path: Path) -> pa.Table:
    try:
        return pa.parquet.ParquetFile(path).read()
    except (pa.ArrowException, OSError, ValueError):
        rule = "the file is not Parquet, or is damaged."
        raise DataError(rule, "Write it again.", file=path.name) from None


_READERS: Final[dict[str, Callable[[Path], pa.Table]]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
}
