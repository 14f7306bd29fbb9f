"""The list of projects: what waits, where each stands, search, archive, and a set-up taken over."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.ledger import verify_project
from mindfirl.services.projects import ProjectChanges, create_project
from mindfirl.store.models import Account, Assignment, Job, LedgerLine, Membership, Project
from mindfirl.store.queries.plans import planned
from tests.support.cast import member, person, signed_in, text
from tests.support.reviews import Study, make_study

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path, people=20, pairs=20, workers=2)


def listed(client: Client, **asked: str) -> str:
    return text(client.get("/projects", asked))


def row_of(page: str) -> str:
    return page.partition("<tbody>")[2].partition("</tr>")[0]


def waiting_in(page: str) -> list[str]:
    part = page.partition('<ul class="card waiting">')[2].partition("</ul>")[0]
    return [each.partition("</b>")[0] for each in part.split("<b>")[1:]]


def test_a_project_is_listed_with_its_stage_and_no_figures_before_a_review(study: Study) -> None:
    row = row_of(listed(signed_in(study.manager)))
    assert ">Plan<" in row
    assert "2 workers" in row
    assert row.count(">–<") == 3  # reviewed, spent, ends


def test_the_list_says_what_is_reviewed_and_spent_and_when_it_is_due(study: Study) -> None:
    due = timezone.localdate() + timedelta(days=3)
    study.plan(budget="40", due=due.isoformat())
    one, other = study.dispatched()
    row = row_of(listed(signed_in(study.manager)))
    size = one.size + other.size
    assert ">Review<" in row
    assert f"0 of {size}" in row
    assert "due in 3 days" in row
    assert "0% of 40%" in row
    Assignment.objects.filter(pk=one.pk).update(spent=one.limit // 2)
    assert "20% of 40%" in row_of(listed(signed_in(study.manager)))


def test_people_see_what_waits_for_them(study: Study) -> None:
    study.plan(budget="40")
    first, *_others = study.dispatched()
    page = listed(signed_in(first.account))
    assert waiting_in(page) == [f"{first.size} pairs to review"]
    assert f"/assignments/{first.pk}" in page
    assert "0% of" not in page  # figures are for those who oversee
    assert waiting_in(listed(signed_in(study.manager))) == []


def test_a_proposal_waits_for_the_second_person_alone(study: Study) -> None:
    Project.objects.update(second_person=True)
    study.project.refresh_from_db()
    study.plan(budget="40")
    study.proposed()
    assert waiting_in(listed(signed_in(study.auditor))) == ["Confirm a dispatch"]
    page = listed(signed_in(study.manager))
    assert waiting_in(page) == []
    assert ">Dispatch<" in row_of(page)


def test_conflicts_wait_for_the_manager_once_all_is_submitted(study: Study) -> None:
    study.plan(budget="40", rule="unanimous")
    made = study.dispatched()
    for each in made:
        verdict = {"account": "surely the same", "other": "surely different"}
        side = "account" if each.account == made[0].account else "other"
        each.pairs.update(verdict=verdict[side], decided=timezone.now())
    assert waiting_in(listed(signed_in(study.manager))) == []
    assert waiting_in(listed(signed_in(made[0].account))) == ["Submit your decisions"]
    Assignment.objects.update(state="submitted")
    pairs = len({(each.left, each.right) for one in made for each in one.pairs.all()})
    found = waiting_in(listed(signed_in(study.manager)))
    assert found == [f"{pairs} conflicts to assign"]
    assert ">Resolve<" in row_of(listed(signed_in(study.manager)))


def test_failed_work_waits_for_the_manager(study: Study) -> None:
    now = timezone.now()
    Job.objects.create(project=study.project, kind="pairs score", state="failed", ended=now)
    assert waiting_in(listed(signed_in(study.manager))) == ["Finding pairs failed"]
    assert waiting_in(listed(signed_in(study.auditor))) == []


def test_projects_are_searched(study: Study) -> None:
    Project.objects.update(title="Stroke register", purpose="Outcomes after stroke")
    manager = signed_in(study.manager)
    for wanted in ("REGISTER", "outcomes", "study"):
        assert "Stroke register" in listed(manager, find=wanted)
    page = listed(manager, find="<x>")
    assert "No project has “&lt;x&gt;” in its title, name or purpose." in page


def test_an_archived_project_is_on_a_list_of_its_own(study: Study) -> None:
    manager, address = signed_in(study.manager), f"/projects/{study.project.name}/archive"
    entries = LedgerLine.objects.count()
    assert manager.post(address, {"archived": "1"})["Location"] == "/projects"
    page = listed(manager)
    assert "study is archived." in page
    assert "1 archived project" in page
    assert "All your projects are archived." in page
    assert "<table" not in page
    assert "<table" in listed(manager, archived="")
    assert manager.get(f"/projects/{study.project.name}").status_code == 200
    manager.post(address, {"archived": "0"})
    assert "<table" in listed(manager)
    assert LedgerLine.objects.count() == entries


def test_only_managers_archive(study: Study) -> None:
    for who in (study.auditor, study.workers[0]):
        answer = signed_in(who).post(f"/projects/{study.project.name}/archive", {"archived": "1"})
        assert answer.status_code == 403
    assert not Project.objects.get().archived


def test_a_set_up_is_taken_over(study: Study) -> None:
    Account.objects.filter(pk=study.manager.pk).update(creates_projects=True)
    Project.objects.update(purpose="Outcomes", second_person=True, idle_minutes=9)
    study.project.refresh_from_db()
    study.plan(budget="40", kappa=3, guidance="Look at dates.", starting={"sex": "full"})
    gone = member(study.project, "worker", "gone")
    Account.objects.filter(pk=gone.pk).update(is_active=False)
    manager = signed_in(Account.objects.get(pk=study.manager.pk))
    form = text(manager.get("/projects/study/duplicate"))
    assert "With the set-up of study" in form
    assert "\nOutcomes</textarea>" in form
    fields = {"title": "Second", "purpose": "More", "synthetic": "on"}
    assert manager.post("/projects/study/duplicate", fields)["Location"] == "/projects/second/data"
    made = Project.objects.get(name="second")
    assert (made.title, made.purpose) == ("Second", "More")
    assert (made.second_person, made.idle_minutes, made.synthetic) == (True, 9, True)
    roles = Membership.objects.filter(project=made).values_list("account__username", "role")
    assert sorted(roles) == [
        ("auditor", "auditor"),
        ("manager", "manager"),
        ("worker0", "worker"),
        ("worker1", "worker"),
    ]
    plan, revision = planned(made) or pytest.fail("there is no plan")
    assert (plan.kappa, plan.guidance, plan.starting, plan.people, revision) == (
        3,
        "Look at dates.",
        (),
        (),
        1,
    )
    verify_project(project=made, actor=COMMAND_LINE)  # raises where a row is not as it is told


def test_nobody_takes_over_what_they_do_not_manage(study: Study) -> None:
    creator = person("creator", creator=True)
    Membership.objects.create(project=study.project, account=creator, role="auditor")
    browser = signed_in(creator)
    assert browser.get("/projects/study/duplicate").status_code == 403
    assert browser.post("/projects/study/duplicate", {"title": "Second"}).status_code == 403
    assert Project.objects.count() == 1


def test_a_manager_who_cannot_create_projects_is_told(study: Study) -> None:
    manager = signed_in(study.manager)
    answer = manager.post("/projects/study/duplicate", {"title": "Second"})
    assert answer["Location"] == "/projects"
    assert "Ask the administrator for the right." in listed(manager)
    assert "Duplicate set-up" not in listed(manager)
    assert Project.objects.count() == 1


def test_what_waits_is_not_told_of_closed_projects(study: Study) -> None:
    study.plan(budget="40")
    first, *_others = study.dispatched()
    Project.objects.update(closed=timezone.now())
    assert waiting_in(listed(signed_in(first.account))) == []


def test_a_project_without_data_is_listed() -> None:
    manager = person("manager")
    create_project(
        name="empty",
        actor=COMMAND_LINE,
        account=manager,
        changes=ProjectChanges(title="Empty one"),
    )
    assert ">Data<" in row_of(listed(signed_in(manager)))
