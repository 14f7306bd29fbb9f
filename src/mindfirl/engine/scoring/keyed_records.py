"""Records by the keys of their values: how many pairs a rule of keys makes, before it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.errors import SettingError, or_list
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import Schema
from mindfirl.engine.scoring.blocking import (
    Blocking,
    Rule,
    groups_of_both,
    pairs_that_share,
    shared_groups,
)
from mindfirl.engine.scoring.keys import Codes, Key, blocking_keys, key_codes, value_codes
from mindfirl.engine.scoring.normal_forms import comparable_column


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KeyedRecords:
    """The columns of all records as they are compared, and the number of each record's database.

    ``across`` says whether only pairs across databases count.
    """

    schema: Schema
    columns: Sequence[pa.ChunkedArray]
    parts: Codes
    across: bool

    @property
    def keys(self) -> dict[str, Key]:
        return blocking_keys(self.schema)

    def coded(self) -> dict[str, CleanColumn]:
        """Return the codes of all whole values, without the values: enough to count pairs."""
        names = self.schema.names
        return {
            name: CleanColumn([], value_codes(column))
            for name, column in zip(names, self.columns, strict=True)
        }

    def codes_of(self, key: Key) -> Codes:
        """Return the numbers of a key's values, 0 where there is none."""
        return key_codes(self.columns[key.place], key.part)

    def counted(self, rules: Sequence[Rule]) -> Blocking:
        return Blocking(tuple(rules), tuple(map(self._count, rules)))

    def _count(self, rule: Rule) -> int:
        exchanged = exchanges_of(self.schema).get(rule)
        if exchanged:
            return self._exchanged(*exchanged)
        keys = self.keys
        groups = shared_groups(self.codes_of(keys[rule[0]]))
        for name in rule[1:]:
            groups = groups_of_both(groups, shared_groups(self.codes_of(keys[name])))
        return pairs_that_share(groups, self.parts, across=self.across)

    def made_by(self, rules: Sequence[Rule], left: Codes, right: Codes) -> NDArray[np.bool_]:
        """Say which pairs of records any of the rules makes."""
        made: NDArray[np.bool_] = self.times_made(rules, left, right) > 0
        return made

    def times_made(self, rules: Sequence[Rule], left: Codes, right: Codes) -> NDArray[np.int64]:
        """Count for each pair of records how many of the rules make it."""
        times = np.zeros(len(left), dtype=np.int64)
        for rule in rules:
            exchanged = exchanges_of(self.schema).get(rule)
            if exchanged:
                first, second = self._both_codes(*exchanged)
                times += _equal(first[left], second[right]) & _equal(second[left], first[right])
                continue
            codes = (self.codes_of(self.keys[name]) for name in rule)
            times += np.logical_and.reduce([_equal(each[left], each[right]) for each in codes])
        return times

    def _both_codes(self, one: int, other: int) -> tuple[Codes, Codes]:
        """Return the numbers of the values of two attributes; equal values have one number."""
        both = pa.chunked_array([*self.columns[one].chunks, *self.columns[other].chunks])
        first, second = np.split(value_codes(both), 2)
        return first, second

    def _exchanged(self, one: int, other: int) -> int:
        """Count the pairs in which the values of two attributes are exchanged."""
        first, second = self._both_codes(one, other)
        filled = np.flatnonzero((first > 0) & (second > 0))
        first, second, parts = first[filled], second[filled], self.parts[filled]
        size = int(max(first.max(initial=0), second.max(initial=0))) + 1
        ahead, back = first * size + second, second * size + first
        with_itself = int((first == second).sum())
        every = _meeting(ahead, back) - with_itself
        if self.across:
            databases = int(self.parts.max(initial=0)) + 1
            inside = _meeting(ahead * databases + parts, back * databases + parts)
            every -= inside - with_itself
        return every // 2


def comparable_records(
    identities: Sequence[pa.Table], schema: Schema, *, across: bool
) -> KeyedRecords:
    """Put the records of all databases below each other, as they are compared."""
    columns = [
        pa.chunked_array(
            [
                chunk
                for table in identities
                for chunk in comparable_column(table.column(each.name), each).chunks
            ],
            pa.string(),
        )
        for each in schema.attributes
    ]
    sizes = [table.num_rows for table in identities]
    return KeyedRecords(schema, columns, np.repeat(np.arange(len(sizes)), sizes), across)


def _equal(ones: Codes, others: Codes) -> NDArray[np.bool_]:
    """Say where two values are the same, and not missing."""
    same: NDArray[np.bool_] = (ones == others) & (ones > 0)
    return same


def _meeting(ones: Codes, others: Codes) -> int:
    """Count the pairs of one of these and one of those that are equal."""
    numbers = np.unique(np.concatenate((ones, others)), return_inverse=True)[1]
    size = int(numbers.max(initial=0)) + 1
    by_number = (np.bincount(each, minlength=size) for each in np.split(numbers, 2))
    return int(np.multiply(*by_number).sum())


def exchanges_of(schema: Schema) -> dict[Rule, tuple[int, int]]:
    """Return the rules that two attributes are exchanged, with their places."""
    names = schema.names
    return {
        (f"{names[one]} exchanged with {names[other]}",): (one, other)
        for one, other in schema.swaps
    }


def read_rule(text: str, schema: Schema) -> Rule:
    """Read a rule that somebody wrote: keys, with a plus sign between them."""
    keys = blocking_keys(schema)
    rule = tuple(sorted({name.strip() for name in text.split("+")}))
    if not keys.keys() >= set(rule):
        raise SettingError(
            f"A rule names {or_list(keys)}, or several of these with + between them."
        )
    return rule
