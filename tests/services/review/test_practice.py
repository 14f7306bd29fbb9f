"""The practice: every answer is known, every kind of difference occurs, the budget ends."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from fractions import Fraction

import pytest
from django.utils import timezone

from mindfirl.core.display.cells import LEGEND
from mindfirl.core.errors import NothingToOpen, NotYours, UnknownName
from mindfirl.core.policy import PASS_MARKS
from mindfirl.core.review.decisions import REASONS, Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import Level
from mindfirl.services.review.disclosure.practice import (
    Practice,
    decide_practice,
    example_of,
    finish_practice,
    needs_practice,
    open_practice_step,
    practice_meters,
    show_practice,
)
from mindfirl.services.review.presence import note_practice
from mindfirl.store.models import Account, OpenSession
from mindfirl.synthetic.practice_pairs import EXAMPLES

TOKENS = [f"practice-{number}" for number in range(1, len(EXAMPLES) + 1)]
ANSWERS = {
    True: Decision("surely the same"),
    False: Decision("surely different"),
    None: Decision("cannot tell", "bad data"),
}


def token_of(name: str) -> str:
    return next(token for token in TOKENS if example_of(token).name == name)


def opened(practice: Practice, token: str, attribute: str, level: Level) -> Practice:
    state = len(practice.opened.get(token, ()))
    after, answer = open_practice_step(
        practice=practice, token=token, step=Step(attribute, level), seen=state
    )
    assert answer.refused is None
    assert not answer.stale
    return after


def as_needed() -> Practice:
    """Everything that is enough to see, and nothing more."""
    practice = Practice()
    for token in TOKENS:
        for attribute, level in example_of(token).enough.items():
            practice = opened(practice, token, attribute, level)
    return practice


def test_every_answer_is_known_and_each_of_the_three_occurs() -> None:
    practice = Practice()
    assert {practice.right(token) for token in TOKENS} == {None}
    for token in TOKENS:
        known = example_of(token).same
        for answer, decision in ANSWERS.items():
            practice = decide_practice(practice=practice, token=token, decision=decision)
            assert practice.right(token) is (answer is known)
    assert {example.same for example in EXAMPLES} == {True, False, None}


def test_every_mark_of_the_legend_occurs() -> None:
    cells = [cell for pair in show_practice(practice=Practice()) for cell in pair.cells]
    assert {mark for cell in cells for mark in cell.marks} == set(LEGEND)


def test_nothing_is_shown_before_anything_is_opened() -> None:
    pairs = show_practice(practice=Practice())
    assert [pair.token for pair in pairs] == TOKENS
    signs = [sign for pair in pairs for cell in pair.cells for row in cell.rows for sign in row]
    assert not any(sign.shown for sign in signs)
    meters = practice_meters(practice=Practice())
    assert meters.spent == 0
    assert meters.shown == 0
    separators = sum(sign.text == "/" for sign in signs)
    assert meters.characters == len(signs) - separators


def test_what_is_enough_takes_a_small_part_of_the_budget() -> None:
    spent = practice_meters(practice=as_needed()).spent
    assert 0 < spent < Fraction(1, 4)


def test_the_budget_ends_and_then_nothing_is_opened_or_charged() -> None:
    practice, reasons = Practice(), []
    for token in TOKENS:
        before = practice
        practice, answer = open_practice_step(
            practice=practice, token=token, step=Step("", "full"), seen=0
        )
        reasons.append(answer.refused)
        assert (practice == before) == (answer.refused == "budget")
    assert reasons[0] is None
    assert reasons.count("budget") > len(TOKENS) / 2
    assert practice_meters(practice=practice).spent <= 1


def test_a_cell_takes_about_as_much_as_in_a_real_assignment() -> None:
    takes = sorted(step[3] for step in every_step(Practice()))
    assert takes[len(takes) // 2] < Fraction(1, 100)
    assert takes[-1] < Fraction(1, 10)


def test_every_reason_of_not_being_able_to_tell_is_taught() -> None:
    taught = {example.reason for example in EXAMPLES if example.same is None}
    assert taught == set(REASONS)


def every_step(practice: Practice) -> Iterator[tuple[str, str, Level, Fraction]]:
    for pair in show_practice(practice=practice):
        for cell in pair.cells:
            for step in cell.steps:
                if step.affordable and step.takes is not None:
                    yield pair.token, cell.attribute, step.level, step.takes


def test_what_is_charged_is_the_price_that_was_shown() -> None:
    tried = 0
    for practice in (Practice(), as_needed()):
        before = practice_meters(practice=practice).spent
        for token, attribute, level, takes in every_step(practice):
            after = practice_meters(practice=opened(practice, token, attribute, level)).spent
            assert after - before == takes
            tried += 1
    assert tried > 50


def test_all_differences_of_a_pair_cost_what_was_shown() -> None:
    token = token_of("twins")
    alone = opened(Practice(), token, "number", "partial")
    again, answer = open_practice_step(
        practice=alone, token=token, step=Step("", "partial"), seen=1
    )
    assert (again, answer.refused, answer.stale) == (alone, None, False)
    for pair in show_practice(practice=Practice()):
        for step in pair.steps:
            after, answer = open_practice_step(
                practice=Practice(), token=pair.token, step=step.step, seen=0
            )
            assert (answer.refused is None) == step.affordable
            assert not step.affordable or practice_meters(practice=after).spent == step.takes


def test_asked_again_it_costs_nothing_and_an_old_page_opens_nothing() -> None:
    token = token_of("twins")
    practice = opened(Practice(), token, "first name", "full")
    again, answer = open_practice_step(
        practice=practice, token=token, step=Step("first name", "full"), seen=0
    )
    assert again == practice
    assert not answer.stale
    stale, answer = open_practice_step(
        practice=practice, token=token, step=Step("number", "partial"), seen=0
    )
    assert stale == practice
    assert answer.stale
    assert answer.pair.state == 1


def test_swapped_names_open_together() -> None:
    pair = show_practice(practice=Practice())[TOKENS.index(token_of("swapped"))]
    practice = opened(Practice(), pair.token, "first name", "full")
    after = show_practice(practice=practice)[pair.number - 1]
    assert [cell.level for cell in after.cells[:2]] == ["full", "full"]


def test_what_makes_no_sense_is_refused() -> None:
    token = token_of("twins")
    for attribute, level, error in (
        ("sex", "partial", NothingToOpen),
        ("sex", "masked", NothingToOpen),
        ("sex", "everything", UnknownName),
        ("diagnosis", "full", UnknownName),
    ):
        with pytest.raises(error):
            opened(Practice(), token, attribute, level)  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(NotYours):
        opened(Practice(), "practice-99", "sex", "full")
    with pytest.raises(NotYours):
        decide_practice(practice=Practice(), token="", decision=None)
    everything = Step("", "all")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UnknownName):
        open_practice_step(practice=Practice(), token=token, step=everything, seen=0)


def test_it_comes_back_as_it_was_kept_and_a_decision_can_be_taken_back() -> None:
    practice = as_needed()
    for token in TOKENS:
        decision = ANSWERS[example_of(token).same]
        practice = decide_practice(practice=practice, token=token, decision=decision)
    assert Practice.restored(practice.kept()) == practice
    assert Practice.restored({}) == Practice()
    back = decide_practice(practice=practice, token=TOKENS[0], decision=None)
    assert set(back.said) == set(TOKENS[1:])


@pytest.mark.django_db
def test_how_a_practice_ended_is_kept_and_it_is_offered_again_after_half_a_year() -> None:
    account, now = Account.objects.create(username="worker"), timezone.now()
    assert needs_practice(account=account, now=now)
    practice = decide_practice(practice=as_needed(), token=TOKENS[0], decision=ANSWERS[True])
    practice = decide_practice(practice=practice, token=TOKENS[1], decision=ANSWERS[True])
    finish_practice(account=account, practice=practice, now=now)
    account.refresh_from_db()
    assert (account.practised, account.practice_right) == (now, 1)
    assert account.practice_pairs == len(TOKENS)
    assert not needs_practice(account=account, now=now + timedelta(days=180))
    assert needs_practice(account=account, now=now + timedelta(days=181))
    assert account.practice_finished == now


@pytest.mark.django_db
def test_skipping_is_kept_and_takes_no_result_away() -> None:
    account, now = Account.objects.create(username="worker"), timezone.now()
    finish_practice(account=account, practice=Practice(), now=now)
    assert Account.objects.filter(practised=now, practice_right=None, practice_pairs=None).exists()
    practice = decide_practice(practice=Practice(), token=TOKENS[0], decision=ANSWERS[True])
    finish_practice(account=account, practice=practice, now=now)
    later = now + timedelta(days=200)
    finish_practice(account=account, practice=Practice(), now=later)
    account.refresh_from_db()
    assert (account.practised, account.practice_finished) == (later, now)
    assert account.practice_right == 1


def test_a_pass_mark_can_ask_for_every_pair_and_no_more() -> None:
    assert range(len(TOKENS) + 1) == PASS_MARKS


def test_an_answer_that_was_corrected_is_right_but_not_at_once() -> None:
    practice = decide_practice(practice=Practice(), token=TOKENS[0], decision=ANSWERS[False])
    assert practice.right_at_once(TOKENS[0]) is False
    back = decide_practice(practice=practice, token=TOKENS[0], decision=None)
    assert back.right_at_once(TOKENS[0]) is None
    corrected = decide_practice(practice=back, token=TOKENS[0], decision=ANSWERS[True])
    assert (corrected.right(TOKENS[0]), corrected.right_at_once(TOKENS[0])) == (True, False)
    assert Practice.restored(corrected.kept()) == corrected


def test_a_slip_after_a_right_answer_can_be_corrected() -> None:
    practice = decide_practice(practice=Practice(), token=TOKENS[0], decision=ANSWERS[True])
    slipped = decide_practice(practice=practice, token=TOKENS[0], decision=ANSWERS[False])
    assert slipped.right_at_once(TOKENS[0]) is False
    mended = decide_practice(practice=slipped, token=TOKENS[0], decision=ANSWERS[True])
    assert mended.right_at_once(TOKENS[0]) is True


@pytest.mark.django_db
def test_practising_counts_as_activity_but_hides_no_absence() -> None:
    account, now = Account.objects.create(username="worker"), timezone.now()
    session = OpenSession.objects.create(account=account, digest="1", started=now, seen=now)
    note_practice(session=session, now=now)
    assert OpenSession.objects.filter(reviewed=None).exists()
    OpenSession.objects.filter(pk=session.pk).update(reviewed=now)
    for minutes, away in ((2, 2), (9, 7), (10, 7)):
        session.refresh_from_db()
        at = now + timedelta(minutes=minutes)
        note_practice(session=session, now=at)
        expected = OpenSession.objects.filter(reviewed=at, away=timedelta(minutes=away))
        assert expected.exists(), minutes
