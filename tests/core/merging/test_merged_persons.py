"""Persons by merging: what joins them, where each record came from, what contradicts itself."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from hypothesis import given

from mindfirl.core.merging.merged_persons import MergedPersons, merge_persons
from mindfirl.core.persons import LinkOrigin, Links, LinkSource, find_persons
from tests.support.merging_worlds import MergingWorld, merging_worlds, positions_of


def links_of(world: MergingWorld, source: LinkSource = LinkSource.ADJUDICATED) -> Links:
    decided = positions_of(world.must_link)
    return Links(decided.left, decided.right, np.full(len(decided.left), source))


def found_in(world: MergingWorld) -> MergedPersons:
    return merge_persons(
        world.records,
        world.pairs,
        decided=links_of(world),
        nonlinks=positions_of(world.cannot_link),
        databases=np.array(world.databases, dtype=np.int64),
        order=np.array(world.ranks, dtype=np.int64),
    )


def of(weights: dict[tuple[int, int], float], databases: list[int], **others: Any) -> MergingWorld:
    given_values = {"votes": {}, "must_link": [], "cannot_link": []} | others
    return MergingWorld(databases, list(range(len(databases))), weights, **given_values)


@given(merging_worlds())
def test_links_join_exactly_the_merged_groups(world: MergingWorld) -> None:
    found = found_in(world)
    counted = dict(zip(world.weights, found.weighed.weight.tolist(), strict=True))
    bits = dict(zip(world.weights, found.weighed.bits.tolist(), strict=True))
    as_counted = MergingWorld(
        *(world.databases, world.ranks, counted, bits, world.must_link, world.cannot_link)
    )
    assert found.persons.person.tolist() == as_counted.merged()
    assert found.persons.count == len(set(as_counted.merged()))


@given(merging_worlds())
def test_contradictions_are_those_of_final_decisions_alone(world: MergingWorld) -> None:
    found = found_in(world).persons
    databases = np.array(world.databases, dtype=np.int64)
    final = find_persons(
        world.records,
        links_of(world),
        positions_of(world.cannot_link),
        databases=databases,
        without_duplicates={0, 70},
    )
    assert list(found.contradictions) == list(final.contradictions)
    inside = {
        (one, other)
        for one, other in combinations(range(world.records), 2)
        if found.person[one] == found.person[other]
        and ((one, other) in world.cannot_link or databases[one] == databases[other] >= 0)
    }
    assert bool(inside) == bool(len(found.contradictions))


def test_a_record_is_reviewed_if_votes_or_decisions_made_one_of_its_links() -> None:
    world = of(
        {(0, 1): 5.0, (2, 3): 5.0, (4, 5): -20.0, (6, 7): -5.0},
        [-1] * 8,
        votes={(2, 3): 2.0, (6, 7): 2.0},
        must_link=[(4, 5)],
    )
    found = found_in(world)
    automatic, reviewed, single = LinkOrigin.AUTOMATIC, LinkOrigin.REVIEWED, LinkOrigin.SINGLE
    expected = [automatic] * 2 + [reviewed] * 4 + [single] * 2
    assert found.persons.origin.tolist() == expected
    assert sorted(found.links.source.tolist()) == list(LinkSource)


def test_near_rivals_are_linked_once_one_of_them_is_known_to_be_another_person() -> None:
    weights = {(0, 1): 5.0, (0, 2): 4.5}
    rivals = found_in(of(weights, [1, 0, 0]))
    assert rivals.undecided.tolist() == [True, True]
    assert rivals.persons.person.tolist() == [0, 1, 2]
    decided = found_in(of(weights, [1, 0, 0], cannot_link=[(0, 1)]))
    assert not decided.undecided.any()
    assert decided.persons.person.tolist() == [0, 1, 0]
    voted = found_in(of(weights, [1, 0, 0], votes={(0, 1): 2.0}))
    assert voted.persons.person.tolist() == [0, 0, 1]
