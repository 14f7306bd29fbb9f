"""What every reader gives: the names of the columns, and batches of text columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import DataError
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.engine.reading.header import check_heading

LONGEST_CELL: Final = 1_000_000
"""More than any value of a person's record needs; checked before anything is kept."""

Reader = Callable[[Sequence[int]], Iterator[pa.RecordBatch]]
"""Reads the columns in these places, as text, in that order, from the first row on."""


@dataclass(frozen=True, slots=True)
class TableSource:
    """A table that can be read, once or again, batch by batch; all columns are text."""

    name: str
    columns: tuple[str, ...]
    reader: Reader = field(repr=False)
    remarks: tuple[str, ...] = ()
    about_rows: int = 0

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Read all rows of some columns; null is a missing value."""
        return self.batches_at([self._place(column) for column in columns], columns)

    def table(self, columns: Sequence[str], progress: StepProgress | None = None) -> pa.Table:
        """Read all rows of some columns at once; progress is told in rows, their number guessed."""
        return _whole(self.batches(columns), columns, progress or no_step_progress, self.about_rows)

    def require(self, columns: Iterable[str]) -> None:
        """Refuse to go on without these columns, before anything is read."""
        for column in columns:
            self._place(column)

    def whole(self) -> pa.Table:
        """Read everything, even where two columns have one name."""
        every = self.batches_at(range(len(self.columns)), self.columns)
        return _whole(every, self.columns, no_step_progress, 0)

    def batches_at(self, places: Sequence[int], columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Read the columns in these places, and refuse cells that no table of people has."""
        first = 1
        try:
            for batch in self.reader(places):
                for place, cells in zip(places, batch.columns, strict=True):
                    column = self._named(place)
                    _check_cells(cells, first, file=self.name, column=column)
                    check_heading(self.columns[place], cells, first, file=self.name, column=column)
                yield pa.RecordBatch.from_arrays(batch.columns, names=list(columns))
                first += batch.num_rows
        except (OSError, ValueError, pa.ArrowException):
            mend = "Check that it is still there, whole, and that you may read it."
            raise DataError("it cannot be read to its end.", mend, file=self.name) from None

    def _place(self, column: str) -> int:
        if column not in self.columns:
            rule = f"this needed column is missing among {len(self.columns)}."
            mend = "Mend the header, or name the column in the schema."
            raise DataError(rule, mend, file=self.name, column=column)
        return self.columns.index(column)

    def _named(self, place: int) -> str:
        return f"{place + 1} of {len(self.columns)}"


def too_long(file: str, row: int, column: str | None) -> DataError:
    """Say that a cell is longer than any value of a person's record."""
    rule = f"the cell has more than {LONGEST_CELL:,} characters."
    mend = "Check the quotes around it, shorten it, or leave the column out."
    return DataError(rule, mend, file=file, row=row, column=column)


def holds_nul(file: str, row: int, column: str) -> DataError:
    """Say that a cell holds what no text holds."""
    rule, mend = "the cell holds a NUL character.", "Remove it, or save the file as text."
    return DataError(rule, mend, file=file, row=row, column=column)


def _whole(
    batches: Iterator[pa.RecordBatch], columns: Sequence[str], progress: StepProgress, about: int
) -> pa.Table:
    kept, done = [], 0
    for batch in batches:
        kept.append(batch)
        done += batch.num_rows
        progress(done, max(done, about))
    return pa.Table.from_batches(kept, pa.schema([(name, pa.string()) for name in columns]))


def _check_cells(cells: pa.Array, first: int, *, file: str, column: str) -> None:
    """Refuse NUL characters and cells of absurd length; look closely only where it may be so."""
    if (pc.max(pc.binary_length(cells)).as_py() or 0) > LONGEST_CELL:
        long = pc.greater(pc.utf8_length(cells), LONGEST_CELL)
        if pc.any(long).as_py():
            raise too_long(file, first + pc.index(long, value=True).as_py(), column)
    data = cells.buffers()[2]
    if data is not None and 0 in data.to_pybytes():
        nul = pc.match_substring(cells, "\0")
        if pc.any(nul).as_py():
            raise holds_nul(file, first + pc.index(nul, value=True).as_py(), column)
