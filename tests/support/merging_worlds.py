"""Small worlds of records to be merged, and merging as plainly as the rule says it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

import numpy as np
from hypothesis import strategies as st

from mindfirl.core.merging.merge import merge_records
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.persons import PairPositions

Pair = tuple[int, int]
Group = frozenset[int]


@dataclass(frozen=True)
class MergingWorld:
    """Records by their databases (or -1) and ranks, weights of pairs, votes, final decisions."""

    databases: list[int]
    ranks: list[int]
    weights: dict[Pair, float]
    votes: dict[Pair, float]
    must_link: list[Pair]
    cannot_link: list[Pair]

    @property
    def records(self) -> int:
        return len(self.databases)

    @property
    def pairs(self) -> WeighedPairs:
        ends = positions_of(list(self.weights))
        return WeighedPairs(
            ends.left,
            ends.right,
            np.array(list(self.weights.values()), dtype=np.float64),
            np.array([self.votes.get(pair, 0.0) for pair in self.weights], dtype=np.float64),
        )

    def merged(self, least_share: float = 1 / 50) -> list[int]:
        found = merge_records(
            self.records,
            self.pairs,
            databases=np.array(self.databases, dtype=np.int64),
            must_link=positions_of(self.must_link),
            cannot_link=positions_of(self.cannot_link),
            order=np.array(self.ranks, dtype=np.int64),
            least_share=least_share,
        )
        return [int(number) for number in found]


def positions_of(pairs: list[Pair]) -> PairPositions:
    return PairPositions(*np.array(pairs, dtype=np.int64).reshape(-1, 2).T)


FEW_WEIGHTS = st.sampled_from([9.0, 8.0, 4.0, 2.0, 1.0, 0.0, -0.5, -1.0, -3.0, -9.0, -11.0])


@st.composite
def merging_worlds(draw: st.DrawFn, *, decisions: bool = True) -> MergingWorld:
    """Equal weights are common, so that ties decide; others are any."""
    databases = draw(st.lists(st.sampled_from([-1, -1, -1, 0, 70]), min_size=1, max_size=8))
    ranks = draw(st.permutations(range(len(databases))))
    every = list(combinations(range(len(databases)), 2))
    weight = draw(st.sampled_from([FEW_WEIGHTS, st.floats(-14, 14)]))
    some = st.lists(st.sampled_from(every), max_size=2) if every and decisions else st.just([])
    chosen = draw(st.lists(st.sampled_from(every), unique=True)) if every else []
    votes = {pair: draw(st.sampled_from([-2.0, 2.0])) for pair in draw(some)}
    weights = {pair: draw(weight) for pair in chosen}
    return MergingWorld(databases, list(ranks), weights, votes, draw(some), draw(some))


def naive_merged(world: MergingWorld) -> list[int]:
    """Merge the best pair of groups, look at all of them again, and so on."""
    groups: list[Group] = [frozenset([record]) for record in range(world.records)]
    for pair in world.must_link:
        groups = joined(groups, *(next(each for each in groups if end in each) for end in pair))
    while found := [
        (-mean, naive_tie(world, one, other), one, other)
        for one, other in combinations(groups, 2)
        if (mean := naive_mean(world, one, other)) > 0 and not kept_apart(world, one, other)
    ]:
        *_, one, other = min(found, key=lambda each: each[:2])
        groups = joined(groups, one, other)
    ordered = sorted(groups, key=min)
    return [
        next(number for number, group in enumerate(ordered) if record in group)
        for record in range(world.records)
    ]


def joined(groups: list[Group], one: Group, other: Group) -> list[Group]:
    return [*(each for each in groups if each not in (one, other)), one | other]


def naive_mean(world: MergingWorld, one: Group, other: Group) -> Fraction:
    counted = [naive_weight(world, pair) for pair in cross_pairs(one, other)]
    return sum(counted, Fraction()) / len(counted)


def naive_weight(world: MergingWorld, pair: Pair) -> Fraction:
    votes = world.votes.get(pair, 0.0)
    if pair not in world.weights or (world.weights[pair] < -10 and not votes):
        return Fraction(-1)
    whole = world.weights[pair] + votes
    within = max(-8.0, min(8.0, whole))
    beyond = max(-1.0, min(1.0, (whole - within) / 256))
    return Fraction(round((within + beyond) * 2**20), 2**20)


def cross_pairs(one: Group, other: Group) -> list[Pair]:
    return [(min(pair), max(pair)) for pair in product(one, other)]


def kept_apart(world: MergingWorld, one: Group, other: Group) -> bool:
    return any(
        (left, right) in world.cannot_link or world.databases[left] == world.databases[right] >= 0
        for left, right in cross_pairs(one, other)
    )


def naive_tie(world: MergingWorld, one: Group, other: Group) -> int:
    counted = (pair for pair in cross_pairs(one, other) if naive_weight(world, pair) != -1)
    return max(mixed(*sorted(world.ranks[record] for record in pair)) for pair in counted)


def mixed(low: int, high: int) -> int:
    number = low << 32 | high
    for factor in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F):
        number = (number ^ number >> 31) * factor % 2**64
    return number ^ number >> 31
