"""What must not stand in the rows of a person: the identifying values of all their records.

Sought are names and words of three letters or more, numbers of four digits or more, and dates.
Values of categories are not: who is of a sex or a race is not told by the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.values.columns import CleanColumn
from mindfirl.core.values.schema import Kind
from mindfirl.engine.release.cell_claims import LEAST_DIGITS, WHOLE_DIGITS, Cell, chains_of
from mindfirl.engine.release.plain import pieces, spellings

Identifier = tuple[Kind, str]
"""An identifying value in its canonical form, and the kind of its attribute."""

_LEAST_LETTERS: Final = 3
_LEAST_MIXED: Final = 4
_INSIDE: Final = 5
"""Words of so many letters are also found inside of others: not Rosa in rosacea."""
_ACROSS: Final = 6
"""Words of so many letters are also found in pieces: not Ina in “in a”."""
_DENSE: Final = range(0x2E80, 0xD7B0)
"""Where scripts lie that put no spaces between words, and of which two letters make a name."""

# fmt: off
_PARTICLES: Final = frozenset({
    "and", "bin", "das", "del", "den", "der", "des", "dos", "ibn", "las", "los", "ten", "ter",
    "the", "und", "van", "vom", "von", "zum", "zur",
})
# fmt: on
"""They stand in many names and in most texts, and say nothing of anybody by themselves."""

_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MONTH: Final = re.compile(r"[0-9]{4}-[0-9]{2}")
_YEAR: Final = re.compile(r"[0-9]{4}")


@dataclass(frozen=True, slots=True, repr=False)
class Sought:
    """What is sought in a cell: words, numbers that stand alone, numbers anywhere, and days."""

    words: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    digits: tuple[str, ...] = ()
    days: tuple[str, ...] = ()


class Identities(Mapping[str, Sequence[Identifier]]):
    """The identifying values of each person of a release, looked up when they are asked for.

    ``numbers`` are those of the release, record by record; the columns are in the same order.
    """

    def __init__(self, numbers: pa.Array, columns: Iterable[tuple[Kind, CleanColumn]]) -> None:
        self._columns = [(kind, column.values, column.codes) for kind, column in columns]
        encoded = numbers.dictionary_encode()
        released = np.flatnonzero(numbers.is_valid().to_numpy(zero_copy_only=False))
        codes = encoded.indices.take(pa.array(released)).to_numpy()
        self._records = released[np.argsort(codes, kind="stable")]
        self._ends = np.cumsum(np.bincount(codes))
        self._persons = {name: place for place, name in enumerate(encoded.dictionary.to_pylist())}

    def __getitem__(self, number: str) -> Sequence[Identifier]:
        place = self._persons[number]
        records = self._records[self._ends[place - 1] if place else 0 : self._ends[place]]
        return [
            (kind, value)
            for kind, values, codes in self._columns
            for code in codes[records].tolist()
            if (value := values[code])
        ]

    def __iter__(self) -> Iterator[str]:
        return iter(self._persons)

    def __len__(self) -> int:
        return len(self._persons)


def sought(kind: Kind, value: str) -> Sought:
    """Return what must not be found of one value."""
    if kind == "category" or (kind == "date" and _YEAR.fullmatch(value)):
        return Sought()
    if kind == "date" and _DAY.fullmatch(value):
        return Sought(days=(value, value[2:]))
    if kind == "date" and _MONTH.fullmatch(value):
        return Sought(days=(value,))
    numbers = list(dict.fromkeys(_numbers(spellings(value)[0])))
    return Sought(
        words=tuple(dict.fromkeys(word for each in spellings(value) for word in _words(each))),
        numbers=tuple(each for each in numbers if len(each) <= WHOLE_DIGITS),
        digits=tuple(each for each in numbers if len(each) > WHOLE_DIGITS),
    )


def all_of(each: Iterable[Sought]) -> Sought:
    """Return what must not be found of several values."""
    several = list(each)
    return Sought(
        *(
            tuple(dict.fromkeys(chain.from_iterable(getattr(one, name) for one in several)))
            for name in ("words", "numbers", "digits", "days")
        )
    )


def holds_word(cell: Cell, wanted: Sought) -> bool:
    """Say whether a cell holds one of the words."""
    return any(word in cell.together and _stands(word, cell.words) for word in wanted.words)


def holds_number(cell: Cell, wanted: Sought) -> bool:
    """Say whether a cell holds one of the numbers, whatever parts their digits."""
    return any(number in cell.numbers for number in wanted.numbers) or any(
        number in cell.digits for number in wanted.digits
    )


def holds_day(cell: Cell, wanted: Sought) -> bool:
    """Say whether a cell may speak of one of the days."""
    return any(day in cell.days for day in wanted.days)


def _words(plain: str) -> Iterator[str]:
    """Return the words of a value, those with digits among them, and all of it together."""
    found = pieces(plain)
    for name in found:
        if _is_long(name) and (name not in _PARTICLES or len(found) == 1):
            yield name
    for run in (*re.split("[ .-]+", plain), "".join(found)):
        if len(run) >= _LEAST_MIXED and not run.isdigit():
            yield run


def _is_long(name: str) -> bool:
    """Say whether letters are enough to be a word; digits are none."""
    return not name.isdigit() and (
        len(name) >= _LEAST_LETTERS or (len(name) > 1 and _is_dense(name))
    )


def _is_dense(name: str) -> bool:
    return any(ord(letter) in _DENSE for letter in name)


def _numbers(plain: str) -> Iterator[str]:
    """Return the numbers of a value, all digits together and by themselves; zeros may be lost."""
    for digits in chains_of(plain):
        parts = re.findall("[0-9]+", digits)
        for number in ("".join(parts), *parts):
            yield from (each for each in (number, number.lstrip("0")) if len(each) >= LEAST_DIGITS)


def _stands(word: str, words: str) -> bool:
    """Say whether a word is one of several, or inside of one, or written in pieces."""
    several = words.split()
    if word in several:
        return True
    if (len(word) >= _INSIDE or _is_dense(word)) and any(word in each for each in several):
        return True
    starts = (place for place, each in enumerate(several) if word.startswith(each))
    return any(_in_pieces(word, several, start) for start in starts)


def _in_pieces(word: str, several: Sequence[str], start: int) -> bool:
    """Say whether words from a place on, put together, are one that is told apart like that."""
    joined, longest = "", 0
    for place in range(start, len(several)):
        joined += several[place]
        longest = max(longest, len(several[place]))
        if joined == word:
            return len(word) >= _ACROSS or longest == 1 or any(map(str.isdigit, word))
        if not word.startswith(joined):
            break
    return False
