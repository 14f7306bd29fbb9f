"""What was shown of the records of a version, frozen: all that is kept when its index is deleted.

A row keeps how long the values of its record are, which positions it shows, and counts of records.
There is no value in it, and none of whom its k counts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import lcm
from typing import Any, Final

import pyarrow as pa

from mindfirl.core.risk.attackers import FrozenSighting
from mindfirl.core.risk.kapr import Risk
from mindfirl.core.values.schema import MASKED

_METADATA: Final = b"mindfirl frozen rows"


@dataclass(frozen=True, slots=True)
class FrozenRow:
    """A record as one row of an assignment showed it when its version was frozen.

    ``lengths``, ``partial`` (the characters shown at the level partial), ``levels`` and ``shown``
    (positions) have an entry for each attribute. ``k`` and ``strict_k`` are of this row alone; the
    others are k∪ of its record: by the published rules over the rows of its person and over all,
    and over all by the accounting of the assignments.
    """

    assignment: str
    pair: int
    row: int
    record: int
    lengths: tuple[int, ...]
    partial: tuple[int, ...]
    levels: tuple[int, ...]
    shown: tuple[tuple[int, ...], ...]
    k: int
    strict_k: int
    own_k: int
    together_k: int
    accounted_k: int

    @property
    def opened(self) -> bool:
        return any(level != MASKED for level in self.levels)

    @property
    def risks(self) -> tuple[Risk, Risk]:
        """The risk of the row by the published rules, and by the strict ones."""
        scale = lcm(*(length or 1 for length in self.lengths))
        counted = zip(self.shown, self.lengths, strict=True)
        total = sum(len(places) * scale // length for places, length in counted if length)
        return Risk(total, scale, self.k), Risk(total, scale, self.strict_k)

    def sighting(
        self, version: int, outdated: frozenset[str], names: Sequence[str], *, accounted: bool
    ) -> FrozenSighting:
        """Return the row as it counts: by the accounting of assignments, or as reports count."""
        shown = {name: frozenset(each) for name, each in zip(names, self.shown, strict=True)}
        lengths = dict(zip(names, self.lengths, strict=True))
        k = self.accounted_k if accounted else self.together_k
        return FrozenSighting(version, shown, lengths, k, self.own_k, outdated)


_COLUMNS: Final = pa.schema(
    [
        ("assignment", pa.string()),
        ("pair", pa.int64()),
        ("row", pa.int8()),
        ("record", pa.int64()),
        *((name, pa.list_(pa.int64())) for name in ("lengths", "partial", "levels")),
        ("shown", pa.list_(pa.list_(pa.int64()))),
        *((name, pa.int64()) for name in ("k", "strict_k", "own_k", "together_k", "accounted_k")),
    ]
)


@dataclass(frozen=True, eq=False)
class FrozenRows:
    """All rows of a version; and by assignment the pairs whose comments are not passed on."""

    rows: tuple[FrozenRow, ...]
    set_aside: Mapping[str, frozenset[int]]

    @cached_property
    def of_record(self) -> Mapping[int, Sequence[FrozenRow]]:
        found: defaultdict[int, list[FrozenRow]] = defaultdict(list)
        for each in self.rows:
            found[each.record].append(each)
        return dict(found)

    @cached_property
    def of_pair(self) -> Mapping[tuple[str, int], tuple[FrozenRow, FrozenRow]]:
        """The two rows of each pair of an assignment, by its number."""
        known = {(each.assignment, each.pair, each.row): each for each in self.rows}
        return {
            (name, pair): (known[name, pair, 0], known[name, pair, 1]) for name, pair, _ in known
        }


def frozen_table(frozen: FrozenRows) -> pa.Table:
    names = [each.name for each in fields(FrozenRow)]
    rows = [{name: getattr(each, name) for name in names} for each in frozen.rows]
    aside = {name: sorted(numbers) for name, numbers in frozen.set_aside.items()}
    table = pa.Table.from_pylist(rows, schema=_COLUMNS)
    return table.replace_schema_metadata({_METADATA: json.dumps(aside).encode()})


def read_frozen(table: pa.Table) -> FrozenRows:
    aside = json.loads(table.schema.metadata[_METADATA])
    rows = tuple(FrozenRow(**{name: _tuples(each[name]) for name in each}) for each in _rows(table))
    return FrozenRows(rows, {name: frozenset(numbers) for name, numbers in aside.items()})


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def _tuples(value: Any) -> Any:  # noqa: ANN401  # what a cell holds
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
