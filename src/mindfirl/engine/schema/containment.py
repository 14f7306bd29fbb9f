"""Columns that repeat others of their table: a full name beside first and last name.

Compared together, they would weigh one agreement twice. A column is contained in another if the
other has all its words in most records, and does not if the records are shuffled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.values.comparable import word_keys
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames
from mindfirl.engine.schema.column_profile import ColumnProfile

FEWEST_RECORDS: Final = 50
"""At least this many records must have both columns filled."""
CONTAINED: Final = 0.8
BY_CHANCE: Final = 0.1
COVERED: Final = 0.8
"""So much of a column's words must others have, if it is to be left out."""

_MOST_RECORDS: Final = 500
_MOST_ROWS: Final = 20_000
"""The number of records looked at for a pair of columns, and of those drawn from the table."""
_HOPELESS: Final = 0.5
_SEED: Final = 5


@dataclass(frozen=True, eq=False, repr=False)
class _Column:
    """A column in a random order of records; its words are found when they are asked for."""

    place: int
    texts: list[str]
    codes: NDArray[Any]
    known: dict[int, list[str]] = field(default_factory=dict)

    @cached_property
    def filled(self) -> NDArray[np.bool_]:
        with_words = np.array([any(map(str.isalnum, text)) for text in self.texts], dtype=np.bool_)
        return np.take(with_words, self.codes)

    def words(self, row: int) -> list[str]:
        code = int(self.codes[row])
        if code not in self.known:
            self.known[code] = word_keys(self.texts[code])
        return self.known[code]


def with_contained(table: pa.Table, profiles: Sequence[ColumnProfile]) -> list[ColumnProfile]:
    """Say of each column which others it contains, and how much of its words they have."""
    displayed = [each.column for each in profiles if each.displayed and not each.part]
    looked_at = [
        each.column
        for each in profiles
        if each.column in displayed or (each.role == "sensitive" and not each.part)
    ]
    if not displayed or len(looked_at) < 2:  # noqa: PLR2004  # nothing to compare with
        return list(profiles)
    columns = _columns(table, looked_at)
    inside = {name: _inside(name, columns, displayed) for name in looked_at}
    found = _Staying(columns, inside).all()
    return [
        replace(each, contains=found[each.column][0], covered=round(found[each.column][1], 4))
        if found.get(each.column, ((), 0))[0]
        else each
        for each in profiles
    ]


def _columns(table: pa.Table, names: Sequence[str]) -> dict[str, _Column]:
    order = np.random.default_rng(_SEED).permutation(table.num_rows)[:_MOST_ROWS]
    drawn = table.select(names).take(pa.array(order))
    columns = {}
    for place, name in enumerate(names):
        raw = frames.raw_column(drawn.column(name), column=name)
        columns[name] = _Column(place, [text_of(value) for value in raw.distinct], raw.codes)
    return columns


def _inside(name: str, columns: Mapping[str, _Column], displayed: Iterable[str]) -> list[str]:
    return [
        other
        for other in displayed
        if other != name and is_contained(columns[other], columns[name])
    ]


def is_contained(inner: _Column, outer: _Column) -> bool:
    """Say whether the outer column has all words of the inner one, and not by chance."""
    rows = np.flatnonzero(inner.filled & outer.filled)[:_MOST_RECORDS].tolist()
    if len(rows) < FEWEST_RECORDS:
        return False
    first = rows[:FEWEST_RECORDS]
    if _share(inner.words, outer.words, first, first) < _HOPELESS:
        return False
    if _share(inner.words, outer.words, rows, rows) < CONTAINED:
        return False
    shuffled = np.random.default_rng(_SEED).permutation(rows).tolist()
    return _share(inner.words, outer.words, shuffled, rows) < BY_CHANCE


_WordsOf = Callable[[int], list[str]]


def _share(
    inner: _WordsOf, outer: _WordsOf, inner_rows: Sequence[int], outer_rows: Sequence[int]
) -> float:
    pairs = zip(inner_rows, outer_rows, strict=True)
    return sum(set(inner(one)) <= set(outer(other)) for one, other in pairs) / len(inner_rows)


@dataclass(frozen=True, eq=False, repr=False)
class _Staying:
    """Decides column by column which stay, so that no two are left out for each other."""

    columns: Mapping[str, _Column]
    inside: Mapping[str, Sequence[str]]
    decided: dict[str, tuple[tuple[str, ...], float]] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set)

    def all(self) -> dict[str, tuple[tuple[str, ...], float]]:
        for name in self.inside:
            self._decide(name)
        return self.decided

    def _decide(self, name: str) -> None:
        self.asked.add(name)
        stay = []
        for other in self.inside[name]:
            if other not in self.asked and self._yields(name, other):
                self._decide(other)
            if other in self.decided and self.decided[other][1] < COVERED:
                stay += [other] if self._yields(name, other) else []
        self.decided[name] = tuple(stay), self._covered(name, stay)

    def _yields(self, name: str, other: str) -> bool:
        """Of two columns that contain each other, the fuller stays, or else the first."""
        if name not in self.inside.get(other, ()):
            return True
        mine, its = self.columns[name], self.columns[other]
        return (mine.filled.sum(), -mine.place) < (its.filled.sum(), -its.place)

    def _covered(self, name: str, others: Sequence[str]) -> float:
        """Return the share of a column's words that others have, in records where it is filled."""
        if not others:
            return 0.0
        column = self.columns[name]
        had = held = 0
        for row in np.flatnonzero(column.filled)[:_MOST_RECORDS].tolist():
            elsewhere = {word for other in others for word in self.columns[other].words(row)}
            words = column.words(row)
            had += len(words)
            held += sum(word in elsewhere for word in words)
        return held / had
