"""How often people are right: the published studies, and the laws of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.human_accuracy import Habits, people_right, slips
from tests.support.forecast_worlds import shares

TINY = 1e-12
"""What rounding may do."""


@st.composite
def habits(draw: st.DrawFn) -> Habits:
    often = draw(st.floats(0, 0.5))
    rest = st.floats(0, 0.4999).map(lambda share: share * (1 - 2 * often))
    return Habits(often, draw(rest), draw(rest), draw(st.floats(0.01, 0.99)))


def right(probability: float, hidden: float, theirs: Habits) -> float:
    return float(people_right(np.array([probability]), np.array([hidden]), theirs)[0])


@given(shares, shares, habits())
def test_people_are_no_worse_than_a_coin_and_no_surer_than_the_machine(
    probability: float, hidden: float, theirs: Habits
) -> None:
    chance = right(probability, hidden, theirs)
    assert 0.5 - TINY <= chance <= max(probability, 1 - probability) + TINY


@given(shares, shares, shares, habits())
def test_the_surer_one_can_be_the_more_often_people_are_right(
    one: float, other: float, hidden: float, theirs: Habits
) -> None:
    unsure, sure = sorted([one, other], key=lambda share: max(share, 1 - share))
    assert right(unsure, hidden, theirs) <= right(sure, hidden, theirs) + TINY


@given(shares, shares, habits())
def test_same_and_different_are_alike(probability: float, hidden: float, theirs: Habits) -> None:
    ours, others = right(probability, hidden, theirs), right(1 - probability, hidden, theirs)
    assert ours == pytest.approx(others, abs=1e-9)


@given(shares, shares, shares, habits())
def test_hiding_what_people_need_never_helps(
    probability: float, one: float, other: float, theirs: Habits
) -> None:
    needless = 1 - theirs.enough
    less, more = sorted(needless + share * theirs.enough for share in (one, other))
    assert right(probability, more, theirs) <= right(probability, less, theirs) + TINY


@given(shares, shares, shares, habits())
def test_hiding_what_nobody_needs_helps_by_what_reading_costs_at_most(
    probability: float, one: float, other: float, theirs: Habits
) -> None:
    less, more = sorted(share * (1 - theirs.enough) for share in (one, other))
    shown, hidden = right(probability, less, theirs), right(probability, more, theirs)
    assert shown <= hidden + TINY
    assert hidden <= shown + theirs.slips_reading + TINY


def test_slips_at_both_ends_and_where_enough_is_shown() -> None:
    theirs = Habits(slips=0.1, slips_masked=0.2, slips_reading=0.05, enough=0.25)
    often = slips(np.array([0, 0.375, 0.75, 0.875, 1]), theirs)
    assert often == pytest.approx([0.15, 0.125, 0.1, 0.2, 0.3])


def test_who_never_slips_is_as_right_as_the_machine_is_sure() -> None:
    careful = Habits(slips=0, slips_masked=0, slips_reading=0)
    probability = np.array([0, 0.2, 0.5, 0.9, 1])
    assert people_right(probability, np.linspace(0, 1, 5), careful) == pytest.approx(
        [1, 0.8, 0.5, 0.9, 1]
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"slips": -0.1}, "slips must be a number from 0 to 1"),
        ({"slips": float("nan")}, "slips must be a number from 0 to 1"),
        ({"slips_masked": 1.5}, "slips_masked must be a number from 0 to 1"),
        ({"slips_reading": True}, "slips_reading must be a number from 0 to 1"),
        ({"enough": "0.3"}, "enough must be a number from 0 to 1"),
        ({"enough": 0}, "enough must be more than 0 and less than 1"),
        ({"enough": 1}, "enough must be more than 0 and less than 1"),
        ({"slips": 0.4, "slips_masked": 0.2}, "slips and slips_masked must not be more than 0.5"),
        ({"slips": 0.4, "slips_reading": 0.2}, "slips and slips_reading must not be more than"),
    ],
)
def test_habits_out_of_range_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        Habits(**given)
