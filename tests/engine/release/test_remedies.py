"""What is done about findings: columns are left out or coarsened, cells blanked or escaped."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.release.file_check import Secrets, pseudonyms
from mindfirl.engine.release.remedies import (
    NUMBER_WAYS,
    WAYS,
    blanked,
    coarsen_columns,
    escaped,
    without_columns,
)
from mindfirl.engine.release.table import PERSON, Release
from tests.support.release_worlds import of_person

Cells = list[str | None]


def made(**columns: Cells) -> Release:
    size = len(next(iter(columns.values())))
    whole: dict[str, Cells] = {
        PERSON: ["P1"] * size,
        "database": ["hospital"] * size,
        "linked": ["single"] * size,
        "born_year": ["1964"] * size,
        **columns,
    }
    table = pa.table({name: pa.array(each, pa.large_string()) for name, each in whole.items()})
    records = np.arange(size)
    return Release(table, ("born_year",), tuple(columns), table.column(PERSON), records)


def cells(release: Release, name: str = "notes") -> Cells:
    found: Cells = release.table.column(name).to_pylist()
    return found


def coarsened(values: Cells, way: str) -> Cells:
    return cells(coarsen_columns(made(notes=values), {"notes": way}))


def test_columns_are_left_out_of_the_table_and_of_its_lists() -> None:
    whole = made(notes=["x"], stage=["II"])
    found = without_columns(whole, ["born_year", "notes", "unknown"])
    assert found.table.column_names == [PERSON, "database", "linked", "stage"]
    assert (found.coarse, found.sensitive) == ((), ("stage",))
    kept = without_columns(whole, [])
    assert kept.table == whole.table
    assert (kept.coarse, kept.sensitive) == (whole.coarse, whole.sensitive)


def test_only_sensitive_columns_are_coarsened_and_each_in_its_way() -> None:
    whole = made(notes=["abcdef"], stage=["123"])
    found = coarsen_columns(
        whole, {"born_year": "1", "unknown": "1", "notes": "3", "stage": "1 digit"}
    )
    assert cells(found, "born_year") == ["1964"]
    assert (cells(found), cells(found, "stage")) == (["abc"], ["100"])
    assert found.table.column_names == whole.table.column_names


@pytest.mark.parametrize(
    ("way", "kept"),
    [
        ("month", ["1964-08", "1964-09", None, None, None, None]),
        ("year", ["1964", "1964", "1971", None, None, None]),
        ("decade", ["1960s", "1960s", "1970s", None, None, None]),
    ],
)
def test_dates_keep_a_part_and_what_has_none_is_emptied(way: str, kept: Cells) -> None:
    assert coarsened(["1964-08-09", "1964-09-31", "1971", "soon", "", None], way) == [
        *kept[:4],
        "",
        None,
    ]


@pytest.mark.parametrize(
    ("values", "months"),
    [
        (["13/02/1964", "14/02/1964", "05/06/1964"], ["1964-02", "1964-02", "1964-06"]),
        (["02/13/1964", "02/14/1964", "05/06/1964"], ["1964-02", "1964-02", "1964-05"]),
        # One cell that stands often is one that is written so, not many.
        ([*["13/02/1964"] * 3, "02/14/1964", "02/15/1964"], [*["1964-13"] * 3, *["1964-02"] * 2]),
    ],
)
def test_days_and_months_are_told_apart_by_most_values(values: Cells, months: Cells) -> None:
    assert coarsened(values, "month") == months


@pytest.mark.parametrize(
    ("value", "one", "two"),
    [
        ("1234", "1000", "1200"),
        ("1250", "1000", "1200"),
        ("-87.6", "-90", "-88"),
        ("7", "7", "7"),
        ("0.0456", "0.05", "0.046"),
        ("12,5", "10", "12"),
        ("0", "0", "0"),
        ("-0.00", "0", "0"),
        ("7.00", "7", "7"),
        ("999", "1000", "1000"),
        ("1234567", "1000000", "1200000"),
        ("-0.0000123", "-0.00001", "-0.000012"),
        ("1" * 400, "1" + "0" * 399, "11" + "0" * 398),
        ("many", None, None),
    ],
)
def test_numbers_keep_their_leading_digits(value: str, one: str | None, two: str | None) -> None:
    assert [coarsened([value], way) for way in ("1 digit", "2 digits")] == [[one], [two]]
    assert list(NUMBER_WAYS) == ["2 digits", "1 digit"]


def test_texts_keep_their_first_characters() -> None:
    assert coarsened(["abcdef", "abc", "", None, "ab"], "2") == ["ab", "ab", "", None, "ab"]
    assert WAYS[-4:] == ("4", "3", "2", "1")


def test_a_cut_that_would_leave_most_values_whole_is_refused() -> None:
    assert coarsened(["abcd", "ab", None, ""], "2") == ["ab", "ab", None, ""], "half may stay"
    with pytest.raises(DataError, match="column notes: Most values would stay complete") as error:
        coarsened(["abcd", "ab", "xy", None, None], "2")
    assert "xy" not in str(error.value)


def test_formulas_are_escaped_in_the_named_columns_alone() -> None:
    whole = made(notes=["=1+1", "-3.5", None, "=1+1", ""], stage=["=2", "a", "b", "c", "d"])
    found = escaped(whole, ["notes", "unknown"])
    assert cells(found) == ["'=1+1", "-3.5", None, "'=1+1", ""]
    assert cells(found, "stage") == ["=2", "a", "b", "c", "d"]
    assert found.table.schema == whole.table.schema


def test_cells_in_which_the_check_finds_anything_are_emptied() -> None:
    whole = made(
        notes=["saw Miller", "=1+1", "see H0001234", "well", None, "Smith"],
        stage=["Miller", "I", "I", "I", "I", "I"],
    )
    person = of_person(("string", "Miller"))
    secrets = Secrets(person, ("name",), ("hospital",), pseudonyms(["H0001234"]))
    found = blanked(whole, ["notes", "unknown"], secrets)
    assert cells(found) == [None, None, None, "well", None, "Smith"]
    assert cells(found, "stage") == ["Miller", "I", "I", "I", "I", "I"]
    assert cells(blanked(found, ["stage"], secrets), "stage") == [None, *["I"] * 5]


def test_values_of_ones_own_person_alone_are_blanked() -> None:
    table = made(notes=["Miller", "Miller", "Miller"]).table
    mixed = table.set_column(0, PERSON, pa.array(["P1", "P2", None], pa.large_string()))
    whole = Release(mixed, (), ("notes",), mixed.column(PERSON), np.arange(3))
    secrets = Secrets(
        {**of_person(("string", "Miller")), "P2": [("string", "Jones")]}, (), (), pseudonyms([])
    )
    assert cells(blanked(whole, ["notes"], secrets)) == [None, "Miller", "Miller"]
