"""Normal forms for comparing and blocking."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.values.comparable import Content, comparable, fold_accents, word_keys


@pytest.mark.parametrize(
    ("value", "content", "normal"),
    [
        ("ŁÓDŹ", "text", "LODZ"),
        ("Bjørn Æsir", "text", "Bjorn AEsir"),
        ("STRASSE", "text", "STRASSE"),
        ("straße", "text", "strasse"),
        ("M.", "text", "M"),
        ("É.", "text", "E"),
        ("5.", "text", "5."),
        ("ST.", "text", "ST."),
        ("ROSSI, ANNA MARIA", "full name", "ANNA MARIA ROSSI"),
        ("ANNA M. ROSSI", "full name", "ANNA ROSSI"),
        ("A. ROSSI", "full name", "A. ROSSI"),
        ("JOHN SMITH, JR.", "full name", "JOHN SMITH JR."),
        ("ROSSI,", "full name", "ROSSI"),
        (",", "full name", ""),
        ("SW1A 1AA", "postcode", "SW1A1AA"),
        ("00-950", "postcode", "00950"),
        ("d-10115", "postcode", "10115"),
        ("+49 30 901820", "phone", "30901820"),
        ("0049 30/901820", "phone", "30901820"),
        ("(030) 90 18 20", "phone", "30901820"),
        ("+44 (0)20 7946 0000", "phone", "2079460000"),
        ("1-202-555-0143 x12", "phone", "2025550143"),
        ("+1 202 555 0143", "phone", "2025550143"),
        ("+358 9 123456", "phone", "9123456"),
        ("+000 000", "phone", ""),
        ("00000", "phone", ""),
        ("112", "phone", "112"),
        ("", "phone", ""),
    ],
)
def test_a_normal_form(value: str, content: Content, normal: str) -> None:
    assert comparable(value, content) == normal


@given(st.text())
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold_accents(fold_accents(text)) == fold_accents(text)


def test_words_are_looked_for_without_case_accents_and_leading_zeros() -> None:
    assert word_keys("Łódź, 07_Ul. 0") == ["lodz", "7", "ul", "0"]
