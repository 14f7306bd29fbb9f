"""Read a sheet of a workbook: the first, or a named one, in a process of its own.

What reads workbooks ends its process where a file asks for more memory than there is, and a few
hostile bytes can ask for that. So it is another process that ends; its rows come through a pipe.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.header import checked_header
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.reading.workbook_archive import check_archive

MOST_BYTES: Final = 4 << 30
MOST_CELLS: Final = 64_000_000
"""A sheet is held in memory from its first used cell to its last, empty ones included."""

_PROCESS: Final = "mindfirl.engine.reading.sheet_process"
_PASSED_ON: Final = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""What an interpreter may need to start and to read a path; nothing secret."""


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A sheet of a workbook, and what to ask the process that reads it."""

    path: Path
    name: str | None

    def opened(self) -> dict[str, Any]:
        """Ask for the header, and about how many rows there are."""
        with self._process(None) as answer:
            return self._read_answer(answer)

    def batches(self, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """Ask for the rows of the columns in these places."""
        with self._process(places) as answer:
            self._read_answer(answer)
            try:
                yield from pa.ipc.open_stream(answer)
            except (pa.ArrowException, OSError):
                raise self._died() from None
            self._read_answer(answer)

    @contextmanager
    def _process(self, places: Sequence[int] | None) -> Iterator[IO[bytes]]:
        """Start the process; end it when its answer is no longer wanted."""
        request = {"sheet": self.name, "places": None if places is None else list(places)}
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
    return TableSource(path.name, header, asked.batches, about_rows=found["about_rows"])


def _environment() -> dict[str, str]:
    """Give the process what it needs: it finds the same modules as this one."""
    modules = os.pathsep.join(filter(None, sys.path))
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {**passed_on, "PYTHONPATH": modules}
