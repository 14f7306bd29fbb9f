"""Dates of several columns, and what is left of a text without the words of others."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.values.comparable import word_keys
from mindfirl.core.values.composed import composed_date, rest_of
from mindfirl.core.values.standardise import is_possible, read_date


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("1976", "7", "4"), "1976-07-04"),
        (("1976.0", " 07 ", "4.0"), "1976-07-04"),
        (("1976", "7", ""), "1976-07"),
        (("1976", "", "4"), "1976"),
        (("1976", "99", "0"), "1976"),
        (("1976", "7"), "1976-07"),
        (("1976",), "1976"),
        (("76", "7", "4"), "1976-07-04"),
        (("7", "7", "4"), "2007-07-04"),
        (("00", "", ""), "2000"),
        (("", "", ""), ""),
        (("0", "00", "NA"), ""),
        (("9999", "99", "99"), ""),
        (("unknown", "7", "4"), "-7-4"),
        (("1976", "13", "4"), "1976-13-04"),
        (("1976", "July", "4"), "1976-July-04"),
    ],
)
def test_a_date_of_its_parts(parts: tuple[str, ...], text: str) -> None:
    assert composed_date(parts, latest_year=2026, missing={"NA", "UNKNOWN"}) == text


def test_without_a_latest_year_a_year_of_two_digits_stays() -> None:
    assert composed_date(("76", "7", "4"), latest_year=None) == "76-07-04"
    assert read_date("76-07-04", "ymd") is None


@pytest.mark.parametrize("parts", [("", "7", "4"), ("x", "7", "4"), ("1976", "Juli"), ("123", "1")])
def test_parts_that_cannot_be_read_make_no_date(parts: tuple[str, ...]) -> None:
    for order in ("mdy", "dmy", "ymd"):
        assert read_date(composed_date(parts, latest_year=2026), order) is None


@given(st.dates())
def test_a_day_is_composed_of_its_numbers(day: object) -> None:
    year, month, number = str(day).split("-")
    composed = composed_date((year, str(int(month)), f"{int(number)}.0"), latest_year=None)
    assert composed == str(day)
    assert is_possible(composed)


@pytest.mark.parametrize(
    ("text", "others", "rest"),
    [
        ("12 Main St, Springfield 12345", ["Springfield", "12345"], "12 Main St"),
        ("Springfield Road 5, SPRINGFIELD", ["Springfield"], "Springfield Road 5"),
        ("Dr. José  Núñez-Vega", ["jose", "NUNEZ"], "Dr Vega"),
        ("john.smith@post.example", ["John", "Smith"], "post.example"),
        ("Ann Lee", ["Lee", "Ann"], ""),
        ("Apt 12, 12 Main St", ["12 Main St", "12"], "Apt 12"),
        ("Ann", [], "Ann"),
        ("", ["Ann"], ""),
    ],
)
def test_the_rest_of_a_text(text: str, others: list[str], rest: str) -> None:
    assert rest_of(text, others) == rest


_TEXTS = st.lists(st.sampled_from(["ann", "LEE", "7", "07", "Ö", "o"]), max_size=6).map(" ".join)


@given(_TEXTS, st.lists(_TEXTS, max_size=3))
def test_no_word_is_lost_that_the_others_do_not_have(text: str, others: list[str]) -> None:
    held: Counter[str] = Counter()
    for other in others:
        held |= Counter(word_keys(other))
    assert Counter(word_keys(rest_of(text, others))) == Counter(word_keys(text)) - held
