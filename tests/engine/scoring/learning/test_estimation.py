"""What is learnt from counts is what the pairs were made of, and the likelihood never falls."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindfirl.engine.scoring.learning.estimation import (
    Counts,
    Tables,
    beside_look_alikes,
    estimate,
    first_match,
    first_share,
    mixed,
    pooled_levels,
    six_classes,
    two_classes,
    without_matches,
)
from mindfirl.engine.scoring.learning.missing import compared_by_missing, count_missing
from mindfirl.engine.scoring.learning.unions import Union

MATCH = [[5, 3, 7, 85], [10, 5, 5, 80], [3, 2, 95], [2, 2, 5, 6, 85], [2, 98]]
CHANCE = [[95, 3, 1, 1], [96, 2, 1, 1], [97, 2, 1], [90, 5, 2, 2, 1], [50, 50]]
RULES = [[0], [1, 4], [2]]


def tables(parts: Sequence[Sequence[int]]) -> Tables:
    return [np.array(each) / sum(each) for each in parts]


def drawn(size: int, share: float, seed: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    """Draw pairs, a share of them matches, and let a tenth of all values be missing."""
    rng = np.random.default_rng(seed)
    same = rng.random(size) < share
    levels = [
        np.where(same, rng.choice(len(one), size, p=one), rng.choice(len(one), size, p=other)) + 1
        for one, other in zip(tables(MATCH), tables(CHANCE), strict=True)
    ]
    found = np.stack(levels, axis=1).astype(np.uint8)
    found[rng.random(found.shape) < 0.1] = 0
    return found, same


def counted(levels: NDArray[np.uint8], union: Union) -> Counts:
    """Count what the rules compare; of the rest, only what is missing."""
    tops = [len(each) for each in MATCH]
    compared = np.zeros(len(levels), dtype=np.bool_)
    for rule in RULES:
        compared |= np.all([levels[:, place] == tops[place] for place in rule], axis=0)
    patterns, counts = np.unique(levels[compared], axis=0, return_counts=True)
    places = list(union.places)
    numbers = (levels[:, places] == 0) @ (1 << np.arange(len(places)))
    known, sizes = np.unique(numbers, return_counts=True)
    missing = (known[:, None] >> np.arange(len(places)) & 1).astype(np.bool_)
    seen = compared_by_missing(patterns, counts.astype(float), places, missing, {})
    return Counts(patterns, counts.astype(float), missing, sizes.astype(float), seen)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_parameters_are_recovered_from_the_compared_pairs(seed: int) -> None:
    levels, same = drawn(300_000, 0.01, seed)
    union = Union(RULES)
    found = estimate(counted(levels, union), two_classes(tables(CHANCE), 0.05), union)
    match = found.classes[0]
    assert match.share == pytest.approx(same.mean(), rel=0.05)
    for learnt, true in zip(match.levels, tables(MATCH), strict=True):
        assert np.abs(learnt - true).max() < 0.03


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("twins", [0.001, 0.01])
def test_look_alikes_are_told_from_matches(seed: int, twins: float) -> None:
    levels, same = drawn(300_000, 0.01, seed)
    rng = np.random.default_rng(seed + 100)
    chosen = same & (rng.random(len(same)) < twins / 0.01 / 2)
    filled = chosen & (levels[:, 0] > 0)
    levels[filled, 0] = rng.choice(4, filled.sum(), p=tables(CHANCE)[0]) + 1
    union = Union(RULES)
    counts = counted(levels, union)
    strangers, match = two_classes(tables(CHANCE), 0.02)[::-1]
    two = estimate(counts, [match, strangers], union)
    beside = beside_look_alikes(two.classes, 0, tables(CHANCE), [0])
    assert sum(each.share for each in beside) == pytest.approx(1)
    found = estimate(counts, beside, union)
    # Errors that make a value wholly different cannot be told from look-alikes.
    expected = chosen.mean() + (same & ~chosen).mean() * tables(MATCH)[0][0]
    assert found.classes[2].share == pytest.approx(expected, rel=0.3)
    shares = found.classes[0].share + found.classes[2].share
    assert shares == pytest.approx(same.mean(), rel=0.05)
    assert np.all(np.diff(found.likelihoods) > -1e-6)


def test_without_the_uncompared_pairs_it_would_be_wrong() -> None:
    levels, same = drawn(300_000, 0.01, 1)
    union = Union(RULES)
    counts = counted(levels, union)
    alone = Counts(counts.levels, counts.counts, counts.missing, counts.compared, counts.compared)
    found = estimate(alone, two_classes(tables(CHANCE), 0.05), union)
    assert found.classes[0].share > 5 * same.mean()


@settings(max_examples=15)
@given(st.integers(0, 1_000_000), st.floats(0.001, 0.2))
def test_the_likelihood_never_falls(seed: int, share: float) -> None:
    union = Union(RULES)
    counts = counted(drawn(2_000, share, seed)[0], union)
    chance = tables(CHANCE)
    two = estimate(counts, two_classes(chance, 0.02), union, rounds=60)
    classes = six_classes(
        two.classes[0], chance, 0.02, [True, False, True, False, False], [True, True, *[False] * 3]
    )
    six = estimate(counts, classes, union, rounds=60)
    for found in (two, six):
        assert np.all(np.diff(found.likelihoods) > -1e-6)
        assert sum(each.share for each in found.classes) == pytest.approx(1)
        assert found.shares.sum(axis=0) == pytest.approx(1)
        for each in found.classes:
            assert all(levels.sum() == pytest.approx(1) for levels in each.levels)


def test_neither_the_order_of_patterns_nor_of_attributes_matters() -> None:
    union = Union(RULES)
    counts = counted(drawn(5_000, 0.05, 1)[0], union)
    found = estimate(counts, two_classes(tables(CHANCE), 0.02), union)
    rng = np.random.default_rng(5)
    mixed_up = rng.permutation(len(counts.counts))
    order = [3, 0, 4, 2, 1]
    moved = Union([[order.index(place) for place in rule] for rule in RULES])
    columns = [list(union.places).index(order[place]) for place in moved.places]
    again = Counts(
        counts.levels[mixed_up][:, order],
        counts.counts[mixed_up],
        counts.missing[:, columns],
        counts.possible,
        counts.compared,
    )
    chance = [tables(CHANCE)[place] for place in order]
    other = estimate(again, two_classes(chance, 0.02), moved)
    assert other.classes[0].share == pytest.approx(found.classes[0].share)
    for place, levels in zip(order, other.classes[0].levels, strict=True):
        assert levels == pytest.approx(found.classes[0].levels[place])


def test_strangers_are_at_least_half() -> None:
    levels = np.full((1, 5), [4, 4, 3, 5, 2], dtype=np.uint8)
    union = Union(RULES)
    one = np.array([1000.0])
    counts = Counts(levels, one, np.zeros((1, 4), dtype=np.bool_), one, one)
    found = estimate(counts, two_classes(tables(CHANCE), 0.1), union)
    assert found.classes[1].share == pytest.approx(0.5)


@given(
    st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=1, max_size=6),
)
def test_pooled_levels_rise_and_are_the_most_likely_that_do(
    parts: list[tuple[float, float]],
) -> None:
    shares = np.array([one for one, _ in parts]) / sum(one for one, _ in parts)
    chance = np.array([other for _, other in parts]) / sum(other for _, other in parts)
    found = pooled_levels(shares, chance)
    assert found.sum() == pytest.approx(1)
    assert np.all(np.diff(found / chance) > -1e-9)
    rising = np.all(np.diff(shares / chance) >= 0)
    assert not rising or found == pytest.approx(shares)
    others = [_moved(found, chance, step) for step in range(len(shares) - 1)]
    allowed = [each for each in others if np.all(np.diff(each / chance) >= 0) and each.min() > 0]
    assert all(shares @ np.log(each) <= shares @ np.log(found) + 1e-12 for each in allowed)


def _moved(
    levels: NDArray[np.float64], chance: NDArray[np.float64], step: int
) -> NDArray[np.float64]:
    """Move a little from a level to the next one."""
    other = levels.copy()
    other[step] -= 1e-4 * chance[step]
    other[step + 1] += 1e-4 * chance[step]
    return other


def test_matches_begin_at_nine_in_ten_and_halve() -> None:
    (found,) = first_match([4])
    assert found.sum() == pytest.approx(1)
    assert found[-1] == 0.9
    assert found[2] == pytest.approx(2 * found[1]) == pytest.approx(4 * found[0])
    assert first_share(10, 45) == 0.2
    assert first_share(1_000, 499_500) == pytest.approx(1_000 / 499_500)


def test_a_mixture_keeps_personal_attributes_apart() -> None:
    one, other = [np.array([0.0, 1.0])] * 2, [np.array([1.0, 0.0])] * 2
    found = mixed(one, other, 0.25, [True, False])
    assert [each.tolist() for each in found] == [[1.0, 0.0], [0.75, 0.25]]


def test_matches_are_taken_out_of_what_all_pairs_have_in_common() -> None:
    union = Union(RULES)
    counts = counted(drawn(50_000, 0.05, 2)[0], union)
    match = estimate(counts, two_classes(tables(CHANCE), 0.02), union).classes[0]
    raw = [
        (1 - match.share) * other + match.share * one
        for one, other in zip(match.levels, tables(CHANCE), strict=True)
    ]
    for found, true in zip(without_matches(raw, match, 100, 10_000), tables(CHANCE), strict=True):
        assert found == pytest.approx(true, abs=1e-9)
    nothing = without_matches([match.share * each for each in match.levels], match, 100, 10_000)
    assert all(each.min() > 0 for each in nothing)


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.booleans(), st.integers(0, 2)), min_size=2, max_size=12
    ),
    across=st.booleans(),
)
def test_missing_values_are_counted_by_pairs(
    rows: list[tuple[bool, bool, int]], *, across: bool
) -> None:
    masks = np.array([row[:2] for row in rows])
    parts = np.array([row[2] for row in rows])
    groups = [masks[parts == part] for part in range(3)] if across else []
    flags, found = count_missing([masks], groups)
    naive: dict[tuple[bool, ...], int] = {}
    for one, other in product(range(len(rows)), repeat=2):
        if one < other and not (across and parts[one] == parts[other]):
            either = tuple((masks[one] | masks[other]).tolist())
            naive[either] = naive.get(either, 0) + 1
    got = {tuple(flag.tolist()): pairs for flag, pairs in zip(flags, found, strict=True) if pairs}
    assert got == naive


def test_what_stands_aside_is_not_missing() -> None:
    levels = np.array([[1, 0], [2, 0]], dtype=np.uint8)
    flags = np.array([[False], [True]])
    aside = {1: np.array([False, True])}
    counts = np.array([3.0, 5.0])
    assert compared_by_missing(levels, counts, [1], flags, aside).tolist() == [5.0, 3.0]


@given(
    st.lists(st.frozensets(st.integers(0, 4), min_size=1, max_size=3), min_size=1, max_size=6),
    st.integers(0, 1_000),
)
def test_a_union_is_the_sum_over_all_combinations(rules: list[frozenset[int]], seed: int) -> None:
    union = Union(rules)
    chances = np.random.default_rng(seed).random((3, len(union.places)))

    def naive(given: NDArray[np.float64]) -> NDArray[np.float64]:
        total = np.zeros(len(given))
        for bits in product([False, True], repeat=len(union.places)):
            identical = {place for place, bit in zip(union.places, bits, strict=True) if bit}
            if any(rule <= identical for rule in rules):
                total += np.prod(np.where(bits, given, 1 - given), axis=1)
        return total

    assert union.chance(chances) == pytest.approx(naive(chances))
    slopes = union.slopes(chances)
    for column in range(len(union.places)):
        high, low = chances.copy(), chances.copy()
        high[:, column], low[:, column] = 1, 0
        assert slopes[:, column] == pytest.approx(naive(high) - naive(low))
