"""Findings before linking are those of naive versions."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given

from mindfirl.core.merging.cluster_findings import (
    Findings,
    findings_in,
    large_components,
    largest_usual_size,
    overruled_votes,
    unusually_large_groups,
    weak_bridges,
)
from mindfirl.core.merging.merge import NO_PAIRS
from mindfirl.core.persons import components
from tests.support.merging_worlds import (
    MergingWorld,
    Pair,
    merging_worlds,
    naive_weight,
    positions_of,
)


@given(merging_worlds())
def test_overruled_votes_say_otherwise_than_the_groups(world: MergingWorld) -> None:
    group = world.merged()
    expected = [
        world.votes.get((left, right), 0.0) * (1 if group[left] == group[right] else -1) < 0
        for left, right in world.weights
    ]
    assert overruled_votes(np.array(group), world.pairs).tolist() == expected


@given(merging_worlds())
def test_large_components_are_joined_by_positive_pairs(world: MergingWorld) -> None:
    positive = [pair for pair in world.weights if naive_weight(world, pair) > 0]
    first = parts(world.records, positive)
    expected = {head: size for head, size in Counter(first).items() if size > 2}
    heads, sizes = large_components(world.records, world.pairs, most=2)
    assert dict(zip(heads.tolist(), sizes.tolist(), strict=True)) == expected


def parts(records: int, pairs: list[Pair]) -> list[int]:
    ends = positions_of(pairs)
    return [int(first) for first in components(records, ends.left, ends.right)]


def falls_apart(world: MergingWorld, group: list[int], pair: Pair) -> bool:
    """Take the pair away, and see whether its group is still one."""
    members = [record for record in range(world.records) if group[record] == group[pair[0]]]
    inside = [
        each
        for each in world.weights
        if each != pair and group[each[0]] == group[each[1]] and naive_weight(world, each) > 0
    ]
    first = parts(world.records, [*inside, *world.must_link])
    return len(members) > 2 and len({first[record] for record in members}) > 1


@given(merging_worlds())
def test_a_weak_bridge_is_a_weak_pair_without_which_its_group_falls_apart(
    world: MergingWorld,
) -> None:
    group = world.merged()
    expected = [
        place
        for place, (left, right) in enumerate(world.weights)
        if group[left] == group[right]
        and 0 < naive_weight(world, (left, right)) < 2
        and falls_apart(world, group, (left, right))
    ]
    found = weak_bridges(np.array(group), world.pairs, positions_of(world.must_link))
    assert found.tolist() == expected


def test_weak_bridges_in_rings_and_chains_of_parts_are_told_apart() -> None:
    ring = {(0, 1): 1.0, (1, 2): 1.0, (2, 3): 1.0, (0, 3): 1.0}
    chain = {(3, 4): 1.0, (4, 5): 9.0, (5, 6): 1.0}
    world = MergingWorld([-1] * 7, list(range(7)), ring | chain, {}, [], [])
    found = weak_bridges(np.zeros(7, dtype=np.int64), world.pairs, positions_of([]))
    assert found.tolist() == [4, 6]


def test_groups_are_unusually_large_above_three_times_the_usual_size() -> None:
    sizes = [2] * 500 + [5] * 10 + [15, 16]
    group = np.repeat(np.arange(len(sizes)), sizes)
    assert largest_usual_size(group) == 15
    assert unusually_large_groups(group).tolist() == [511]
    assert unusually_large_groups(group, most=4).tolist() == list(range(500, 512))
    assert largest_usual_size(np.arange(4)) == 10
    assert largest_usual_size(np.array([0, 0, 1])) == 10
    assert not len(unusually_large_groups(np.arange(4)))


@given(merging_worlds())
def test_findings_are_told_together(world: MergingWorld) -> None:
    group, pairs = np.array(world.merged()), world.pairs
    found = findings_in(group, pairs, NO_PAIRS)
    overruled = overruled_votes(group, pairs)
    ends = zip(pairs.left[overruled].tolist(), pairs.right[overruled].tolist(), strict=True)
    weak = weak_bridges(group, pairs, NO_PAIRS)
    assert found == Findings(
        overruled=tuple(ends),
        weakly_joined=len({int(group[left]) for left in pairs.left[weak]}),
        unusually_large=len(unusually_large_groups(group)),
        largest=max(Counter(group.tolist()).values(), default=0),
        large_components=0,
    )
