"""Attributes that are made of several columns."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.values.composed import composed_date, rest_of
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.attribute_cells import attribute_values

SCHEMA = """
latest_year = 2026
missing = ["unbekannt"]

[[attribute]]
name = "born"
kind = "date"
column = { a = ["y", "m", "d"] }

[[attribute]]
name = "address"
kind = "string"
without = ["town", "born"]

[[attribute]]
name = "town"
kind = "string"
"""
PARTS = st.sampled_from(["", "1976", "76", "7", "07", "4.0", "99", "unbekannt", "x"])
TEXTS = st.sampled_from(["", "Elm 7", "Elm 7, Oslo", "OSLO", "Oslo Elm 1976", "1976 4"])
RECORDS = st.lists(st.tuples(PARTS, PARTS, PARTS, TEXTS, TEXTS), min_size=1, max_size=12)


def values(name: str, columns: dict[str, list[str]], database: str = "a") -> list[object]:
    table = pa.table({key: pa.array(each, pa.string()) for key, each in columns.items()})
    raw = attribute_values(table.column, parse_schema(SCHEMA, "s"), name, database)
    return [raw.distinct[code] for code in raw.codes.tolist()]


@given(RECORDS)
def test_each_record_is_composed_by_itself(records: list[tuple[str, ...]]) -> None:
    names = ("y", "m", "d", "address", "town")
    columns = dict(zip(names, map(list, zip(*records, strict=True)), strict=True))
    known = {"UNBEKANNT"}
    assert values("born", columns) == [
        composed_date(record[:3], latest_year=2026, missing=known) for record in records
    ]
    assert values("address", columns) == [
        rest_of(record[3], [record[4], *record[:3]]) for record in records
    ]
    assert values("town", columns) == [record[4] for record in records]


def test_a_database_with_one_column_for_the_date_is_read_from_it() -> None:
    assert values("born", {"born": ["1976-07-04"]}, "b") == ["1976-07-04"]
