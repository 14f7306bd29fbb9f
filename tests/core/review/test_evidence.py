"""What votes add to a weight, against Bayes' rule written out, and the laws of the outcome."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import log2
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import (
    CANNOT_TELL,
    REASONS,
    VERDICTS,
    Decision,
    Outcome,
    Resolution,
)
from mindfirl.core.review.evidence import (
    ADJUDICATOR_BITS,
    USUAL_BITS,
    Accuracy,
    PairEvidence,
    WeighedVote,
    decisive_weight,
    dividing_weight,
)

SAME, DIFFERENT = Decision("perhaps the same"), Decision("surely different")
UNABLE, EXPERT = Decision(CANNOT_TELL, "twins"), Decision(CANNOT_TELL, "needs expert")
BAND = decisive_weight()
STEPS = VERDICTS[:-1]
FLIPPED: dict[Outcome, Outcome] = {"link": "non-link", "non-link": "link", "open": "open"}

shares = st.integers(50, 99).map(lambda percent: percent / 100)
accuracies = st.builds(Accuracy, shares, shares)
sides = st.sampled_from(STEPS).map(Decision)
decisions = sides | st.sampled_from(REASONS).map(lambda reason: Decision(CANNOT_TELL, reason))
weights = st.floats(-30, 30, allow_nan=False).map(lambda weight: round(weight, 3))


def vote(decision: Decision, reviewer: str = "a", accuracy: Accuracy | None = None) -> WeighedVote:
    return WeighedVote(reviewer, decision, (accuracy or Accuracy()).bits)


def evidence(weight: float, *said: Decision, **more: Any) -> PairEvidence:
    votes = tuple(vote(each, str(number)) for number, each in enumerate(said))
    return PairEvidence(weight, votes, -BAND, BAND, **more)


@st.composite
def votes(draw: st.DrawFn) -> tuple[WeighedVote, ...]:
    cast = draw(st.lists(st.tuples(decisions, accuracies), max_size=6))
    return tuple(vote(said, str(number), who) for number, (said, who) in enumerate(cast))


@st.composite
def cases(draw: st.DrawFn) -> PairEvidence:
    low, high = sorted((draw(weights), draw(weights)))
    return PairEvidence(draw(weights), draw(votes()), low, high)


def naive_odds(prior: Fraction, said: list[tuple[bool, Fraction, Fraction]]) -> Fraction:
    """Multiply odds by how much likelier each answer is of a pair that is the same."""
    for same, right_of_same, right_of_different in said:
        if same:
            prior *= right_of_same / (1 - right_of_different)
        else:
            prior *= (1 - right_of_same) / right_of_different
    return prior


percents = st.integers(50, 99).map(lambda percent: Fraction(percent, 100))


@given(
    st.fractions(min_value=Fraction(1, 10**6), max_value=10**6),
    st.lists(st.tuples(st.booleans(), percents, percents), max_size=6),
)
def test_votes_add_what_bayes_rule_says(
    prior: Fraction, said: list[tuple[bool, Fraction, Fraction]]
) -> None:
    cast = tuple(
        vote(SAME if same else DIFFERENT, str(number), Accuracy(float(one), float(other)))
        for number, (same, one, other) in enumerate(said)
    )
    found = PairEvidence(log2(prior), cast, -BAND, BAND).combined
    assert found == pytest.approx(log2(naive_odds(prior, said)), abs=1e-9)


def test_a_vote_is_worth_two_bits_until_accuracy_is_measured() -> None:
    assert {verdict: round(bits, 9) for verdict, bits in USUAL_BITS.items()} == {
        **dict.fromkeys(STEPS[:3], -2.0),
        **dict.fromkeys(STEPS[3:], 2.0),
        CANNOT_TELL: 0.0,
    }
    assert round(BAND, 9) == 2
    assert round(decisive_weight(0.98), 2) == 5.61


@pytest.mark.parametrize("share", [0.49, 1.0, -1, 2])
def test_an_accuracy_is_a_share_from_a_half(share: float) -> None:
    for make in (Accuracy, decisive_weight, lambda each: Accuracy(different=each)):
        with pytest.raises(SettingError, match="must be a share"):
            make(share)


@given(accuracies, shares)
def test_a_more_accurate_vote_adds_more(accuracy: Accuracy, share: float) -> None:
    better = Accuracy(max(accuracy.same, share), max(accuracy.different, share))
    for verdict in VERDICTS:
        assert abs(better.bits[verdict]) >= abs(accuracy.bits[verdict])


@given(accuracies)
def test_no_vote_counts_against_what_it_says(accuracy: Accuracy) -> None:
    bits = accuracy.bits
    assert max(bits[verdict] for verdict in STEPS[:3]) <= 0 <= min(bits[s] for s in STEPS[3:])
    assert bits[CANNOT_TELL] == 0


@given(cases(), st.randoms())
def test_the_order_of_votes_does_not_matter(case: PairEvidence, random: Any) -> None:
    other = tuple(random.sample(case.votes, len(case.votes)))
    shuffled = replace(case, votes=other)
    assert shuffled.combined == case.combined
    assert shuffled.resolution == case.resolution


@given(cases())
def test_a_reviewer_counts_once(case: PairEvidence) -> None:
    again = replace(case, votes=(*case.votes, *case.votes))
    assert (again.combined, again.resolution) == (case.combined, case.resolution)


@given(cases(), decisions, decisions)
def test_what_a_reviewer_said_last_counts(
    case: PairEvidence, first: Decision, second: Decision
) -> None:
    both = replace(case, votes=(*case.votes, vote(first, "again"), vote(second, "again")))
    one = replace(case, votes=(*case.votes, vote(second, "again")))
    assert (both.combined, both.resolution) == (one.combined, one.resolution)


def opposite(decision: Decision) -> Decision:
    if decision.same is None:
        return decision
    return Decision(STEPS[-1 - STEPS.index(decision.verdict)])


@given(cases())
def test_both_sides_are_treated_alike(case: PairEvidence) -> None:
    mirrored = PairEvidence(
        -case.weight,
        tuple(
            replace(
                each,
                decision=opposite(each.decision),
                worth={
                    opposite_verdict: -each.worth[verdict]
                    for verdict, opposite_verdict in zip(
                        VERDICTS, (*reversed(STEPS), CANNOT_TELL), strict=True
                    )
                },
            )
            for each in case.votes
        ),
        -case.upper,
        -case.lower,
    )
    assume(case.combined != case.divide)  # even odds are not linked, on either side
    assert mirrored.combined == -case.combined
    assert mirrored.linked is not case.linked
    done, other = case.resolution, mirrored.resolution
    assert (other.outcome, other.why) == (FLIPPED[done.outcome], done.why)


@given(cases(), sides)
def test_a_further_vote_moves_the_weight_its_way(case: PairEvidence, said: Decision) -> None:
    more = replace(case, votes=(*case.votes, vote(said, "another")))
    change = more.combined - case.combined
    assert change > 0 if said.same else change < 0


@given(cases())
def test_a_settled_pair_is_linked_as_it_is_settled(case: PairEvidence) -> None:
    done = case.resolution
    assert done.outcome in ("open", "link" if case.linked else "non-link")
    assert (done.outcome == "open") == bool(done.why)


@given(cases())
def test_only_a_clear_pair_is_settled(case: PairEvidence) -> None:
    """Written a second time: what sends a pair to an adjudicator."""
    said = [each.decision for each in case.votes]
    bits = sum(each.bits for each in case.votes)
    assume(abs(bits) > 1e-9 or bits == 0)
    middle = sorted((case.lower, 0.0, case.upper))[1]
    reasons = [
        not said,
        any(each.reason == "needs expert" for each in said),
        sum(each.verdict == CANNOT_TELL for each in said) > 1,
        (bits > 0 and case.weight < middle) or (bits < 0 and case.weight > middle),
        case.lower < case.combined < case.upper,
    ]
    assert (case.resolution.outcome == "open") == any(reasons)


@pytest.mark.parametrize(
    ("weight", "said", "expected"),
    [
        (1.0, [], Resolution("open", "unreviewed")),
        (1.0, [SAME], Resolution("link")),
        (-1.0, [DIFFERENT], Resolution("non-link")),
        (1.0, [SAME, DIFFERENT], Resolution("open", "still uncertain")),
        (1.0, [UNABLE], Resolution("open", "still uncertain")),
        (1.0, [SAME, UNABLE, UNABLE], Resolution("open", "cannot tell")),
        (1.0, [SAME, SAME, EXPERT], Resolution("open", "expert asked for")),
        (1.0, [DIFFERENT], Resolution("open", "against weight")),
        (-1.9, [SAME, SAME], Resolution("open", "against weight")),
        (15.0, [DIFFERENT, DIFFERENT], Resolution("open", "against weight")),
        (15.0, [UNABLE], Resolution("link")),
        (-9.0, [DIFFERENT, DIFFERENT], Resolution("non-link")),
    ],
)
def test_what_becomes_of_a_pair(weight: float, said: list[Decision], expected: Resolution) -> None:
    assert evidence(weight, *said).resolution == expected


@given(cases(), decisions)
def test_an_adjudicator_decides_alone(case: PairEvidence, said: Decision) -> None:
    done = replace(case, settled=said)
    if said.same is None:
        expected = Resolution("open", "cannot tell")
    else:
        expected = Resolution("link" if said.same else "non-link")
    assert done.resolution == expected
    assert done.linked is (case.linked if said.same is None else said.same)
    assert done.combined == case.combined


@given(cases(), sides)
def test_an_adjudicators_decision_can_be_evidence(case: PairEvidence, said: Decision) -> None:
    done = replace(case, settled=said, adjudicator=ADJUDICATOR_BITS)
    assert done.combined == pytest.approx(case.combined + ADJUDICATOR_BITS[said.verdict], abs=1e-9)
    assert done.resolution == Resolution("link" if done.combined > done.divide else "non-link")


@given(weights, weights)
def test_undecided_pairs_are_divided_at_even_odds_or_next_to_them(one: float, two: float) -> None:
    low, high = sorted((one, two))
    divide = dividing_weight(low, high)
    assert low <= divide <= high
    assert abs(divide) == min(abs(each) for each in (low, high, min(max(0, low), high)))
