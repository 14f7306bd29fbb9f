"""True pairs from a file: the pairs themselves, or the person of each record."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.pairs.named_records import check_two_records, find_groups, find_records
from mindfirl.engine.pairs.pair_sets import Keys, pair_keys
from mindfirl.engine.pairs.record_ids import RecordIds
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.reading.source import TableSource


def read_truth(path: Path, records: RecordIds, *, within: bool = True) -> Keys:
    """Read the columns left and right, or id and person, and return the keys of all true pairs.

    Columns left_database and right_database, or database, name the databases where ids alone do
    not tell. Pairs within one database do not count unless they are looked for.
    """
    source = open_table(str(path))
    if {"left", "right"} <= set(source.columns):
        left, right = _pairs(source, records)
    elif {"id", "person"} <= set(source.columns):
        left, right = _persons(source, records)
    else:
        mend = "Name its columns left and right, or id and person."
        raise DataError("these are neither pairs nor persons.", mend, file=source.name, row=0)
    if not within:
        across = records.databases_of(left) != records.databases_of(right)
        left, right = left[across], right[across]
    if not len(left):
        raise DataError("there is no true pair in it.", "Give at least one.", file=source.name)
    return np.sort(pair_keys(left, right))


def _pairs(source: TableSource, records: RecordIds) -> tuple[Positions, Positions]:
    homes = [name for name in ("left_database", "right_database") if name in source.columns]
    table = source.table(["left", "right", *homes])
    left, right = (
        find_records(
            table,
            side,
            records,
            databases=f"{side}_database" if f"{side}_database" in homes else None,
            default=records.home(number),
            file=source.name,
        )
        for number, side in enumerate(("left", "right"))
    )
    check_two_records(left, right, file=source.name)
    return left, right


def _persons(source: TableSource, records: RecordIds) -> tuple[Positions, Positions]:
    home = "database" if "database" in source.columns else None
    table = source.table(["id", "person", *([home] if home else [])])
    found = find_groups(table, "id", "person", records, databases=home, file=source.name)
    return found.positions[found.one], found.positions[found.other]
