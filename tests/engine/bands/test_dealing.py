"""Pairs are dealt by share, at random, and to nobody twice."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.dealing import deal, deal_rest, quotas

SHARES = st.lists(st.integers(1, 100), min_size=1, max_size=8)


@given(st.integers(1, 60), SHARES, st.integers(1, 5), st.randoms(use_true_random=False))
def test_every_pair_is_reviewed_by_so_many_different_workers(
    pairs: int, shares: list[int], reviews: int, dice: Random
) -> None:
    reviews = min(reviews, len(shares))
    hands = deal(pairs, reviews, shares, dice)
    assert [len(hand) for hand in hands] == quotas(pairs, reviews, shares)
    assert all(len(set(hand)) == len(hand) for hand in hands)
    counts = Counter(pair for hand in hands for pair in hand)
    assert counts == dict.fromkeys(range(pairs), reviews)


@pytest.mark.parametrize(
    ("pairs", "reviews", "shares", "sizes"),
    [
        (100, 1, [100, 100], [50, 50]),
        (100, 1, [100, 50, 50], [50, 25, 25]),
        (100, 2, [100, 1, 1], [100, 50, 50]),
        (100, 2, [100, 10, 30], [100, 25, 75]),
        (10, 3, [7, 1, 90], [10, 10, 10]),
        (2, 1, [1, 1, 1], [1, 1, 0]),
        (1_000, 2, [60, 60, 40, 40], [600, 600, 400, 400]),
    ],
)
def test_sizes_are_in_proportion_to_the_shares(
    pairs: int, reviews: int, shares: list[int], sizes: list[int]
) -> None:
    assert quotas(pairs, reviews, shares) == sizes


def test_any_two_workers_meet_on_pairs() -> None:
    hands = deal(3_000, 2, [100, 100, 50, 50], Random(1))
    for one, other in combinations(map(set, hands), 2):
        assert len(one & other) > 100, "workers who never meet cannot be compared"


def test_who_gets_a_pair_does_not_depend_on_its_place() -> None:
    firsts = Counter(
        worker
        for seed in range(3_000)
        for worker, hand in enumerate(deal(5, 1, [20, 20, 60], Random(seed)))
        if 0 in hand
    )
    assert [round(firsts[worker] / 3_000, 1) for worker in range(3)] == [0.2, 0.2, 0.6]


@given(st.integers(0, 40), st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_rest_goes_to_those_who_do_not_have_it(pairs: int, people: int, dice: Random) -> None:
    taken = [{pair for pair in range(pairs) if dice.random() < 0.4} for _ in range(people)]
    hands, nobody = deal_rest(pairs, taken, dice)
    given_out = [pair for hand in hands for pair in hand]
    impossible = {pair for pair in range(pairs) if all(pair in has for has in taken)}
    assert sorted(given_out) == [pair for pair in range(pairs) if pair not in impossible]
    assert nobody == len(impossible)
    assert not any(set(hand) & has for hand, has in zip(hands, taken, strict=True))


def test_the_rest_is_dealt_evenly() -> None:
    hands, _ = deal_rest(100, [set(), set(), set(range(50))], Random(3))
    assert sorted(map(len, hands)) == [33, 33, 34]
