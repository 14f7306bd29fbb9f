"""Read a sheet of a workbook: the first, or a named one, in a process of its own.

What reads workbooks ends its process where a file asks for more memory than there is, and a few
hostile bytes can ask for that. So it is another process that ends; its rows come through a pipe.
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
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.file_options import FileReading
from mindfirl.engine.reading.source import TableSource, checked_header

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
                    mend = "Delete cells far from the rest, or split it."
                    raise DataError(rule, mend, file=path.name)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise no_workbook(path) from None


def no_workbook(path: Path) -> DataError:
    rule = "the file is not a workbook, or is damaged."
    return DataError(rule, "Save it again as .xlsx.", file=path.name)


def _area(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> int:
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


MOST_BYTES: Final = 4 << 30
MOST_CELLS: Final = 64_000_000
"""A sheet is held in memory from its first used cell to its last, empty ones included."""

_PROCESS: Final = "mindfirl.engine.reading.sheet_process"
_PASSED_ON: Final = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What an interpreter may need to start and to read a path; nothing secret."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    path: Path
    name: str | None

    def listed(self) -> tuple[str, ...]:
        with self._process(None, listing=True) as answer:
            return tuple(self._read_answer(answer)["sheets"])

    def opened(self) -> dict[str, Any]:
        with self._process(None) as answer:
            return self._read_answer(answer)

    def batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        with self._process(places) as answer:
            self._read_answer(answer)
            try:
                yield from pa.ipc.open_stream(answer)
            except (pa.ArrowException, OSError):
                raise self._died() from None
            self._read_answer(answer)

    @contextmanager
    def _process(
        self, places: Sequence[int] | None, *, listing: bool = False
    ) -> Iterator[IO[bytes]]:
        """Start the process; end it when its answer is no longer wanted."""
        asked = None if places is None else list(places)
        request = {"sheet": self.name, "places": asked, "listing": listing}
        with subprocess.Popen(  # noqa: S603  # our own interpreter, without a shell
            [sys.executable, "-P", "-m", _PROCESS, str(self.path.absolute()), json.dumps(request)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # what a broken process says may hold values
            env=_environment(),
        ) as process:
            assert process.stdout is not None
            try:
                yield process.stdout
            finally:
                process.kill()

    def _read_answer(self, answer: IO[bytes]) -> dict[str, Any]:
        """Read a line of the answer; raise the error that it tells, or that it is missing."""
        try:
            words: dict[str, Any] = json.loads(answer.readline())
        except ValueError:
            raise self._died() from None
        if "error" in words:
            raise DataError(**words["error"])
        return words

    def _died(self) -> DataError:
        rule = "the workbook is damaged, or too large to be opened."
        return DataError(rule, "Save it again as .xlsx, or as CSV.", file=self.path.name)


def open_excel(
    path: Path,
    sheet: str | None = None,
    *,
    most_bytes: int = MOST_BYTES,
    most_cells: int = MOST_CELLS,
) -> TableSource:
    """Open a sheet; its first row that is not blank is the header."""
    check_archive(path, most_bytes=most_bytes, most_cells=most_cells)
    asked = _Sheet(path, sheet)
    found = asked.opened()
    header = checked_header(found["header"], path.name)
    sheets = tuple(found["sheets"])
    read_as = FileReading("workbook", sheet=sheet or sheets[0], sheets=sheets)
    return TableSource(
        path.name, header, asked.batches, about_rows=found["about_rows"], read_as=read_as
    )


def sheets_of(path: Path) -> tuple[str, ...]:
    """List the sheets of a workbook, whatever is in them."""
    check_archive(path, most_bytes=MOST_BYTES, most_cells=MOST_CELLS)
    return _Sheet(path, None).listed()


def _environment() -> dict[str, str]:
    """Give the process what it needs: it finds the same modules as this one."""
    modules = os.pathsep.join(filter(None, sys.path))
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "PYTHONPATH": modules}
