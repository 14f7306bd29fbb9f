"""What became of the records of an earlier version: unchanged, changed, new or gone.

A record is found again by its ID, or where a database has none by equal canonical values. A
decision stands where both records of its pair are unchanged in every attribute that is compared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.values.column_values import CleanColumn

Positions = NDArray[np.int64]
Flags = NDArray[np.bool_]
PairKey = tuple[int, int]
Columns = Mapping[str, CleanColumn]

NOWHERE: Final = -1
"""In place of a position: the record was not there, or is no more."""

Fate = Literal["stands", "again", "void"]
"""What becomes of a decision: it stands, is asked again, or a record of its pair is gone."""


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """How many records there are of each kind."""

    unchanged: int = 0
    changed: int = 0
    new: int = 0
    gone: int = 0

    @property
    def found(self) -> int:
        """How many records of the earlier version are still there."""
        return self.unchanged + self.changed

    def __add__(self, other: RecordCounts) -> RecordCounts:
        return RecordCounts(
            self.unchanged + other.unchanged,
            self.changed + other.changed,
            self.new + other.new,
            self.gone + other.gone,
        )


@dataclass(frozen=True, eq=False)
class Lineage:
    """Where each record stood in an earlier version, and which of its attributes changed.

    ``changed`` has a row for each record and a column for each attribute; a record that was not
    there changed in nothing. ``earlier`` is the number of records of the earlier version.
    """

    before: Positions
    changed: Flags
    earlier: int

    @cached_property
    def unchanged(self) -> Flags:
        """Flag the records that are as they were."""
        flags: Flags = (self.before != NOWHERE) & ~self.changed.any(axis=1)
        return flags

    @cached_property
    def after(self) -> Positions:
        """Return where each record of the earlier version stands now."""
        found = np.full(self.earlier, NOWHERE, dtype=np.int64)
        known = np.flatnonzero(self.before != NOWHERE)
        found[self.before[known]] = known
        return found

    @property
    def counts(self) -> RecordCounts:
        """Count the records of each kind."""
        found, unchanged = int((self.before != NOWHERE).sum()), int(self.unchanged.sum())
        return RecordCounts(
            unchanged=unchanged,
            changed=found - unchanged,
            new=len(self.before) - found,
            gone=self.earlier - found,
        )

    def fate(self, pair: PairKey) -> tuple[Fate, PairKey]:
        """Say what becomes of a decision, and where its pair stands now, the first record first."""
        left, right = (int(self.after[record]) for record in pair)
        now = (min(left, right), max(left, right))
        if NOWHERE in now:
            return "void", now
        return ("stands" if self.unchanged[left] and self.unchanged[right] else "again"), now

    def through(self, older: Lineage) -> Lineage:
        """Return the lineage from the version before the earlier one; a change stays a change.

        Both have the same attributes, in one order.
        """
        known = self.before != NOWHERE
        before = np.full(len(self.before), NOWHERE, dtype=np.int64)
        before[known] = older.before[self.before[known]]
        changed = self.changed.copy()
        changed[known] |= older.changed[self.before[known]]
        changed[before == NOWHERE] = False
        return Lineage(before, changed, older.earlier)


def match_by_values(old: Columns, new: Columns) -> Positions:
    """Find each record among earlier ones with equal values; of several alike, each once."""
    shared = [name for name in new if name in old]
    sizes = [_size(old), _size(new)]
    if not shared:
        return np.full(sizes[1], NOWHERE, dtype=np.int64)
    keys = np.zeros(sum(sizes), dtype=np.int64)
    for name in shared:
        codes = np.concatenate([old[name].codes, _codes_in(old[name], new[name])[new[name].codes]])
        keys = np.unique(keys * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    earlier, later = (_nth_of_its_kind(each) for each in (keys[: sizes[0]], keys[sizes[0] :]))
    return _positions_of(later, earlier)


def _nth_of_its_kind(keys: Positions) -> Positions:
    """Tell equal keys apart: the first of each kind, the second, and so on."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    rank = np.empty(len(keys), dtype=np.int64)
    rank[order] = np.arange(len(keys)) - np.searchsorted(ordered, ordered)
    return rank * _MOST_KINDS + keys


_MOST_KINDS: Final = 1 << 40
"""More kinds of records than anybody has."""


def _positions_of(wanted: Positions, among: Positions) -> Positions:
    if not len(among):
        return np.full(len(wanted), NOWHERE, dtype=np.int64)
    order = np.argsort(among)
    places = np.searchsorted(among, wanted, sorter=order).clip(max=len(among) - 1)
    found = order[places]
    return np.where(among[found] == wanted, found, NOWHERE)


def _codes_in(old: CleanColumn, new: CleanColumn) -> NDArray[Any]:
    """Return the old code of every new value; of one that is new, a further code."""
    known = dict(zip(old.values, range(len(old.values)), strict=True))
    return np.array([known.setdefault(value, len(known)) for value in new.values], dtype=np.int64)


def _size(columns: Columns) -> int:
    return len(next(iter(columns.values())).codes)


def stacked(parts: Sequence[tuple[Lineage, int]], attributes: int, earlier: int) -> Lineage:
    """Put databases below each other; each comes with the position at which it began before."""
    before = [
        np.where(each.before == NOWHERE, NOWHERE, each.before + first) for each, first in parts
    ]
    changed = [each.changed for each, _ in parts] or [np.zeros((0, attributes), dtype=np.bool_)]
    return Lineage(np.concatenate(before), np.concatenate(changed), earlier)


def same_records(records: int, attributes: int) -> Lineage:
    """Return the lineage of a database that stayed."""
    return Lineage(
        np.arange(records, dtype=np.int64),
        np.zeros((records, attributes), dtype=np.bool_),
        records,
    )


def new_records(records: int, attributes: int) -> Lineage:
    """Return the lineage of a database that was not there before."""
    return Lineage(
        np.full(records, NOWHERE, dtype=np.int64),
        np.zeros((records, attributes), dtype=np.bool_),
        0,
    )
