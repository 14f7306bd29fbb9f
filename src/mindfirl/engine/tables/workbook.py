"""The process that opens a workbook: what is in it may end this process, and no other.

Run with a path, the name of a sheet (or nothing for the first) and, to read its rows, the places of
the wanted columns. It writes an Arrow stream to its standard output: the header and the height of
the sheet with the schema, then the rows as text. An error that can be mended travels in the stream.
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final

import pyarrow as pa
import python_calamine as calamine

from mindfirl.core.errors import DataError
from mindfirl.engine.tables.cells import BATCH_ROWS, cell_text, row_batch

MOST_MEMORY: Final = 4 << 30
"""So much memory may be asked for beside what the process has when it begins."""

ERROR: Final = b"error"
HEADER: Final = b"header"
HEIGHT: Final = b"height"


def stream(path: Path, sheet: str | None, places: Sequence[int], sink: BinaryIO) -> None:
    """Write the header of a sheet, and some of its columns, to a stream."""
    names: list[str] = []
    rows: Iterator[Sequence[object]] = iter(())
    height, error = 0, None
    try:
        used = _sheet(path, sheet)
        height, rows = used.height, _filled_rows(used)
        names = _names(next(rows, []), path.name)
    except DataError as found:
        error = found
    schema = pa.schema([(f"c{place}", pa.string()) for place in places])
    said = {HEADER: json.dumps(names), HEIGHT: str(height)}
    with pa.ipc.new_stream(sink, schema.with_metadata(said)) as writer:
        try:
            if error:
                raise error
            for batch in _batches(rows, places, len(names), path.name) if places else ():
                writer.write_batch(batch.rename_columns(schema.names).cast(schema))
        except DataError as found:
            empty = pa.RecordBatch.from_pylist([], schema=schema)
            parts = (found.rule, found.mend, found.file, found.row, found.column)
            writer.write_batch(empty, custom_metadata={ERROR: json.dumps(parts)})


def _batches(
    rows: Iterator[Sequence[object]], places: Sequence[int], width: int, file: str
) -> Iterator[pa.RecordBatch]:
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
        raise damaged(path.name) from None


def damaged(file: str) -> DataError:
    """Say that a workbook cannot be opened."""
    rule = "the workbook is damaged, or is not one, or is too large to be opened."
    return DataError(rule, "Save it again as .xlsx, or as CSV.", file=file)


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main() -> None:
    """Do what the command line says."""
    path, sheet, places = json.loads(sys.argv[1])
    _limit_memory()
    stream(Path(path), sheet, places, sys.stdout.buffer)


if __name__ == "__main__":
    main()
