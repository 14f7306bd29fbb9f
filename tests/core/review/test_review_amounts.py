"""Order and amount of a review, and the sample that guards the rest."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.evidence import Accuracy, PairEvidence, WeighedVote
from mindfirl.core.review.review_amounts import (
    ExpectedResult,
    GuardSize,
    amounts_offered,
    expected_results,
    guard_size,
    review_order,
    spread_over_weights,
)

weights = st.lists(st.floats(-12, 12, allow_nan=False), max_size=12).map(np.array)


@st.composite
def merged_pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    weight = draw(weights)
    merged = draw(st.lists(st.booleans(), min_size=len(weight), max_size=len(weight)))
    return weight, np.array(merged, dtype=np.bool_)


@given(merged_pairs())
def test_pairs_come_first_that_merging_overrules_then_the_most_uncertain(
    pairs: tuple[np.ndarray, np.ndarray],
) -> None:
    weight, merged = pairs
    naive = sorted(
        range(len(weight)), key=lambda at: ((weight[at] > 0) == merged[at], abs(weight[at]), at)
    )
    assert review_order(weight, merged).tolist() == naive
    alone = sorted(range(len(weight)), key=lambda at: (abs(weight[at]), at))
    assert review_order(weight).tolist() == alone


@given(st.integers(0, 5_000), st.none() | st.integers(0, 9_000))
def test_amounts_go_from_nothing_to_the_whole_band(band: int, own: int | None) -> None:
    amounts = amounts_offered(band, own)
    assert (amounts[0], amounts[-1]) == (0, band)
    assert list(amounts) == sorted(set(amounts))
    assert min(own or 0, band) in amounts


def test_fewer_than_no_pairs_cannot_be_reviewed() -> None:
    with pytest.raises(SettingError, match="fewer than 0"):
        amounts_offered(9, -1)


Says = Callable[[float, tuple[bool, ...]], float]
"""How likely reviewers say this, one after the other, if each says "same" with that chance."""


def each_alone(says: float, answers: tuple[bool, ...]) -> float:
    return float(np.prod([says if yes else 1 - says for yes in answers]))


def all_alike(says: float, answers: tuple[bool, ...]) -> float:
    return {True: says, False: 1 - says}[answers[0]] if len(set(answers)) == 1 else 0.0


def linked_if(
    same: bool,  # noqa: FBT001  # one of two worlds
    weight: float,
    reviews: int,
    who: Accuracy,
    likely: Says,
) -> float:
    """Return how likely a pair is linked, over all that reviewers can say, one after the other."""
    chance = 0.0
    says = who.same if same else 1 - who.different
    for answers in product([True, False], repeat=reviews):
        votes = tuple(
            WeighedVote(
                str(n), Decision("surely the same" if yes else "surely different"), who.bits
            )
            for n, yes in enumerate(answers)
        )
        if PairEvidence(weight, votes, 0, 0).linked:
            chance += likely(says, answers)
    return chance


def naive_f1(
    weight: np.ndarray,
    reviewed: int,
    reviews: int,
    who: Accuracy,
    lost: float,
    *,
    likely: Says = each_alone,
) -> float:
    first = sorted(range(len(weight)), key=lambda at: (abs(weight[at]), at))[:reviewed]
    right = false = missed = 0.0
    for at, each in enumerate(weight):
        times = reviews if at in first else 0
        chance = 1 / (1 + 2.0**-each)
        if_same, if_not = (
            linked_if(same, float(each), times, who, likely) for same in (True, False)
        )
        right, missed = right + chance * if_same, missed + chance * (1 - if_same)
        false += (1 - chance) * if_not
    whole = 2 * right + false + missed + lost
    return 2 * right / whole if whole else 1.0


@given(weights, st.integers(0, 3), st.sampled_from([0.6, 0.8, 0.95]), st.sampled_from([0.0, 3.0]))
def test_a_range_holds_what_independent_reviewers_come_to(
    weight: np.ndarray, reviews: int, share: float, lost: float
) -> None:
    who, order = Accuracy(share, share), review_order(weight)
    amounts = sorted({0, len(weight) // 2, len(weight)})
    found = expected_results(
        weight, order, amounts, reviews=reviews, accuracy=who, never_compared=(lost, lost)
    )
    assert [each.pairs for each in found] == amounts
    for each in found:
        expected = naive_f1(weight, each.pairs, reviews, who, lost)
        assert 0 <= each.low <= expected + 1e-9
        assert expected - 1e-9 <= each.high <= 1


@pytest.mark.parametrize("lost", [(0.0, 0.0), (0.5, 1.0)])
@pytest.mark.parametrize("reviews", [2, 3])
def test_the_worst_is_that_all_reviewers_err_together_and_the_best_that_each_errs_alone(
    reviews: int, lost: tuple[float, float]
) -> None:
    """There are enough pairs that chance adds nearly nothing to either end."""
    kinds, copies, who = np.array([-1.5, -0.5, 0.5, 1.5, 3.0]), 20_000, Accuracy(0.8, 0.75)
    weight = np.tile(kinds, copies)
    (found,) = expected_results(
        weight,
        review_order(weight),
        [len(weight)],
        reviews=reviews,
        accuracy=who,
        never_compared=(lost[0] * copies, lost[1] * copies),
    )
    worst = naive_f1(kinds, len(kinds), reviews, who, lost[1], likely=all_alike)
    best = naive_f1(kinds, len(kinds), reviews, who, lost[0])
    assert worst - 0.01 < found.low < worst
    assert best < found.high < best + 0.01
    assert best - worst > 0.03


def world(seed: int, size: int = 4_000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    likely = rng.random(size) < 0.4
    weight = np.where(likely, rng.normal(5, 4, size), rng.normal(-6, 4, size))
    return weight, rng.random(size) < 1 / (1 + np.exp2(-weight))


def f1_of(linked: np.ndarray, truth: np.ndarray) -> float:
    return float(2 * (linked & truth).sum() / (linked.sum() + truth.sum()))


def test_ranges_hold_the_true_f1_of_calibrated_sets() -> None:
    inside = []
    for seed in range(40):
        (weight, truth), rng = world(seed), np.random.default_rng(seed)
        order = review_order(weight)
        for each in expected_results(weight, order, [0, 500, 1_000]):
            votes = rng.random((2, each.pairs)) < 0.8
            bits = np.where(votes == truth[order[: each.pairs]], 2.0, -2.0).sum(axis=0)
            combined = weight.copy()
            combined[order[: each.pairs]] += bits
            inside.append(each.low <= f1_of(combined > 0, truth) <= each.high)
            assert each.high - each.low < 0.04
    assert np.mean(inside) >= 0.8


def test_more_review_is_expected_to_help_and_links_never_compared_to_hurt() -> None:
    weight, _ = world(1)
    order = review_order(weight)
    found = expected_results(weight, order, [0, 200, 400, 800])
    assert all(one.high < two.high for one, two in pairwise(found))
    (lost,) = expected_results(weight, order, [0], never_compared=(100, 400))
    assert lost.low < found[0].low - 0.03
    assert lost.high < found[0].high
    assert expected_results(np.array([]), np.arange(0), [0]) == [ExpectedResult(0, 1.0, 1.0)]


@pytest.mark.parametrize(
    ("looks", "links", "below", "expected"),
    [
        (500, 10**6, 10**6, GuardSize(67, 33)),
        (9_000, 10**6, 10**6, GuardSize(600, 300)),
        (500, 10, 10**6, GuardSize(10, 90)),
        (500, 10**6, 5, GuardSize(95, 5)),
        (500, 8, 5, GuardSize(8, 5)),
    ],
)
def test_a_guard_is_a_tenth_of_the_looks_and_at_least_100(
    looks: int, links: int, below: int, expected: GuardSize
) -> None:
    assert guard_size(looks, links=links, below=below) == expected


@given(st.integers(0, 10**5), st.integers(0, 10**5), st.integers(0, 10**5))
def test_a_guard_is_as_large_as_it_can_be(looks: int, links: int, below: int) -> None:
    found = guard_size(looks, links=links, below=below)
    wanted = max(-(-looks // 10), 100)
    assert found.pairs == min(wanted, links + below)
    assert (found.links <= links, found.below <= below) == (True, True)


@given(weights, st.integers(0, 15), st.integers(0, 99))
def test_a_sample_has_one_pair_of_each_part_of_the_weights(
    weight: np.ndarray, count: int, seed: int
) -> None:
    chance = np.random.default_rng(seed).permutation(len(weight))
    found = spread_over_weights(weight, count, chance)
    assert len(set(found.tolist())) == len(found) == min(count, len(weight))
    rank = np.empty(len(weight), dtype=np.int64)
    rank[np.lexsort((chance, weight))] = np.arange(len(weight))
    parts = rank[found] * len(found) // max(len(weight), 1)
    assert sorted(parts.tolist()) == list(range(len(found)))


def test_every_pair_can_be_drawn_equally_often() -> None:
    weight, drawn = np.linspace(-3, 9, 12), np.zeros(12)
    for seed in range(2_000):
        chance = np.random.default_rng(seed).permutation(12)
        drawn[spread_over_weights(weight, 4, chance)] += 1
    assert np.abs(drawn / 2_000 - 1 / 3).max() < 0.04


def test_review_is_expected_to_leave_fewer_errors_of_both_kinds() -> None:
    weight, truth = world(2)
    none, some, every = expected_results(weight, review_order(weight), [0, 800, len(weight)])
    assert none.false_links[0] == none.false_links[1]
    assert abs(none.false_links[0] - (~truth & (weight > 0)).sum()) < 60
    assert abs(none.missed[0] - (truth & (weight <= 0)).sum()) < 60
    for fewer, more in pairwise((none, some, every)):
        assert more.false_links[0] < fewer.false_links[0]
        assert more.missed[0] < fewer.missed[0]
        assert more.false_links[0] <= more.false_links[1]
