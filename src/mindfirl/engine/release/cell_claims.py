"""What a cell says: its words, its numbers, and the days that it may speak of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

from mindfirl.engine.release.plain import pieces, spellings
from mindfirl.engine.release.written_days import days_in

LEAST_DIGITS: Final = 4
"""Shorter numbers tell nobody apart."""

WHOLE_DIGITS: Final = 6
"""Numbers of up to so many digits are found only where they stand alone; longer ones anywhere."""

_SHORTEST: Final = 2
_DATE_DIGITS: Final = re.compile("[0-9](?:[^0-9]*[0-9]){2}")
_CHAIN: Final = re.compile("[0-9][0-9 .-]*")
_WITHIN: Final = re.compile("[.-]")
_GROUP: Final = re.compile(r"(?<![0-9])(?<![0-9]\.)[0-9]{5,6}(?![0-9])(?!\.[0-9])")
"""Digits that stand alone although a hyphen or slash joins others to them; years are shorter."""
_NO_CENTS: Final = re.compile(r"(?<=[0-9])\.0(?![0-9])")


@dataclass(frozen=True, slots=True, repr=False)
class Cell:
    """A text, taken apart for searching.

    ``words``
        letters that stand together and digits that do, with a space between.
    ``together``
        the same without the spaces.
    ``numbers``
        the numbers of four to six digits that stand alone, also without leading zeros.
    ``digits``
        the digits that no letter parts, whatever else is between them; an x where one does.
    ``days``
        the days of which it may speak.
    """

    words: str
    together: str
    numbers: frozenset[str]
    digits: str
    days: frozenset[str]


def read_cell(text: str) -> Cell | None:
    """Take a text apart; nothing is left of one in which nothing could be found."""
    if len(text) < LEAST_DIGITS and (len(text) < _SHORTEST or text.isdecimal()):
        return None
    plain, *others = spellings(text)
    words = " ".join(word for each in (plain, *others) for word in pieces(each))
    if not _DATE_DIGITS.search(plain):
        return Cell(words, words.replace(" ", ""), frozenset(), "", frozenset())
    chains = [_WITHIN.sub("", each).split() for each in chains_of(plain)]
    return Cell(
        words,
        words.replace(" ", ""),
        frozenset(chain.from_iterable(map(_alone, chains))).union(_GROUP.findall(plain)),
        "x".join(map("".join, chains)),
        days_in(plain),
    )


def chains_of(plain: str) -> list[str]:
    """Return the digits of a plain text that no letter parts, with what stands between them."""
    return _CHAIN.findall(_NO_CENTS.sub("", plain))


def _alone(numbers: list[str]) -> Iterator[str]:
    """Return the numbers that stand alone: those between spaces, and neighbours taken together."""
    for start, first in enumerate(numbers):
        yield from _sized(first.lstrip("0"))
        joined = ""
        for number in numbers[start:]:
            joined += number
            if len(joined) > WHOLE_DIGITS:
                break
            yield from _sized(joined)
            yield from _sized(joined.lstrip("0"))


def _sized(number: str) -> Iterator[str]:
    if LEAST_DIGITS <= len(number) <= WHOLE_DIGITS:
        yield number
