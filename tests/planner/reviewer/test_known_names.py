"""What people know about names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.planner.reviewer.known_names import is_short_form, sounds_like

LETTERS = st.text("ABEIRSTY", max_size=7)


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("BOB", "ROBERT"),
        ("bob", "Robert"),
        ("PEGGY", "MARGARET"),
        ("FRED", "FREDERIC"),
        ("FREDIE", "FREDERIC"),
        ("FREDY", "FREDERIC"),
        ("SUSI", "SUSANNE"),
        ("F", "FRED"),
        ("KATIE", "KATY"),
    ],
)
def test_short_forms_are_known_in_either_order(short: str, long: str) -> None:
    assert is_short_form(short, long)
    assert is_short_form(long, short)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("BOB", "RICHARD"),
        ("TIM", "TOM"),
        ("MARIE", "MAXIMILIAN"),  # two letters and an ending are not enough
        ("ANNIE", "ANDREW"),
        ("ED", "TED"),
        ("", "FRED"),
        ("TONY", "TIMOTHY"),
    ],
)
def test_other_names_are_not(one: str, other: str) -> None:
    assert not is_short_form(one, other)
    assert not is_short_form(other, one)


@given(LETTERS, LETTERS)
def test_the_order_of_two_names_does_not_matter(one: str, other: str) -> None:
    assert is_short_form(one, other) == is_short_form(other, one)
    assert sounds_like(one, other) == sounds_like(other, one)


@given(LETTERS.filter(bool), st.sampled_from(["", "IE", "Y", "I"]), st.integers(3, 7))
def test_a_stem_of_three_letters_with_an_ending_is_a_short_form(
    name: str, ending: str, size: int
) -> None:
    assert is_short_form(name[:size] + ending, name) or len(name) < 3


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("CATHERINE", "CATHRYN", True),
        ("SMITH", "SMYTHE", True),
        ("Meier", "MAYER", True),
        ("MEYER", "BEYER", False),
        ("MILLER", "MITTER", False),
        ("O'NEIL", "ONEAL", True),
    ],
)
def test_names_that_sound_alike(one: str, other: str, alike: bool) -> None:  # noqa: FBT001  # a table
    assert sounds_like(one, other) is alike
