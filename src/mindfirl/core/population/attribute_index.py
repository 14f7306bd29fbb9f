"""The index of one attribute: who holds which value, length, character.

Sets of records of at least the dense limit are kept as bitmaps. Smaller ones are found from the
distinct values that fit and the list of each value's holders.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.display.cells import FREQUENCY_BANDS
from mindfirl.core.population.conditions import (
    Bitmap,
    Condition,
    Dense,
    Flags,
    Ids,
    Sparse,
    count_bits,
    holds,
    pack,
)
from mindfirl.core.population.distinct_values import (
    NO_LETTER,
    LengthGroup,
    Numbers,
    Values,
    ValueTable,
)

MISSING: Final = 0


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Column:
    """One attribute of all records."""

    values: Values
    codes: Numbers
    holders: Ids
    starts: NDArray[np.uint32]
    dense_limit: int
    value_bitmaps: dict[int, Bitmap]
    length_bitmaps: dict[int, Bitmap]
    letter_bitmaps: dict[tuple[int, int], Bitmap]
    shared_bitmap: Bitmap
    band_bitmaps: tuple[Bitmap, ...]

    def equals(self, code: int) -> Condition:
        """Require the value of a code."""
        bitmap = self.value_bitmaps.get(code)
        if bitmap is not None:
            return Dense((bitmap,))
        start, end = int(self.starts[code]), int(self.starts[code + 1])
        return Sparse(
            end - start, lambda: self.holders[start:end], lambda ids: self.codes[ids] == code
        )

    def matches(self, code: int, places: Sequence[int]) -> Condition:
        """Require the length of a value, and its characters in some places."""
        length = self.values.length(code)
        letters = self.values.letters(code)
        wanted = [(place, int(letters[place])) for place in places]
        bitmaps = [self.length_bitmaps.get(length), *map(self.letter_bitmaps.get, wanted)]
        found = tuple(bitmap for bitmap in bitmaps if bitmap is not None)
        if len(found) == len(bitmaps):
            return Dense(found)
        group = self.values.groups[length]
        return Sparse(
            self.dense_limit,
            lambda: self._holders_of(group, wanted),
            lambda ids: _match(group, wanted, self.codes[ids].astype(np.int64) - group.first),
        )

    def shared(self) -> Condition:
        """Require a value that is not missing and occurs at least twice."""
        return Dense((self.shared_bitmap,))

    def count(self, code: int) -> int:
        """Count the records that hold the value of a code."""
        bitmap = self.value_bitmaps.get(code)
        if bitmap is not None:
            return count_bits(bitmap)
        return int(self.starts[code + 1]) - int(self.starts[code])

    def same_band(self, record: int) -> Condition:
        """Require a value of the same frequency band as a record's."""
        flag = np.array([record], dtype=np.uint32)
        return Dense(tuple(bitmap for bitmap in self.band_bitmaps if holds(bitmap, flag)[0]))

    def _holders_of(self, group: LengthGroup, wanted: Sequence[tuple[int, int]]) -> Ids:
        if not wanted:
            codes = group.codes
            return self.holders[self.starts[codes.start] : self.starts[codes.stop]]
        (place, letter), *rest = wanted
        fitting = np.flatnonzero(group.letters[place] == letter)
        for place, letter in rest:
            fitting = fitting[group.letters[place, fitting] == letter]
        fitting += group.first
        starts = self.starts[fitting].astype(np.int64)
        counts = self.starts[fitting + 1] - starts
        ends = np.cumsum(counts)
        where = np.repeat(starts - ends + counts, counts) + np.arange(counts.sum())
        found: Ids = self.holders[where]
        return found


def _match(
    group: LengthGroup, wanted: Sequence[tuple[int, int]], members: NDArray[np.int64]
) -> Flags:
    """Say which members of a group (others are out of its range) have the wanted letters."""
    flags: Flags = (members >= 0) & (members < group.letters.shape[1])
    inside = np.where(flags, members, 0)
    for place, letter in wanted:
        flags &= group.letters[place, inside] == letter
    return flags


def build_column(table: ValueTable, *, dense_limit: int, bands: bool) -> Column:
    """Index one attribute, given its distinct values and the code of every record's value."""
    values, codes = table.values, table.codes
    counts = np.bincount(codes, minlength=values.size)
    dense = counts >= dense_limit
    sparse_ids = np.flatnonzero(~dense[codes])
    holders = sparse_ids[np.argsort(codes[sparse_ids], kind="stable")].astype(np.uint32)
    starts = np.zeros(values.size + 1, dtype=np.uint32)
    np.cumsum(np.where(dense, 0, counts), out=starts[1:])
    shared = counts > 1
    shared[MISSING] = False
    lengths = dict(_length_bitmaps(values, codes, counts, dense_limit))
    return Column(
        values=values,
        codes=codes,
        holders=holders,
        starts=starts,
        dense_limit=dense_limit,
        value_bitmaps={int(code): pack(codes == code) for code in np.flatnonzero(dense)},
        length_bitmaps=lengths,
        letter_bitmaps=dict(_letter_bitmaps(values, codes, lengths, dense_limit)),
        shared_bitmap=pack(shared[codes]),
        band_bitmaps=tuple(_band_bitmaps(counts, codes)) if bands else (),
    )


def _length_bitmaps(
    values: Values, codes: Numbers, counts: NDArray[np.int64], dense_limit: int
) -> Iterator[tuple[int, Bitmap]]:
    for length, group in values.groups.items():
        own = group.codes
        if length and counts[own].sum() >= dense_limit:
            yield length, pack((codes >= own.start) & (codes < own.stop))


def _letter_bitmaps(
    values: Values, codes: Numbers, lengths: dict[int, Bitmap], dense_limit: int
) -> Iterator[tuple[tuple[int, int], Bitmap]]:
    """Pack who has each common letter in each place, among the values of common lengths."""
    for place in range(max(lengths, default=0)):
        row = np.full(values.size, NO_LETTER, dtype=values.groups[max(lengths)].letters.dtype)
        for length in lengths:
            if length > place:
                group = values.groups[length]
                row[group.codes] = group.letters[place]
        column = row[codes]
        counts = np.bincount(column, minlength=NO_LETTER + 1)
        counts[NO_LETTER] = 0
        for letter in np.flatnonzero(counts >= dense_limit).tolist():
            yield (place, letter), pack(column == letter)


def _band_bitmaps(counts: NDArray[np.int64], codes: Numbers) -> Iterator[Bitmap]:
    """Pack who holds a value of each frequency band; a missing value is in none."""
    limits = [limit for limit, _ in FREQUENCY_BANDS]
    bands = np.searchsorted(limits, counts)
    bands[MISSING] = len(limits) + 1
    for band in range(len(limits) + 1):
        yield pack((bands == band)[codes])
