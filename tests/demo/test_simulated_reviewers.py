"""Simulated people review half of their pairs: through the services, in the order of time."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.progress import no_progress
from mindfirl.demo import demo_projects, plain_reader, simulated_reviewers
from mindfirl.services import dispatch
from mindfirl.services.plan.reviewer_shares import reviewer_shares
from mindfirl.services.review.decisions import decisions_of
from mindfirl.services.review.disclosure.opening import assignment_of, show_pairs
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, Assignment, Project, Revision
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.plans import figures_of, forecast_of
from mindfirl.workspace.outcomes.standing import conflicts_in, current_standing
from tests.support.cast import signed_in, text
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, make_study

pytestmark = pytest.mark.usefixtures("home")

NOW = datetime(2031, 5, 7, 7, 30, tzinfo=UTC)


@pytest.fixture
def reviewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Two people who have reviewed half of some 35 pairs each."""
    study = make_study(tmp_path, people=60, pairs=45, workers=2)
    study.plan(budget="100")
    dispatch.dispatch_now(dispatch=study.confirmed(), now=simulated_reviewers.begin(NOW))
    monkeypatch.setattr(simulated_reviewers, "_DEAREST", 1.0)  # steps cost much among few people
    monkeypatch.setattr(plain_reader, "_CLEAR", 100.0)  # and few of their pairs are hard
    simulated_reviewers.review_pairs(
        project=study.project, now=NOW, progress=no_progress, share=0.5
    )
    return study


def test_everybody_has_decided_half(reviewed: Study) -> None:
    for mine in reviewed.project.assignments.all():
        assert set(decisions_of(mine)) == set(range(1, round(mine.size / 2) + 1))
        assert mine.state == "open"
        assert 0 < mine.spent < mine.limit


def test_one_decision_was_changed(reviewed: Study) -> None:
    changed = Revision.objects.filter(number__gt=1)
    assert [each.pair.number for each in changed] == [5]
    assert changed.get().at == max(Revision.objects.values_list("at", flat=True))
    assert reviewed.project.assignments.count() == 2


def test_the_ledger_tells_it_in_the_order_of_time(reviewed: Study) -> None:
    told = [json.loads(line.split(" ", 1)[1])["at"] for line in lines(reviewed.project)]
    verify_project(reviewed.project)
    assert told == sorted(told)
    given = project_entries(reviewed.project, "dispatched")
    assert {json.loads(line.split(" ", 1)[1])["at"] for line in given} == {
        "2031-05-03T08:00:00.000000Z"
    }
    assert datetime.fromisoformat(told[-1]) < NOW
    days = set(Revision.objects.values_list("at__date", flat=True))
    assert len(days) == simulated_reviewers.DAYS
    for mine in Assignment.objects.all():
        assert mine.created == NOW.replace(day=3, hour=8, minute=0), "as the ledger says"


def project_entries(project: Project, kind: str) -> list[str]:
    return list(project.ledger_lines.filter(kind=kind).values_list("line", flat=True))


def test_only_cells_that_differ_were_opened(reviewed: Study) -> None:
    opened = [
        cell
        for mine in reviewed.project.assignments.all()
        for pair in show_pairs(
            assignment=assignment_of(account=mine.account, assignment=mine.pk),
            numbers=range(1, mine.size + 1),
        )
        for cell in pair.cells
        if cell.level != "masked"
    ]
    assert len(opened) > 5
    assert all(not {"identical", "missing"} & set(cell.marks) for cell in opened)


def test_an_ordinary_dispatch_is_told_as_of_now(tmp_path: Path) -> None:
    study, before = make_study(tmp_path, people=20, pairs=20), datetime.now(UTC)
    study.plan()
    made = study.dispatched()
    created = Assignment.objects.get(pk=made[0].pk).created
    assert before <= created <= datetime.now(UTC) + timedelta(seconds=1)


