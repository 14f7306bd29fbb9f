"""A project that was changed from outside says so, and an administrator acknowledges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import LedgerDiffers
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.ledger import verify_project
from mindfirl.services.projects import create_project
from mindfirl.store.ledger import marks
from mindfirl.store.models import AssignedPair, LedgerLine
from tests.support.cast import person, signed_in
from tests.support.reviews import Study, make_study

CHANGED = "This project was changed outside this software."


@pytest.fixture
def changed(home: Path, tmp_path: Path) -> Study:
    """A study in which somebody changed the weight of a pair."""
    assert home.exists()
    study = make_study(tmp_path, people=30, pairs=30, workers=2)
    study.plan()
    mine = study.dispatched()[0]
    AssignedPair.objects.filter(assignment=mine, number=1).update(weight=9)
    with pytest.raises(LedgerDiffers):
        verify_project(project=study.project, actor=COMMAND_LINE)
    return study


PAGES = {"": 200, "/data": 200, "/pairs": 403, "/plan": 403, "/dispatch": 200, "/ledger": 200}
"""What an auditor gets; a manager may see them all."""


@pytest.mark.parametrize("page", PAGES)
def test_every_page_of_managers_and_auditors_says_so(changed: Study, page: str) -> None:
    """Pages that refuse an auditor, too."""
    for account, status in ((changed.manager, 200), (changed.auditor, PAGES[page])):
        answer = signed_in(account).get(f"/projects/study{page}")
        assert answer.status_code == status
        assert answer.content.decode().count(CHANGED) == 1


def test_other_projects_do_not_say_so(changed: Study) -> None:
    create_project(name="other", actor=COMMAND_LINE, account=changed.manager)
    for page in ("", "/data", "/ledger"):
        answer = signed_in(changed.manager).get(f"/projects/other{page}")
        assert answer.status_code == 200
        assert CHANGED not in answer.content.decode()


def test_workers_and_people_outside_of_a_project_are_told_nothing(changed: Study) -> None:
    mine = changed.project.assignments.first()
    assert mine
    answer = signed_in(mine.account).get(f"/assignments/{mine.pk}")
    assert answer.status_code == 200
    assert CHANGED not in answer.content.decode()
    for account in (mine.account, person()):
        refused = [signed_in(account).get(f"/projects/study{page}") for page in PAGES]
        assert {each.status_code for each in refused} <= {403, 404}
        assert all(CHANGED not in each.content.decode() for each in refused)


def test_an_administrator_acknowledges_it_with_a_reason(changed: Study) -> None:
    browser = signed_in(person(administrator=True))
    shown = browser.get("/alarms").content.decode()
    assert "the pairs of assignment" in shown
    about = {"project": str(changed.project.pk)}
    assert browser.post("/alarms", {**about, "reason": " "}).status_code == 422
    assert browser.post("/alarms", {"project": "x", "reason": "known"}).status_code == 422
    assert browser.post("/alarms", {**about, "reason": "a test of ours"}).status_code == 302
    told = LedgerLine.objects.latest("number")
    assert (told.kind, "a test of ours" in told.line) == ("acknowledged", True)
    marks.end_alarm(changed.project.pk)  # as the commit does
    assert "No such projects." in browser.get("/alarms").content.decode()
    answer = signed_in(changed.manager).get("/projects/study/ledger")
    assert CHANGED not in answer.content.decode()
    assert "Outside change acknowledged" in answer.content.decode()


def test_nobody_else_acknowledges_it(changed: Study) -> None:
    about = {"project": str(changed.project.pk), "reason": "why not"}
    for account in (changed.manager, changed.auditor, changed.workers[0]):
        assert signed_in(account).post("/alarms", about).status_code == 403
