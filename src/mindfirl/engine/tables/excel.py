"""Read a sheet of a workbook: the first, or a named one."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import pyarrow as pa
import python_calamine as calamine

from mindfirl.core.errors import DataError
from mindfirl.engine.tables.cells import BATCH_ROWS, cell_text, row_batch
from mindfirl.engine.tables.header import checked_header
from mindfirl.engine.tables.source import Source

MOST_BYTES: Final = 4 << 30
MOST_CELLS: Final = 64_000_000
"""A sheet is held in memory from its first used cell to its last, empty ones included."""

_CHUNK: Final = 1 << 20
_LONGEST_NAME: Final = 32
_SHEET: Final = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_CELL_NAME: Final = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')


def open_excel(
    path: Path,
    sheet: str | None = None,
    *,
    most_bytes: int = MOST_BYTES,
    most_cells: int = MOST_CELLS,
) -> Source:
    """Open a sheet; its first row that is not blank is the header."""
    _check_archive(path, most_bytes, most_cells)
    used = _sheet(path, sheet)
    header = checked_header(_names(next(_filled_rows(used), []), path.name), path.name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        return _batches(_sheet(path, sheet), places, len(header), path.name)

    return Source(path.name, header, read, about_rows=used.height - 1)


def _batches(
    sheet: calamine.CalamineSheet, places: Sequence[int], width: int, file: str
) -> Iterator[pa.RecordBatch]:
    rows = _filled_rows(sheet)
    next(rows, None)
    first = 1
    while chunk := list(islice(rows, BATCH_ROWS)):
        for row, cells in enumerate(chunk, start=first):
            if any(cell is not None for cell in cells[width:]):
                rule = f"a cell stands beyond the {width} columns of the header."
                raise DataError(rule, "Name its column, or empty it.", file=file, row=row)
        yield row_batch(chunk, places, first=first, file=file, of=width)
        first += len(chunk)


def _names(cells: Sequence[object], file: str) -> list[str]:
    """Read a header up to its last name; what stands beyond it is refused with its row."""
    try:
        names = [cell_text(cell) or "" for cell in cells]
    except DataError as error:
        raise error.located(file=file, row=0) from None
    while names and not names[-1].strip():
        names.pop()
    return names


def _filled_rows(sheet: calamine.CalamineSheet) -> Iterator[Sequence[object]]:
    """List the rows that are not blank; an empty cell is None."""
    for cells in sheet.iter_rows():
        row = [None if cell == "" else cell for cell in cells]  # 0 is a value
        if any(cell is not None for cell in row):
            yield row


def _sheet(path: Path, name: str | None) -> calamine.CalamineSheet:
    try:
        with calamine.load_workbook(path) as book:
            names = book.sheet_names
            if not names or (name is not None and name not in names):
                rule = f"there is no such sheet among its {len(names)}."
                raise DataError(rule, "Check the name of the sheet.", file=path.name)
            return book.get_sheet_by_name(name if name is not None else names[0])
    except calamine.PasswordError:
        rule, mend = "the workbook is protected by a password.", "Save it without one."
        raise DataError(rule, mend, file=path.name) from None
    except (calamine.CalamineError, ValueError):
        raise _damaged(path) from None


def _check_archive(path: Path, most_bytes: int, most_cells: int) -> None:
    """Refuse a workbook that would fill the memory, before unpacking it."""
    if not zipfile.is_zipfile(path):
        return  # an old .xls, or no workbook, which its reader will say
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if sum(entry.file_size for entry in entries) > most_bytes:
                rule = f"the workbook unpacks to more than {most_bytes:,} bytes."
                raise DataError(rule, "Split it.", file=path.name)
            for entry in entries:
                if _SHEET.fullmatch(entry.filename) and _area(archive, entry) > most_cells:
                    rule = f"a sheet spans more than {most_cells:,} cells, empty ones included."
                    mend = "Delete what stands far from the rest, or split it."
                    raise DataError(rule, mend, file=path.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise _damaged(path) from None


def _area(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
    """Count the cells up to the last row and the last column that a sheet names."""
    width = height = 0
    rest = b""
    with archive.open(entry) as file:
        while chunk := file.read(_CHUNK):
            named = set(_CELL_NAME.findall(rest + chunk))
            width = max(width, *map(_column_number, {letters for letters, _ in named}), 0)
            height = max(height, *(int(digits) for _, digits in named), 0)
            rest = chunk[-_LONGEST_NAME:]
    return width * height


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - ord("A") + 1
    return number


def _damaged(path: Path) -> DataError:
    rule = "the workbook is damaged, or is not one."
    return DataError(rule, "Save it again as .xlsx.", file=path.name)
