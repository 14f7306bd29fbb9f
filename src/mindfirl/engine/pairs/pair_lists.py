"""Lists of pairs, and true pairs: columns ``left`` and ``right`` name a record each.

By its id, or by its row number from 1 where the schema has no id column. Of two databases ``left``
is in the first and ``right`` in the second, unless ``left_database`` and ``right_database`` differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.errors import DataError, or_list
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import Pair
from mindfirl.engine.pairs.candidates import Keys, Positions, pair_keys
from mindfirl.engine.pairs.record_ids import RecordIds, check_two_records, find_groups, find_records
from mindfirl.engine.reading.open_source import open_table, read_table, take_column
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.indexed_databases import LoadedDatabase, column_texts

_SIDES: Final = ("left", "right")
_MEND: Final = "Name the columns of the list of pairs left and right."

_Positions = Mapping[str, Mapping[str, int]]


def read_pairs(
    path: Path, index: PopulationIndex, databases: Sequence[LoadedDatabase], schema: SchemaFile
) -> list[Pair]:
    """Find the records that a list of pairs names; refuse a pair that stands twice."""
    table = read_table(path)
    known = {database.name: _positions(database, schema) for database in databases}
    named = [list(_named(table, side, list(known), path)) for side in _SIDES]
    if not named[0]:
        raise DataError("it has no pairs.", "Give at least one.", file=path.name)
    what = "row number" if schema.record_id is None else "id"
    rows: dict[frozenset[int], int] = {}
    pairs = []
    for row, ends in enumerate(zip(*named, strict=True), start=1):
        left, right = (
            _position(known, end, side, what, row=row, file=path.name)
            for side, end in zip(_SIDES, ends, strict=True)
        )
        earlier = rows.setdefault(frozenset((left, right)), row)
        if left == right or earlier != row:
            same = "both sides name the same record."
            rule = same if left == right else f"the pair is already in row {earlier}."
            raise DataError(rule, "Remove the row.", file=path.name, row=row)
        pairs.append(index.pair(left, right))
    return pairs


def _position(
    known: _Positions, end: tuple[str, str], side: str, what: str, *, row: int, file: str
) -> int:
    database, record = end
    if database not in known:
        mend = f"Name the file without its ending: {or_list(known)}."
        column = f"{side}_database"
        raise DataError("this database does not exist.", mend, file=file, row=row, column=column)
    found = known[database].get(record)
    if found is None:
        rule = f"{database} has no record with this {what}."
        mend = "Check it. The columns left_database and right_database name the database."
        raise DataError(rule, mend, file=file, row=row, column=side)
    return found


def _named(
    table: pa.Table, side: str, databases: Sequence[str], path: Path
) -> Iterator[tuple[str, str]]:
    records = _texts(table, side, path)
    column = f"{side}_database"
    if column in table.column_names:
        return zip(_texts(table, column, path), records, strict=True)
    if len(databases) > len(_SIDES):
        rule = "with more than two databases, pairs must name their databases."
        raise DataError(rule, "Add this column.", file=path.name, column=column)
    home = databases[min(_SIDES.index(side), len(databases) - 1)]
    return ((home, record) for record in records)


def _texts(table: pa.Table, column: str, path: Path) -> list[str]:
    cells = take_column(table, column, file=path.name, mend=_MEND)
    return column_texts(cells, path.name, column)


def _positions(database: LoadedDatabase, schema: SchemaFile) -> dict[str, int]:
    column = schema.id_column(database.name)
    if column is None:
        return {str(row + 1): database.first + row for row in range(database.size)}
    positions: dict[str, int] = {}
    for row, record in enumerate(database.texts(column), start=1):
        if not record or record in positions:
            rule = "the record id is empty."
            if record:
                rule = f"the record id stands in row {positions[record] - database.first + 1} too."
            mend = "Give every record an id of its own."
            raise DataError(rule, mend, file=database.path.name, row=row, column=column)
        positions[record] = database.first + row - 1
    return positions


def read_truth(
    path: Path, records: RecordIds, *, within: bool = True, name: str | None = None
) -> Keys:
    """Read the columns left and right, or id and person, and return the keys of all true pairs.

    Columns left_database and right_database, or database, name the databases where ids alone do
    not tell. Pairs within one database do not count unless they are looked for. ``name`` is what
    the file was called.
    """
    source = open_table(str(path), name=name)
    if {"left", "right"} <= set(source.columns):
        left, right = _true_pairs(source, records)
    elif {"id", "person"} <= set(source.columns):
        left, right = _persons(source, records)
    else:
        mend = "Name its columns left and right, or id and person."
        raise DataError("these are neither pairs nor persons.", mend, file=source.name, row=0)
    if not within:
        across = records.databases_of(left) != records.databases_of(right)
        left, right = left[across], right[across]
    if not len(left):
        raise DataError("it has no true pairs.", "Give at least one.", file=source.name)
    return np.sort(pair_keys(left, right))


def _true_pairs(source: TableSource, records: RecordIds) -> tuple[Positions, Positions]:
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
