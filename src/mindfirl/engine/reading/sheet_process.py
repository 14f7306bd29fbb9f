"""The process that reads a sheet; a hostile workbook can end it, and nothing else.

It is started with a path and a request, both on its command line, and answers on its standard
output: a line of JSON with the header; where columns are asked for, an Arrow stream of their rows;
a line of JSON that says that this was all. A line with an error may stand in place of either.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

import pyarrow as pa
import python_calamine as calamine

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.excel import no_workbook
from mindfirl.engine.reading.frames import BATCH_ROWS, cell_text, row_batch

_MOST_MEMORY: Final = 4 << 30
"""What a sheet may take, beyond what the interpreter has taken before."""


def send_sheet(path: Path, sheet: str | None, places: Sequence[int] | None, out: BinaryIO) -> None:
    try:
        names, used = _sheet(path, sheet)
        rows = _filled_rows(used)
        header = _names(next(rows, []))
        _say(out, {"header": header, "about_rows": used.height - 1, "sheets": names})
        if places is None:
            return
        schema = pa.schema([(str(place), pa.string()) for place in places])
        with pa.ipc.new_stream(out, schema) as stream:
            for batch in _batches(rows, places, len(header), path.name):
                stream.write_batch(batch)
        _say(out, {})
    except DataError as error:
        where = {"file": path.name, "row": error.row, "column": error.column}
        _say(out, {"error": {"rule": error.rule, "mend": error.mend, **where}})


def _say(out: BinaryIO, words: dict[str, Any]) -> None:
    out.write(json.dumps(words).encode() + b"\n")
    out.flush()


def _batches(
    rows: Iterator[Sequence[object]], places: Sequence[int], width: int, file: str
) -> Iterator[pa.RecordBatch]:
    first = 1
    while chunk := list(islice(rows, BATCH_ROWS)):
        for row, cells in enumerate(chunk, start=first):
            if any(cell is not None for cell in cells[width:]):
                rule = f"a cell is outside the {width} columns of the header."
                raise DataError(rule, "Name its column, or empty it.", row=row)
        yield row_batch(chunk, places, first=first, file=file, of=width)
        first += len(chunk)


def _names(cells: Sequence[object]) -> list[str]:
    """Read a header up to its last name; what stands beyond it is refused with its row."""
    try:
        names = [cell_text(cell) or "" for cell in cells]
    except DataError as error:
        raise error.located(row=0) from None
    while names and not names[-1].strip():
        names.pop()
    return names


def _filled_rows(sheet: calamine.CalamineSheet) -> Iterator[Sequence[object]]:
    """List the rows that are not blank; an empty cell is None."""
    for cells in sheet.iter_rows():
        row = [None if cell == "" else cell for cell in cells]  # 0 is a value
        if any(cell is not None for cell in row):
            yield row


def send_names(path: Path, out: BinaryIO) -> None:
    try:
        with _book(path) as book:
            _say(out, {"sheets": book.sheet_names})
    except DataError as error:
        _say(out, {"error": {"rule": error.rule, "mend": error.mend, "file": path.name}})


def _sheet(path: Path, name: str | None) -> tuple[list[str], calamine.CalamineSheet]:
    """Return the names of all sheets, and the one that is asked for."""
    with _book(path) as book:
        names = list(book.sheet_names)
        if not names or (name is not None and name not in names):
            rule = f"none of its {len(names)} sheets has this name."
            raise DataError(rule, "Check the name of the sheet.")
        return names, book.get_sheet_by_name(name if name is not None else names[0])


@contextmanager
def _book(path: Path) -> Iterator[calamine.CalamineWorkbook]:
    try:
        with calamine.load_workbook(path) as book:
            yield book
    except calamine.PasswordError:
        rule, mend = "the workbook is protected by a password.", "Save it without one."
        raise DataError(rule, mend) from None
    except (calamine.CalamineError, ValueError):
        raise no_workbook(path) from None


def _limit() -> None:
    """Take no more memory than a sheet needs, and leave no image of it on the disk at the end."""
    with suppress(ImportError, OSError, ValueError):  # not every system has these limits
        import resource  # noqa: PLC0415  # Windows lacks it

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + _MOST_MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


if __name__ == "__main__":
    _limit()
    request = json.loads(sys.argv[2])
    if request["listing"]:
        send_names(Path(sys.argv[1]), sys.stdout.buffer)
    else:
        send_sheet(Path(sys.argv[1]), request["sheet"], request["places"], sys.stdout.buffer)
