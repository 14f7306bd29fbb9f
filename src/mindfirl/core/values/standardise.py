"""Raw text to canonical value, by kind; and a value to the characters that a cell is made of.

The canonical form is NFC, trimmed, runs of spaces folded, in the wanted case. A date becomes
``YYYY-MM-DD`` (or ``YYYY-MM``, or ``YYYY``, where the other parts are missing); it is known by its
shape, and where that leaves open which number is which, the declared order says it, whatever the
numbers are. The empty text is a missing value. Standardising twice is the same as once.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from math import isnan
from typing import Final
from uuid import UUID

import numpy as np
import regex

from mindfirl.core.errors import DataError
from mindfirl.core.values.schema import DATE_ORDERS, Characters, DateOrder, Kind, Settings

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
ORDINARY_YEARS: Final = range(1850, 2101)


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
    """Return the canonical form of a date whose year of two digits is up to ``latest_year``."""
    if match := _SIX_DIGITS.fullmatch(text):
        numbers = match.groups()
    elif match := (_SHORT_YEAR_FIRST if order == "ymd" else _SHORT_YEAR_LAST).fullmatch(text):
        numbers = match.group(1, 3, 4)
    else:
        return None
    parts = dict(zip(order, numbers, strict=True))
    year = latest_with(int(parts["y"]), latest_year)
    return f"{year:04}-{parts['m']:0>2}-{parts['d']:0>2}"


def latest_with(two_digits: int, latest_year: int) -> int:
    """Return the latest year up to ``latest_year`` that ends with these two digits."""
    return latest_year - (latest_year - two_digits) % _CENTURY


def is_possible(canonical: str) -> bool:
    """Say whether there was, or will be, such a day, month or year."""
    year, month, day = (int(part) for part in [*canonical.split("-"), "1", "1"][:3])
    if not year or not 1 <= month <= len(_DAYS):
        return False
    leap = year % 4 == 0 and (year % _CENTURY != 0 or year % (4 * _CENTURY) == 0)
    return 1 <= day <= _DAYS[month - 1] + (month == _FEBRUARY and leap)


def is_likely(canonical: str) -> bool:
    """Say whether a person's record could hold this day or month; a year alone says too little."""
    return "-" in canonical and int(canonical[:4]) in ORDINARY_YEARS and is_possible(canonical)


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
    if order == "ymd":
        return text[:4], text[4:6], text[6:]
    first, second, year = text[:2], text[2:4], text[4:]
    return (year, first, second) if order == "mdy" else (year, second, first)


_GRAPHEME: Final = regex.compile(r"\X")

LONGEST: Final = 20_000
"""No value of a person's record is longer; what is would be slow to normalise and compare."""

_PLAIN: Final = (bool, float, Decimal, UUID, np.datetime64)
_LARGEST: Final = 10**1000
"""Longer numbers are no values, and Python refuses to write the longest."""

_DATE_MEND: Final = {
    "mdy": "Write month/day/year with a year of four digits (07/04/1976), or 1976-07-04.",
    "dmy": "Write day/month/year with a year of four digits (04/07/1976), or 1976-07-04.",
    "ymd": "Write year-month-day with a year of four digits: 1976-07-04.",
}


def standardise(raw: object, kind: Kind, settings: Settings) -> str:
    """Return the canonical form of a raw value; the empty text where it is missing."""
    text = fold_spaces(unicodedata.normalize("NFC", short_text(raw)))
    if kind == "date":
        return _iso_date(text, settings) if text else ""
    return upper_case(text) if settings.case == "upper" else text


def short_text(raw: object) -> str:
    """Turn what a record may hold into text; refuse one that is longer than any real value."""
    text = text_of(raw)
    if len(text) > LONGEST:
        rule = f"the value has {len(text):,} characters, more than {LONGEST:,}."
        raise DataError(rule, "Shorten it, or leave the column out.")
    return text


def fold_spaces(text: str) -> str:
    """Trim a text, and make every run of white space one space."""
    return " ".join(text.split())


def upper_case(text: str) -> str:
    """Return a text in capitals, in its normal form."""
    return unicodedata.normalize("NFC", text.upper())


def characters(value: str, kind: Kind, order: DateOrder) -> Characters:
    """Return the characters of a canonical value, as they are counted, compared and shown.

    Those of a date are its digits in the order of display; a category is one character as a whole.
    """
    if kind == "date":
        return "".join(date_parts(value, order))
    if kind == "category":
        return (value,) if len(value) > 1 else value
    return graphemes(value)


def graphemes(text: str) -> Characters:
    """Split a text into user-perceived characters, so that an accent stays with its letter."""
    if text.isascii():
        return text
    clusters = _GRAPHEME.findall(text)
    return text if len(clusters) == len(text) else tuple(clusters)


def date_parts(value: str, order: DateOrder) -> tuple[str, ...]:
    """Return the year, month and day of a canonical date in an order; a missing part is empty."""
    parts = dict(zip("ymd", [*value.split("-"), "", ""], strict=False))
    return tuple(parts[part] for part in order)


def text_of(raw: object) -> str:
    """Turn what a record may hold into text; nothing and not-a-number are missing."""
    if isinstance(raw, str):
        return raw
    if type(raw) is int and -_LARGEST < raw < _LARGEST:
        return str(raw)  # here, because columns of numbers are common and the tests below slow
    if isinstance(raw, np.floating):
        raw = float(str(raw))
    elif isinstance(raw, np.generic) and not isinstance(raw, np.datetime64):
        raw = raw.item()
    if _is_missing(raw):
        return ""
    if isinstance(raw, float) and raw.is_integer():
        return str(int(raw))
    plain = isinstance(raw, _PLAIN) or hasattr(raw, "isoformat")
    if plain or (isinstance(raw, int) and abs(raw) < _LARGEST):
        return str(raw)
    raise DataError(
        f"a value of type {type(raw).__name__} is neither a text nor a number nor a date.",
        "Convert it to a text.",
    )


def _is_missing(raw: object) -> bool:
    """Know the marks of a missing value: None, NaN, and what NumPy and pandas use."""
    if isinstance(raw, np.datetime64):
        return bool(np.isnat(raw))
    if raw is None or type(raw).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(raw, float | Decimal) and isnan(raw)


def unreadable_date(order: DateOrder) -> DataError:
    """Return the error of a value that lacks the shape of a date."""
    return DataError("the value does not have the shape of a date.", _DATE_MEND[order])


def _iso_date(text: str, settings: Settings) -> str:
    """Read a date; refuse a text without the shape of one."""
    order, latest = settings.date_order, settings.latest_year
    found = read_date(text, order)
    if found is None and latest is not None:
        found = read_short_date(text, order, latest)
    if found is None:
        raise unreadable_date(order)
    return found
