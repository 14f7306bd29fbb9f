"""How good people are together, held against people who are drawn at random."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.core.forecast.human_accuracy import Habits
from mindfirl.core.forecast.team import (
    ENOUGH_AGREED,
    right_by_agreement,
    right_by_margin,
    right_given,
    right_together,
    usually_right,
)
from mindfirl.core.review.agreement import Agreement, observed_agreement
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.resolution import resolve
from mindfirl.core.review.terms import Rule

TIMES = 20_000
SAYS = {True: Decision("surely the same"), False: Decision("surely different")}


@pytest.mark.parametrize("rule", ["unanimous", "majority"])
@pytest.mark.parametrize("reviews", [1, 2, 3, 4])
def test_reviews_and_an_adjudicator_together(reviews: int, rule: Rule) -> None:
    dice, right, good = np.random.default_rng(reviews), 0.8, 0
    votes = (dice.random((TIMES, reviews)) < right).tolist()
    settling = (dice.random(TIMES) < right).tolist()
    for given, last in zip(votes, settling, strict=True):
        outcome = resolve((SAYS[each] for each in given), rule).outcome
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
