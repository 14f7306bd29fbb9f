"""The distinct values of an attribute, character by character, each known by a code.

Code 0 is the missing value. The others are sorted by length, so that the values of one length are
a range of codes and their characters a matrix without holes. A character is known by a letter
number: ASCII by its code point, :data:`NO_LETTER` for none, all others numbered as they come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.schema import Characters

Numbers = NDArray[Any]
"""Unsigned integers as narrow as they can be."""

NO_LETTER: Final = 128


def narrow(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds a number."""
    if largest < 1 << 8:
        return np.uint8
    return np.uint16 if largest < 1 << 16 else np.uint32


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Group:
    """All values of one length: their codes from ``first`` on, a row of letters per position."""

    first: int
    letters: Numbers

    @property
    def codes(self) -> slice:
        """The range of the group's codes."""
        return slice(self.first, self.first + self.letters.shape[1])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Values:
    """Distinct values, grouped by length."""

    size: int
    groups: dict[int, Group]
    starts: NDArray[np.int64]
    lengths: tuple[int, ...]
    others: tuple[str, ...]

    def length(self, code: int) -> int:
        """Return the number of characters of a value."""
        return self.lengths[int(np.searchsorted(self.starts, code, side="right")) - 1]

    def letters(self, code: int) -> Numbers:
        """Return the letter numbers of a value, position by position."""
        group = self.groups[self.length(code)]
        return group.letters[:, code - group.first]

    def characters(self, code: int) -> Characters:
        """Return the characters of a value, as :mod:`mindfirl.core.standardise` made them."""
        letters = self.letters(code)
        if not self.others:
            return letters.tobytes().decode("ascii")
        return self._spelled(letters.tolist())

    def every(self) -> Iterator[Characters]:
        """Return the characters of all values, in the order of their codes."""
        for length, group in self.groups.items():
            if self.others or not length:
                yield from (self._spelled(letters) for letters in group.letters.T.tolist())
            else:
                joined = group.letters.T.tobytes().decode("ascii")
                yield from (joined[at : at + length] for at in range(0, len(joined), length))

    def _spelled(self, letters: list[int]) -> Characters:
        found = [self._character(letter) for letter in letters]
        return "".join(found) if all(len(character) == 1 for character in found) else tuple(found)

    def _character(self, letter: int) -> str:
        return chr(letter) if letter < NO_LETTER else self.others[letter - NO_LETTER - 1]


def tabulate(distinct: Sequence[Characters]) -> tuple[Values, NDArray[np.int64]]:
    """Store distinct values, of which the first is the missing one; return the code of each."""
    lengths = np.fromiter(map(len, distinct), dtype=np.int64, count=len(distinct))
    order = np.argsort(lengths, kind="stable")
    codes = np.empty_like(order)
    codes[order] = np.arange(len(order))
    present, starts = np.unique(lengths[order], return_index=True)
    alphabet: dict[str, int] = {}
    tables = [
        _letters([distinct[place] for place in members.tolist()], int(length), alphabet)
        for length, members in zip(present, np.split(order, starts[1:]), strict=True)
    ]
    dtype = narrow(NO_LETTER + len(alphabet))
    groups = {
        int(length): Group(int(first), np.ascontiguousarray(table, dtype=dtype))
        for length, first, table in zip(present, starts, tables, strict=True)
    }
    return Values(len(distinct), groups, starts, tuple(groups), tuple(alphabet)), codes


def _letters(values: Sequence[Characters], length: int, alphabet: dict[str, int]) -> Numbers:
    """Return letter numbers of values of one length, a row per position; extend the alphabet."""
    joined = "".join(value for value in values if isinstance(value, str))
    if len(joined) == length * len(values) and joined.isascii():
        table: Numbers = np.frombuffer(joined.encode("ascii"), dtype=np.uint8)
    else:
        numbers = [_letter(character, alphabet) for value in values for character in value]
        table = np.array(numbers, dtype=np.uint32)
    return table.reshape(len(values), length).T


def _letter(character: str, alphabet: dict[str, int]) -> int:
    """Return the number of a letter, giving it the next one if it is new."""
    if len(character) == 1 and character.isascii():
        return ord(character)
    return alphabet.setdefault(character, NO_LETTER + 1 + len(alphabet))
