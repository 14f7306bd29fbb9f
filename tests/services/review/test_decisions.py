"""Decisions: every change is kept, the latest counts, and a submission closes the assignment."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.utils import timezone

from mindfirl.core.errors import NotOpen, NotYours, SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review.decisions import decide, decisions_of, submit
from mindfirl.services.review.disclosure.opening import open_step, show_pairs
from mindfirl.store.models import Assignment, Revision
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import Study, make_given

SAME, DIFFERENT = Decision("probably the same"), Decision("surely different")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_given(tmp_path, people=20, pairs=30, budget="100")


@pytest.fixture
def mine(study: Study) -> Assignment:
    return Assignment.objects.get(account=study.workers[0])


def say(mine: Assignment, token: str, decision: Decision | None) -> None:
    decide(
        account=mine.account,
        assignment=mine,
        token=token,
        decision=decision,
        now=timezone.now(),
    )


def test_the_latest_counts_and_every_change_is_kept(mine: Assignment) -> None:
    pair = mine.pairs.get(number=1)
    for decision in (SAME, SAME, DIFFERENT):
        say(mine, pair.token, decision)
    assert decisions_of(mine)[1].decision == DIFFERENT
    assert [each.verdict for each in pair.revisions.order_by("number")] == [
        SAME.verdict,
        DIFFERENT.verdict,
    ]
    say(mine, pair.token, None)
    assert decisions_of(mine) == {}
    assert pair.revisions.count() == 3


def test_a_decision_remembers_what_was_open(mine: Assignment) -> None:
    shown = show_pairs(assignment=mine, numbers=[1])[0]
    cell = next(each for each in shown.cells if each.steps)
    say(mine, shown.token, SAME)
    open_step(
        account=mine.account,
        assignment=mine,
        token=shown.token,
        step=Step(cell.attribute, "full"),
        seen=0,
        now=timezone.now(),
    )
    say(mine, shown.token, DIFFERENT)
    before, after = Revision.objects.order_by("number")
    assert before.state == {}
    assert after.state[cell.attribute] == ["full"]


def test_who_cannot_tell_says_why_and_that_is_kept(mine: Assignment) -> None:
    token = mine.pairs.get(number=2).token
    say(mine, token, Decision("cannot tell", "twins"))
    assert decisions_of(mine)[2].decision == Decision("cannot tell", "twins")


def test_a_submission_needs_all_pairs_and_closes_the_assignment(mine: Assignment) -> None:
    pairs = list(mine.pairs.all())
    with pytest.raises(SettingError, match=f"{len(pairs)} pairs"):
        submit(account=mine.account, assignment=mine, now=timezone.now())
    for pair in pairs:
        say(mine, pair.token, SAME)
    submit(account=mine.account, assignment=mine, now=timezone.now())
    mine.refresh_from_db()
    assert mine.state == "submitted"
    assert accounts_of(mine.project)[str(mine.pk)].phase == "submitted"
    verify_project(mine.project)
    with pytest.raises(NotOpen, match="submitted"):
        say(mine, pairs[0].token, DIFFERENT)


def test_what_is_not_ones_own_cannot_be_decided(study: Study, mine: Assignment) -> None:
    theirs = Assignment.objects.get(account=study.workers[1])
    with pytest.raises(NotYours):
        say(mine, theirs.pairs.get(number=1).token, SAME)
    with pytest.raises(NotYours):
        decide(
            account=study.workers[1],
            assignment=mine,
            token=mine.pairs.get(number=1).token,
            decision=SAME,
            now=timezone.now(),
        )
    assert not Revision.objects.exists()
