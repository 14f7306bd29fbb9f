"""The distinct values of an attribute, character by character, each known by a code.

Code 0 is the missing value. The others are sorted by length, so that the values of one length are
a range of codes and their characters a matrix without holes. A character is known by a letter
number: ASCII by its code point, :data:`NO_LETTER` for none, all others numbered as they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Characters, DateOrder, Kind, Schema
from mindfirl.core.values.standardise import characters

Numbers = NDArray[Any]
"""Unsigned integers as narrow as they can be."""

NO_LETTER: Final = 128


def narrow(largest: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds a number."""
    if largest < 1 << 8:
        return np.uint8
    return np.uint16 if largest < 1 << 16 else np.uint32


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LengthGroup:
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
    groups: dict[int, LengthGroup]
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
        """Return the characters of a value, as ``core.values.standardise`` made them."""
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ValueTable:
    """One attribute of all records: its distinct values, and the code of each record's."""

    values: Values
    codes: Numbers


def tabulate_columns(schema: Schema, columns: Iterable[CleanColumn]) -> Iterator[ValueTable]:
    """Tabulate clean columns, one per attribute, in their order, as they come."""
    order = schema.settings.date_order
    for attribute, column in zip(schema.attributes, columns, strict=True):
        values, codes = tabulate(_spell(column.values, attribute.kind, order))
        yield ValueTable(values, codes.astype(narrow(values.size))[column.codes])


def _spell(values: Sequence[str], kind: Kind, order: DateOrder) -> Sequence[Characters]:
    """Return the characters of all values; a plain string of ASCII is its own."""
    if kind in ("string", "fixed") and all(map(str.isascii, values)):
        return values
    return [characters(value, kind, order) for value in values]


def tabulate(distinct: Sequence[Characters]) -> tuple[Values, NDArray[np.int64]]:
    """Store distinct values, of which the first is the missing one; return the code of each."""
    lengths = np.fromiter(map(len, distinct), dtype=np.int64, count=len(distinct))
    order = np.argsort(lengths, kind="stable")
    codes = np.empty_like(order)
    codes[order] = np.arange(len(order))
    ordered = sorted(distinct, key=len)
    present, starts = np.unique(lengths[order], return_index=True)
    alphabet: dict[str, int] = {}
    tables = [
        _letters(ordered[start:end], int(length), alphabet)
        for length, start, end in zip(present, starts, [*starts[1:], None], strict=True)
    ]
    groups = dict(zip(present.tolist(), tables, strict=True))
    return group_tables(groups, tuple(alphabet)), codes


def group_tables(tables: Mapping[int, Numbers], others: tuple[str, ...]) -> Values:
    """Put together values, given as a table of letters for each length, shortest first."""
    dtype = narrow(NO_LETTER + len(others))
    starts = np.cumsum([0, *(table.shape[1] for table in tables.values())])
    groups = {
        length: LengthGroup(int(first), np.ascontiguousarray(table, dtype=dtype))
        for (length, table), first in zip(tables.items(), starts[:-1], strict=True)
    }
    return Values(int(starts[-1]), groups, starts[:-1], tuple(groups), others)


def _letters(values: Sequence[Characters], length: int, alphabet: dict[str, int]) -> Numbers:
    """Return letter numbers of values of one length, a row per position; extend the alphabet."""
    try:
        joined = "".join(values)  # type: ignore[arg-type]  # a tuple raises, which is meant
    except TypeError:
        numbers = [_letter(character, alphabet) for value in values for character in value]
        table: Numbers = np.array(numbers, dtype=np.uint32)
    else:
        table = _text_letters(joined, alphabet)
    return table.reshape(len(values), length).T


def _text_letters(text: str, alphabet: dict[str, int]) -> Numbers:
    if text.isascii():
        return np.frombuffer(text.encode("ascii"), dtype=np.uint8)
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    known, places = np.unique(points, return_inverse=True)
    numbers = [_letter(chr(point), alphabet) for point in known.tolist()]
    return np.array(numbers, dtype=np.uint32)[places]


def _letter(character: str, alphabet: dict[str, int]) -> int:
    if len(character) == 1 and character.isascii():
        return ord(character)
    return alphabet.setdefault(character, NO_LETTER + 1 + len(alphabet))
