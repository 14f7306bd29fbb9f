"""Assignments on the page of a project: how far they are, and every change of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.test import Client

from mindfirl.store.models import Account, Assignment, Project
from tests.support.cast import Answer, member, person, signed_in, text
from tests.support.ledgers import verify_project
from tests.support.projects import dispatched, with_pairs

pytestmark = pytest.mark.usefixtures("home")


@dataclass
class Scene:
    """A project whose pairs were given out, and its cast."""

    project: Project
    manager: Client
    auditor: Client
    ann: Account
    cleo: Account
    assignment: Assignment
    address: str

    def change(self, name: str, **typed: str) -> Answer:
        return self.manager.post(f"{self.address}/{name}", typed)

    def now(self) -> Assignment:
        return Assignment.objects.get(pk=self.assignment.pk)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    project = with_pairs(tmp_path / "made", people=120)
    maria = member(project, "manager", "maria")
    ann, bob = member(project, "worker", "ann"), member(project, "worker", "bob")
    dispatched(project, maria, [ann, bob])
    cleo = member(project, "worker", "cleo")
    assignment = Assignment.objects.get(account=ann)
    return Scene(
        project,
        signed_in(maria),
        signed_in(member(project, "auditor", "otto")),
        ann,
        cleo,
        assignment,
        f"/projects/{project.name}/assignments/{assignment.pk}",
    )


def page(scene: Scene) -> str:
    return text(scene.manager.get(f"/projects/{scene.project.name}"))


def test_the_page_shows_how_far_everybody_is(scene: Scene) -> None:
    shown = page(scene)
    assert shown.count("0 of 55 pairs decided") == 2
    assert shown.count("0% of the budget of K 5% used") == 2
    assert shown.count("no due date") - shown.count("for no due date") == 2
    assert 'hx-trigger="every 5s"' in shown
    assert "X-Mindfirl-Polling" in shown


def test_an_assignment_is_paused_and_goes_on(scene: Scene) -> None:
    assert scene.change("pause").status_code == 302
    assert scene.now().state == "paused"
    assert "Resume" in page(scene)
    again = scene.manager.post(f"{scene.address}/pause", follow=True)
    assert "The assignment is already paused" in text(again)
    assert scene.change("resume").status_code == 302
    assert scene.now().state == "open"
    verify_project(scene.project)


def test_the_due_date_is_moved(scene: Scene) -> None:
    soon = (date.today() + timedelta(days=9)).isoformat()  # noqa: DTZ011  # a day of the calendar
    assert scene.change("due", due=soon).status_code == 302
    assert f"due {soon}" in page(scene)
    assert scene.change("due", due="").status_code == 302
    assert scene.now().due is None


def test_the_budget_is_raised_with_a_reason(scene: Scene) -> None:
    assert scene.change("budget", budget="7.5", reason="Many initials.").status_code == 302
    assert scene.now().budget == 75_000_000
    assert "of the budget of K 7.5% used" in page(scene)


def test_an_assignment_ends_with_a_reason(scene: Scene) -> None:
    assert scene.change("end", reason="Left the team.").status_code == 302
    assert scene.now().state == "ended"
    shown = page(scene)
    assert "Reassign remaining pairs" in shown, "what is left can still go to others"
    assert f"{scene.address}/budget" not in shown
    late = scene.change("budget", budget="9", reason="Too late.")
    assert late.status_code == 422
    assert "is already ended" in text(late)


def test_the_rest_goes_to_others(scene: Scene) -> None:
    typed = {f"person-{scene.cleo.pk}": "on", f"budget-{scene.cleo.pk}": "6", "reason": "Ill."}
    assert scene.change("reassign", **typed).status_code == 302
    assert scene.now().state == "ended"
    new = Assignment.objects.get(account=scene.cleo)
    assert (new.size, new.budget, new.continues) == (55, 60_000_000, scene.assignment)
    shown = page(scene)
    assert "reassigned from another reviewer" in shown
    assert "55 reassigned to others" in shown
    verify_project(scene.project)


def test_every_wrong_field_is_told_with_what_was_typed(scene: Scene) -> None:
    cleo, bob = str(scene.cleo.pk), str(Account.objects.get(username="bob").pk)
    cases = [("due", {"due": value}, "due", words) for value, words in DUES.items()]
    cases += [
        ("budget", {"budget": value, "reason": "Why not."}, "budget", "more than 5%")
        for value in ("", "5", "4", "101", "much", "-1")
    ]
    cases += [
        ("budget", {"budget": "6", "reason": ""}, "reason", "Enter a reason"),
        ("budget", {"budget": "6", "reason": "x" * 501}, "reason", "Enter a reason"),
        ("end", {"reason": " "}, "reason", "Enter a reason"),
        ("end", {"reason": "x" * 501}, "reason", "Enter a reason"),
        (
            "reassign",
            {f"person-{cleo}": "on", f"budget-{cleo}": "", "reason": "Ill."},
            f"budget-{cleo}",
            "more than 0%",
        ),
        (
            "reassign",
            {f"person-{cleo}": "on", f"budget-{cleo}": "5", "reason": ""},
            "reason",
            "Enter a reason",
        ),
    ]
    for name, typed, field, words in cases:
        answer = scene.change(name, **typed)
        assert answer.status_code == 422, (name, typed)
        shown = text(answer)
        found = re.search(rf'id="[^"]*-{re.escape(field)}_error">\s*([^<]*)', shown)
        assert found, (name, typed)
        assert words in found[1], (name, typed)
        assert all(value in shown for value in typed.values() if value.strip()), (name, typed)
        assert "autofocus" in shown
    for typed, words in (
        ({"reason": "Ill."}, "Choose at least one person"),
        ({f"person-{bob}": "on", f"budget-{bob}": "5", "reason": "Ill."}, "to any of these people"),
    ):
        answer = scene.change("reassign", **typed)
        assert answer.status_code == 422
        assert words in text(answer)
    assert scene.now().state == "open"
    assert scene.now().budget == 50_000_000


DUES = {
    "2020-02-02": "is in the past",
    "02/02/2031": "2030-01-31",
    "2031-02-31": "2030-01-31",
    "soon": "2030-01-31",
}


def test_a_day_after_the_end_of_the_project_is_refused(scene: Scene) -> None:
    Project.objects.update(ends=date.today() + timedelta(days=5))  # noqa: DTZ011  # a day
    late = (date.today() + timedelta(days=6)).isoformat()  # noqa: DTZ011  # a day
    answer = scene.change("due", due=late)
    assert answer.status_code == 422
    assert "The project ends on" in text(answer)


def test_an_open_page_is_told_of_progress_and_of_changes(scene: Scene) -> None:
    found = re.search(r'hx-get="([^"]+live[^"]+)"', page(scene))
    assert found
    calm = text(scene.auditor.get(found[1], headers={"HX-Request": "true"}))
    assert "The assignments changed" not in calm
    assert f'id="progress-{scene.assignment.pk}" hx-swap-oob="true"' in calm
    scene.change("pause")
    assert "The assignments changed" in text(scene.auditor.get(found[1]))


def test_auditors_look_and_workers_do_not(scene: Scene) -> None:
    shown = text(scene.auditor.get(f"/projects/{scene.project.name}"))
    assert "0 of 55 pairs decided" in shown
    assert "/pause" not in shown
    worker, stranger = signed_in(scene.ann), signed_in(person())
    for name in ("pause", "resume", "due", "end", "budget", "reassign"):
        assert scene.auditor.post(f"{scene.address}/{name}").status_code == 403
        assert worker.post(f"{scene.address}/{name}").status_code == 403
        assert stranger.post(f"{scene.address}/{name}").status_code == 404
    assert worker.get(f"/projects/{scene.project.name}/live").status_code == 403
    assert scene.now().state == "open"


def test_an_assignment_of_another_project_is_not_found(scene: Scene, tmp_path: Path) -> None:
    other = with_pairs(tmp_path / "other", "other", people=60)
    elsewhere = signed_in(member(other, "manager"))
    address = scene.address.replace("/study/", "/other/")
    for name in ("pause", "due", "end", "budget", "reassign"):
        assert elsewhere.post(f"{address}/{name}").status_code == 404
