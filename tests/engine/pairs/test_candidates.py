"""Pairs as numbers, and all pairs of groups, are those that plain loops make."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.pairs.candidates import (
    count_within,
    pair_keys,
    pairs_within,
    short,
    split_keys,
    stands_before,
    still_bars,
    weight_bars,
)

POSITIONS = st.integers(0, 5) | st.integers(0, 2**32 - 1)


@given(st.lists(st.tuples(POSITIONS, POSITIONS)))
def test_a_pair_has_its_number_whichever_record_comes_first(pairs: list[tuple[int, int]]) -> None:
    left, right = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    keys = pair_keys(left, right)
    assert keys.tolist() == pair_keys(right, left).tolist()
    assert len(set(keys.tolist())) == len({frozenset(pair) for pair in pairs})
    expected = [frozenset(pair) in map(frozenset, pairs[:row]) for row, pair in enumerate(pairs)]
    assert stands_before(keys).tolist() == expected
    ends = np.transpose(split_keys(keys)).tolist()
    assert ends == [sorted(pair) for pair in pairs]


@given(st.lists(st.integers(0, 4), max_size=12))
def test_groups_make_all_pairs_of_their_members(groups: list[int]) -> None:
    left, right = pairs_within(np.array(groups, dtype=np.int64))
    expected = {
        (one, other)
        for one, other in combinations(range(len(groups)), 2)
        if groups[one] == groups[other]
    }
    assert set(zip(left.tolist(), right.tolist(), strict=True)) == expected
    assert len(left) == len(expected) == count_within(np.array(groups, dtype=np.int64))


WEIGHTS = st.floats(-60, 60, allow_subnormal=False)
LIMITS = st.one_of(WEIGHTS, st.sampled_from([-math.inf, math.inf, 0.0]))


@given(st.lists(WEIGHTS, min_size=1), LIMITS, LIMITS, st.integers(1, 60))
def test_every_pair_is_in_its_band(
    weights: list[float], one: float, other: float, most: int
) -> None:
    lower, upper = sorted((one, other))
    held = weight_bars(np.array(weights), lower, upper, most=most)
    links = sum(weight >= upper for weight in weights)
    rest = sum(weight < lower for weight in weights)
    assert held.totals == (rest, len(weights) - links - rest, links)


@given(st.lists(WEIGHTS, min_size=1), LIMITS, LIMITS, st.integers(1, 60))
def test_bars_adjoin_and_do_not_cross_a_limit(
    weights: list[float], one: float, other: float, most: int
) -> None:
    lower, upper = sorted((one, other))
    bars = weight_bars(np.array(weights), lower, upper, most=most).bars
    assert all(bar.end == after.start for bar, after in pairwise(bars))
    assert all(bar.start <= bar.end for bar in bars)
    for limit in (lower, upper):
        assert not any(bar.start < limit < bar.end for bar in bars)
    assert len(bars) <= 2 * most + 3


def test_bars_are_of_one_width_where_the_band_for_people_is_wide_enough() -> None:
    held = weight_bars(np.linspace(-20.3, 25.1, 1000), -3.5, 5.5, most=48)
    widths = [bar.end - bar.start for bar in held.bars]
    assert widths == pytest.approx([widths[0]] * len(widths), abs=1e-5)
    assert 40 <= len(held.bars) <= 56


def test_a_narrow_band_for_people_has_a_bar_of_its_own() -> None:
    held = weight_bars(np.array([-20.0, 2.1, 20.0]), 2, 2.2, most=16)
    assert [(bar.start, bar.end, bar.pairs) for bar in held.of(1)] == [(2, 2.2, 1)]
    assert len(held.bars) < 20


def test_a_pair_on_a_limit_is_above_it() -> None:
    assert weight_bars(np.array([1.0, 2.0]), 1, 2, most=4).totals == (0, 1, 1)


def test_a_limit_beyond_all_weights_is_none() -> None:
    held = weight_bars(np.array([1.0, 2.0]), -1000, 1000, most=4)
    assert held.ranges == ("no weight", "any weight", "no weight")
    assert held.bars[0].start == 1, "and stretches no bar"


def test_one_weight_and_none() -> None:
    assert weight_bars(np.array([3.0]), 3, 3, most=8).totals == (0, 0, 1)
    empty = weight_bars(np.array([]), 0, 1, most=8)
    assert (empty.bars, empty.totals) == ((), (0, 0, 0))


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (-3.5, 5.5, ("weight below -3.5", "weight -3.5 to 5.5", "weight 5.5 and above")),
        (2, 2, ("weight below 2", "no weight", "weight 2 and above")),
        (-math.inf, math.inf, ("no weight", "any weight", "no weight")),
        (-math.inf, 2, ("no weight", "weight below 2", "weight 2 and above")),
    ],
)
def test_ranges_in_words(lower: float, upper: float, words: tuple[str, ...]) -> None:
    assert weight_bars(np.array([0.0]), lower, upper, most=8).ranges == words


def test_weights_are_written_short() -> None:
    assert [short(weight) for weight in (-0.001, 12.3456, 5.0, -3.5)] == ["0", "12.35", "5", "-3.5"]


@given(st.lists(WEIGHTS, min_size=1), st.integers(2, 300))
def test_still_bars_hold_every_pair_between_multiples_of_a_step(
    weights: list[float], most: int
) -> None:
    bars = still_bars(np.array(weights), step=0.5, most=most)
    width = bars[0].end - bars[0].start
    assert math.log2(width / 0.5).is_integer()
    assert len(bars) <= most
    for bar in bars:
        assert (bar.start / width).is_integer()
        assert bar.end - bar.start == width
        assert bar.pairs == sum(bar.start <= weight < bar.end for weight in weights)
    assert sum(bar.pairs for bar in bars) == len(weights)
    assert bars[0].pairs
    assert bars[-1].pairs


def test_without_pairs_no_bar_stands() -> None:
    assert still_bars(np.array([]), step=0.5, most=10) == ()
