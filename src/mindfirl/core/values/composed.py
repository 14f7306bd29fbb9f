"""Values that are made of several columns: a date of its parts, and the rest of a longer text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from itertools import takewhile
from typing import Final, Literal, get_args

from mindfirl.core.values.comparable import word_key, word_keys, word_places
from mindfirl.core.values.standardise import fold_spaces, latest_with, upper_case

DatePart = Literal["year", "month", "day"]
DATE_PARTS: Final[tuple[DatePart, ...]] = get_args(DatePart)

_NUMBER: Final = re.compile(r"([0-9]+)(?:\.0*)?")
_SHORT_YEAR: Final = re.compile(r"[0-9]{1,2}")
_NO_YEAR: Final = frozenset(["0", "000", "0000", "9999"])
_NO_MONTH_OR_DAY: Final = frozenset(["0", "00", "99"])


def part_number(text: str) -> str:
    """Return a part of a date as its digits, ``7`` for ``7.0``; another text as it is."""
    number = _NUMBER.fullmatch(text)
    return number[1] if number else text


def composed_date(
    parts: Sequence[str], *, latest_year: int | None, missing: Container[str] = frozenset()
) -> str:
    """Compose a year, its month and its day, as far as they are given, to the text of a date.

    Where the day or the month is missing, the date is partial. Parts that cannot be read make a
    text that cannot be read as a date either; ``missing`` are placeholders, in capitals.
    """
    year, *others = (_known(text, place, missing) for place, text in enumerate(parts))
    if not year:
        return "-".join(["", *filter(None, others)])
    if _SHORT_YEAR.fullmatch(year) and latest_year is not None:
        year = f"{latest_with(int(year), latest_year):04}"
    return "-".join([year, *(each.zfill(2) for each in takewhile(bool, others))])


def _known(text: str, place: int, missing: Container[str]) -> str:
    number = part_number(fold_spaces(text))
    nothing = _NO_MONTH_OR_DAY if place else _NO_YEAR
    return "" if number in nothing or upper_case(number) in missing else number


def rest_of(text: str, others: Iterable[str]) -> str:
    """Return a text without the words of other texts; what they do not have stays as it is.

    A word is left out as often as one of the others has it, the last ones first: the town at the
    end of an address, and not the street that is called like it.
    """
    text = unicodedata.normalize("NFC", text)
    left_out = _most_often(others)
    pieces: list[str] = []
    begin = end = -1
    for word, start, stop in reversed(word_places(text)):
        key = word_key(word)
        if left_out.get(key, 0) > 0:
            left_out[key] -= 1
            pieces += [text[begin:end]] if end >= 0 else []
            begin = end = -1
            continue
        begin, end = start, stop if end < 0 else end
    pieces += [text[begin:end]] if end >= 0 else []
    return " ".join(reversed(pieces))


def _most_often(texts: Iterable[str]) -> dict[str, int]:
    """Count the words of texts: how often the one of them has a word that has it most often."""
    most: dict[str, int] = {}
    for text in texts:
        own: dict[str, int] = {}
        for key in word_keys(text):
            own[key] = own.get(key, 0) + 1
            most[key] = max(most.get(key, 0), own[key])
    return most
