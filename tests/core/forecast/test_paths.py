"""How far a price allows to go, against a loop that takes the best steps one by one."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.forecast.paths import (
    Floats,
    Ints,
    Paths,
    Reviews,
    concatenate_paths,
    gains,
    most_worth,
)
from tests.support.forecast_worlds import Way, many_ways, paths

budgets = st.integers(0, 60)


def greedy(drawn: list[Way], units: int) -> list[int]:
    """Take all steps of the best worth, then of the next, until those of one do not fit."""
    steps = [(step, pair) for pair, (_, found) in enumerate(drawn) for step in found]
    taken = [0] * len(drawn)
    for worth in sorted({step.worth for step, _ in steps}, reverse=True):
        together = [(step, pair) for step, pair in steps if step.worth == worth]
        units -= sum(step.units for step, _ in together)
        if units < 0:
            break
        for _, pair in together:
            taken[pair] += 1
    return taken


def equal(ours: Paths, theirs: Paths) -> bool:
    names = ("start", "pair", "worth", "units", "characters", "differing", "probability")
    return all(
        getattr(ours, name).dtype == getattr(theirs, name).dtype
        and np.array_equal(getattr(ours, name), getattr(theirs, name))
        for name in names
    )


@given(many_ways, budgets)
def test_a_budget_reaches_as_far_as_the_best_steps_taken_one_by_one(
    drawn: list[Way], units: int
) -> None:
    there = paths(drawn)
    reached = there.reached(there.worth_within(units))
    taken = greedy(drawn, units)
    assert reached.steps.tolist() == taken
    gone = [found[:count] for (_, found), count in zip(drawn, taken, strict=True)]
    assert reached.units.tolist() == [sum(step.units for step in way) for way in gone]
    assert reached.characters.tolist() == [way[-1].characters if way else 0 for way in gone]
    assert reached.differing.tolist() == [way[-1].differing if way else 0 for way in gone]
    assert reached.probability.tolist() == [
        way[-1].probability if way else start for way, (start, _) in zip(gone, drawn, strict=True)
    ]
    assert reached.units.sum() <= units
    assert {str(each.dtype) for each in (reached.units, reached.characters)} == {"int64"}


@given(many_ways, budgets, budgets)
def test_a_larger_budget_only_adds_steps(drawn: list[Way], less: int, more: int) -> None:
    there = paths(drawn)
    low, high = (there.reached(there.worth_within(units)) for units in sorted([less, more]))
    assert (low.steps <= high.steps).all()
    assert (low.units <= high.units).all()


@given(many_ways)
def test_steps_of_one_worth_are_taken_together(drawn: list[Way]) -> None:
    there = paths(drawn)
    for worth in there.worth:
        assert there.reached(float(worth)).steps.sum() == (there.worth >= worth).sum()


@pytest.mark.parametrize("units", [0, 1, 2, 3])
def test_what_is_worth_less_than_nothing_is_never_taken(units: int) -> None:
    start, pair = np.array([0.5]), np.zeros(3, np.int64)
    ones = np.ones(3, np.int64)
    there = Paths(start, pair, np.array([1.0, -1.0, -2.0]), ones, ones, ones, np.ones(3))
    assert there.reached(there.worth_within(units)).steps.tolist() == [min(units, 1)]


@given(many_ways, st.data())
def test_some_ways_are_those_of_the_chosen_pairs(drawn: list[Way], data: st.DataObject) -> None:
    chosen = [number for number in range(len(drawn)) if data.draw(st.booleans())]
    found = paths(drawn).some(np.array(chosen, np.int64))
    assert equal(found, paths([drawn[number] for number in chosen]))
    assert len(found) == len(chosen)


@given(many_ways, st.data())
def test_ways_in_parts_are_joined_to_what_they_were(drawn: list[Way], data: st.DataObject) -> None:
    places = [data.draw(st.integers(0, 2)) for _ in drawn]
    shuffled = data.draw(st.permutations(range(len(drawn))))
    groups = [[n for n in shuffled if places[n] == place] for place in range(3)]
    parts = [(np.array(group, np.int64), paths([drawn[n] for n in group])) for group in groups]
    kept = [part for part in parts if len(part[0]) or data.draw(st.booleans())]
    assert equal(concatenate_paths(len(drawn), kept), paths(drawn))


def test_no_parts_are_ways_without_steps() -> None:
    assert equal(concatenate_paths(2, []), paths([(0.0, []), (0.0, [])]))


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
