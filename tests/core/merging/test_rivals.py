"""Where a database knows everybody once, two pairs that are nearly as heavy are undecided."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from mindfirl.core.merging.rivals import with_near_rivals
from tests.support.merging_worlds import MergingWorld, Pair, merging_worlds


def weight_of(world: MergingWorld, pair: Pair) -> float:
    return world.weights[pair] + world.votes.get(pair, 0.0)


def naive_near(world: MergingWorld, pair: Pair) -> bool:
    """Look from either record at all pairs with the other one's database."""
    return weight_of(world, pair) > 0 and any(
        near_from(world, here, world.databases[there], pair)
        for here, there in (pair, (pair[1], pair[0]))
        if world.databases[there] >= 0
    )


def near_from(world: MergingWorld, here: int, database: int, pair: Pair) -> bool:
    star = [
        weight_of(world, each)
        for each in world.weights
        if here in each and world.databases[sum(each) - here] == database
    ]
    near = [weight for weight in star if weight > max(star) - 2]
    return len(near) > 1 and weight_of(world, pair) in near


@given(merging_worlds())
def test_undecided_pairs_are_those_of_the_naive_version(world: MergingWorld) -> None:
    found = with_near_rivals(world.pairs, np.array(world.databases))
    assert found.tolist() == [naive_near(world, pair) for pair in world.weights]


def test_one_usual_vote_decides_between_rivals() -> None:
    weights = {(0, 1): 5.0, (0, 2): 5.0, (3, 4): 5.0, (3, 5): 2.0}
    world = MergingWorld([-1, 0, 0, -1, 0, 0], list(range(6)), weights, {}, [], [])
    databases = np.array(world.databases)
    assert with_near_rivals(world.pairs, databases).tolist() == [True, True, False, False]
    voted = MergingWorld(world.databases, world.ranks, weights, {(0, 1): 2.0}, [], [])
    assert not with_near_rivals(voted.pairs, databases).any()
