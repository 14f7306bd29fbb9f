"""Measured accuracy: bounds, steps, and what votes alone tell, against naive versions."""

from __future__ import annotations

from itertools import pairwise, product
from math import log, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Verdict
from mindfirl.core.review.evidence import USUAL_BITS, Accuracy
from mindfirl.core.review.reviewer_accuracy import (
    Consensus,
    KnownVote,
    SideVote,
    accuracy_by,
    accuracy_of,
    bits_of,
    consensus_of,
    judgements_of,
    measured_share,
    never_falling,
)

STEPS = VERDICTS[:-1]
numbers = st.integers(0, 300)
judgements = st.dictionaries(st.sampled_from(VERDICTS), st.tuples(numbers, numbers))


def test_nobody_measured_is_usual() -> None:
    assert accuracy_of({}) == Accuracy()
    assert bits_of({}) == USUAL_BITS


def test_verdicts_are_counted_by_reviewer_and_answer() -> None:
    sure, unsure = STEPS[-1], STEPS[0]
    votes = [("a", sure, True), ("a", sure, True), ("a", sure, False), ("b", unsure, False)]
    assert judgements_of(KnownVote(*vote) for vote in votes) == {
        "a": {sure: (2, 1)},
        "b": {unsure: (0, 1)},
    }


@given(judgements)
def test_a_share_is_told_of_answers_that_took_a_side_and_bounded_once_there_are_enough(
    judged: dict[Verdict, tuple[int, int]],
) -> None:
    places = [
        (verdict, same)
        for verdict, counts in judged.items()
        for same, number in zip((True, False), counts, strict=True)
        for _ in range(number)
        if verdict != CANNOT_TELL
    ]
    right = sum((STEPS.index(verdict) >= 3) is same for verdict, same in places)
    found = measured_share(judged)
    assert (found.right, found.judged) == (right, len(places))
    assert (found.bounds is None) is (len(places) < 20)
    low, high = found.bounds or (0.0, 1.0)
    assert low * len(places) <= right <= high * len(places)


def test_the_interval_of_a_measured_share_is_that_of_clopper_and_pearson() -> None:
    found = measured_share({STEPS[-1]: (18, 1), STEPS[0]: (1, 0), CANNOT_TELL: (7, 7)})
    assert (found.right, found.judged) == (18, 20)
    assert found.bounds == pytest.approx((0.683, 0.988), abs=0.001)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [
        *((0, 0, 0.8), (19, 0, 0.8), (0, 10, 0.533), (0, 19, 0.5)),
        *((20, 0, 0.863), (16, 4, 0.749), (95, 5, 0.906), (950, 50, 0.941), (0, 100, 0.5)),
    ],
)
def test_a_measured_accuracy_is_a_lower_bound(right: int, wrong: int, expected: float) -> None:
    assert round(accuracy_by(right, wrong), 3) == expected


@given(numbers, numbers)
def test_another_right_answer_never_lowers_accuracy(right: int, wrong: int) -> None:
    assert accuracy_by(right + 1, wrong) >= accuracy_by(right, wrong + 1)
    assert 0.5 <= accuracy_by(right, wrong) < 1


@given(judgements)
def test_cannot_tell_is_neither_right_nor_wrong(judged: dict[Verdict, tuple[int, int]]) -> None:
    without = {verdict: counts for verdict, counts in judged.items() if verdict != CANNOT_TELL}
    assert accuracy_of(judged) == accuracy_of(without)
    assert bits_of(judged) == bits_of(without)
    assert bits_of(judged)[CANNOT_TELL] == 0


@given(judgements)
def test_surer_steps_never_count_less_and_no_step_counts_against_itself(
    judged: dict[Verdict, tuple[int, int]],
) -> None:
    bits = [bits_of(judged)[step] for step in STEPS]
    assert all(one <= other for one, other in pairwise(bits))
    assert bits[2] <= 0 <= bits[3]


def test_steps_count_apart_when_each_was_measured_100_times() -> None:
    shares = dict(zip(STEPS, (2, 10, 30, 70, 90, 98), strict=True))
    judged = {step: (share, 100 - share) for step, share in shares.items()}
    bits = bits_of(judged)
    assert len({bits[step] for step in STEPS}) == 6
    judged["perhaps different"] = (29, 70)
    assert len(set(bits_of(judged).values())) == 3


def test_a_surer_step_that_is_no_better_counts_alike() -> None:
    judged = {step: (90, 10) if step.endswith("same") else (10, 90) for step in STEPS}
    judged["surely the same"] = (80, 20)
    bits = bits_of(judged)
    assert bits["surely the same"] == bits["probably the same"] == bits["perhaps the same"] > 0


values = st.lists(st.tuples(st.integers(-9, 9), st.integers(1, 5)), min_size=1, max_size=6)


