"""Raw text to canonical value, by kind; and a value to the characters that a cell is made of.

The canonical form is NFC, trimmed, runs of spaces folded, in the wanted case. A date becomes
``YYYY-MM-DD`` (or ``YYYY-MM``, or ``YYYY``, where the other parts are missing). The empty text is
a missing value. Standardising twice is the same as standardising once.
"""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from math import isnan
from typing import Final
from uuid import UUID

import numpy as np
import regex

from mindfirl.core.errors import DataError
from mindfirl.core.values.dates import read_date, read_short_date
from mindfirl.core.values.schema import Characters, DateOrder, Kind, Settings

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
