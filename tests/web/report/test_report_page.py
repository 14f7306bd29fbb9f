"""The page of a report: what it says, to whom, and what it never says."""

from __future__ import annotations

import json
import random
import re
from http import HTTPStatus
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.runner.work import do
from mindfirl.services import jobs, report
from mindfirl.services.projects import create_project
from mindfirl.services.projects.closing import close_project
from mindfirl.store.models import Account, Job, Project, Report
from mindfirl.web.report import printing
from mindfirl.web.report.printing import report_html
from mindfirl.web.report.report_page import report_part
from tests.conftest import Figure
from tests.services.report.test_report import decide_all, open_some
from tests.support.alphabet import code_points
from tests.support.cast import member, signed_in, text
from tests.support.forecasts import keep, made_by_hand
from tests.support.reviews import Study, make_study
from tests.support.snapshots import snapshot
from tests.support.traced import Session, make_session
from tests.support.traced_work import work

PAGE = "/projects/study/report"


@snapshot
def titled(folder: Path) -> Study:
    made = make_study(folder, people=60, pairs=120)
    made.project.title, made.project.purpose = "A study", "To learn <b>something</b>"
    made.project.save()
    return made


@snapshot
def with_a_report(folder: Path) -> Study:
    study = titled(folder)
    study.plan(budget="100", quality_sample=3)
    study.dispatched()
    open_some(study, times=40, hours=3)
    for mine in study.project.assignments.all():
        decide_all(mine, random.Random(1))
    report.make_report(project=study.project, actor=study.actor, group="sex")
    return study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return titled(tmp_path)


@pytest.fixture
def reported(home: Path, tmp_path: Path) -> Study:
    """A study in which much was opened and decided, and its report."""
    assert home.exists()
    return with_a_report(tmp_path)


def test_it_is_asked_for_first_and_made_by_the_runner(study: Study) -> None:
    study.plan(budget="100")
    study.dispatched()
    client = signed_in(study.auditor)
    page = text(client.get(PAGE))
    assert "Create report" in page
    assert 'value="last" selected' in page
    assert client.post(PAGE, {"group": "sex"}).status_code == HTTPStatus.FOUND
    assert "Creating the report" in text(client.get(PAGE))
    again = client.post(PAGE, {"group": "sex"}, follow=True)
    assert "Other work on this project is running" in text(again)
    job = jobs.claim()
    assert job is not None
    do(jobs.attempt_of(job))
    assert Job.objects.get().state == "done"
    assert Report.objects.get().account == study.auditor
    page = text(client.get(PAGE))
    assert "Report 1, created" in page
    assert 'value="sex" selected' in page


def test_plans_stand_beside_what_became_of_them(reported: Study) -> None:
    keep(reported.project)
    made = report.make_report(project=reported.project, actor=reported.actor)
    page = text(signed_in(reported.auditor).get(PAGE))
    section = page.partition('<section id="planned">')[2].partition("</section>")[0]
    assert "trained on 320 pairs with answers from a truth file" in section
    assert "If everything were shown (160 characters of a pair)" in section
    row = re.findall(r"<td[^>]*>(.*?)</td>", section)
    (held,) = made.content["planned"]["budgets"]
    assert '<th scope="row">100%</th>' in section
    assert row[:4] == [str(held["actual"]["pairs"]), "90.0%", "97.0%", "10%"]
    assert row[5] == "40"
    assert "was a rough guide only" not in section
    older = {name: each for name, each in made.content.items() if name != "planned"}
    assert report_part(older).forecast_source == ""
    assert "Forecast and actual figures" not in report_html(older)
    keep(reported.project, made_by_hand(source="made up"))
    again = report.make_report(project=reported.project, actor=reported.actor)
    assert "It was a rough guide only" in report_html(again.content)


def test_an_attribute_that_is_not_there_is_refused_at_its_field(study: Study) -> None:
    answer = signed_in(study.manager).post(PAGE, {"group": "shoe size"})
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    page = text(answer)
    assert 'aria-invalid="true" autofocus' in page
    assert 'aria-describedby="id_group_hint id_group_error"' in page
    assert "shoe size" not in page
    assert not Job.objects.exists()


def test_it_is_for_managers_and_auditors_alone(reported: Study) -> None:
    stranger = member(create_project(name="other", actor=COMMAND_LINE, synthetic=True), "manager")
    for address in (PAGE, f"{PAGE}/json", f"{PAGE}/pdf"):
        assert signed_in(reported.workers[0]).get(address).status_code == HTTPStatus.FORBIDDEN
        assert signed_in(stranger).get(address).status_code == HTTPStatus.NOT_FOUND
        assert Client().get(address).status_code == HTTPStatus.FOUND


