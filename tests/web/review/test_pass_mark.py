"""A pass mark of the practice: before it is reached, no route to an assignment is open."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from mindfirl.services.dispatch.assignments import end
from mindfirl.services.projects import ProjectChanges, change_project
from mindfirl.services.review.decisions import decisions_of
from mindfirl.services.review.disclosure.practice import PRACTICE, example_of
from mindfirl.store.models import Account, Assignment
from tests.support.cast import Answer, signed_in, text
from tests.support.conflicts import adjudicator, conflicting, disagree, give_conflicts
from tests.support.ledgers import verify_project
from tests.support.reviews import PRIVATE_NAMES, Study, make_study
from tests.web.review.test_cover import routes
from tests.web.review.test_review import HTMX, Desk, given, traced

MARK = 9
ALL = len(PRACTICE)
SAID = {True: "surely the same", False: "surely different", None: "cannot tell:bad data"}
OTHERWISE = {True: "surely different", False: "surely the same", None: "probably the same"}


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=30, workers=2, names=PRIVATE_NAMES)


def ask_for(study: Study, mark: int) -> None:
    study.project.refresh_from_db()
    change_project(
        project=study.project,
        actor=study.actor,
        revision=study.project.revision,
        changes=ProjectChanges(title="A study", pass_mark=mark),
    )


def practise(client: Client, *, wrong: int) -> None:
    """Practise from the beginning, with this many wrong answers, which are corrected at once."""
    client.post("/practice/again")
    for number, token in enumerate(PRACTICE):
        answer = example_of(token).same
        said = [OTHERWISE[answer]] * (number < wrong) + [SAID[answer]]
        for each in said:
            client.post("/practice/decide", {"pair": token, "decision": each}, headers=HTMX)
    client.post("/practice/finish")


def to_the_practice(answer: Answer) -> bool:
    there = answer.headers.get("Location") or answer.headers.get("HX-Redirect", "")
    return not answer.content and there == reverse("assignments")


def result(desk: Desk) -> int | None:
    return Account.objects.get(pk=desk.assignment.account_id).practice_right


def test_every_route_to_an_assignment_leads_to_the_practice_until_it_is_passed(
    study: Study,
) -> None:
    desk = given(study)
    pair = desk.pairs()[0]
    ask_for(study, MARK)
    for name, method in routes():
        for headers in ({}, HTMX):
            typed = {"pair": pair.token, "seen": "0", "step": "full:last", "level": "full"}
            typed |= {"decision": "surely the same", "ago": "0", "keys": "on", "text": "hello"}
            send = desk.client.post if method == "POST" else desk.client.get
            answer = send(reverse(name, args=[desk.assignment.pk]), typed, headers=headers)
            assert to_the_practice(answer), (name, method, headers)
    mine = Assignment.objects.get(pk=desk.assignment.pk)
    assert (mine.spent, decisions_of(mine)) == (0, {})
    assert f"at least {MARK} of its pairs correctly" in text(desk.client.get("/assignments"))
    practise(desk.client, wrong=ALL - MARK + 1)
    assert result(desk) == MARK - 1
    assert to_the_practice(desk.client.get(desk.address))
    practise(desk.client, wrong=ALL - MARK)
    assert result(desk) == MARK
    assert desk.client.get(desk.address).status_code == 200


def test_whoever_has_begun_or_ended_can_go_on(study: Study) -> None:
    desk = given(study)
    desk.decide(desk.pairs()[0], "surely the same")
    other = Desk(study, study.project.assignments.get(account=study.workers[1]), Client())
    other.client = signed_in(study.workers[1])
    ask_for(study, MARK)
    assert desk.client.get(desk.address).status_code == 200
    assert to_the_practice(other.client.get(other.address))
    end(assignment=other.assignment, actor=study.actor, reason="left")
    assert other.client.get(f"{other.address}/submit").status_code == 200


def test_skipping_does_not_pass_and_takes_no_result_away(study: Study) -> None:
    desk = given(study)
    ask_for(study, MARK)
    desk.client.post("/practice/finish")
    assert to_the_practice(desk.client.get(desk.address))
    practise(desk.client, wrong=0)
    first = Account.objects.get(pk=desk.assignment.account_id)
    desk.client.post("/practice/again")
    desk.client.post("/practice/finish")
    later = Account.objects.get(pk=desk.assignment.account_id)
    assert later.practised != first.practised
    assert (later.practice_right, later.practice_finished) == (ALL, first.practice_finished)
    assert desk.client.get(desk.address).status_code == 200


def test_assignments_say_what_comes_first_and_managers_who_passed(study: Study) -> None:
    desk = given(study)
    ask_for(study, MARK)
    page = text(desk.client.get("/assignments"))
    assert f"at least {MARK} pairs correct at the first answer" in page
    assert f"You pass with {MARK} pairs correct" in page
    assert "Skip the practice" not in page
    assert desk.address not in page
    plan = f"/projects/{study.project.name}/plan"
    manager = signed_in(study.manager)
    assert text(manager.get(plan)).count("not passed") == 2
    practise(desk.client, wrong=1)
    assert desk.address in text(desk.client.get("/assignments"))
    told = text(manager.get(plan))
    assert told.count("not passed") == 1
    assert f"{ALL - 1} of {ALL} right, " in told
    settings = text(manager.get(f"/projects/{study.project.name}/settings"))
    assert re.search(rf'name="pass_mark" value="{MARK}"', settings)
    ask_for(study, 0)
    assert "passed" not in text(manager.get(plan))
    verify_project(study.project)


def test_adjudicators_are_not_asked(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = conflicting(tmp_path, names=PRIVATE_NAMES)
    disagree(study, adjudicator(study))
    ask_for(study, MARK)
    (mine,) = give_conflicts(study)
    page = signed_in(mine.account).get(reverse("review", args=[mine.pk]))
    assert page.status_code == 200
    assert traced(text(page)) == []
