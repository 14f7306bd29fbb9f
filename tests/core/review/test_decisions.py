from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import FieldErrors, UnknownName
from mindfirl.core.review.decisions import (
    CANNOT_TELL,
    REASONS,
    USUAL,
    VERDICTS,
    Decision,
    Outcome,
    Resolution,
    Verdict,
    changed_keys,
    keys_of,
    latest,
    resolve,
)
from mindfirl.core.review.plan import PublishedRule


def test_six_steps_go_from_surely_different_to_surely_the_same() -> None:
    steps = [Decision(verdict) for verdict in VERDICTS[:-1]]
    assert [step.same for step in steps] == [False, False, False, True, True, True]
    assert [step.confidence for step in steps] == [3, 2, 1, 1, 2, 3]


@pytest.mark.parametrize("reason", REASONS)
def test_who_cannot_tell_says_why(reason: Any) -> None:
    decision = Decision("cannot tell", reason)
    assert decision.same is None
    assert decision.confidence == 0


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        ("maybe", None),
        ("cannot tell", None),
        ("cannot tell", "do not like it"),
        ("surely the same", "twins"),
    ],
)
def test_what_is_none_of_the_words_is_refused(verdict: Any, reason: Any) -> None:
    with pytest.raises(UnknownName):
        Decision(verdict, reason)


def test_the_latest_revision_counts_unless_it_was_taken_back() -> None:
    first, second = Decision("perhaps the same"), Decision("surely different")
    assert latest([]) is None
    assert latest([(2, second), (1, first)]) == second
    assert latest([(1, first), (2, None)]) is None


RULES: tuple[PublishedRule, ...] = get_args(PublishedRule)
STEPS = VERDICTS[:-1]
FLIPPED: dict[Outcome, Outcome] = {"link": "non-link", "non-link": "link", "open": "open"}
WORDS: dict[str, Decision] = {
    "D": Decision("surely different"),
    "d": Decision("probably different"),
    "-": Decision("perhaps different"),
    "+": Decision("perhaps the same"),
    "s": Decision("probably the same"),
    "S": Decision("surely the same"),
    "?": Decision("cannot tell", "twins"),
}

rules = st.sampled_from(RULES)
decisions = st.sampled_from(STEPS).map(Decision) | st.sampled_from(REASONS).map(
    lambda reason: Decision(CANNOT_TELL, reason)
)
votes = st.lists(decisions, max_size=7)


def said(letters: str) -> list[Decision]:
    return [WORDS[letter] for letter in letters]


def flipped(vote: Decision) -> Decision:
    if vote.verdict == CANNOT_TELL:
        return vote
    other: Verdict = STEPS[len(STEPS) - 1 - STEPS.index(vote.verdict)]
    return Decision(other)


@pytest.mark.parametrize(
    ("letters", "unanimous", "majority", "confidence"),
    [
        ("", "unreviewed", "unreviewed", "unreviewed"),
        ("+", "link", "link", "link"),
        ("-", "non-link", "non-link", "non-link"),
        ("?", "cannot tell", "cannot tell", "cannot tell"),
        ("???", "cannot tell", "cannot tell", "cannot tell"),
        ("S+", "link", "link", "link"),
        ("Dd-", "non-link", "non-link", "non-link"),
        ("S?", "cannot tell", "cannot tell", "link"),
        ("+?", "cannot tell", "cannot tell", "cannot tell"),
        ("s??", "cannot tell", "cannot tell", "link"),
        ("ss?", "cannot tell", "link", "link"),
        ("+-", "disagreement", "disagreement", "disagreement"),
        ("SD", "disagreement", "disagreement", "disagreement"),
        ("Sd", "disagreement", "disagreement", "disagreement"),
        ("S-", "disagreement", "disagreement", "link"),
        ("+D", "disagreement", "disagreement", "non-link"),
        ("++D", "disagreement", "link", "disagreement"),
        ("+-?", "disagreement", "disagreement", "disagreement"),
        ("SS-D?", "disagreement", "disagreement", "link"),
        ("--+", "disagreement", "non-link", "disagreement"),
        ("---+", "disagreement", "non-link", "non-link"),
    ],
)
def test_each_rule_settles_what_it_can(
    letters: str, unanimous: str, majority: str, confidence: str
) -> None:
    expected = dict(zip(RULES, (unanimous, majority, confidence), strict=True))
    for rule, words in expected.items():
        done = resolve(said(letters), rule)
        assert (done.why or done.outcome) == words
        assert (done.outcome == "open") == bool(done.why)


