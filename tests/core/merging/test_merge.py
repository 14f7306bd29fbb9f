"""Merging gives the groups of the plain rule, in any order, and never breaks a decision."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import NoSuchRecord, SettingError
from mindfirl.core.merging.merge import merge_records
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.persons import components
from tests.support.merging_worlds import (
    MergingWorld,
    Pair,
    merging_worlds,
    naive_merged,
    naive_weight,
    positions_of,
)
from tests.support.proof import prove

ONLY_ROUNDS, BOTH, ONLY_A_CHAIN = 0.0, 1 / 50, 2.0


def of(weights: dict[Pair, float], records: int, **others: Any) -> MergingWorld:
    world = MergingWorld([-1] * records, list(range(records)), weights, {}, [], [])
    return replace(world, **others)


@pytest.mark.proof
@pytest.mark.parametrize("least_share", [ONLY_ROUNDS, BOTH, ONLY_A_CHAIN])
def test_groups_are_those_of_the_plain_rule(least_share: float, figure: Any) -> None:
    def check(world: MergingWorld) -> None:
        assert world.merged(least_share) == naive_merged(world)

    prove(f"groups as the plain rule makes them ({least_share})", merging_worlds(), check, figure)


@given(merging_worlds(), st.randoms())
def test_the_order_of_pairs_and_of_their_records_does_not_matter(
    world: MergingWorld, random: Any
) -> None:
    pairs = list(world.weights.items())
    random.shuffle(pairs)
    turned = {(right, left): weight for (left, right), weight in pairs}
    votes = {(right, left): bits for (left, right), bits in world.votes.items()}
    must, cannot = (
        [(right, left) for left, right in reversed(decided)]
        for decided in (world.must_link, world.cannot_link)
    )
    other = MergingWorld(world.databases, world.ranks, turned, votes, must, cannot)
    assert other.merged() == world.merged()


@given(merging_worlds(), st.randoms())
def test_other_positions_with_the_same_ranks_give_the_same_groups(
    world: MergingWorld, random: Any
) -> None:
    places = list(range(world.records))
    random.shuffle(places)

    def moved(pairs: list[Pair]) -> list[Pair]:
        return [(places[left], places[right]) for left, right in pairs]

    def taken(values: list[int]) -> list[int]:
        return [values[places.index(place)] for place in range(world.records)]

    other = MergingWorld(
        taken(world.databases),
        taken(world.ranks),
        dict(zip(moved(list(world.weights)), world.weights.values(), strict=True)),
        dict(zip(moved(list(world.votes)), world.votes.values(), strict=True)),
        moved(world.must_link),
        moved(world.cannot_link),
    )
    before, after = world.merged(), other.merged()
    for one, two in combinations(range(world.records), 2):
        assert (before[one] == before[two]) == (after[places[one]] == after[places[two]])


@given(merging_worlds())
def test_decisions_and_databases_that_know_everybody_once_are_constraints(
    world: MergingWorld,
) -> None:
    group = world.merged()
    decided = components(world.records, *ends(world.must_link))
    for left, right in world.must_link:
        assert group[left] == group[right]
    for one, other in combinations(range(world.records), 2):
        apart = (one, other) in world.cannot_link or (
            world.databases[one] == world.databases[other] >= 0
        )
        assert not apart or decided[one] == decided[other] or group[one] != group[other]


def ends(pairs: list[Pair]) -> tuple[Any, Any]:
    made = positions_of(pairs)
    return made.left, made.right


@given(merging_worlds())
def test_records_without_a_positive_path_are_never_joined(world: MergingWorld) -> None:
    positive = [pair for pair in world.weights if naive_weight(world, pair) > 0]
    component = components(world.records, *ends([*positive, *world.must_link]))
    group = world.merged()
    for one, other in combinations(range(world.records), 2):
        assert group[one] != group[other] or component[one] == component[other]


@given(merging_worlds(decisions=False), merging_worlds(decisions=False))
def test_components_do_not_depend_on_each_other(one: MergingWorld, other: MergingWorld) -> None:
    further = {
        (left + one.records, right + one.records): weight
        for (left, right), weight in other.weights.items()
    }
    apart = [-1 if database < 0 else database + 100 for database in other.databases]
    later = replace(other, ranks=[rank + 100 for rank in other.ranks])
    world = MergingWorld(
        one.databases + apart, one.ranks + later.ranks, one.weights | further, {}, [], []
    )
    first = one.merged()
    assert world.merged() == [*first, *(number + max(first) + 1 for number in later.merged())]


@given(st.integers(1, 12), st.floats(0.001, 20), st.integers(0, 3))
def test_a_component_in_which_all_pairs_are_positive_is_one_group(
    records: int, weight: float, step: int
) -> None:
    pairs = combinations(range(records), 2)
    weights = {pair: weight + step * number for number, pair in enumerate(pairs)}
    assert of(weights, records).merged() == [0] * records


def test_one_false_pair_does_not_join_two_groups_that_closure_would() -> None:
    inside = dict.fromkeys([*combinations(range(4), 2), *combinations(range(4, 8), 2)], 6.0)
    assert of(inside | {(3, 4): 5.0}, 8).merged() == [0] * 4 + [1] * 4


def test_a_vote_counts_beside_the_weight_and_no_pair_with_votes_is_dropped() -> None:
    assert of({(0, 1): -1.0}, 2, votes={(0, 1): 2.0}).merged() == [0, 0]
    assert of({(0, 1): 1.0}, 2, votes={(0, 1): -2.0}).merged() == [0, 1]
    dropped = {(0, 1): 3.5, (1, 2): 3.0, (0, 2): -10.5}
    assert of(dropped, 3).merged() == [0, 0, 0]
    assert of(dropped, 3, votes={(0, 2): -2.0}).merged() == [0, 0, 1]


def test_a_star_and_a_chain_fall_into_small_groups() -> None:
    star = of({(0, leaf): 8.0 for leaf in range(1, 300)}, 300).merged()
    assert max(Counter(star).values()) == 9
    rising = of({(place, place + 1): place / 40 for place in range(300)}, 301).merged()
    assert max(Counter(rising).values()) <= 9


@pytest.mark.parametrize("least_share", [ONLY_ROUNDS, BOTH, ONLY_A_CHAIN])
def test_more_databases_than_bits_are_kept_apart(least_share: float) -> None:
    databases = [*range(70), *range(70)]
    weights = {(place, place + 70): 5.0 for place in range(70)}
    crossed = {(place, (place + 1) % 70 + 70): 4.0 for place in range(70)}
    inside = dict.fromkeys(combinations(range(5), 2), 8.0)
    found = of(weights | crossed | inside, 140, databases=databases).merged(least_share)
    for database in range(70):
        assert found[database] != found[database + 70]


def test_half_a_million_pairs_of_many_small_components_are_merged() -> None:
    left = np.arange(0, 1_000_000, 2)
    pairs = WeighedPairs(left, left + 1, np.where(left % 4, 3.0, -3.0))
    found = merge_records(1_000_000, pairs, databases=np.full(1_000_000, -1))
    assert found.max() + 1 == 750_000


def test_no_records_have_no_groups() -> None:
    none = np.zeros(0, dtype=np.int64)
    pairs = WeighedPairs(none, none, np.zeros(0))
    assert not len(merge_records(0, pairs, databases=none))


@pytest.mark.parametrize("pair", [(0, 3), (-1, 0), (1, 1)])
@pytest.mark.parametrize("place", ["weights", "must_link", "cannot_link"])
def test_pairs_of_other_records_or_of_one_are_refused(pair: Pair, place: str) -> None:
    given_pairs: dict[str, Any] = {place: {pair: 1.0} if place == "weights" else [pair]}
    with pytest.raises(NoSuchRecord):
        replace(of({}, 3), **given_pairs).merged()


@pytest.mark.parametrize(
    ("others", "message"),
    [
        ({"ranks": [0, 1]}, "3 records, 3 have a database, and 2 have a rank"),
        ({"ranks": [0, 1, 1]}, "Ranks of records are not all different"),
        ({"ranks": [0, 1, -1]}, "not whole numbers from 0"),
        ({"ranks": [0, 1, 1 << 32]}, "to 4 billion"),
        ({"weights": {(0, 1): float("nan")}}, "Some weights are not numbers"),
        ({"votes": {(0, 1): float("nan")}, "weights": {(0, 1): 1.0}}, "not numbers"),
    ],
)
def test_what_does_not_fit_is_refused(others: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        replace(of({}, 3), **others).merged()


def test_each_pair_needs_a_weight() -> None:
    pairs = WeighedPairs(np.array([0, 1]), np.array([1, 2]), np.zeros(1))
    with pytest.raises(SettingError, match="Some pairs have no weight"):
        merge_records(3, pairs, databases=np.full(3, -1))