def test_the_demonstration_has_projects_half_reviewed_and_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, persons in {"pilot": 250, "registry-and-hospital": 300, "follow-up": 250}.items():
        monkeypatch.setitem(demo_projects.PERSONS, name, persons)
    monkeypatch.setitem(demo_projects.PERSONS, "second-wave", 60)
    demo_projects.create_demo(no_progress)
    project = Project.objects.get(name="registry-and-hospital")
    verify_project(project)
    people = {mine.account.username: mine for mine in project.assignments.all()}
    assert set(people) == {"worker", "colleague"} <= set(demo_projects.PEOPLE)
    for mine in people.values():
        assert len(decisions_of(mine)) == round(mine.size / 2) > 0
    for reviewed in Project.objects.exclude(name="second-wave"):
        opened = project_entries(reviewed, "opened")
        days = {json.loads(line.split(" ", 1)[1])["at"][:10] for line in opened}
        assert len(days) > 1, "the clock of the demonstration runs forward over days"
    made = forecast_of(project)
    assert made is not None
    assert figures_of(made).source == "truth"
    for begun in Project.objects.all():
        dispatched = begun.assignments.values_list("created", flat=True)
        assert all(begun.created < each for each in dispatched)
    assert Account.objects.get(username="colleague").practice_right == 10
    assert not Project.objects.get(name="second-wave").assignments.exists()
    assert_conflicts_wait(Project.objects.get(name="follow-up"))
    assert_finished(Project.objects.get(name="pilot"))
    assert_labels(Project.objects.get(name="pilot"))


def assert_conflicts_wait(project: Project) -> None:
    verify_project(project)
    kinds = Counter(project.assignments.values_list("kind", "state"))
    assert kinds == {("review", "submitted"): 2, ("adjudication", "open"): 1}
    conflicts = conflicts_in(current_standing(project))
    assert {each.given for each in conflicts} == {True}
    contradictions = [each for each in conflicts if each.kind == "contradiction"]
    assert 1 <= len(contradictions) <= 3


def assert_finished(project: Project) -> None:
    verify_project(project)
    kinds = Counter(project.assignments.values_list("kind", "state"))
    assert kinds == {("review", "submitted"): 2, ("adjudication", "submitted"): 1}
    manager = Account.objects.get(username="manager")
    shares = reviewer_shares(project=project, actor=actor_for(manager, project)).values()
    assert [each.judged > 0 and each.right / each.judged > 0.6 for each in shares] == [True, True]
    made = project.linkages.get()
    assert made.report["linked_persons"] > 60
    assert made.report["adjudicated"] > 0
    left, blocked = project.releases.order_by("number")
    assert (left.state, blocked.state) == ("ready", "blocked")
    assert left.handovers.exists()
    assert left.report["rows"] > 100
    assert not left.report["findings"]
    assert project.reports.exists()


def test_passwords_are_written_once_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "passwords.txt"
    with pytest.raises(SettingError, match="incomplete"):
        demo_projects.passwords_in(file)
    study = make_study(tmp_path, people=20, pairs=20)
    study.plan()
    study.dispatched()
    monkeypatch.setattr(demo_projects, "PEOPLE", {study.workers[0].username: "reviews pairs"})
    made = demo_projects.passwords_in(file)
    assert file.stat().st_mode & 0o777 == 0o600
    assert made == demo_projects.passwords_in(file)
    assert list(made) == [study.workers[0].username]


def assert_labels(project: Project) -> None:
    """Go through the pages of a finished project: attributes are named in words on all of them."""
    client = signed_in(Account.objects.get(username="manager"))
    releases = [f"/releases/{each.number}" for each in project.releases.all()]
    assert len(releases) == 2
    parts = ("", "/pairs", "/plan", "/opened", "/resolve", "/releases", "/report")
    shown = [text(client.get(f"/projects/{project.name}{part}")) for part in (*parts, *releases)]
    words = [" ".join(_TAG.sub(" ", _UNSEEN.sub(" ", page)).split()) for page in shown]
    assert sum("Birth date" in each for each in words) >= 5
    assert [each for each in words if re.search("first_name|last_name|birth_date", each)] == []


_TAG: Final = re.compile("<[^>]*>")
_UNSEEN: Final = re.compile("<(script|style).*?</\\1>", re.DOTALL)
