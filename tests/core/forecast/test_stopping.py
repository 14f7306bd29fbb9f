"""What is expected of stopping and of finishing: as simulated people and pairs have it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.forecast.measures import expected_measures
from mindfirl.core.forecast.paths import Floats
from mindfirl.core.forecast.stopping import Tally, decided, if_reviewed, left_to_weights, linked_as

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
