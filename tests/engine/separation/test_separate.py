"""One database taken apart, and how its parts find each other."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import (
    IDENTITY,
    PSEUDONYM,
    RECORD,
    SENSITIVE,
    Separated,
    kept_columns,
    separate,
)

SCHEMA = """
record_id = "id"
case = "upper"

[[attribute]]
name = "last"
kind = "string"

[[attribute]]
name = "born"
kind = "date"

[[sensitive]]
name = "dx"

[[sensitive]]
name = "birth_year"
column = "born"
coarsen = "year"
"""
ROWS: dict[str, list[str | None]] = {
    "id": ["a1", " a2 ", "a3"],
    "last": ["Ann", None, "Bea"],
    "born": ["31/12/1950", "01/02/1960", "soon"],
    "dx": ["C50", None, " I10"],
    "address": ["North", "South", "East"],
}


def apart(text: str = SCHEMA, /, **cells: list[str | None]) -> Separated:
    """Take a table of two batches apart, in which some columns hold other cells."""
    table = pa.table({name: pa.array(each, pa.string()) for name, each in (ROWS | cells).items()})

    def reader(places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        yield from table.select(list(places)).to_batches(max_chunksize=2)

    source = TableSource("a.csv", tuple(table.column_names), reader)
    schema = parse_schema(text, "schema.toml")
    return separate(source, schema, "a", randomness=random.Random(1).randbytes)


def rejoined(found: Separated) -> dict[str, dict[str, Any]]:
    """Put together what belongs to one record, by its id."""
    identity = {row[PSEUDONYM]: row for row in found.identity.to_pylist()}
    sensitive = {row[PSEUDONYM]: row for row in found.sensitive.to_pylist()}
    return {
        identity[row[IDENTITY]][RECORD]: identity[row[IDENTITY]] | sensitive[row[SENSITIVE]]
        for row in found.joining.to_pylist()
    }


def test_both_sides_find_each_other_again() -> None:
    kept = {
        record: tuple(row[name] for name in ("last", "born", "dx", "birth_year"))
        for record, row in rejoined(apart()).items()
    }
    assert kept == {
        "a1": ("ANN", "1950-12-31", "C50", "1950"),
        "a2": (None, "1960-02-01", None, "1960"),
        "a3": ("BEA", None, " I10", None),
    }


def test_only_columns_with_a_role_are_there() -> None:
    found = apart()
    assert found.identity.column_names == [PSEUDONYM, RECORD, "last", "born"]
    assert found.sensitive.column_names == [PSEUDONYM, "dx", "birth_year"]
    assert found.joining.column_names == [IDENTITY, SENSITIVE]
    assert {name: each.date_order for name, each in found.attributes.items()} == (
        {"last": None, "born": "dmy"}
    )


def test_clean_columns_are_in_the_order_of_the_identities() -> None:
    found = apart()
    again = kept_columns(found.identity, ["last", "born"])
    for name, column in again.items():
        own = found.attributes[name].column
        texts = [[each.values[code] for code in each.codes] for each in (own, column)]
        assert texts[0] == texts[1] == [text or "" for text in found.identity[name].to_pylist()]


def test_without_an_id_row_numbers_serve() -> None:
    found = rejoined(apart(SCHEMA.replace('record_id = "id"', "")))
    assert {record: row["last"] for record, row in found.items()} == (
        {"1": "ANN", "2": None, "3": "BEA"}
    )


def test_text_may_be_larger_than_a_short_offset_counts() -> None:
    found = apart()
    types = [found.identity.schema.field(RECORD).type, *found.sensitive.schema.types[1:]]
    assert types == [pa.large_string()] * 3


def test_iso_dates_need_no_order_and_are_not_rewritten() -> None:
    for order in ("mdy", "dmy", "ymd"):
        found = apart(f"date_order = '{order}'\n{SCHEMA}", born=["1950-12-31", None, "1960-02-01"])
        assert found.attributes["born"].date_order is None
        assert found.attributes["born"].column.values[1:] == ["1950-12-31", "1960-02-01"]


def test_dates_of_which_nothing_tells_the_order_are_refused() -> None:
    unclear: list[str | None] = ["01/02/1950", "03/04/1960", None]
    assert apart(born=unclear).attributes["born"].date_order == "mdy"
    year_first = f"date_order = 'ymd'\n{SCHEMA}"
    with pytest.raises(DataError, match=r"^a\.csv, column born: .* Say it by date_order"):
        apart(year_first, born=unclear)
    declared = year_first.replace('kind = "date"', 'kind = "date"\ndate_order = { a = "dmy" }')
    assert "1950-02-01" in apart(declared, born=unclear).attributes["born"].column.values


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"id": ["a1", " a1", "a3"]}, "row 2, column id: the record id is that of an earlier"),
        ({"id": ["a1", "a2", None]}, "row 3, column id: there is no record id"),
        ({name: [] for name in ROWS}, "there is no record in it"),
    ],
)
def test_refused_tables(cells: dict[str, list[str | None]], message: str) -> None:
    with pytest.raises(DataError, match=message):
        apart(**cells)


def test_a_needed_column_that_is_missing() -> None:
    with pytest.raises(
        DataError, match=r"^a\.csv, column patient: this required column is missing"
    ):
        apart(SCHEMA.replace('"id"', '"patient"'))


COMPOSED = """
record_id = "id"
latest_year = 2026

[[attribute]]
name = "born"
kind = "date"
column = ["y", "m", "d"]

[[attribute]]
name = "whole"
kind = "string"
without = ["last"]

[[attribute]]
name = "last"
kind = "string"

[[sensitive]]
name = "dx"

[[sensitive]]
name = "born_month"
column = "y"
coarsen = "month"
"""


def test_a_date_is_composed_and_a_rest_is_kept_on_the_side_of_the_identities() -> None:
    found = apart(
        COMPOSED,
        y=["1950", "76.0", "soon"],
        m=["7", "07", "7"],
        d=["4", None, "4"],
        whole=["Dr. ANN", "Lee", None],
    )
    kept = {
        record: tuple(row[name] for name in ("born", "born_month", "whole", "dx"))
        for record, row in rejoined(found).items()
    }
    assert kept == {
        "a1": ("1950-07-04", "1950-07", "Dr", "C50"),
        "a2": ("1976-07", "1976-07", "Lee", None),
        "a3": (None, None, None, " I10"),
    }
    assert found.identity.column_names == [PSEUDONYM, RECORD, "born", "whole", "last"]
    assert found.sensitive.column_names == [PSEUDONYM, "dx", "born_month"]
    rules = {each.rule: each.rows for each in found.attributes["born"].findings}
    assert rules == {"unreadable": (3,), "two-digit year": (2,)}


def test_a_value_that_is_too_long_is_told_with_its_columns() -> None:
    with pytest.raises(DataError) as caught:
        apart(COMPOSED, y=["1950"] * 3, m=["7"] * 3, d=["4"] * 3, whole=["x" * 20_001, "", ""])
    assert (caught.value.file, caught.value.row, caught.value.column) == ("a.csv", 1, "whole")
