"""Links make persons, the same ones in any order; what contradicts them is shown with its path."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import NoSuchRecord, SettingError, UnknownName
from mindfirl.core.persons import (
    CONTRADICTION_KINDS,
    Contradiction,
    LinkOrigin,
    Links,
    LinkSource,
    PairPositions,
    Persons,
    components,
    find_persons,
)
from tests.support.proof import FULL, prove

Pair = tuple[int, int]
NON_LINK, DUPLICATE = CONTRADICTION_KINDS


@dataclass(frozen=True)
class World:
    """Records by their databases, links with their sources, non-links."""

    databases: list[int]
    links: list[tuple[Pair, int]]
    nonlinks: list[Pair]
    without_duplicates: frozenset[int]

    @property
    def records(self) -> int:
        return len(self.databases)

    @property
    def linked(self) -> list[Pair]:
        return [pair for pair, _ in self.links]

    def found(self) -> Persons:
        return find_persons(
            self.records,
            links_of(self.linked, [source for _, source in self.links]),
            pairs_of(self.nonlinks),
            databases=np.array(self.databases, dtype=np.int64),
            without_duplicates=self.without_duplicates,
        )


def pairs_of(pairs: list[Pair]) -> PairPositions:
    return PairPositions(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)


def links_of(pairs: list[Pair], source: list[int] | None = None) -> Links:
    made = pairs_of(pairs)
    sources = np.array([0] * len(pairs) if source is None else source, dtype=np.int8)
    return Links(made.left, made.right, sources)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    databases = draw(st.lists(st.integers(0, 2), max_size=10))
    positions = st.integers(0, max(len(databases) - 1, 0))
    pair = st.tuples(positions, positions).filter(lambda two: two[0] != two[1])
    pairs = st.lists(pair, max_size=12 if len(databases) > 1 else 0)
    linked = draw(pairs)
    sources = draw(
        st.lists(st.sampled_from(LinkSource), min_size=len(linked), max_size=len(linked))
    )
    once = draw(st.frozensets(st.integers(0, 3)))
    return World(databases, list(zip(linked, map(int, sources), strict=True)), draw(pairs), once)


def naive_neighbours(world: World, record: int) -> set[int]:
    return {sum(pair) - record for pair in world.linked if record in pair}


def naive_paths(world: World, start: int) -> dict[int, tuple[int, ...]]:
    """Return to each record that can be reached the first of the shortest paths."""
    best: dict[int, tuple[int, ...]] = {start: (start,)}
    while True:
        longer = [
            (*path, there)
            for here, path in best.items()
            for there in naive_neighbours(world, here)
            if there not in best
        ]
        if not longer:
            return best
        for path in sorted(longer, reverse=True):
            best[path[-1]] = path


def naive_persons(world: World) -> list[int]:
    firsts = [min(naive_paths(world, record)) for record in range(world.records)]
    return [sorted(set(firsts)).index(first) for first in firsts]


def naive_contradictions(world: World) -> list[Contradiction]:
    found: list[tuple[int, int, int]] = []
    person = naive_persons(world)
    for left, right in {(min(pair), max(pair)) for pair in world.nonlinks}:
        if person[left] == person[right]:
            found.append((left, right, 0))
    firsts: dict[Pair, int] = {}
    for record, database in enumerate(world.databases):
        first = firsts.setdefault((person[record], database), record)
        if first != record and database in world.without_duplicates:
            found.append((first, record, 1))
    return [
        Contradiction(CONTRADICTION_KINDS[kind], left, right, naive_paths(world, left)[right])
        for left, right, kind in sorted(found)
    ]


def naive_how(world: World, record: int) -> LinkOrigin:
    sources = [source for pair, source in world.links if record in pair]
    if not sources:
        return LinkOrigin.SINGLE
    return LinkOrigin.REVIEWED if any(sources) else LinkOrigin.AUTOMATIC


def told(found: Persons) -> tuple[Any, ...]:
    return found.person.tolist(), found.count, found.origin.tolist(), list(found.contradictions)


@pytest.mark.proof
def test_persons_are_those_of_the_naive_version(figure: Any) -> None:
    def check(world: World) -> None:
        found, person = world.found(), naive_persons(world)
        contradictions = naive_contradictions(world)
        assert len(found.contradictions) == len(contradictions)
        assert told(found) == (
            person,
            len(set(person)),
            [naive_how(world, record) for record in range(world.records)],
            contradictions,
        )

    prove("persons as the naive version finds them", worlds(), check, figure)


@given(worlds(), st.randoms())
def test_the_order_of_pairs_and_of_their_records_does_not_matter(world: World, random: Any) -> None:
    def turned(pair: Pair) -> Pair:
        return pair if random.random() < 0.5 else (pair[1], pair[0])

    links = [(turned(pair), source) for pair, source in world.links]
    nonlinks = [turned(pair) for pair in world.nonlinks]
    random.shuffle(links)
    random.shuffle(nonlinks)
    other = World(world.databases, links, nonlinks, world.without_duplicates)
    assert told(other.found()) == told(world.found())


@given(worlds())
def test_a_path_goes_over_links_from_one_record_to_the_other(world: World) -> None:
    linked = {(min(pair), max(pair)) for pair in world.linked}
    for each in world.found().contradictions:
        assert (each.path[0], each.path[-1]) == (each.left, each.right)
        assert len(each.links) == len(each.path) - 1
        assert linked.issuperset(each.links)


@given(worlds())
def test_no_person_has_a_contradiction_exactly_if_none_is_found(world: World) -> None:
    person = world.found().person
    nonlinks = any(person[left] == person[right] for left, right in world.nonlinks)
    twice = any(
        person[one] == person[other]
        and world.databases[one] == world.databases[other]
        and world.databases[one] in world.without_duplicates
        for one, other in combinations(range(world.records), 2)
    )
    assert bool(world.found().contradictions) == (nonlinks or twice)


def test_a_record_is_reviewed_if_people_decided_one_of_its_own_links() -> None:
    links = [((0, 1), 0), ((1, 2), 1), ((3, 4), 2), ((5, 6), 0)]
    found = World([0] * 8, links, [], frozenset()).found()
    automatic, reviewed = LinkOrigin.AUTOMATIC, LinkOrigin.REVIEWED
    expected = [automatic, *[reviewed] * 4, automatic, automatic, LinkOrigin.SINGLE]
    assert found.origin.tolist() == expected
    assert found.person.tolist() == [0, 0, 0, 1, 1, 2, 2, 3]
    assert found.count == 4


def test_of_paths_as_short_the_one_of_the_first_positions_is_shown() -> None:
    links = [(0, 4), (4, 5), (0, 2), (2, 5), (0, 1), (1, 3), (3, 5)]
    found = World([0] * 6, [(pair, 0) for pair in links], [(5, 0)], frozenset()).found()
    assert list(found.contradictions) == [Contradiction(NON_LINK, 0, 5, (0, 2, 5))]


def test_two_records_can_contradict_each_other_in_both_ways() -> None:
    found = World([0, 1, 0], [((0, 1), 0), ((1, 2), 1)], [(2, 0), (0, 2)], frozenset({0})).found()
    (nonlink, duplicate) = found.contradictions
    assert (nonlink.kind, duplicate.kind) == (NON_LINK, DUPLICATE)
    assert nonlink.path == duplicate.path == (0, 1, 2)
    assert duplicate.links == ((0, 1), (1, 2))


def test_a_thousand_records_of_a_database_without_duplicates_contradict_the_first() -> None:
    chain = [((record, record + 1), 0) for record in range(999)]
    found = World([7] * 1000, chain, [], frozenset({7})).found()
    assert len(found.contradictions) == 999
    ends = [(each.left, each.right) for each in found.contradictions]
    assert ends == [(0, record) for record in range(1, 1000)]


def test_a_million_links_in_one_long_chain_are_one_person() -> None:
    order = np.random.default_rng(1).permutation(1_000_001)
    assert not components(len(order), order[:-1], order[1:]).any()


@pytest.mark.proof
def test_a_million_links_among_two_million_records_are_persons() -> None:
    size, edges = (2_000_000, 1_000_000) if FULL else (200_000, 100_000)
    random = np.random.default_rng(1)
    left = random.integers(0, size, edges)
    right = (left + random.integers(1, size, edges)) % size
    links = Links(left, right, random.integers(0, 3, edges))
    nonlinks = PairPositions(left[::100], right[::100])
    found = find_persons(
        size,
        links,
        nonlinks,
        databases=np.arange(size) // (size // 2),
        without_duplicates={0, 1},
    )
    several = list(islice(found.contradictions, 1000))
    assert found.count == len(np.unique(found.person))
    assert all(len(each.path) > 1 for each in several)
    assert len(found.contradictions) > len(several) == 1000


@pytest.mark.parametrize("pair", [(0, 3), (-1, 0), (3, 0), (1, 1)])
@pytest.mark.parametrize("role", ["link", "non-link"])
def test_pairs_of_other_records_or_of_one_are_refused(pair: Pair, role: str) -> None:
    links = [((0, 1), 0), (pair, 0)] if role == "link" else []
    nonlinks = [(0, 1), pair] if role == "non-link" else []
    with pytest.raises(NoSuchRecord):
        World([0] * 3, links, nonlinks, frozenset()).found()


def test_a_source_that_is_none_is_refused() -> None:
    with pytest.raises(UnknownName, match="automatic, reviewed or adjudicated"):
        World([0, 0], [((0, 1), 3)], [], frozenset()).found()


def test_every_record_needs_a_database() -> None:
    with pytest.raises(SettingError, match="There are 2 records, and 1 have a database"):
        find_persons(
            2,
            links_of([]),
            pairs_of([]),
            databases=np.zeros(1, dtype=np.int64),
            without_duplicates=(),
        )
