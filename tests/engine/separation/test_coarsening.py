"""What is kept of a column on the sensitive side."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.schema.schema_file import Coarsening
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import coarsened

SCHEMA = """
date_order = "dmy"
missing = ["unbekannt"]

[[attribute]]
name = "birth_date"
kind = "date"
column = "born"
missing = ["02/02/1902"]
not_missing = ["01/01/1900"]

[[attribute]]
name = "zip"
kind = "fixed"
missing = ["12345"]
"""


def kept(
    cells: list[str | None], how: Coarsening, column: str = "born", schema: str = SCHEMA
) -> list[str | None]:
    half = len(cells) // 2
    table = pa.table({column: pa.chunked_array([cells[:half], cells[half:]], pa.string())})
    found: list[str | None] = coarsened(
        table, column, how, parse_schema(schema, "schema.toml"), database="a", file="a.csv"
    ).to_pylist()
    return found


@pytest.mark.parametrize(
    ("how", "parts"),
    [
        ("year", ["1950", "1950", "1950", None, None]),
        ("month", ["1950-12", "1950-11", None, None, None]),
        ("decade", ["1950s", "1950s", "1950s", None, None]),
    ],
)
@pytest.mark.parametrize("column", ["born", "seen"])
def test_a_part_of_a_date(how: Coarsening, parts: list[str | None], column: str) -> None:
    assert kept(["31/12/1950", "1950-11-30", "1950", "soon", None], how, column) == parts


def test_what_the_schema_says_of_missing_dates_holds_here_too() -> None:
    cells: list[str | None] = ["01/01/1900", "02/02/1902", "Unbekannt"]
    assert kept(cells, "year") == ["1900", None, None]
    assert kept(cells, "year", "seen") == [None, "1902", None]


def test_the_first_characters() -> None:
    cells: list[str | None] = [" 01234", "12345", "unbekannt", "NA", "99999", None, "98765"]
    assert kept(cells, 2, "zip") == ["01", None, None, None, None, None, "98"]
    assert kept(cells, 2, "unsaid") == ["01", "12", "un", "NA", "99", None, "98"]


def test_errors_say_where() -> None:
    year_first = SCHEMA.replace("dmy", "ymd")
    for column in ("born", "seen"):
        with pytest.raises(DataError, match=rf"^a\.csv, column {column}: its dates may be written"):
            kept(["01/02/1950"], "year", column, year_first)
    declared = year_first.replace('"born"', '"born"\ndate_order = "mdy"')
    assert kept(["01/02/1950"], "month", "born", declared) == ["1950-01"]
    with pytest.raises(DataError, match=r"^a\.csv, row 2, column born: the value has 20,001"):
        kept(["1950", "1" * 20_001], "year")


def test_what_leaves_most_values_whole_is_no_coarsening() -> None:
    with pytest.raises(DataError, match="0 of 2 values are shortened, so most would stay whole"):
        kept(["O'Brien", "Smith", None, ""], 99, "last")
