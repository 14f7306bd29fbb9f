"""The records' own ids: the positions that they stand for, and rows of a file that name them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.pairs.candidates import (
    Positions,
    count_within,
    pair_keys,
    pairs_within,
    stands_before,
)
from mindfirl.engine.separation.separate import RECORD

NO_RECORD: Final = -1
NO_DATABASE: Final = -2
SEVERAL: Final = -3
"""In place of a position: no such id, no such database, the same id in several databases."""

_SIDES: Final = 2


def alone(databases: Iterable[tuple[int, bool]]) -> Positions:
    """Return each record's database if that knows everybody once, else -1, from sizes and flags."""
    parts = [
        np.full(size, number if once else -1, dtype=np.int64)
        for number, (size, once) in enumerate(databases)
    ]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False, repr=False)
class RecordIds:
    ids: Mapping[str, pa.Array]

    @classmethod
    def of(cls, identities: Mapping[str, pa.Table]) -> RecordIds:
        return cls({name: _array(table.column(RECORD)) for name, table in identities.items()})

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.ids)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        return np.array([0, *accumulate(map(len, self.ids.values()))][:-1], dtype=np.int64)

    def home(self, side: int) -> str | None:
        """Return the database of left (0) or right (1) records that name none; of three, none."""
        if len(self.names) > _SIDES:
            return None
        return self.names[min(side, len(self.names) - 1)]

    def databases_of(self, positions: Positions) -> NDArray[np.int64]:
        return np.searchsorted(self.starts, positions, side="right") - 1

    def alone(self, without_duplicates: Collection[str]) -> Positions:
        """Return the number of each record's database if that knows everybody once, else -1."""
        once = [(len(ids), name in without_duplicates) for name, ids in self.ids.items()]
        return alone(once)

    def position(self, database: str | None, record: str) -> int | None:
        """Return the position of one record, if there is exactly one of this id."""
        found = int(self.positions(pa.array([record]), default=database)[0])
        return found if found >= 0 else None

    def positions(
        self,
        ids: pa.Array | pa.ChunkedArray,
        databases: pa.Array | pa.ChunkedArray | None = None,
        *,
        default: str | None = None,
    ) -> Positions:
        """Find records by id: in the databases beside them, in the default, or anywhere."""
        ids = pc.utf8_trim_whitespace(_array(ids))
        if databases is None:
            return self._anywhere(ids) if default is None else self._in(ids, default)
        homes = pc.utf8_trim_whitespace(_array(databases))
        found = np.full(len(ids), NO_DATABASE, dtype=np.int64)
        for name in self.names:
            here = pc.is_in(homes, value_set=pa.array([name]))
            found[here.to_numpy(zero_copy_only=False)] = self._in(ids.filter(here), name)
        return found

    def _in(self, ids: pa.Array, database: str) -> Positions:
        if database not in self.ids:
            return np.full(len(ids), NO_DATABASE, dtype=np.int64)
        rows = pc.index_in(ids, value_set=self.ids[database]).fill_null(NO_RECORD).to_numpy()
        start = self.starts[self.names.index(database)]
        return np.where(rows >= 0, rows + start, NO_RECORD)

    def _anywhere(self, ids: pa.Array) -> Positions:
        """Find records among all, where no other has the same id."""
        found = np.full(len(ids), NO_RECORD, dtype=np.int64)
        for name in self.names:
            here = self._in(ids, name)
            both = (here >= 0) & (found != NO_RECORD)
            found = np.where(here >= 0, here, found)
            found[both] = SEVERAL
        return found


def _array(cells: pa.Array | pa.ChunkedArray) -> pa.Array:
    whole = cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
    return whole.cast(pa.string())


MOST_PAIRS: Final = 100_000_000
_NAMED_ROWS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    positions: Positions
    one: Positions
    other: Positions


def refuse(
    wrong: NDArray[Any], rule: str, mend: str, *, file: str, column: str | None = None
) -> None:
    """Raise an error if any row is wrong; name the first ten, and say how many there are."""
    rows = (np.flatnonzero(wrong) + 1).tolist()
    if not rows:
        return
    others = ", ".join(map(str, rows[1:_NAMED_ROWS]))
    more = f" and {len(rows) - _NAMED_ROWS:,} more" if len(rows) > _NAMED_ROWS else ""
    said = f"; so it is in row {others}{more}." if others else "."
    raise DataError(rule + said, mend, file=file, row=rows[0], column=column)


def find_records(
    table: pa.Table,
    column: str,
    records: RecordIds,
    *,
    databases: str | None,
    default: str | None,
    file: str,
) -> Positions:
    homes = None if databases is None else table.column(databases)
    found = records.positions(table.column(column), homes, default=default)
    mend = f"Use the names of the databases: {or_list(records.names)}."
    refuse(found == NO_DATABASE, "this database does not exist", mend, file=file, column=databases)
    where = f" among the records of {default}" if default is not None and homes is None else ""
    mend = "Check the IDs, and in which database they are looked up."
    refuse(found == NO_RECORD, f"there is no such id{where}", mend, file=file, column=column)
    mend = "Name the database in a column."
    refuse(found == SEVERAL, "several databases have this id", mend, file=file, column=column)
    return found


def check_two_records(left: Positions, right: Positions, *, file: str) -> None:
    """Refuse a record paired with itself, and a pair that stands twice, either way round."""
    refuse(left == right, "both sides name the same record", "Remove the row.", file=file)
    again = stands_before(pair_keys(left, right))
    refuse(again, "the pair is already in an earlier row", "Remove the row.", file=file)


def find_groups(
    table: pa.Table,
    column: str,
    group: str,
    records: RecordIds,
    *,
    databases: str | None,
    file: str,
) -> Grouped:
    """Find the records that a column names, and pair all of one group; without one it is alone."""
    default = records.names[0] if len(records.names) == 1 else None
    found = find_records(table, column, records, databases=databases, default=default, file=file)
    again, mend = stands_before(found.astype(np.uint64)), "Put every record into one group."
    refuse(again, "the record is already in an earlier row", mend, file=file, column=column)
    names = pc.utf8_trim_whitespace(table.column(group)).combine_chunks()
    filled = pc.fill_null(pc.not_equal(names, ""), fill_value=False)
    rows = np.flatnonzero(filled.to_numpy(zero_copy_only=False))
    codes = names.filter(filled).dictionary_encode().indices.to_numpy().astype(np.int64)
    if (total := count_within(codes)) > MOST_PAIRS:
        rule = f"the groups make {total:,} pairs, more than {MOST_PAIRS:,}."
        raise DataError(rule, "Split the largest groups.", file=file, column=group)
    one, other = pairs_within(codes)
    return Grouped(found, rows[one], rows[other])
