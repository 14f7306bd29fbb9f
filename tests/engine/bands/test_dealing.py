"""Pairs are dealt by share, at random, and to nobody twice."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.population.index import build_index
from mindfirl.core.risk import kapr
from mindfirl.core.risk.worked_example import RECORDS, SCHEMA
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Accounting, Attribute, Level, Schema
from mindfirl.engine.bands.dealing import Start, deal, deal_rest, quotas, start_of
from tests.support.core_worlds import Case, cases

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


def ks(case: Case, state: dict[str, Level], place: int = 0) -> list[int]:
    seen = kapr.view_pair(case.index, case.display[place][0], state)
    return [risk.k for risk in kapr.row_risks(case.index, seen, "paper")]


@given(cases(), st.sampled_from(["paper", "strict"]))
def test_the_charge_is_that_of_the_state_and_no_row_is_below_the_floor(
    case: Case, accounting: Accounting
) -> None:
    for place, (pair, planned) in enumerate(case.display):
        kappa = min(case.kappa, case.index.size)
        start = start_of(case.index, pair, planned, kappa=kappa, accounting=accounting)
        state = planned | dict(start.lower)
        seen = kapr.view_pair(case.index, pair, state)
        assert start.charge == kapr.units(kapr.row_risks(case.index, seen, accounting), kappa)
        assert min(ks(case, state, place)) >= kappa
        for name, level in start.lower:
            assert LEVELS.index(level) < LEVELS.index(planned[name])


@given(cases())
def test_only_what_breaks_the_floor_is_left_masked(case: Case) -> None:
    groups = {name: group for group in case.schema.swap_groups for name in group}
    for place, (pair, planned) in enumerate(case.display):
        kappa = min(case.kappa, case.index.size)
        start = start_of(case.index, pair, planned, kappa=kappa, accounting="paper")
        state = planned | dict(start.lower)
        for name, level in start.lower:
            partner = next((each for each in groups.get(name, ()) if each != name), name)
            assert (
                level != "masked"
                or LEVELS.index(planned[partner]) < LEVELS.index(planned[name])
                or min(ks(case, {**state, name: planned[name]}, place)) < kappa
            )


def test_without_a_floor_all_cells_start_as_planned() -> None:
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    state: dict[str, Level] = dict.fromkeys(SCHEMA.names, "full")
    start = start_of(index, index.pair(0, 1), state, kappa=1, accounting="paper")
    assert start == Start(6 * kapr.UNITS)
    assert start_of(index, index.pair(0, 1), {}, kappa=1, accounting="paper") == Start()


def test_a_swapped_group_starts_at_its_lower_level() -> None:
    schema = Schema(
        [Attribute("first", "string"), Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    rows = [{"first": "Ann", "last": "Lee"}, {"first": "Lee", "last": "Ann"}]
    index = build_index(schema, raw_columns(schema.names, rows))
    one = start_of(index, index.pair(0, 1), {"first": "full"}, kappa=1, accounting="paper")
    assert one == Start(0, (("first", "masked"),))
    both = start_of(
        index, index.pair(0, 1), {"first": "full", "last": "full"}, kappa=1, accounting="paper"
    )
    assert both == Start(4 * kapr.UNITS)
    floor = start_of(
        index, index.pair(0, 1), {"first": "full", "last": "full"}, kappa=2, accounting="paper"
    )
    assert floor == Start(0, (("first", "masked"), ("last", "masked")))
