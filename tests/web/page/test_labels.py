"""Attributes have labels on pages: words, not the names of columns."""

from __future__ import annotations

import pytest

import mindfirl as mf
from mindfirl.engine.scoring.keys import blocking_keys
from mindfirl.web.page.labels import key_label, label

SCHEMA = mf.Schema(
    [
        mf.Attribute("last_name", "string"),
        mf.Attribute("birth_date", "date"),
        mf.Attribute("phone", "fixed"),
    ]
)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("first_name", "First name"),
        ("birthDate", "Birth date"),
        ("ssn", "SSN"),
        ("home zip", "Home ZIP"),
        ("_", "_"),
    ],
)
def test_a_label_is_made_of_words(name: str, words: str) -> None:
    assert label(name) == words


def test_a_key_has_the_label_of_its_attribute() -> None:
    words = {key_label(name) for name in blocking_keys(SCHEMA)}
    assert {"Last name", "first 3 letters of Last name", "year of Birth date", "Phone"} <= words
    assert not any("_" in each for each in words)


def test_a_name_that_reads_like_a_part_is_a_whole_name() -> None:
    assert key_label("date of birth") == "Date of birth"
    assert key_label("year of date of birth") == "year of Date of birth"