@given(votes, rules, st.randoms())
def test_the_order_of_votes_does_not_matter(given: Any, rule: PublishedRule, random: Any) -> None:
    other = random.sample(given, len(given))
    assert resolve(other, rule) == resolve(given, rule)


@given(votes, rules)
def test_when_everybody_says_the_opposite_so_does_the_outcome(
    given: Any, rule: PublishedRule
) -> None:
    done, opposite = resolve(given, rule), resolve(map(flipped, given), rule)
    assert opposite == Resolution(FLIPPED[done.outcome], done.why)


@given(votes, rules)
def test_what_is_unanimous_is_settled_by_every_rule(given: Any, rule: PublishedRule) -> None:
    done = resolve(given, "unanimous")
    sides = {vote.same for vote in given}
    assert (done.outcome != "open") == (len(sides) == 1 and None not in sides)
    assert done.outcome == "open" or resolve(given, rule) == done


@given(votes, rules)
def test_who_votes_for_a_link_never_undoes_one_by_majority_or_confidence(
    given: Any, rule: PublishedRule
) -> None:
    assert (
        rule == "unanimous"
        or resolve(given, rule).outcome != "link"
        or resolve([*given, Decision("surely the same")], rule).outcome == "link"
    )


@given(votes, rules)
def test_a_pair_is_open_for_one_reason(given: Any, rule: PublishedRule) -> None:
    done = resolve(given, rule)
    sides = {vote.same for vote in given}
    assert done.why != "disagreement" or {True, False} <= sides
    assert done.why != "cannot tell" or None in sides
    assert (done.why == "unreviewed") == (not given)


@given(votes, rules)
def test_an_adjudicator_decides_alone(given: Any, rule: PublishedRule) -> None:
    assert resolve(given, rule, settled=WORDS["+"]) == Resolution("link")
    assert resolve(given, rule, settled=WORDS["-"]) == Resolution("non-link")
    assert resolve(given, rule, settled=WORDS["?"]) == Resolution("open", "cannot tell")


def test_a_rule_that_is_none_is_refused() -> None:
    rule: Any = "loudest"
    with pytest.raises(UnknownName, match="unanimous, majority or confidence"):
        resolve([], rule)


def test_no_usual_key_does_two_things() -> None:
    assert len(set(USUAL.values())) == len(USUAL)


def test_only_what_is_not_usual_is_kept() -> None:
    assert changed_keys(USUAL) == {}
    changed = changed_keys({**USUAL, "undo": " z ", "legend": "ß"})
    assert changed == {"undo": "z", "legend": "ß"}
    assert keys_of(changed) == {**USUAL, "undo": "z", "legend": "ß"}


def test_keys_can_be_exchanged() -> None:
    changed = changed_keys({**USUAL, "undo": USUAL["legend"], "legend": USUAL["undo"]})
    assert changed == {"undo": "l", "legend": "u"}


def test_what_was_chosen_before_there_was_a_usual_key_stays() -> None:
    found = keys_of({"undo": USUAL["suggested"]})
    assert (found["undo"], found["suggested"]) == ("s", "")
    assert [action for action, key in found.items() if not key] == ["suggested"]
    with pytest.raises(FieldErrors) as refused:
        changed_keys(found)
    assert set(refused.value.fields) == {"suggested"}


@pytest.mark.parametrize("key", ["", " ", "ab", "\t", "\x00", "\u0301", "\u200b", "😀", "\ue000"])
def test_what_is_not_one_printable_character_is_refused(key: str) -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({**USUAL, "undo": key})
    assert refused.value.fields == {"undo": "Enter one letter, digit or symbol."}


def test_a_key_for_two_things_is_refused_at_both() -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({**USUAL, "undo": "n"})
    assert set(refused.value.fields) == {"undo", "next undecided"}


def test_what_is_not_typed_at_all_is_refused() -> None:
    with pytest.raises(FieldErrors) as refused:
        changed_keys({})
    assert set(refused.value.fields) == set(USUAL)
