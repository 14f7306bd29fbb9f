"""Read a sheet of a workbook, the first or a named one, in a process of its own.

A small file can ask its reader for more memory than there is, and so end it. Here that ends the
process of :mod:`mindfirl.engine.tables.workbook`, and is said in a sentence.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.engine.tables import workbook
from mindfirl.engine.tables.header import checked_header
from mindfirl.engine.tables.source import Source
from mindfirl.engine.tables.workbook import damaged

MOST_BYTES: Final = 4 << 30
MOST_CELLS: Final = 64_000_000
"""A sheet is held in memory from its first used cell to its last, empty ones included."""

_CHUNK: Final = 1 << 20
_LONGEST_NAME: Final = 32
_SHEET: Final = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_CELL_NAME: Final = re.compile(rb"\br\s*=\s*[\"']([A-Z]{1,3})([0-9]{1,7})[\"']")


def open_excel(
    path: Path,
    sheet: str | None = None,
    *,
    most_bytes: int = MOST_BYTES,
    most_cells: int = MOST_CELLS,
) -> Source:
    """Open a sheet; its first row that is not blank is the header."""
    _check_archive(path, most_bytes, most_cells)
    with _stream(path, sheet, []) as reader:
        list(_batches(reader))
        said = reader.schema.metadata
    header = checked_header(json.loads(said[workbook.HEADER]), path.name)

    def read(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with _stream(path, sheet, list(places)) as reader:
            yield from _batches(reader)

    return Source(path.name, header, read, about_rows=int(said[workbook.HEIGHT]) - 1)


@contextmanager
def _stream(
    path: Path, sheet: str | None, places: Sequence[int]
) -> Iterator[pa.RecordBatchStreamReader]:
    """Start the process that opens the workbook; refuse what it could not read to the end."""
    command = [sys.executable, "-m", workbook.__name__]
    environment = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "LC_ALL": "C.UTF-8"}
    with subprocess.Popen(  # noqa: S603  # our own module
        [*command, json.dumps([str(path.absolute()), sheet, places])],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
    ) as process:
        try:
            with pa.ipc.open_stream(process.stdout) as reader:
                yield reader
            ended_well = process.wait() == 0
        except (pa.ArrowException, OSError):
            ended_well = False
        finally:
            process.kill()
    if not ended_well:
        raise damaged(path.name)


def _batches(reader: pa.RecordBatchStreamReader) -> Iterator[pa.RecordBatch]:
    """List the batches of a stream; an error that travels in it is raised here."""
    while True:
        try:
            batch, said = reader.read_next_batch_with_custom_metadata()
        except StopIteration:
            return
        if said and workbook.ERROR in said:
            rule, mend, file, row, column = json.loads(said[workbook.ERROR])
            raise DataError(rule, mend, file=file, row=row, column=column) from None
        yield batch


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
        raise damaged(path.name) from None


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
