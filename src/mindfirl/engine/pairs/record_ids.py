"""The records' own ids, and the positions that they stand for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.separation.separate import RECORD

NO_RECORD: Final = -1
NO_DATABASE: Final = -2
SEVERAL: Final = -3
"""In place of a position: no such id, no such database, the same id in several databases."""

_SIDES: Final = 2


def alone(databases: Iterable[tuple[int, bool]]) -> Positions:
    """Return the number of each record's database if that knows everybody once, else -1.

    Of each database: how many records it has, and whether it knows everybody once.
    """
    parts = [
        np.full(size, number if once else -1, dtype=np.int64)
        for number, (size, once) in enumerate(databases)
    ]
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False, repr=False)
class RecordIds:
    """The ids of all records, database by database, in the order of their positions."""

    ids: Mapping[str, pa.Array]

    @classmethod
    def of(cls, identities: Mapping[str, pa.Table]) -> RecordIds:
        """Take the ids out of the identities of all databases, by name, in their order."""
        return cls({name: _array(table.column(RECORD)) for name, table in identities.items()})

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(self.ids)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each database begins among all records."""
        return np.array([0, *accumulate(map(len, self.ids.values()))][:-1], dtype=np.int64)

    def home(self, side: int) -> str | None:
        """Return the database of the left (0) or right (1) records of pairs that name none.

        With one database it is that one; of two, left is the first and right the second; of more,
        it is none: there an id must be unique among all records.
        """
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
        """Find records by id, in the databases that are named beside them, or in the default.

        With neither, an id must be unique among all records. What is not found is told by
        NO_RECORD, NO_DATABASE or SEVERAL.
        """
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
