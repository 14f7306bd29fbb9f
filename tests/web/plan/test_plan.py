"""The page Plan: members, the plan, what it would buy, and all that is wrong."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.test import Client

from mindfirl.store.models import Account, AssignedPair, Plan, Project, Scoring
from mindfirl.store.queries.plans import planned
from tests.support.cast import member, person, signed_in, text
from tests.support.projects import with_pairs
from tests.support.reviews import make_study

pytestmark = pytest.mark.usefixtures("home")


@dataclass
class Scene:
    """A project with pairs, and its cast."""

    project: Project
    manager: Client
    auditor: Client
    ann: Account
    bob: Account
    address: str


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    project = with_pairs(tmp_path / "made", people=120)
    return Scene(
        project,
        signed_in(member(project, "manager", "maria")),
        signed_in(member(project, "auditor", "otto")),
        member(project, "worker", "ann"),
        member(project, "worker", "bob"),
        f"/projects/{project.name}/plan",
    )


def typed(scene: Scene, **changes: str) -> dict[str, str]:
    """All fields of the plan as somebody would send them."""
    people = {
        f"{what}-worker-{account.pk}": value
        for account in (scene.ann, scene.bob)
        for what, value in (("person", "on"), ("share", "100"), ("budget", "2.5"))
    }
    fields = {
        "revision": "0",
        "reviews": "2",
        "most_pairs": "",
        "priority": "uncertain",
        "quality_sample": "0",
        "rule": "unanimous",
        "due": "",
        "guidance": "",
        "kappa": "1",
        "accounting": "paper",
        "prices": "exact",
        "date_swaps": "digits",
        "project_limit": "",
        **{f"starting-{place}": "masked" for place in range(_attributes(scene))},
    }
    return fields | people | changes


def _attributes(scene: Scene) -> int:
    found = re.findall(r'name="starting-(\d+)"', text(scene.manager.get(scene.address)))
    return len(found)


def error_at(page: str, name: str) -> str:
    """Return the sentence at a field, which the field must name."""
    found = re.search(rf'<p class="error" id="id_{re.escape(name)}_error">\s*(.*?)\s*</p>', page)
    assert found, f"nothing is said at {name}"
    control = re.search(rf'<(?:input|select|textarea)[^>]*name="{re.escape(name)}"[^>]*>', page)
    assert control
    assert f"id_{name}_error" in control[0], "the field does not name its error"
    assert 'aria-invalid="true"' in control[0]
    return found[1]


def test_the_page_says_how_many_pairs_wait_for_people(scene: Scene) -> None:
    scene.manager.post(scene.address, typed(scene))
    pairs = Scoring.objects.get().pairs  # nobody weighed them: all wait for people
    assert f"{pairs} pairs are for people to review." in text(scene.manager.get(scene.address))


def test_pairs_that_are_assigned_already_do_not_wait(tmp_path: Path) -> None:
    study = make_study(tmp_path, people=20, pairs=20)
    study.plan()
    study.dispatched()
    page = text(signed_in(study.manager).get(f"/projects/{study.project.name}/plan"))
    pairs = AssignedPair.objects.values("left", "right").distinct().count()
    assert f"All {pairs} pairs for people are already assigned." in page
    assert f"{pairs} more are already assigned" in page
    assert "0 pairs wait" not in page


def test_budgets_that_buy_everything_at_partial_are_proposed(scene: Scene) -> None:
    page = text(scene.manager.get(scene.address))
    proposed = re.findall(r'name="budget-worker-[^"]+" value="([^"]+)"', page)
    assert len(proposed) == 2
    assert float(proposed[0]) > 0
    assert page.count("· buys all cells at partial") == 2
    assert 'name="reviews" value="2"' in page


def choices(page: str) -> dict[str, str]:
    """Return the rows of the table of choices, as text, by their names."""
    table = page.partition('<table class="choice">')[2].partition("</table>")[0]
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', table, re.DOTALL)
    return {name: " ".join(re.sub("<[^>]+>", " ", cells).split()) for name, cells in rows}


def test_four_named_choices_say_what_they_cost_and_buy(scene: Scene) -> None:
    page = text(scene.manager.get(scene.address))
    found = choices(page)
    assert list(found) == [
        "Marks only",
        "Differing characters",
        "Recommended by the forecast",
        "Everything",
    ]
    assert found["Marks only"].startswith("0% nothing is opened")
    assert found["Differing characters"].endswith("planned")
    assert found["Recommended by the forecast"].startswith("– needs a forecast")
    assert "Choose" not in found["Recommended by the forecast"]
    budget = re.findall(r'data-budget="([^"]+)"', page)[-1]
    chosen = text(scene.manager.get(f"{scene.address}?budget={budget}"))
    assert re.findall(r'name="budget-worker-[^"]+" value="([^"]+)"', chosen) == [budget] * 2
    assert choices(chosen)["Everything"].endswith("planned")


def test_an_own_budget_is_a_row_that_says_what_it_buys(scene: Scene) -> None:
    scene.manager.post(scene.address, typed(scene))
    own = choices(text(scene.manager.get(scene.address)))["Own budget"]
    assert re.match(r"2.5% for example \d+ × \S.* or \d+ × \S.*, in full, of \d+ pairs", own)
    assert own.endswith("planned")


def test_an_adjudicator_is_proposed_more_than_workers(scene: Scene) -> None:
    member(scene.project, "adjudicator", "judge")
    page = text(scene.manager.get(scene.address))
    (worker, *_others) = re.findall(r'name="budget-worker-[^"]+" value="([^"]+)"', page)
    (judge,) = re.findall(r'name="budget-adjudicator-[^"]+" value="([^"]+)"', page)
    assert float(judge) > float(worker)


def test_three_folds_say_what_they_hold(scene: Scene) -> None:
    page = text(scene.manager.get(scene.address))
    folds = re.findall(r"<h2>(.*?)</h2>", page)
    assert [each for each in folds if each[0].isdigit()] == [
        "1. How much to review",
        "2. How much may be seen",
        "3. Guidance and due date",
    ]
    assert "2 reviews of each" in page
    assert "no due date" in page
    wrong = text(scene.manager.post(scene.address, typed(scene, due="x", rule="")))
    opened = re.findall(r'<details class="card fold" open><summary><h2>(.*?)</h2>', wrong)
    assert len([each for each in opened if each[0].isdigit()]) == 3


def test_a_plan_is_saved_and_shown_again(scene: Scene) -> None:
    due = (date.today() + timedelta(days=30)).isoformat()  # noqa: DTZ011  # a day of the calendar
    fields = typed(
        scene, reviews="1", due=due, guidance="Look at the dates.", kappa="3", prices="banded"
    )
    fields |= {"starting-0": "partial", "frequency_bands": "on", "project_limit": "10,5"}
    answer = scene.manager.post(scene.address, {**fields, "then": "plan"})
    assert answer.status_code == 302
    plan, _ = planned(scene.project) or pytest.fail("there is no plan")
    assert (plan.reviews, plan.kappa, plan.prices, plan.guidance) == (
        1,
        3,
        "banded",
        "Look at the dates.",
    )
    assert plan.project_limit == 105_000_000
    assert [each.budget for each in plan.people] == [25_000_000, 25_000_000]
    page = text(scene.manager.get(scene.address))
    assert "Plan saved." in page
    assert re.search(r"<details open>", page), "what is not as usual is not hidden"
    assert f'value="{due}"' in page
    onward = scene.manager.post(scene.address, {**fields, "revision": "1", "then": "dispatch"})
    assert onward["Location"].endswith("/dispatch")


CHOSEN: Final = {"priority", "accounting", "starting-0"}
"""Of these, a wrong choice is none that a list can show."""

WRONG: Final = (
    ("reviews", "", "digits"),
    ("reviews", "two", "digits"),
    ("reviews", "0", "1 to 5"),
    ("reviews", "6", "1 to 5"),
    ("reviews", "3", "2 are chosen"),
    ("reviews", "9" * 5000, "digits"),
    ("most_pairs", "0", "1 pair or more"),
    ("most_pairs", "-4", "digits"),
    ("most_pairs", "many", "digits"),
    ("most_pairs", "99999999999", "digits"),
    ("quality_sample", "-1", "digits"),
    ("quality_sample", "1.5", "digits"),
    ("priority", "fastest", "Choose one"),
    ("rule", "", "Choose one"),
    ("due", "2020-01-01", "in the past"),
    ("due", "31/12/2030", "2030-01-31"),
    ("due", "2031-02-30", "2030-01-31"),
    ("guidance", "x" * 4001, "Shorten it"),
    ("kappa", "", "digits"),
    ("kappa", "0", "1 or more"),
    ("kappa", "100000", "Enter a smaller κ"),
    ("accounting", "loose", "Choose one"),
    ("prices", "", "Choose one"),
    ("date_swaps", "no", "Choose one"),
    ("project_limit", "0", "more than 0%"),
    ("project_limit", "101", "at most 100%"),
    ("project_limit", "a lot", "percentage"),
    ("starting-0", "open", "Choose one"),
)


def test_a_wrong_field_is_told_at_the_field_and_all_that_was_typed_stays(scene: Scene) -> None:
    plan = typed(scene, guidance="Mind the twins.")
    for field, value, words in WRONG:
        answer = scene.manager.post(scene.address, {**plan, field: value})
        assert answer.status_code == 422, (field, value)
        page = text(answer)
        assert words in error_at(page, field), (field, value)
        assert value[:60] in page or field in CHOSEN, (field, value)
        assert page.count("autofocus") == 1, (field, value)
        assert "Mind the twins." in page or field == "guidance"
    assert not Plan.objects.filter(revision__gt=0).exists()


WRONG_OF_A_PERSON: Final = (
    ("budget", "", "percentage"),
    ("budget", "lots", "percentage"),
    ("budget", "0", "more than 0%"),
    ("budget", "100.5", "at most 100%"),
    ("budget", "-3", "percentage"),
    ("budget", "1.123456789", "7 decimals"),
    ("share", "", "digits"),
    ("share", "0", "1 to 100"),
    ("share", "101", "1 to 100"),
    ("share", "half", "digits"),
)


def test_a_wrong_number_of_a_person_is_told_beside_it(scene: Scene) -> None:
    plan = typed(scene)
    for what, value, words in WRONG_OF_A_PERSON:
        name = f"{what}-worker-{scene.ann.pk}"
        answer = scene.manager.post(scene.address, {**plan, name: value})
        assert answer.status_code == 422
        assert words in error_at(text(answer), name), (what, value)
    without = {**plan, f"budget-worker-{scene.ann.pk}": "lots", "reviews": "1"}
    del without[f"person-worker-{scene.ann.pk}"]
    assert scene.manager.post(scene.address, without).status_code == 302, "they take no part"


def test_all_that_is_wrong_is_told_at_once(scene: Scene) -> None:
    page = text(scene.manager.post(scene.address, typed(scene, reviews="x", kappa="0", due="x")))
    assert error_at(page, "reviews")
    assert error_at(page, "kappa")
    assert error_at(page, "due")
    assert page.count("autofocus") == 1


def test_what_is_wrong_in_a_folded_part_unfolds_it(scene: Scene) -> None:
    assert "<details open>" not in text(scene.manager.get(scene.address))
    page = text(scene.manager.post(scene.address, typed(scene, project_limit="x")))
    assert "<details open>" in page


def test_the_second_of_two_managers_is_told(scene: Scene) -> None:
    assert scene.manager.post(scene.address, typed(scene)).status_code == 302
    late = scene.manager.post(scene.address, typed(scene, reviews="1", guidance="Mine."))
    assert late.status_code == 409
    page = text(late)
    assert "another person changed this" in page
    assert "Mine." in page
    assert 'name="revision" value="1"' in page
    again = scene.manager.post(scene.address, typed(scene, reviews="1", revision="1"))
    assert again.status_code == 302
    for revision in ("", "x"):
        assert scene.manager.post(scene.address, typed(scene, revision=revision)).status_code == 409


def test_figures_follow_what_is_typed(scene: Scene) -> None:
    address = f"{scene.address}/estimate"
    few = text(scene.manager.get(address, typed(scene)))
    much = text(
        scene.manager.get(address, typed(scene, **{f"budget-worker-{scene.ann.pk}": "100"}))
    )
    assert "buys all cells at full" in much
    assert "buys all cells at full" not in few
    assert f'id="buys-worker-{scene.ann.pk}" hx-swap-oob="true"' in few
    assert "cost" in text(scene.manager.get(address, typed(scene, **{"starting-0": "full"})))
    unseen = {name: each for name, each in typed(scene).items() if str(scene.ann.pk) not in name}
    assert f"buys-worker-{scene.ann.pk}" not in text(scene.manager.get(address, unseen))
    for nonsense in ({}, {"reviews": "x", "kappa": "0"}, typed(scene, most_pairs="x")):
        assert scene.manager.get(address, nonsense).status_code == 200
    assert not Plan.objects.filter(revision__gt=0).exists()


def test_what_a_batch_leaves_undecided_is_said_while_it_is_typed(scene: Scene) -> None:
    page = text(scene.manager.get(scene.address))
    assert re.search(r'<option value="worth" selected>Pairs where review helps most', page)
    assert "undecided" not in page
    address = f"{scene.address}/estimate"
    batch = {"most_pairs": "1", "priority": "worth"}
    found = text(scene.manager.get(address, typed(scene, rule="evidence", **batch)))
    left = re.search(
        r"(\d+) pairs are not reviewed; their weights decide. Of these, (.*?) more", found
    )
    assert left
    assert int(left[1]) > 1
    assert re.fullmatch(r"less than 1|about [\d.,]+", left[2])
    rest = text(scene.manager.get(address, typed(scene, most_pairs=left[1], rule="evidence")))
    assert "1 pair is not reviewed; its weight decides." in rest
    published = text(scene.manager.get(address, typed(scene, **batch)))
    assert f"{left[1]} pairs are not reviewed and will not be linked" in published


def test_people_are_added_and_removed(scene: Scene) -> None:
    person("cleo")
    add = f"/projects/{scene.project.name}/members"
    answer = scene.manager.post(add, {"username": " CLEO ", "role": "worker"}, follow=True)
    page = text(answer)
    assert "cleo is now worker of this project." in page
    assert scene.project.memberships.filter(account__username="cleo", role="worker").exists()
    gone = scene.project.memberships.get(account__username="cleo")
    answer = scene.manager.post(f"{add}/{gone.pk}/remove", follow=True)
    assert "cleo is no longer worker" in text(answer)
    assert not scene.project.memberships.filter(account__username="cleo").exists()


def test_somebody_added_to_a_saved_plan_takes_part(scene: Scene) -> None:
    scene.manager.post(scene.address, typed(scene))
    cleo = person("cleo")
    add = f"/projects/{scene.project.name}/members"
    page = text(scene.manager.post(add, {"username": "cleo", "role": "worker"}, follow=True))
    box = re.search(rf'<input[^>]*name="person-worker-{cleo.pk}"[^>]*>', page)
    assert box
    assert "checked" in box[0]


WRONG_MEMBERS: Final = (
    ({"username": "", "role": "worker"}, "username", "user name of an active account"),
    ({"username": "nobody", "role": "worker"}, "username", "user name of an active account"),
    ({"username": "gone", "role": "worker"}, "username", "user name of an active account"),
    ({"username": "x" * 151, "role": "worker"}, "username", "user name of an active account"),
    ({"username": "ann", "role": "worker"}, "role", "already"),
    ({"username": "ann", "role": "boss"}, "role", "Choose one"),
    ({"username": "ann", "role": ""}, "role", "Choose one"),
    ({"username": "ann", "role": "manager"}, "role", "cannot review"),
)


def test_a_wrong_member_is_told_at_the_field(scene: Scene) -> None:
    Account.objects.create(username="gone", is_active=False)
    for fields, at, words in WRONG_MEMBERS:
        answer = scene.manager.post(f"/projects/{scene.project.name}/members", fields)
        assert answer.status_code == 422
        assert words in error_at(text(answer), at), fields
        assert not fields["username"] or f'value="{fields["username"]}"' in text(answer)


def test_the_last_manager_stays(scene: Scene) -> None:
    last = scene.project.memberships.get(role="manager")
    address = f"/projects/{scene.project.name}/members/{last.pk}/remove"
    page = text(scene.manager.post(address, follow=True))
    assert "This is the only manager" in page
    assert scene.project.memberships.filter(role="manager").exists()


def test_a_part_of_the_page_is_redrawn_for_scripts(scene: Scene) -> None:
    person("cleo")
    headers: dict[str, Any] = {"HX-Request": "true", "HX-Target": "members"}
    answer = scene.manager.post(
        f"/projects/{scene.project.name}/members",
        {"username": "cleo", "role": "worker"},
        headers=headers,
        follow=True,
    )
    page = text(answer)
    assert "<html" not in page
    assert "cleo is now worker" in page
    assert 'id="budgets"' in page
    assert 'hx-swap-oob="true"' in page
    assert 'data-reviews="2"' in page
    answer = scene.manager.post(
        f"/projects/{scene.project.name}/members",
        {"username": "nobody", "role": "worker"},
        headers=headers,
    )
    assert answer.status_code == 422
    assert "budgets" not in text(answer)


def test_only_managers_change_the_plan(scene: Scene) -> None:
    assert scene.auditor.get(scene.address).status_code == 403
    assert scene.auditor.post(scene.address, typed(scene)).status_code == 403
    worker = signed_in(scene.ann)
    assert worker.get(scene.address).status_code == 403
    assert worker.get(f"{scene.address}/estimate").status_code == 403
    stranger = signed_in(person())
    assert stranger.get(scene.address).status_code == 404


def test_without_pairs_or_workers_the_page_says_what_comes_first(tmp_path: Path) -> None:
    project = with_pairs(tmp_path / "made", people=120)
    manager = signed_in(member(project, "manager"))
    address = f"/projects/{project.name}/plan"
    assert "Add at least one worker above" in text(manager.get(address))
    project.versions.get().scoring.delete()
    assert "No pairs yet" in text(manager.get(address))
