"""Rows that name records: the positions they mean, or an error that names the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, or_list
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.pairs.pair_sets import count_within, pair_keys, pairs_within, stands_before
from mindfirl.engine.pairs.record_ids import NO_DATABASE, NO_RECORD, SEVERAL, RecordIds

MOST_PAIRS: Final = 100_000_000
_NAMED_ROWS: Final = 10


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """The record of each row, and the rows of all pairs that groups make."""

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
    refuse(found == NO_DATABASE, "there is no such database", mend, file=file, column=databases)
    where = f" among the records of {default}" if default is not None and homes is None else ""
    mend = "Check the ids, and which database they are looked up in."
    refuse(found == NO_RECORD, f"there is no such id{where}", mend, file=file, column=column)
    mend = "Say which is meant, in a column of names of databases."
    refuse(found == SEVERAL, "several databases have this id", mend, file=file, column=column)
    return found


def check_two_records(left: Positions, right: Positions, *, file: str) -> None:
    """Refuse a record paired with itself, and a pair that stands twice, either way round."""
    refuse(left == right, "both sides name the same record", "Remove the row.", file=file)
    again = stands_before(pair_keys(left, right))
    refuse(again, "the pair stands in an earlier row already", "Remove the row.", file=file)


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
    refuse(again, "the record stands in an earlier row already", mend, file=file, column=column)
    names = pc.utf8_trim_whitespace(table.column(group)).combine_chunks()
    filled = pc.fill_null(pc.not_equal(names, ""), fill_value=False)
    rows = np.flatnonzero(filled.to_numpy(zero_copy_only=False))
    codes = names.filter(filled).dictionary_encode().indices.to_numpy().astype(np.int64)
    if (total := count_within(codes)) > MOST_PAIRS:
        rule = f"the groups make {total:,} pairs, more than {MOST_PAIRS:,}."
        raise DataError(rule, "Split the largest groups.", file=file, column=group)
    one, other = pairs_within(codes)
    return Grouped(found, rows[one], rows[other])
