"""Long work on a page: how far it is, how it ended, who may stop it."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.http import HttpResponse

from mindfirl.store.disk import beat
from mindfirl.store.models import Job
from mindfirl.web.page.long_work import time_left
from tests.support.bringing import HOSPITAL, Stage, stage, text, work
from tests.support.cast import member, signed_in

pytestmark = pytest.mark.usefixtures("home")

HTMX = {"HX-Request": "true", "X-Mindfirl-Polling": "1"}


@pytest.fixture
def on() -> Stage:
    on = stage()
    on.send_form(("hospital.csv", HOSPITAL))
    return on


def look(on: Stage, job: Job | None = None) -> HttpResponse:
    number = str((job or Job.objects.get()).id)
    answer = on.browser.get(on.address("jobs", number), headers=HTMX)
    assert isinstance(answer, HttpResponse)
    return answer


def test_waiting_work_is_polled_and_can_be_cancelled(on: Stage) -> None:
    beat()
    page = text(look(on))
    assert "Analysing columns" in page
    assert 'hx-trigger="every 1s"' in page
    assert "Cancel" in page
    assert "runner is not running" not in page
    assert "HX-Refresh" not in look(on).headers
    answer = on.browser.post(on.address("jobs", str(Job.objects.get().id), "cancel"))
    assert answer.status_code == 302
    assert Job.objects.get().state == "cancelled"
    after = text(on.browser.get(on.address("columns")))
    assert "was cancelled" in after
    assert "every 1s" not in after


def test_work_that_nobody_does_is_said_to_be_so(on: Stage) -> None:
    assert "the background runner is not running" in text(look(on))
    assert "the background runner is not running" in text(on.browser.get(on.address("data")))


def test_running_work_tells_its_stage_and_how_long_it_takes(on: Stage) -> None:
    Job.objects.update(state="running", stage="hospital", done=30, steps=120, seconds_left=185)
    page = text(look(on))
    assert "Analysing columns: hospital" in page
    Job.objects.update(stage="analysing columns")
    assert "analysing columns" not in text(look(on))
    assert 'value="30" max="120"' in page
    assert "about 3 minutes left" in page


def test_work_that_is_being_stopped_is_not_stopped_again(on: Stage) -> None:
    Job.objects.update(state="running")
    on.browser.post(on.address("jobs", str(Job.objects.get().id), "cancel"))
    page = text(look(on))
    assert "Stopping…" in page
    assert "disabled" in page


def test_when_work_has_ended_the_page_is_drawn_anew(on: Stage) -> None:
    work()
    answer = look(on)
    assert answer.headers["HX-Refresh"] == "true"
    assert "every 1s" not in text(answer)


def test_a_page_in_which_something_was_typed_is_not_drawn_anew(on: Stage) -> None:
    address = on.address("jobs", str(Job.objects.get().id))
    typed = {**HTMX, "X-Mindfirl-Typed": "1"}
    assert "Save what you typed" not in text(on.browser.get(address, headers=typed))
    work()
    answer = on.browser.get(address, headers=typed)
    assert "HX-Refresh" not in answer.headers
    assert "every 1s" not in text(answer)
    assert "Save what you typed" in text(answer)


@pytest.mark.django_db(transaction=True)  # the runner opens its connection again
def test_work_that_failed_says_why_and_can_be_tried_again() -> None:
    on = stage()
    on.send_form(("broken.csv", "id,id\n1,2\n"))
    job = work()
    assert job.state == "failed"
    page = text(on.browser.get(on.address("columns")))
    assert "failed." in page
    assert job.sentence.split(":")[1] in page
    assert page.count("Try again") == 1
    assert "Analyse columns" not in page
    assert f'href="{on.address("data")}">Change files' in page
    assert "Change files" not in text(on.browser.get(on.address("data")))
    on.browser.post(on.address("data/uploads"))
    assert Job.objects.count() == 2


def test_an_import_that_failed_leaves_the_columns_and_can_be_tried_again(on: Stage) -> None:
    work()
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    Job.objects.filter(kind="data import").update(
        state="failed", sentence="The disk is full. Make room."
    )
    page = text(on.browser.get(on.address("columns")))
    assert "The disk is full. Make room." in page
    assert 'id="columns"' in page
    assert on.browser.post(on.address("data/import"), {"as_saved": "1"}).status_code == 302
    assert work().state == "done"


def test_without_a_script_the_work_leads_to_its_page(on: Stage) -> None:
    answer = on.browser.get(on.address("jobs", str(Job.objects.get().id)))
    assert answer.status_code == 302
    assert answer.headers["Location"] == on.address("columns")


def test_the_work_of_others_does_not_exist(on: Stage) -> None:
    elsewhere = stage("elsewhere")
    job = str(Job.objects.get().id)
    assert elsewhere.browser.get(elsewhere.address("jobs", job), headers=HTMX).status_code == 404
    assert elsewhere.browser.post(elsewhere.address("jobs", job, "cancel")).status_code == 404
    assert on.browser.get(on.address("jobs", str(uuid4())), headers=HTMX).status_code == 404
    assert Job.objects.get().state == "waiting"


def test_an_auditor_sees_the_work_and_does_not_stop_it(on: Stage) -> None:
    browser = signed_in(member(on.project, "auditor"))
    job = str(Job.objects.get().id)
    assert "Cancel" not in text(browser.get(on.address("jobs", job), headers=HTMX))
    assert browser.post(on.address("jobs", job, "cancel")).status_code == 403


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1, "less than a minute left"),
        (60, "about 1 minute left"),
        (150, "about 2 minutes left"),
        (7199, "about 120 minutes left"),
        (7200, "about 2 hours left"),
    ],
)
def test_time_is_told_as_exactly_as_it_is_known(seconds: int, words: str) -> None:
    assert time_left(seconds) == words
