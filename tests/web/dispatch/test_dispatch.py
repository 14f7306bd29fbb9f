"""The page Dispatch: what is looked at is what is proposed, confirmed and given out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from django.test import Client

from mindfirl.core.errors import MindfirlError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.prospects import Prospects
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.runner import work
from mindfirl.services import jobs
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan import plans
from mindfirl.store.models import Account, Assignment, Dispatch, Job, Membership, Project, Scoring
from mindfirl.web.page.labels import label
from mindfirl.workspace.open_version import open_project
from tests.support.cast import Answer, member, person, signed_in, text
from tests.support.forecasts import foresee
from tests.support.projects import planned, with_pairs

pytestmark = pytest.mark.usefixtures("home")


@dataclass
class Scene:
    """A project with pairs and a plan, and its cast."""

    project: Project
    maria: Account
    manager: Client
    auditor: Client
    ann: Account
    bob: Account
    address: str


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    project = with_pairs(tmp_path / "made", people=120)
    maria = member(project, "manager", "maria")
    ann, bob = member(project, "worker", "ann"), member(project, "worker", "bob")
    planned(project, [ann, bob], guidance="Mind the twins.", kappa=2)
    auditor = signed_in(member(project, "auditor", "otto"))
    address = f"/projects/{project.name}/dispatch"
    return Scene(project, maria, signed_in(maria), auditor, ann, bob, address)


def seen(page: str) -> dict[str, str]:
    """Return what the form of a page tells of what was looked at."""
    found = re.search(r'name="seen" value="([^"]*)"', page)
    return {"seen": found[1]} if found else {}


def pressed(client: Client, address: str) -> Answer:
    """Look at the page, and press its button."""
    return client.post(address, seen(text(client.get(address))))


def run() -> None:
    """Do the work that waits."""
    job = jobs.claim()
    assert job is not None
    work.do(jobs.attempt_of(job))


def test_the_summary_says_what_is_given_out_to_whom(scene: Scene) -> None:
    page = text(scene.manager.get(scene.address))
    for words in ("55 pairs, each reviewed by 2 of 2 workers", "Mind the twins.", "version 1"):
        assert words in page
    assert page.count('<td class="number">55</td>') == 2
    assert "No adjudicator" in page
    assert "no last day" in page
    assert "Assign 55 pairs" in page
    assert "workers see the exact share" in page


@pytest.mark.parametrize(
    ("lower", "upper", "says"),
    [
        (-1000, 1000, "55, of any weight"),
        (-1000, 5, "55, of weights up to 5"),
        (-5, 1000, "55, of weights from −5"),
        (-5, 5, "55, of weights from −5 to 5"),
    ],
)
def test_the_summary_says_which_weights_are_for_people(
    scene: Scene, lower: float, upper: float, says: str
) -> None:
    set_bands(project=scene.project, bands=Bands(lower, upper))
    assert f"{says}</dd>" in text(scene.manager.get(scene.address))


def test_the_summary_says_how_a_batch_is_chosen_and_what_is_left(scene: Scene) -> None:
    assert "How they are chosen" not in text(scene.manager.get(scene.address)), "all go out"
    planned(scene.project, [scene.ann, scene.bob], most_pairs=20)
    page = text(scene.manager.get(scene.address))
    assert "Pairs where review helps most: pairs that people are expected to decide better" in page
    assert (
        "better than the weights; according to their weights, because this plan has no forecast"
        in page
    )
    foresee(scene.project, even)
    assert "disclose least; according to the forecast. 35 pairs" in text(
        scene.manager.get(scene.address)
    )
    planned(scene.project, [scene.ann, scene.bob], most_pairs=20, prices="banded")
    assert "disclose least" not in text(scene.manager.get(scene.address))
    assert "35 pairs are not reviewed; their weights decide." in page
    planned(scene.project, [scene.ann, scene.bob], most_pairs=20, priority="sample")
    page = text(scene.manager.get(scene.address))
    assert "Random: pairs drawn at random with equal chance. 35 pairs are" in page
    pressed(scene.manager, scene.address)
    run()
    rest = text(scene.manager.get(scene.address))
    assert "15 pairs are not reviewed" in rest, "of the next batch"


def even(found: Candidates) -> Prospects:
    """Expect the same of all pairs."""
    size = len(found)
    return Prospects(np.full(size, 0.5), np.full(size, 0.9), np.ones(size, dtype=np.int64))


def test_one_who_saw_the_choice_of_another_forecast_is_told(scene: Scene) -> None:
    planned(scene.project, [scene.ann, scene.bob], most_pairs=20)
    looked_at = seen(text(scene.manager.get(scene.address)))
    foresee(scene.project, even)
    answer = scene.manager.post(scene.address, looked_at)
    assert answer.status_code == 409
    assert not Dispatch.objects.exists()
    assert "according to the forecast" in text(answer)


def test_a_dispatch_is_given_out_by_the_runner(scene: Scene) -> None:
    answer = pressed(scene.manager, scene.address)
    assert answer.status_code == 302
    assert "Pairs are being assigned" in text(scene.manager.get(scene.address))
    assert Assignment.objects.count() == 0
    run()
    assert Job.objects.get().state == "done"
    assert {each.account for each in Assignment.objects.all()} == {scene.ann, scene.bob}
    page = text(scene.manager.get(scene.address))
    assert "All pairs for people are assigned." in page
    assert "Assignments so far" in page
    assert "Go to the project page" in page
    assert "Assign 55 pairs" not in page


def test_a_second_person_confirms_where_the_project_asks_for_it(scene: Scene) -> None:
    Project.objects.update(second_person=True)
    assert "Propose for confirmation" in text(scene.manager.get(scene.address))
    assert pressed(scene.manager, scene.address).status_code == 302
    assert Job.objects.count() == 0
    own = text(scene.manager.get(scene.address))
    assert "maria proposed this" in own
    assert "Confirm" not in own
    assert "Withdraw" in own
    refused = scene.manager.post(f"{scene.address}/confirm", {"dispatch": "1"})
    assert refused.status_code == 422
    assert "requires a second person" in text(refused)
    theirs = text(scene.auditor.get(scene.address))
    assert "Confirm: Assign 55 pairs" in theirs
    assert "Withdraw" not in theirs
    answer = scene.auditor.post(f"{scene.address}/confirm", {"dispatch": "1"})
    assert answer.status_code == 302
    run()
    assert Job.objects.get().state == "done", Job.objects.get().sentence
    assert Assignment.objects.count() == 2
    assert Dispatch.objects.get().confirmed_by != scene.maria


def test_what_is_proposed_is_told_on_the_page_of_the_project(scene: Scene) -> None:
    Project.objects.update(second_person=True)
    page = scene.address.removesuffix("/dispatch")
    assert "Check the proposal" not in text(scene.auditor.get(page))
    pressed(scene.manager, scene.address)
    own, theirs = text(scene.manager.get(page)), text(scene.auditor.get(page))
    assert "maria proposed a dispatch" in own
    assert "once another manager or the auditor confirms it" in own
    assert "confirm it to assign the pairs" in theirs
    assert f'<a class="button go" href="{scene.address}">Check the proposal' in theirs
    assert f'<a class="button" href="{scene.address}">Check the proposal' in own


def test_who_changes_the_plan_of_what_is_proposed_is_told_that_it_stays(scene: Scene) -> None:
    address, ann = scene.address.replace("dispatch", "plan"), f"worker-{scene.ann.pk}"
    typed = {
        "reviews": "1",
        "rule": "unanimous",
        "priority": "uncertain",
        "quality_sample": "0",
        "kappa": "2",
        "accounting": "paper",
        "prices": "exact",
        "date_swaps": "digits",
        f"person-{ann}": "on",
        f"share-{ann}": "100",
        f"budget-{ann}": "7",
    }
    revision = plans.plan_of(project=scene.project, actor=COMMAND_LINE)[1]
    saved = scene.manager.post(address, {**typed, "revision": revision}, follow=True)
    assert "Plan saved." in text(saved)
    assert "still uses the earlier plan" not in text(saved)
    Project.objects.update(second_person=True)
    pressed(scene.manager, scene.address)
    saved = scene.manager.post(address, {**typed, "revision": revision + 1}, follow=True)
    assert "still uses the earlier plan" in text(saved)


def test_what_was_proposed_can_be_withdrawn_and_proposed_anew(scene: Scene) -> None:
    Project.objects.update(second_person=True)
    pressed(scene.manager, scene.address)
    answer = scene.manager.post(f"{scene.address}/withdraw", {"dispatch": "1"}, follow=True)
    assert "No pairs were assigned" in text(answer)
    late = scene.auditor.post(f"{scene.address}/confirm", {"dispatch": "1"})
    assert late.status_code == 409
    assert scene.manager.post(f"{scene.address}/withdraw", {"dispatch": "1"}).status_code == 409
    pressed(scene.manager, scene.address)
    wrong = scene.auditor.post(f"{scene.address}/confirm", {"dispatch": "1"})
    assert wrong.status_code == 409, "it is another one that waits"
    assert Job.objects.count() == 0


def test_who_saw_another_plan_or_other_limits_is_told(scene: Scene) -> None:
    before = seen(text(scene.manager.get(scene.address)))
    planned(scene.project, [scene.ann], guidance="Another.")
    late = scene.manager.post(scene.address, before)
    assert late.status_code == 409
    assert "another person changed this" in text(late)
    assert "Another." in text(late)
    before = seen(text(scene.manager.get(scene.address)))
    Scoring.objects.update(lower=-1)
    assert scene.manager.post(scene.address, before).status_code == 409
    assert scene.manager.post(scene.address, {}).status_code == 409
    assert not Dispatch.objects.exists()


def test_who_saw_the_page_before_a_dispatch_does_not_give_out_the_next_pairs(scene: Scene) -> None:
    planned(scene.project, [scene.ann, scene.bob], most_pairs=5)
    before = seen(text(scene.manager.get(scene.address)))
    assert scene.manager.post(scene.address, before).status_code == 302
    run()
    again = scene.manager.post(scene.address, before)
    assert again.status_code == 409
    assert "another person changed this" in text(again)
    assert Dispatch.objects.count() == 1
    assert "Assign 5 pairs" in text(scene.manager.get(scene.address)), "those that come next"


def test_what_cannot_be_dispatched_is_said_in_a_sentence(scene: Scene) -> None:
    Membership.objects.filter(account=scene.bob).delete()
    answer = pressed(scene.manager, scene.address)
    assert answer.status_code == 422
    assert "does not have this role in the project" in text(answer)
    assert not Dispatch.objects.exists()


def test_a_dispatch_that_failed_can_be_tried_again_or_withdrawn(scene: Scene) -> None:
    Project.objects.update(second_person=True)
    pressed(scene.manager, scene.address)
    scene.auditor.post(f"{scene.address}/confirm", {"dispatch": "1"})
    job = jobs.claim()
    assert job is not None
    jobs.fail(jobs.attempt_of(job), MindfirlError("It did not work."))
    page = text(scene.manager.get(scene.address))
    assert "It did not work." in page
    assert "are not assigned yet" in page
    assert "Withdraw" in page
    assert scene.manager.post(scene.address).status_code == 302
    run()
    assert Assignment.objects.count() == 2


def test_other_work_that_goes_on_lets_a_dispatch_wait(scene: Scene) -> None:
    page = seen(text(scene.manager.get(scene.address)))
    Job.objects.create(project=scene.project, kind="pairs score", state="running")
    answer = scene.manager.post(scene.address, page, follow=True)
    assert "Other work on this project is running" in text(answer)
    assert Dispatch.objects.get().state == "confirmed"


def test_a_budget_that_buys_little_and_a_manager_who_reviews_are_named(scene: Scene) -> None:
    Project.objects.update(managers_may_review=True)
    Membership.objects.create(project=scene.project, account=scene.ann, role="manager")
    scene.project.refresh_from_db()
    planned(scene.project, [scene.ann, scene.bob], budget="0.01", prices="banded")
    page = text(scene.manager.get(scene.address))
    assert page.count("some decisions may have to rely on masked cells") == 2
    assert "ann is a manager of this project and reviews in it" in page
    assert "prices rounded up" in page


def test_starting_levels_are_named_with_their_charge(scene: Scene) -> None:
    plan, _revision = plans.plan_of(project=scene.project, actor=COMMAND_LINE)
    assert plan.starting == ()
    shown = re.findall(r'starting-0">([^<]+)<', text(scene.manager.get(_people(scene))))[0]
    name = next(each for each in _names(scene) if label(each) == shown)
    planned(scene.project, [scene.ann, scene.bob], starting={name: "full"}, budget="100")
    page = text(scene.manager.get(scene.address))
    assert re.search(rf"{shown} full, others masked; charged at the start: [\d.]+% of K", page)


def _names(scene: Scene) -> tuple[str, ...]:
    return open_project(scene.project).schema.names


def _people(scene: Scene) -> str:
    return scene.address.replace("/dispatch", "/plan")


def test_without_a_plan_the_page_says_what_comes_first(tmp_path: Path) -> None:
    project = with_pairs(tmp_path / "made", people=120)
    manager = signed_in(member(project, "manager"))
    page = text(manager.get(f"/projects/{project.name}/dispatch"))
    assert "First plan who reviews" in page
    assert "Give out" not in page.replace("Assign pairs", "")
    assert manager.post(f"/projects/{project.name}/dispatch", {"seen": ""}).status_code == 409


def test_only_managers_propose(scene: Scene) -> None:
    assert "Assign 55 pairs" not in text(scene.auditor.get(scene.address))
    assert scene.auditor.post(scene.address).status_code == 403
    assert scene.auditor.post(f"{scene.address}/withdraw").status_code == 403
    worker = signed_in(scene.ann)
    assert worker.get(scene.address).status_code == 403
    assert worker.post(f"{scene.address}/confirm").status_code == 403
    assert signed_in(person()).get(scene.address).status_code == 404
