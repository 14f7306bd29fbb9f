"""Numbers of a value in a text, whatever divides their digits; leading zeros may be lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Final

from mindfirl.core.traces.thresholds import LEAST_DIGITS, LONGEST_STANDALONE

_CHAIN: Final = re.compile("[0-9][0-9 .-]*")
_WITHIN: Final = re.compile("[.-]")
_NOT_DIGITS: Final = re.compile("[^0-9]")
_GROUP: Final = re.compile(r"(?<![0-9])(?<![0-9]\.)[0-9]{5,6}(?![0-9])(?!\.[0-9])")
"""Digits that stand alone although a hyphen or slash joins others to them; years are shorter."""
_NO_CENTS: Final = re.compile(r"(?<=[0-9])\.0(?![0-9])")


def standalone_numbers(normal: str) -> frozenset[str]:
    """Return the numbers of four to six digits that stand alone, also without leading zeros."""
    chains = (_WITHIN.sub("", each).split() for each in _chains(_NO_CENTS.sub("", normal)))
    return frozenset(chain.from_iterable(map(_standalone, chains))).union(_GROUP.findall(normal))


def digits_in(normal: str) -> str:
    """Return the digits that no letter divides, whatever else is between them; then an x.

    12345.0 counts as 12345, as a spreadsheet writes it, and as 123450.
    """
    chains = [*_chains(normal), *_chains(_NO_CENTS.sub("", normal))]
    return "x".join(dict.fromkeys(_NOT_DIGITS.sub("", each) for each in chains))


def whole_numbers(normal: str) -> Iterator[str]:
    """Return the numbers of a value: all digits together, and each number by itself."""
    for digits in _chains(_NO_CENTS.sub("", normal)):
        parts = re.findall("[0-9]+", digits)
        for number in ("".join(parts), *parts):
            yield from (each for each in (number, number.lstrip("0")) if len(each) >= LEAST_DIGITS)


def parts_of_numbers(normal: str) -> Iterator[str]:
    """Return any four digits in a row of the numbers of a value."""
    for each in _chains(normal):
        digits = _NOT_DIGITS.sub("", each)
        for start in range(len(digits) - LEAST_DIGITS + 1):
            yield digits[start : start + LEAST_DIGITS]


def _chains(normal: str) -> list[str]:
    """Return the digits that no letter divides, with what is between them."""
    return _CHAIN.findall(normal)


def _standalone(numbers: list[str]) -> Iterator[str]:
    """Return the numbers between spaces, and neighbours taken together."""
    for start, first in enumerate(numbers):
        yield from _of_length(first.lstrip("0"))
        together = ""
        for number in numbers[start:]:
            together += number
            if len(together) > LONGEST_STANDALONE:
                break
            yield from _of_length(together)
            yield from _of_length(together.lstrip("0"))


def _of_length(number: str) -> Iterator[str]:
    if LEAST_DIGITS <= len(number) <= LONGEST_STANDALONE:
        yield number
