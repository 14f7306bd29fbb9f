"""A project that was changed from outside says so, and an administrator acknowledges it."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindfirl.core.errors import LedgerDiffers
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.ledger import verify_project
from mindfirl.store.ledger import marks
from mindfirl.store.models import AssignedPair, LedgerLine
from tests.support.cast import person, signed_in
from tests.support.reviews import Study, make_study

CHANGED = "This project was changed from outside."


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


@pytest.mark.parametrize("page", ["", "/data", "/pairs", "/plan", "/dispatch", "/ledger"])
def test_every_page_of_managers_and_auditors_says_so(changed: Study, page: str) -> None:
    for account in (changed.manager, changed.auditor):
        answer = signed_in(account).get(f"/projects/study{page}")
        assert CHANGED in answer.content.decode()


def test_workers_are_told_nothing(changed: Study) -> None:
    mine = changed.project.assignments.first()
    assert mine
    answer = signed_in(mine.account).get(f"/assignments/{mine.pk}")
    assert answer.status_code == 200
    assert CHANGED not in answer.content.decode()


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
    assert "There is none." in browser.get("/alarms").content.decode()
    answer = signed_in(changed.manager).get("/projects/study/ledger")
    assert CHANGED not in answer.content.decode()
    assert "Change from outside acknowledged" in answer.content.decode()


def test_nobody_else_acknowledges_it(changed: Study) -> None:
    about = {"project": str(changed.project.pk), "reason": "why not"}
    for account in (changed.manager, changed.auditor, changed.workers[0]):
        assert signed_in(account).post("/alarms", about).status_code == 403