@given(values)
def test_pooled_values_are_the_closest_that_rise(weighted: list[tuple[int, int]]) -> None:
    given_values, often = zip(*weighted, strict=True)
    found = never_falling(given_values, often)
    assert all(one <= other for one, other in pairwise(found))
    for place in range(len(found)):  # the largest mean from here back is the smallest one onwards
        expected = max(
            min(mean(weighted[start : end + 1]) for end in range(place, len(found)))
            for start in range(place + 1)
        )
        assert found[place] == pytest.approx(expected)


def mean(weighted: list[tuple[int, int]]) -> float:
    return sum(value * often for value, often in weighted) / sum(often for _, often in weighted)


# ---- what votes alone tell

side_votes = st.builds(SideVote, st.integers(0, 8), st.sampled_from("abcd"), st.booleans())
ballots = st.lists(side_votes, max_size=25)
answers = st.dictionaries(st.integers(0, 10), st.booleans(), max_size=5)


def once(votes: list[SideVote]) -> list[SideVote]:
    return list({(vote.pair, vote.reviewer): vote for vote in votes}.values())


def said(vote: SideVote, accuracy: Accuracy, *, of_same: bool) -> float:
    right = accuracy.same if of_same else accuracy.different
    return right if vote.same is of_same else 1 - right


@given(ballots, answers)
def test_answers_follow_from_accuracies_by_bayes_rule(
    votes: list[SideVote], known: dict[int, bool]
) -> None:
    found, cast = consensus_of(votes, known), once(votes)
    assert found.same.keys() == {*known, *(vote.pair for vote in votes)}
    for pair, chance in found.same.items():
        both = [
            share
            * prod(
                said(vote, found.accuracy[vote.reviewer], of_same=of_same)
                for vote in cast
                if vote.pair == pair
            )
            for of_same, share in ((True, found.share), (False, 1 - found.share))
        ]
        assert chance == pytest.approx(float(known.get(pair, both[0] / sum(both))))


@given(ballots, answers)
def test_the_fit_never_falls(votes: list[SideVote], known: dict[int, bool]) -> None:
    fit = consensus_of(votes, known).fit
    assert all(later >= earlier - 1e-9 for earlier, later in pairwise(fit))


@given(st.lists(side_votes, max_size=6))
def test_the_fit_is_the_likelihood_summed_over_all_answers(votes: list[SideVote]) -> None:
    found, cast = consensus_of(votes, {}), once(votes)
    pairs = sorted(found.same)
    whole = sum(
        prod(found.share if same else 1 - found.share for same in truth)
        * prod(
            said(vote, found.accuracy[vote.reviewer], of_same=truth[pairs.index(vote.pair)])
            for vote in cast
        )
        for truth in product([True, False], repeat=len(pairs))
    )
    presumed = sum(
        15 * log(share) + 3 * log(1 - share)
        for who in found.accuracy.values()
        for share in (who.same, who.different)
    )
    expected = log(whole) + presumed + log(found.share) + log(1 - found.share)
    assert found.fit[-1] == pytest.approx(expected)


@given(ballots, answers, st.randoms())
def test_neither_order_nor_repetition_matters(
    votes: list[SideVote], known: dict[int, bool], random: Any
) -> None:
    cast = once(votes)
    shuffled = random.sample(cast, len(cast))
    assert consensus_of([*shuffled, *shuffled], known) == consensus_of(cast, known)


@given(ballots, answers)
def test_both_answers_are_treated_alike(votes: list[SideVote], known: dict[int, bool]) -> None:
    mirrored = [SideVote(vote.pair, vote.reviewer, not vote.same) for vote in votes]
    one = consensus_of(votes, known)
    other = consensus_of(mirrored, {pair: not same for pair, same in known.items()})
    for pair, chance in one.same.items():
        assert other.same[pair] == pytest.approx(1 - chance, abs=1e-3)


def simulated(accuracy: dict[str, float]) -> tuple[Consensus, dict[int, bool]]:
    rng = np.random.default_rng(20)
    truth = {pair: bool(rng.random() < 0.4) for pair in range(1_500)}
    votes = [
        SideVote(pair, reviewer, same if rng.random() < share else not same)
        for pair, same in truth.items()
        for reviewer, share in accuracy.items()
    ]
    return consensus_of(votes, {}), truth


def test_accuracies_are_recovered_without_any_known_answer() -> None:
    accuracy = {"a": 0.95, "b": 0.85, "c": 0.75}
    found, truth = simulated(accuracy)
    for reviewer, share in accuracy.items():
        who = found.accuracy[reviewer]
        assert who.same == pytest.approx(share, abs=0.04)
        assert who.different == pytest.approx(share, abs=0.04)
    right = sum((found.same[pair] > 0.5) == same for pair, same in truth.items())
    assert right / len(truth) > 0.94
    assert found.share == pytest.approx(0.4, abs=0.06)
