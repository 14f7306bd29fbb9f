"""What a workbook unpacks to, looked at before it is unpacked."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import Final

from mindfirl.core.errors import DataError

_CHUNK: Final = 1 << 20
_LONGEST_NAME: Final = 32
_SHEET: Final = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_CELL_NAME: Final = re.compile(rb'\br="([A-Z]{1,3})([0-9]{1,7})"')


def check_archive(path: Path, *, most_bytes: int, most_cells: int) -> None:
    """Refuse a workbook that would fill the memory.

    Odd ways of writing a cell's name are overlooked: reading such a sheet ends its process.
    """
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
        raise no_workbook(path) from None


def no_workbook(path: Path) -> DataError:
    """Say that a file is not what its ending says."""
    rule = "the workbook is damaged, or is not one."
    return DataError(rule, "Save it again as .xlsx.", file=path.name)


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
