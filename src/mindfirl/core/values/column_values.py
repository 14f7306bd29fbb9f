"""A column of all records: its distinct values, and which one each record has."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import DataError
from mindfirl.core.small_counts import ENOUGH, coarse_count

Rule = Literal[
    "empty",
    "placeholder",
    "unreadable",
    "impossible date",
    "two-digit year",
    "date form",
    "normal form",
    "spaces",
    "case",
]
"""What was found when a value was cleaned: why it is missing, odd, or written otherwise."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RawColumn:
    """A column as it comes: raw values, each once or oftener, and which one each record has."""

    distinct: Sequence[object]
    codes: NDArray[Any]


@dataclass(frozen=True, slots=True)
class ColumnFinding:
    """How many records a rule was applied to, and the first of their rows, counted from 1."""

    rule: Rule
    count: int
    rows: tuple[int, ...]

    @property
    def coarse_words(self) -> str:
        """What was found; of a few records, neither their number nor their rows."""
        if self.count < ENOUGH:
            return f"{coarse_count(self.count)} {_WORDS[self.rule]}"
        return self.words

    @property
    def words(self) -> str:
        """What was found: how often, and for what may need a look, in which rows."""
        said = f"{self.count:,} {_WORDS[self.rule]}"
        if self.rule not in _TO_LOOK_AT or not self.rows:
            return said
        more = ", …" if self.count > len(self.rows) else ""
        return f"{said} (rows {', '.join(map(str, self.rows))}{more})"


@dataclass(frozen=True, slots=True)
class CellCounts:
    """How many cells of a column are filled, and how many of these cannot be read as its kind."""

    filled: int
    unreadable: int

    @property
    def doubtful(self) -> bool:
        """Whether so many are unreadable that the kind, or the order of dates, may be wrong."""
        return self.unreadable > self.filled * _DOUBTFUL


_DOUBTFUL: Final = 1 / 5


def cell_counts(findings: Iterable[ColumnFinding], rows: int) -> CellCounts:
    """Count cells by what was found in them; an impossible date was not read as one."""
    counts = {each.rule: each.count for each in findings}
    filled = rows - counts.get("empty", 0) - counts.get("placeholder", 0)
    return CellCounts(filled, counts.get("unreadable", 0) + counts.get("impossible date", 0))


_WORDS: Final[dict[Rule, str]] = {
    "empty": "empty",
    "placeholder": "read as missing; not_missing in a schema keeps them",
    "unreadable": "unreadable, read as missing",
    "impossible date": "impossible dates, kept as digits",
    "two-digit year": "years of two digits",
    "date form": "dates rewritten",
    "normal form": "with letters recomposed",
    "spaces": "with spaces folded",
    "case": "converted to capitals",
}
_TO_LOOK_AT: Final = ("placeholder", "unreadable", "impossible date", "two-digit year")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CleanColumn:
    """A column of canonical values, each once; code 0 is the missing value, the empty text."""

    values: list[str]
    codes: NDArray[Any]
    findings: tuple[ColumnFinding, ...] = ()


def concatenate_columns(columns: Sequence[CleanColumn]) -> CleanColumn:
    """Put clean columns, at least one, below each other, equal values under one code.

    The findings are not joined: their rows are those of each column by itself.
    """
    first, *others = columns
    known = dict(zip(first.values, range(len(first.values)), strict=True))
    codes = [first.codes]
    for column in others:
        own = [known.setdefault(value, len(known)) for value in column.values]
        codes.append(np.array(own, dtype=np.int64)[column.codes])
    return CleanColumn(list(known), np.concatenate(codes))


def raw_columns(
    names: Sequence[str], records: Iterable[Mapping[str, object]]
) -> dict[str, RawColumn]:
    """Turn records, one mapping each, into raw columns."""
    columns: dict[str, tuple[list[object], dict[str, int], list[int]]] = {
        name: ([], {}, []) for name in names
    }
    if isinstance(records, Mapping) or not isinstance(records, Iterable):
        rule = "the records are neither mappings, one a record, nor a data frame."
        raise DataError(rule, "Give [{attribute: value, …}, …]; collect a lazy frame first.")
    for row, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise DataError("the record is not a mapping.", "Give {attribute: value, …}.", row=row)
        for name, (distinct, texts, codes) in columns.items():
            if name not in record:
                raise DataError(
                    "the record lacks this attribute.",
                    "Give it, as None where it is unknown.",
                    row=row,
                    column=name,
                )
            value = record[name]
            code = texts.setdefault(value, len(distinct)) if type(value) is str else len(distinct)
            if code == len(distinct):
                distinct.append(value)
            codes.append(code)
    return {
        name: RawColumn(distinct, np.array(codes, dtype=np.int64))
        for name, (distinct, _, codes) in columns.items()
    }
