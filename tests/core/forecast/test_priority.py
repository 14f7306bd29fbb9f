"""What is left undecided is what mattered least: held against every choice there is."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.forecast.priority import Reviews, gains, most_worth

EVEN = st.sampled_from([0.5, 0.6, 0.9]) | st.floats(0, 1)
SIZES = st.integers(0, 8)


def chance(size: int, seed: int = 1) -> Ints:
    return np.random.default_rng(seed).permutation(size)


def chosen(probability: Floats, reviews: Reviews, most: int, seed: int = 1) -> list[int]:
    order = most_worth(probability, reviews, most=most, chance=chance(len(probability), seed))
    assert sorted(order.tolist()) == list(range(len(probability))), "each pair once"
    return [int(number) for number in order[:most]]


def right_if(chosen: list[int], probability: Floats, right: Floats) -> float:
    """Return how many pairs are expected to be right where these are reviewed, the rest is left."""
    return sum(
        float(right[number]) if number in chosen else max(p, 1 - p)
        for number, p in enumerate(probability.tolist())
    )


@st.composite
def some_pairs(draw: st.DrawFn) -> tuple[Floats, Floats]:
    size = draw(st.integers(1, 8))
    drawn = st.lists(EVEN, min_size=size, max_size=size)
    return np.array(draw(drawn)), np.array(draw(drawn))


@given(some_pairs(), SIZES, st.integers(0, 5))
def test_the_best_of_all_batches_goes_out_where_the_budget_reaches(
    pairs: tuple[Floats, Floats], most: int, seed: int
) -> None:
    probability, right = pairs
    most = min(most, len(right))
    best = max(
        right_if(list(batch), probability, right) for batch in combinations(range(len(right)), most)
    )
    for reviews in (
        Reviews(right),
        Reviews(right, np.full(len(right), 7), 7),
        Reviews(right, np.full(len(right), 7)),
    ):
        found = chosen(probability, reviews, most, seed)
        assert right_if(found, probability, right) == pytest.approx(best)


def paid(batch: list[int], gain: Floats, cost: Ints, units: int) -> list[int]:
    """Return those of a batch that are reviewed, in its order, while units are left."""
    found: list[int] = []
    for number in batch:
        if gain[number] <= 0 or cost[[*found, number]].sum() > units:
            return found
        found.append(number)
    return found


def best_paid(gain: Floats, cost: Ints, most: int, units: int) -> float:
    """Look at every set of pairs that fits."""
    return max(
        float(gain[list(batch)].sum())
        for size in range(most + 1)
        for batch in combinations(range(len(gain)), size)
        if cost[list(batch)].sum() <= units
    )


@given(some_pairs(), SIZES, st.integers(1, 5), st.integers(0, 6))
def test_where_all_cost_the_same_nothing_is_lost(
    pairs: tuple[Floats, Floats], most: int, each: int, allowance: int
) -> None:
    probability, right = pairs
    most = min(most, len(right))
    gain, cost = gains(probability, right), np.full(len(right), each)
    found = chosen(probability, Reviews(right, cost, allowance), most)
    bought = float(gain[paid(found, gain, cost, allowance * most)].sum())
    assert bought == pytest.approx(best_paid(gain, cost, most, allowance * most))


@given(some_pairs(), SIZES, st.lists(st.integers(0, 9), min_size=8, max_size=8), st.integers(0, 9))
def test_where_costs_differ_less_is_lost_than_one_pair_brings(
    pairs: tuple[Floats, Floats], most: int, costs: list[int], allowance: int
) -> None:
    probability, right = pairs
    most = min(most, len(right))
    gain, cost = gains(probability, right), np.array(costs)[: len(right)]
    units = allowance * most
    found = chosen(probability, Reviews(right, cost, allowance), most)
    bought = float(gain[paid(found, gain, cost, units)].sum())
    lost = best_paid(gain, cost, most, units) - bought
    assert -1e-9 <= lost <= max(float(gain.max()), 0.0) + 1e-9


@given(st.integers(1, 4), st.integers(1, 4), st.integers(0, 4), st.integers(1, 8))
def test_many_cheap_pairs_that_bring_little_do_not_push_out_those_that_bring_much(
    cheap: int, dear: int, allowance: int, most: int
) -> None:
    most = min(most, cheap + dear)
    right = np.array([0.51] * cheap + [0.9] * dear)
    cost = np.array([0] * cheap + [4] * dear)
    gain = gains(np.full(len(right), 0.5), right)
    found = chosen(np.full(len(right), 0.5), Reviews(right, cost, allowance), most)
    bought = float(gain[paid(found, gain, cost, allowance * most)].sum())
    assert bought == pytest.approx(best_paid(gain, cost, most, allowance * most))


def test_pairs_that_bring_little_for_their_cost_wait() -> None:
    probability, right = np.array([0.5, 0.6, 0.7]), np.full(3, 0.9)
    cost = np.array([100, 10, 10])
    assert chosen(probability, Reviews(right, cost, 100), 2) == [0, 1], "the budget reaches"
    assert chosen(probability, Reviews(right, cost, 10), 2) == [1, 2]


def test_what_people_do_worse_than_the_weights_comes_last() -> None:
    probability, right = np.array([0.99, 0.5, 0.001, 0.8]), np.full(4, 0.9)
    order = most_worth(probability, Reviews(right), most=4, chance=chance(4))
    assert order.tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("tight", [False, True])
def test_equals_are_drawn_by_chance(*, tight: bool) -> None:
    size, most = 400, 200
    probability, right = np.full(size, 0.6), np.full(size, 0.9)
    reviews = Reviews(right, np.full(size, 10), 5 if tight else 10)
    one, again, other = (set(chosen(probability, reviews, most, seed)) for seed in (1, 1, 2))
    assert one == again
    assert 60 < len(one & other) < 140, "as two draws of a half have in common"
    assert 70 < sum(number < most for number in one) < 130


def test_many_pairs_are_chosen_as_well_as_their_shares_could_be() -> None:
    dice = np.random.default_rng(3)
    probability, right = dice.uniform(0, 1, 20_000), dice.uniform(0.8, 1, 20_000)
    cost = dice.integers(1, 10**9, 20_000)
    gain, most, allowance = gains(probability, right), 5_000, 10**8
    found = np.array(chosen(probability, Reviews(right, cost, allowance), most))
    within = found[np.cumsum(cost[found]) <= allowance * most]
    best_first = np.argsort(-gain / cost)
    shares = np.clip(allowance * most - np.cumsum(cost[best_first]) + cost[best_first], 0, None)
    bound = float((gain[best_first] * np.minimum(shares / cost[best_first], 1)).sum())
    brought = float(gain[within].sum())
    assert brought <= bound
    assert brought >= bound * 0.9, "and no better choice could be had"


def test_what_is_expected_of_some_pairs() -> None:
    right, chosen = np.array([0.9, 0.8, 0.7]), np.array([2, 0])
    assert Reviews(right).some(chosen).right.tolist() == [0.7, 0.9]
    assert Reviews(right).some(chosen).cost is None
    priced = Reviews(right, np.array([1, 2, 3]), 4).some(chosen)
    assert priced.cost is not None
    assert (priced.cost.tolist(), priced.allowance) == ([3, 1], 4)
