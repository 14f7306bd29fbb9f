"""How far a price allows to go, against a loop that takes the best steps one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.forecast.paths import Paths, concatenate_paths
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
    names = ("start", "pair", "worth", "units", "characters", "probability")
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
    there = Paths(start, pair, np.array([1.0, -1.0, -2.0]), ones, ones, np.ones(3))
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
