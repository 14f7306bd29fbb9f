"""Where a database knows everybody once, two pairs that are nearly as heavy are undecided."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from mindfirl.core.merging.rivals import (
    bits_for_rivals,
    shared_probabilities,
    with_near_rivals,
)
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.persons import Positions
from tests.support.merging_worlds import MergingWorld, Pair, merging_worlds


def weight_of(world: MergingWorld, pair: Pair) -> float:
    return world.weights[pair] + world.votes.get(pair, 0.0)


def naive_near(world: MergingWorld, pair: Pair) -> bool:
    """Look from either record at all pairs with the other one's database."""
    return weight_of(world, pair) > 0 and any(
        near_from(world, here, world.databases[there], pair)
        for here, there in (pair, (pair[1], pair[0]))
        if world.databases[here] != world.databases[there] >= 0
    )


def near_from(world: MergingWorld, here: int, database: int, pair: Pair) -> bool:
    star = [weight_of(world, each) for each in star_of(world, here, database)]
    near = [weight for weight in star if weight > max(star) - 2]
    return len(near) > 1 and weight_of(world, pair) in near


def star_of(world: MergingWorld, here: int, database: int) -> list[Pair]:
    return [
        pair
        for pair in world.weights
        if here in pair and world.databases[sum(pair) - here] == database
    ]


def naive_probability(world: MergingWorld, pair: Pair) -> float:
    rivals = [
        each
        for here, there in (pair, (pair[1], pair[0]))
        if world.databases[here] != world.databases[there] >= 0
        for each in star_of(world, here, world.databases[there])
        if each != pair
    ]
    odds, *others = (2 ** weight_of(world, each) for each in (pair, *rivals))
    return odds / (1 + odds + sum(others))


@given(merging_worlds())
def test_undecided_pairs_are_those_of_the_naive_version(world: MergingWorld) -> None:
    found = with_near_rivals(world.pairs, np.array(world.databases))
    assert found.tolist() == [naive_near(world, pair) for pair in world.weights]


@given(merging_worlds())
def test_rivals_share_probability_as_in_the_naive_version(world: MergingWorld) -> None:
    found = shared_probabilities(world.pairs, np.array(world.databases))
    expected = [naive_probability(world, pair) for pair in world.weights]
    assert found.tolist() == pytest.approx(expected, rel=1e-6)


def test_certain_rivals_have_half_a_chance_each() -> None:
    weights = {(0, 1): 2000.0, (0, 2): 2000.0, (3, 4): 2000.0}
    world = MergingWorld([-1, 0, 0, -1, 0], list(range(5)), weights, {}, [], [])
    found = shared_probabilities(world.pairs, np.array(world.databases))
    assert found.tolist() == pytest.approx([0.5, 0.5, 1.0])


def test_one_usual_vote_decides_between_rivals() -> None:
    weights = {(0, 1): 5.0, (0, 2): 5.0, (3, 4): 5.0, (3, 5): 2.0}
    world = MergingWorld([-1, 0, 0, -1, 0, 0], list(range(6)), weights, {}, [], [])
    databases = np.array(world.databases)
    assert with_near_rivals(world.pairs, databases).tolist() == [True, True, False, False]
    voted = MergingWorld(world.databases, world.ranks, weights, {(0, 1): 2.0}, [], [])
    assert not with_near_rivals(voted.pairs, databases).any()


def stars(weights: dict[Pair, float], size: int) -> tuple[WeighedPairs, Positions]:
    """Make pairs across two databases, each of half the records, that know everybody once."""
    ends = np.array(list(weights), dtype=np.int64).reshape(-1, 2)
    pairs = WeighedPairs(ends[:, 0], ends[:, 1], np.array(list(weights.values()), dtype=np.float64))
    return pairs, np.repeat([0, 1], size // 2)


def test_what_rivals_lose_others_gain() -> None:
    alone = {(record, 8 + record): 0.0 for record in range(2, 8)}
    pairs, databases = stars({(0, 8): 6.0, (0, 9): 1.0, **alone}, 16)
    bits = bits_for_rivals(pairs, databases)
    before = (1 / (1 + np.exp2(-pairs.weight))).sum()
    heavier = WeighedPairs(pairs.left, pairs.right, pairs.weight + bits)
    assert bits > 0
    assert shared_probabilities(pairs, databases).sum() < before
    assert shared_probabilities(heavier, databases).sum() == pytest.approx(before, abs=1e-3)


def test_without_rivals_nothing_is_added() -> None:
    pairs, databases = stars({(0, 2): 3.0, (1, 3): -2.0}, 4)
    assert bits_for_rivals(pairs, databases) == 0
    assert bits_for_rivals(pairs, np.full(4, -1)) == 0


def test_nothing_is_added_where_a_person_occurs_twice_after_all() -> None:
    twice = {(record, 4 + other): 20.0 for record in range(4) for other in range(2)}
    assert bits_for_rivals(*stars(twice, 8)) == 0
