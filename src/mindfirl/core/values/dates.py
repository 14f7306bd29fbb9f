"""Dates as they are written: a text to year, month and day; and whether there was such a day.

A date is known by its shape. Where the shape leaves open which number is which, the declared order
says it, whatever the numbers are: the same shape is always read the same way. The canonical form
is ``YYYY-MM-DD``, or ``YYYY-MM``, or ``YYYY``, where the other parts are missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mindfirl.core.values.schema import DATE_ORDERS, DateOrder

_YEAR_FIRST: Final = re.compile(
    r"([0-9]{4})(?:([-/. ])([0-9]{1,2})(?:\2([0-9]{1,2})(?:[T ][0-9]{1,2}:[0-9:.,+Z-]*)?)?)?"
)
_YEAR_LAST: Final = re.compile(
    r"(?:([0-9]{1,2})([-/. ]))?([0-9]{1,2})(?(2)\2|[-/. ])([0-9]{4})(?: [0-9]{1,2}:[0-9:.]*)?"
)
_EIGHT_DIGITS: Final = re.compile(r"[0-9]{8}")
_SIX_DIGITS: Final = re.compile(r"([0-9]{2})([0-9]{2})([0-9]{2})")
_SHORT_YEAR_FIRST: Final = re.compile(
    r"([0-9]{2})([-/. ])([0-9]{1,2})\2([0-9]{1,2})(?:[T ][0-9]{1,2}:[0-9:.,+Z-]*)?"
)
_SHORT_YEAR_LAST: Final = re.compile(
    r"([0-9]{1,2})([-/. ])([0-9]{1,2})\2([0-9]{2})(?: [0-9]{1,2}:[0-9:.]*)?"
)

_CENTURY: Final = 100
_FEBRUARY: Final = 2
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ORDINARY_YEARS: Final = range(1850, 2101)


def read_date(text: str, order: DateOrder) -> str | None:
    """Return the canonical form of a date with a year of four digits; None if it lacks the shape.

    A year that stands last leaves month and day open in the order year-month-day, and is no date.
    """
    if match := _YEAR_FIRST.fullmatch(text):
        year, _, month, day = match.groups()
    elif (match := _YEAR_LAST.fullmatch(text)) and (order != "ymd" or match[1] is None):
        first, _, second, year = match.groups()
        month, day = (first or second, second if first else None)
        if order == "dmy" and first:
            month, day = second, first
    elif _EIGHT_DIGITS.fullmatch(text):
        year, month, day = _eight_digits(text, order)
    else:
        return None
    return "-".join([year, *(part.zfill(2) for part in (month, day) if part)])


def read_short_date(text: str, order: DateOrder, latest_year: int) -> str | None:
    """Return the canonical form of a date with a year of two digits; None if it lacks the shape.

    The year is the latest one with these last digits that is not after ``latest_year``.
    """
    if match := _SIX_DIGITS.fullmatch(text):
        numbers = match.groups()
    elif match := (_SHORT_YEAR_FIRST if order == "ymd" else _SHORT_YEAR_LAST).fullmatch(text):
        numbers = match.group(1, 3, 4)
    else:
        return None
    parts = dict(zip(order, numbers, strict=True))
    year = latest_year - (latest_year - int(parts["y"])) % _CENTURY
    return f"{year:04}-{parts['m']:0>2}-{parts['d']:0>2}"


def is_possible(canonical: str) -> bool:
    """Say whether there was, or will be, such a day, month or year."""
    year, month, day = (int(part) for part in [*canonical.split("-"), "1", "1"][:3])
    if not year or not 1 <= month <= len(_DAYS):
        return False
    leap = year % 4 == 0 and (year % _CENTURY != 0 or year % (4 * _CENTURY) == 0)
    return 1 <= day <= _DAYS[month - 1] + (month == _FEBRUARY and leap)


def is_likely(canonical: str) -> bool:
    """Say whether a person's record could hold this day or month; a year alone says too little."""
    return "-" in canonical and int(canonical[:4]) in _ORDINARY_YEARS and is_possible(canonical)


def likely_dates(
    counted: Iterable[tuple[str, int]], *, latest_year: int | None = None
) -> dict[DateOrder, int]:
    """Count, for each order, the records whose date is likely if it is written in this order."""
    found = dict.fromkeys(DATE_ORDERS, 0)
    for text, count in counted:
        for order in DATE_ORDERS:
            value = read_date(text, order)
            if value is None and latest_year is not None:
                value = read_short_date(text, order, latest_year)
            found[order] += count if value is not None and is_likely(value) else 0
    return found


def _eight_digits(text: str, order: DateOrder) -> tuple[str, str, str]:
    """Cut eight digits without separators in the declared order."""
    if order == "ymd":
        return text[:4], text[4:6], text[6:]
    first, second, year = text[:2], text[2:4], text[4:]
    return (year, first, second) if order == "mdy" else (year, second, first)
