"""What a header may be: names of columns, and not the values of the first person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import DataError
from mindfirl.core.values.dates import read_date
from mindfirl.core.values.schema import DATE_ORDERS

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
        rule = "the cell equals the name of its column: there is no header, or it stands twice."
        mend = "Put one header above the first record; if it is right, rename the column."
        row = first + places[same].as_py()
        raise DataError(rule, mend, file=file, row=row, column=column)


def _fault(name: str) -> tuple[str, str] | None:
    """Say why this is no name of a column, and how to mend it; never what it is."""
    if "\0" in name:
        return "the name of the column holds a NUL character.", "Remove it."
    if len(name) > LONGEST_NAME:
        return (
            f"the name has more than {LONGEST_NAME} characters.",
            "Shorten it.",
        )
    if _is_value(name):
        return "the name looks like a value.", "Put a header above the first record."
    return None


def _is_value(name: str) -> bool:
    """Say whether a name is a date, of a month at least, or a long number."""
    digits = sum(map(str.isdecimal, name))
    letters = sum(map(str.isalpha, name))
    dates = (read_date(name, order) or "" for order in DATE_ORDERS)
    return digits >= max(_DIGITS_OF_A_VALUE, 2 * letters) or any("-" in date for date in dates)
