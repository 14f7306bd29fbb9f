"""Columns whose words another column repeats."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from tests.support.repeating_columns import FIRST, LAST, ROWS, full_names, repeating

FIRST_AND_LAST = {"first_name": FIRST, "surname": LAST}


def profiled(columns: dict[str, list[str]] | pa.Table) -> dict[str, ColumnProfile]:
    return {each.column: each for each in profile_table(pa.table(columns), "file")}


def test_a_column_contains_those_whose_words_it_repeats() -> None:
    found = profiled(repeating())
    assert found["full name"].contains == ("first_name", "surname")
    assert found["full name"].covered == 1
    assert found["whole address"].contains == ("street", "zip")
    assert 0.6 < found["whole address"].covered < 0.8
    others = set(found) - {"full name", "whole address"}
    assert {found[each].contains for each in others} == {()}


def test_fewer_than_fifty_records_tell_nothing() -> None:
    assert profiled(repeating().slice(0, 49))["full name"].contains == ()
    assert profiled(repeating().slice(0, 50))["full name"].contains == ("first_name", "surname")


def test_four_of_five_records_are_enough_and_fewer_are_not() -> None:
    names = full_names()
    for share, contains in ((0.79, ()), (0.8, ("first_name", "surname"))):
        whole = [each if place < share * ROWS else "" for place, each in enumerate(names)]
        whole = [each or f"nobody{place}" for place, each in enumerate(whole)]
        assert profiled({**FIRST_AND_LAST, "full name": whole})["full name"].contains == contains


@pytest.mark.parametrize("value", ["x", "Ann1"])
def test_what_a_column_has_in_every_record_is_not_contained(value: str) -> None:
    columns = {"city": [value] * ROWS, "name": [f"{value} {each}" for each in LAST]}
    assert profiled(columns)["name"].contains == ()


def test_of_two_equal_columns_the_first_stays_and_of_two_alike_the_fuller() -> None:
    equal = profiled({"first_name": FIRST, "vorname": FIRST})
    assert (equal["first_name"].contains, equal["vorname"].contains) == ((), ("first_name",))
    half = ["" if place % 2 else each for place, each in enumerate(FIRST)]
    alike = profiled({"first_name": half, "vorname": FIRST})
    assert (alike["first_name"].contains, alike["vorname"].contains) == (("vorname",), ())


def test_a_column_that_is_left_out_covers_nothing() -> None:
    columns = {"full name": full_names(), "name": full_names(), **FIRST_AND_LAST}
    found = profiled(columns)
    assert found["full name"].contains == ("first_name", "surname")
    assert found["name"].contains == ("first_name", "surname")


def test_three_equal_columns_are_one() -> None:
    found = profiled({"first_name": FIRST, "vorname": FIRST, "prenom": FIRST})
    assert [each.contains for each in found.values()] == [(), ("first_name",), ("first_name",)]


def test_sensitive_columns_cover_nothing_and_are_compared_with_what_is_shown() -> None:
    found = profiled({"first_name": FIRST, "unheard of": LAST, "full name": full_names()})
    assert found["unheard of"].role == "sensitive"
    assert found["full name"].contains == ("first_name",)
    found = profiled({**FIRST_AND_LAST, "unheard of": full_names()})
    assert found["unheard of"].contains == ("first_name", "surname")


def test_one_column_and_columns_without_words() -> None:
    assert profiled({"first_name": FIRST})["first_name"].contains == ()
    signs = profiled({"first_name": ["-"] * ROWS, "surname": ["?!"] * ROWS, "city": FIRST})
    assert {each.contains for each in signs.values()} == {()}


def naive_share(inner: list[str], outer: list[str]) -> float:
    both = [(a, b) for a, b in zip(inner, outer, strict=True) if a and b]
    held = [set(a.lower().split()) <= set(b.lower().split()) for a, b in both]
    return sum(held) / len(held)


@settings(max_examples=40)
@given(st.lists(st.booleans(), min_size=ROWS, max_size=ROWS))
def test_it_is_decided_as_by_counting(repeats: list[bool]) -> None:
    towns = [f"town{place}" for place in range(ROWS)]
    whole = [
        f"street {town if kept else 'elsewhere'}" for town, kept in zip(towns, repeats, strict=True)
    ]
    found = profiled({"city": towns, "street": whole})["street"].contains
    assert (found == ("city",)) == (naive_share(towns, whole) >= 0.8)
