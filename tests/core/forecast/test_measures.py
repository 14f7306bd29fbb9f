"""How good decisions are, against counting one by one; and how far a share may be off."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.forecast.measures import (
    Measures,
    Tally,
    achieved_measures,
    decided,
    expected_measures,
    if_reviewed,
    left_to_weights,
    linked_as,
    margin,
)
from mindfirl.core.forecast.paths import Floats
from tests.support.forecast_worlds import shares

judged = st.lists(st.tuples(shares, st.booleans()), max_size=12)
grouped = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=1, max_size=30)


def counted(pairs: list[tuple[float, float]]) -> Measures:
    """Count what comes of each decision; ``pairs`` are probabilities, and the chance of truth."""
    right = sum(same for thought, same in pairs if thought >= 0.5)
    wrong = sum(1 - same for thought, same in pairs if thought >= 0.5)
    missed = sum(same for thought, same in pairs if thought < 0.5)
    apart = sum(1 - same for thought, same in pairs if thought < 0.5)
    recall = right / (right + missed) if right + missed else 1
    specificity = apart / (apart + wrong) if apart + wrong else 1
    unsure = sum(max(thought, 1 - thought) < 0.8 for thought, _ in pairs)
    return Measures(
        accuracy=(right + apart) / len(pairs) if pairs else 1,
        precision=right / (right + wrong) if right + wrong else 1,
        recall=recall,
        balanced=(recall + specificity) / 2,
        undecided=unsure / len(pairs) if pairs else 0,
    )


def close(ours: Measures, theirs: Measures) -> bool:
    return all(
        math.isclose(getattr(ours, name), getattr(theirs, name), rel_tol=1e-9, abs_tol=1e-12)
        and 0 <= getattr(ours, name) <= 1
        for name in Measures.__slots__
    )


@given(judged)
def test_what_is_expected_follows_from_the_probabilities(pairs: list[tuple[float, bool]]) -> None:
    thought = [each for each, _ in pairs]
    ours = expected_measures(np.array(thought, np.float64))
    assert close(ours, counted(list(zip(thought, thought, strict=True))))


@given(judged)
def test_what_was_achieved_is_counted_against_the_truth(pairs: list[tuple[float, bool]]) -> None:
    thought, truth = [each for each, _ in pairs], [same for _, same in pairs]
    ours = achieved_measures(np.array(thought, np.float64), np.array(truth, np.bool_))
    assert close(ours, counted([(each, float(same)) for each, same in pairs]))


def test_one_half_is_called_the_same() -> None:
    assert achieved_measures(np.array([0.5]), np.array([True])).recall == 1
    assert achieved_measures(np.array([0.4999]), np.array([True])).recall == 0


def test_no_shares_leave_their_range_by_rounding() -> None:
    thought = np.full(1001, 0.7)
    thought[::3] = 0
    assert expected_measures(thought).recall == 1


@given(grouped)
def test_a_margin_takes_groups_for_what_was_drawn(pairs: list[tuple[bool, int]]) -> None:
    right, group = [each for each, _ in pairs], [number for _, number in pairs]
    mean = sum(right) / len(right)
    by_group = [
        sum(each - mean for each, number in pairs if number == which) for which in set(group)
    ]
    slow = 1.96 * math.sqrt(sum(each**2 for each in by_group)) / len(right)
    ours = margin(np.array(right), np.array(group))
    assert ours == pytest.approx(min(1, max(slow, 3 / len(set(group)))))


def test_the_names_of_groups_do_not_matter() -> None:
    right = np.array([True, False, True, True, False] * 20)
    group = np.arange(100) // 2
    assert margin(right, group) == margin(right, group * 10**12 + 5)


def test_groups_that_are_right_together_are_worth_less_than_pairs() -> None:
    right = np.repeat(np.arange(100) % 4 > 0, 5)
    alone, together = margin(right, np.arange(500)), margin(right, np.arange(500) // 5)
    assert together == pytest.approx(alone * math.sqrt(5))


def test_a_margin_holds_about_95_times_of_100() -> None:
    dice = np.random.default_rng(3)
    group = np.arange(600) // 3
    held = 0
    for _ in range(400):
        right = np.repeat(dice.random(200) < 0.8, 3) ^ (dice.random(600) < 0.05)
        held += abs(right.mean() - (0.8 * 0.95 + 0.2 * 0.05)) <= margin(right, group)
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize(("groups", "expectation"), [(1, 1), (3, 1), (300, 0.01)])
def test_what_never_differs_is_not_certain(groups: int, expectation: float) -> None:
    assert margin(np.ones(600, np.bool_), np.arange(600) % groups) == expectation


def test_of_no_pairs_nothing_is_known() -> None:
    assert margin(np.ones(0, np.bool_), np.zeros(0, np.int64)) == 1


PROBABILITIES = st.lists(st.floats(0, 1), max_size=20).map(np.array)
TIMES = 200_000


def figures(tally: Tally) -> tuple[float, float, float]:
    return tally.accuracy, tally.precision, tally.recall


@given(PROBABILITIES)
def test_what_nobody_decides_goes_by_its_weight(probability: Floats) -> None:
    probability = probability.astype(np.float64)
    found, same = left_to_weights(probability), expected_measures(probability)
    assert figures(found) == pytest.approx((same.accuracy, same.precision, same.recall))


@given(PROBABILITIES, st.floats(0.5, 1))
def test_reviewing_never_makes_it_worse(probability: Floats, right: float) -> None:
    probability = probability.astype(np.float64)
    stopped, finished = left_to_weights(probability), if_reviewed(probability, right)
    assert finished.pairs == stopped.pairs == len(probability)
    assert finished.same == pytest.approx(stopped.same)
    gain = sum(max(right - max(p, 1 - p), 0.0) for p in probability.tolist())
    assert stopped.wrong - finished.wrong == pytest.approx(gain, abs=1e-9)


def test_reviews_are_as_good_as_simulated_ones() -> None:
    dice = np.random.default_rng(1)
    probability, right = np.array([0.1, 0.4, 0.55, 0.8, 0.99]), 0.9
    same = dice.random((TIMES, 5)) < probability
    people = np.where(dice.random((TIMES, 5)) < right, same, ~same)
    linked = np.where(np.maximum(probability, 1 - probability) < right, people, probability >= 0.5)
    found = if_reviewed(probability, right)
    assert found.accuracy == pytest.approx((linked == same).mean(), abs=0.003)
    assert found.precision == pytest.approx((linked & same).sum() / linked.sum(), abs=0.003)
    assert found.recall == pytest.approx((linked & same).sum() / same.sum(), abs=0.003)


def test_a_decision_counts_as_people_are_right_or_as_its_weight_where_that_agrees() -> None:
    probability = np.array([0.99, 0.99, 0.5, 0.2])
    linked = np.array([True, False, True, False])
    found = decided(probability, linked, np.array([0.9, 0.9, 0.9, 0.6]))
    assert found.linked == 2
    assert found.right == pytest.approx(0.99 + 0.9)
    assert found.same == pytest.approx(0.99 + 0.1 + 0.9 + 0.2)
    assert found.wrong == pytest.approx(0.01 + 0.1 + 0.1 + 0.2)


def test_tallies_are_added_and_taken_apart() -> None:
    one = linked_as(np.array([0.9, 0.2]), np.array([True, False]))
    other = linked_as(np.array([0.6]), np.array([True]))
    both = linked_as(np.array([0.9, 0.2, 0.6]), np.array([True, False, True]))
    assert figures(one + other) == pytest.approx(figures(both))
    assert figures(both - other) == pytest.approx(figures(one))
    assert figures(Tally()) == (1, 1, 1)
    assert one.accuracy == pytest.approx(0.85)
