"""What every reader gives: the names of the columns, checked, and batches of text columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import DataError
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.values.schema import DATE_ORDERS
from mindfirl.core.values.standardise import read_date
from mindfirl.engine.reading.file_options import FileReading

MOST_COLUMNS: Final = 2_000
LONGEST_NAME: Final = 200
_MOST_SPACES: Final = 4
"""A cell with more bytes of white space around it is not looked at."""
_DIGITS_OF_A_VALUE: Final = 5
"""With this many digits, and at most half as many letters, a name is somebody's number."""


def checked_header(columns: Sequence[str], file: str) -> tuple[str, ...]:
    """Strip the names of the columns; refuse a header that is empty, too wide, or none."""
    if not columns:
        raise DataError("it is empty.", "Give a table with a header.", file=file)
    if len(columns) > MOST_COLUMNS:
        rule = f"the number of columns is {len(columns):,}, more than {MOST_COLUMNS:,}."
        raise DataError(rule, "Leave out columns that are not needed.", file=file)
    names = tuple(name.strip() for name in columns)
    for place, name in enumerate(names, start=1):
        if fault := _fault(name):
            raise DataError(*fault, file=file, row=0, column=f"{place} of {len(names)}")
    return names


def check_names(columns: Sequence[str], file: str) -> None:
    """Refuse a header where a column has no name, or the name of another."""
    seen: dict[str, int] = {}
    for place, name in enumerate(columns, start=1):
        earlier = seen.setdefault(name, place)
        if name and earlier == place:
            continue
        rule = f"the column has the same name as column {earlier}." if name else "it has no name."
        mend = "Give every column a name of its own."
        raise DataError(rule, mend, file=file, row=0, column=f"{place} of {len(columns)}")


def check_heading(name: str, cells: pa.Array, first: int, *, file: str, column: str) -> None:
    """Refuse a column that holds its own name: the name was a value, or the header came twice."""
    if not name:
        return
    # Few cells are as long, and only those are looked at: this is done to every column of a file.
    beyond = pc.subtract(pc.binary_length(cells), len(name.encode()))
    near = pc.and_(pc.greater_equal(beyond, 0), pc.less_equal(beyond, _MOST_SPACES))
    places = pc.indices_nonzero(near)
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(cells.take(places)))
    same = pc.index(plain, name.lower()).as_py()
    if same >= 0:
        rule = "the cell equals the name of its column: the header is missing or repeated."
        mend = "Put one header above the first record. If the cell is right, rename the column."
        row = first + places[same].as_py()
        raise DataError(rule, mend, file=file, row=row, column=column)


def _fault(name: str) -> tuple[str, str] | None:
    """Say why this is no name of a column, and how to mend it; never what it is."""
    if "\0" in name:
        return "the name of the column contains a NUL character.", "Remove it."
    if len(name) > LONGEST_NAME:
        return (f"the name has more than {LONGEST_NAME} characters.", "Shorten it.")
    if _is_value(name):
        return "the name looks like a value.", "Put a header above the first record."
    return None


def _is_value(name: str) -> bool:
    """Say whether a name is a date, of a month at least, or a long number."""
    digits = sum(map(str.isdecimal, name))
    letters = sum(map(str.isalpha, name))
    dates = (read_date(name, order) or "" for order in DATE_ORDERS)
    return digits >= max(_DIGITS_OF_A_VALUE, 2 * letters) or any("-" in date for date in dates)


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
    read_as: FileReading | None = None

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        return self.batches_at([self._place(column) for column in columns], columns)

    def table(self, columns: Sequence[str], progress: StepProgress | None = None) -> pa.Table:
        """Read all rows of some columns at once; progress is told in rows, their number guessed."""
        return _whole(self.batches(columns), columns, progress or no_step_progress, self.about_rows)

    def require(self, columns: Iterable[str]) -> None:
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
            mend = (
                "Check that the file still exists, is complete, and that you have permission "
                "to read it."
            )
            raise DataError("it cannot be read to its end.", mend, file=self.name) from None

    def _place(self, column: str) -> int:
        if column not in self.columns:
            rule = f"this required column is missing among {len(self.columns)}."
            mend = "Fix the header, or name the column in the schema."
            raise DataError(rule, mend, file=self.name, column=column)
        return self.columns.index(column)

    def _named(self, place: int) -> str:
        return f"{place + 1} of {len(self.columns)}"


def too_long(file: str, row: int, column: str | None) -> DataError:
    rule = f"the cell has more than {LONGEST_CELL:,} characters."
    mend = "Check the quotes around it, shorten it, or leave the column out."
    return DataError(rule, mend, file=file, row=row, column=column)


def holds_nul(file: str, row: int, column: str) -> DataError:
    rule, mend = "the cell contains a NUL character.", "Remove it, or save the file as text."
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