def test_the_page_says_what_the_report_says(reported: Study) -> None:
    page = text(signed_in(reported.auditor).get(PAGE))
    content = Report.objects.get().content
    assert "To learn &lt;b&gt;something&lt;/b&gt;" in page
    assert content["ledger"]["digest"] in page
    assert content["signed_head"]["signature"] in page
    assert f"{content['together']['characters']:,}" in page
    assert len(content["people"]) == 3
    for each in content["groups"]["groups"]:
        assert each["name"] in {"F", "M"}
    assert "style=" not in page
    assert "than this report" not in page
    open_some(reported, times=1, seed=9)
    page = text(signed_in(reported.auditor).get(PAGE))
    assert re.search("1 ledger entry is newer", page)


def test_the_files_are_those_of_the_report(reported: Study) -> None:
    client = signed_in(reported.auditor)
    answer = client.get(f"{PAGE}/json")
    assert answer["Content-Disposition"] == 'attachment; filename="report-study-1.json"'
    assert json.loads(text(answer)) == Report.objects.get().content
    printed = client.get(f"{PAGE}/pdf")
    assert printed["Content-Type"] == "application/pdf"
    assert printed.content.startswith(b"%PDF-")
    alone = report_html(Report.objects.get().content)
    assert "<style>" in alone
    assert not re.search(r"(src|href)=|<script|style=", alone)


def test_without_a_report_there_are_no_files(study: Study) -> None:
    client = signed_in(study.manager)
    for ending in ("json", "pdf"):
        assert client.get(f"{PAGE}/{ending}")["Location"] == PAGE


def test_where_no_browser_can_print_it_says_how_to(
    reported: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "_BROWSERS", ("no-such-browser",))
    client = signed_in(reported.manager)
    page = text(client.get(PAGE))
    assert "Download as PDF" not in page
    assert "print this page" in page
    assert "No PDF was created" in text(client.get(f"{PAGE}/pdf", follow=True))


def test_a_browser_that_fails_gives_a_sentence(
    reported: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(printing, "_BROWSERS", ("false",))
    answer = signed_in(reported.manager).get(f"{PAGE}/pdf", follow=True)
    assert "did not print the report" in text(answer)


def test_after_the_keys_are_gone_the_last_report_is_still_there(reported: Study) -> None:
    Project.objects.update(shredded=timezone.now())
    page = text(signed_in(reported.auditor).get(PAGE))
    assert "This is its last report" in page
    assert "Create new report" not in page
    assert "A study" in page


def test_a_closed_project_is_reported_before_its_data_are_destroyed(reported: Study) -> None:
    close_project(project=reported.project, actor=reported.actor, reason="finished")
    client = signed_in(reported.manager)
    warned = "No report was created since the project was closed"
    assert warned in text(client.get("/projects/study/close"))
    assert client.post(PAGE, {"group": "sex"}).status_code == HTTPStatus.FOUND
    job = jobs.claim()
    assert job is not None
    do(jobs.attempt_of(job))
    assert Job.objects.get().state == "done"
    assert warned not in text(client.get("/projects/study/close"))
    assert "closed 20" in text(client.get(PAGE))


def test_a_report_of_nothing_can_be_drawn(study: Study) -> None:
    made = report.make_report(project=study.project, actor=study.actor)
    page = text(signed_in(study.manager).get(PAGE))
    assert "nobody has seen anything" in page
    assert report_part(made.content).groups == []


def test_no_character_of_a_record_and_no_name_of_anybody_is_in_a_report(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    session: Session = make_session(tmp_path, 7)
    work(session, 60)
    study = session.study
    manager = session.viewers[3]
    assert manager.account == study.manager
    names, _ = report.groups_of(project=study.project, actor=study.actor)
    sent = 0
    for attribute in names:
        made = report.make_report(project=study.project, actor=study.actor, group=attribute)
        pages = [made.text, report_html(made.content)]
        pages += [
            text(manager.client.get(f"/projects/{study.project.name}/report{ending}"))
            for ending in ("", "/json")
        ]
        for page in pages:
            assert not code_points(page)
            body = page.partition("<main")[2] or page
            for each in Account.objects.all():
                assert each.username not in body
                assert str(each.pk) not in body
            sent += len(page)
    assert made.content["together"]["characters"] > 50
    figure(f"tracers in reports: 0 of {sent:,} characters, by {len(names)} attributes")
