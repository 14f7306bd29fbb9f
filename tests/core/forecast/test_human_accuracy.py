"""How often people are right: the published studies, and the laws of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.habits import (
    DisplayStudy,
    Habits,
    fit_habits,
    gain_of_reading,
    left_out_errors,
    people_right,
    predicted_right,
    slips,
)
from mindfirl.core.forecast.measures import (
    ENOUGH_AGREED,
    right_by_agreement,
    right_by_margin,
    right_given,
    right_together,
    usually_right,
)
from mindfirl.core.review.agreement import Agreement, observed_agreement
from mindfirl.core.review.decisions import Decision, resolve
from mindfirl.core.review.plan import PublishedRule
from tests.support.forecast_worlds import shares

TINY = 1e-12
"""What rounding may do."""


@st.composite
def habits(draw: st.DrawFn) -> Habits:
    often = draw(st.floats(0, 0.5))
    return Habits(often, draw(st.floats(0, 0.4999).map(lambda share: share * (1 - 2 * often))))


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
def test_hiding_what_differs_never_helps(
    probability: float, one: float, other: float, theirs: Habits
) -> None:
    less, more = sorted([one, other])
    shown, hidden = right(probability, less, theirs), right(probability, more, theirs)
    assert hidden <= shown + TINY
    assert shown - hidden == pytest.approx(gain_of_reading(probability, more - less, theirs))


def test_slips_at_both_ends_and_in_between() -> None:
    theirs = Habits(slips=0.1, slips_masked=0.2)
    assert slips(np.array([0, 0.25, 1]), theirs) == pytest.approx([0.1, 0.15, 0.3])


def test_who_never_slips_is_as_right_as_the_machine_is_sure() -> None:
    careful = Habits(slips=0, slips_masked=0)
    probability = np.array([0, 0.2, 0.5, 0.9, 1])
    assert people_right(probability, np.linspace(0, 1, 5), careful) == pytest.approx(
        [1, 0.8, 0.5, 0.9, 1]
    )


@given(habits(), st.lists(st.tuples(shares, st.floats(0.6, 1)), min_size=2, max_size=6))
def test_habits_are_found_again_from_what_they_bring(
    theirs: Habits, displays: list[tuple[float, float]]
) -> None:
    hidden = [each for each, _ in displays]
    assume(max(hidden) - min(hidden) > 0.1)
    studies = [DisplayStudy(h, sure, right(sure, h, theirs)) for h, sure in displays]
    found = fit_habits(studies)
    assert found.slips == pytest.approx(theirs.slips, abs=1e-6)
    assert found.slips_masked == pytest.approx(theirs.slips_masked, abs=1e-6)


def test_a_display_is_predicted_from_the_others() -> None:
    theirs = Habits(0.1, 0.2)
    studies = [DisplayStudy(h, 0.9, right(0.9, h, theirs)) for h in (0.0, 0.5, 1.0)]
    assert left_out_errors(studies) == pytest.approx([0, 0, 0], abs=1e-9)
    assert predicted_right(studies[1], theirs) == studies[1].right
    wrong = [*studies[:2], studies[2]._replace(right=studies[2].right - 0.05)]
    assert left_out_errors(wrong)[2] == pytest.approx(0.05)


def test_hiding_is_never_fitted_as_a_help() -> None:
    studies = [DisplayStudy(0, 1, 0.8), DisplayStudy(1, 1, 0.9)]
    found = fit_habits(studies)
    assert found.slips == pytest.approx(0.15)
    assert found.slips_masked == 0
    assert fit_habits([DisplayStudy(0, 0.9, 1), DisplayStudy(1, 0.9, 1)]).slips == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"slips": -0.1}, "slips must be a number from 0 to 1"),
        ({"slips": float("nan")}, "slips must be a number from 0 to 1"),
        ({"slips_masked": 1.5}, "slips_masked must be a number from 0 to 1"),
        ({"slips_masked": True}, "slips_masked must be a number from 0 to 1"),
        ({"slips": 0.4, "slips_masked": 0.2}, "slips and slips_masked must not be more than 0.5"),
    ],
)
def test_habits_out_of_range_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingError, match=words):
        Habits(**given)


TIMES = 20_000
SAYS = {True: Decision("surely the same"), False: Decision("surely different")}


@pytest.mark.parametrize("rule", ["unanimous", "majority"])
@pytest.mark.parametrize("reviews", [1, 2, 3, 4])
def test_reviews_and_an_adjudicator_together(reviews: int, rule: PublishedRule) -> None:
    dice, right, good = np.random.default_rng(reviews), 0.8, 0
    votes = (dice.random((TIMES, reviews)) < right).tolist()
    settling = (dice.random(TIMES) < right).tolist()
    for said, last in zip(votes, settling, strict=True):
        outcome = resolve((SAYS[each] for each in said), rule).outcome
        good += last if outcome == "open" else outcome == "link"
    assert right_together(right, reviews, rule) == pytest.approx(good / TIMES, abs=0.01)


@pytest.mark.parametrize("sure", [0.5, 0.7, 1.0])
def test_what_cannot_be_told_from_a_pair_all_miss_alike(sure: float) -> None:
    dice, right = np.random.default_rng(3), 0.8
    told = dice.random(TIMES) < sure
    same = (dice.random((TIMES, 3)) < right) == told[:, None]
    good = np.where(same[:, 0] == same[:, 1], same[:, 0], same[:, 2])
    found = right_given(np.array([sure]), right_together(right, 2, "unanimous"))
    assert found[0] == pytest.approx(good.mean(), abs=0.01)
    assert found[0] <= max(sure, 0.5), "more people know no more"


def test_more_people_who_agree_are_right_more_often() -> None:
    found = right_by_margin(0.8, np.array([1, 2, 3]))
    assert found == pytest.approx([0.8, 0.64 / 0.68, 0.512 / 0.52])
    assert right_by_margin(1.0, np.array([1, 2])).tolist() == [1, 1]


def test_agreement_tells_how_often_people_are_right() -> None:
    dice, right = np.random.default_rng(2), 0.85
    votes = np.where(dice.random((TIMES, 2)) < right, "link", "non-link")
    units = [{"one": str(one), "two": str(two)} for one, two in votes]
    found = right_by_agreement(observed_agreement(units), usually=0.5)
    assert 0.84 < found < right + 0.005, "the lower end of an interval"


def test_few_pairs_tell_nothing_and_chance_is_the_least() -> None:
    few = Agreement(1.0, 0.9, 1.0, ENOUGH_AGREED - 1, 2)
    assert right_by_agreement(few, usually=0.7) == 0.7
    assert right_by_agreement(Agreement(None, None, None, 99, 2), usually=0.7) == 0.7
    assert right_by_agreement(Agreement(0.4, 0.3, 0.5, 99, 2), usually=0.7) == 0.5


def test_what_is_usual_is_what_the_habits_of_people_say() -> None:
    assert 0.8 < usually_right(Habits()) < 1
