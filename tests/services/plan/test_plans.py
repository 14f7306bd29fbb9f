"""Plans: what was typed is read exactly, and every wrong field gets its sentence, all at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, NotAllowed, SettingError
from mindfirl.core.policy import COMMAND_LINE, actor
from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.kapr import Step
from mindfirl.core.risk.percent import WHOLE
from mindfirl.services.plan.plans import (
    PersonTyped,
    plan_of,
    read_plan,
    sample_quality,
    save_plan,
)
from mindfirl.services.projects import create_project, remove_member
from mindfirl.store.models import Plan, Project
from mindfirl.store.queries.access import actor_for
from tests.support.reviews import Study, account, make_study

TODAY = timezone.localdate()


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def typed(study: Study, **changes: Any) -> dict[str, Any]:
    people = tuple(PersonTyped(str(worker.pk), budget="2.5") for worker in study.workers)
    return {"people": people, **changes}


def saved(study: Study, revision: int, **changes: Any) -> ReviewPlan:
    return save_plan(
        project=study.project, actor=study.actor, revision=revision, changes=typed(study, **changes)
    )


def wrong(study: Study, **changes: Any) -> dict[str, str]:
    with pytest.raises(FieldErrors) as caught:
        saved(study, 0, **changes)
    assert not Plan.objects.exists()
    return caught.value.fields


def test_before_a_plan_is_saved_nothing_is_written(study: Study) -> None:
    assert plan_of(project=study.project, actor=study.actor) == (ReviewPlan(), 0)
    assert not Plan.objects.exists()


def test_the_usual_plan_shows_dates_as_the_schema_says(study: Study) -> None:
    version = study.project.versions.get()
    version.schema = 'date_swap = "fields"\n' + version.schema.replace(
        'name = "last"', 'name = "last"\nfrequency = true'
    )
    version.save()
    plan, _ = plan_of(project=study.project, actor=study.actor)
    assert (plan.date_swaps, plan.frequency_bands) == ("fields", True)


def test_what_was_typed_is_kept_as_it_was_meant(study: Study) -> None:
    due = TODAY + timedelta(days=3)
    first, second, third = (str(worker.pk) for worker in study.workers)
    plan = saved(
        study,
        0,
        people=(
            PersonTyped(first, share="70", budget="2,5"),
            PersonTyped(second, share=30, budget=" 0.0000001 % "),
            PersonTyped(third, budget="100"),
        ),
        reviews=" 3 ",
        most_pairs="100",
        priority="stratified",
        quality_sample="5",
        kappa="2",
        accounting="strict",
        date_swaps="fields",
        prices="banded",
        starting={"sex": "full", "first": "partial", "born": "masked"},
        frequency_bands=True,
        project_limit="12.5",
        rule="majority",
        guidance=" Look twice.\r\nThen decide. ",
        due=due.isoformat(),
    )
    assert plan == ReviewPlan(
        people=(
            PersonPlan(first, "worker", 70, 25_000_000),
            PersonPlan(second, "worker", 30, 1),
            PersonPlan(third, "worker", 100, WHOLE),
        ),
        reviews=3,
        most_pairs=100,
        priority="stratified",
        quality_sample=5,
        kappa=2,
        accounting="strict",
        date_swaps="fields",
        prices="banded",
        starting=(Step("first", "partial"), Step("sex", "full")),
        frequency_bands=True,
        project_limit=125_000_000,
        rule="majority",
        guidance="Look twice.\nThen decide.",
        due=due.isoformat(),
    )
    assert plan_of(project=study.project, actor=study.actor) == (plan, 1)
    assert saved(study, 1).reviews == 2
    assert plan_of(project=study.project, actor=study.actor)[1] == 2


def test_a_sample_can_be_asked_for_before_anything_else_is_planned(study: Study) -> None:
    sample_quality(project=study.project, actor=study.actor, sample=20)
    plan, revision = plan_of(project=study.project, actor=study.actor)
    assert (plan, revision) == (replace(ReviewPlan(), quality_sample=20), 1)
    sample_quality(project=study.project, actor=study.actor, sample=20)
    assert plan_of(project=study.project, actor=study.actor)[1] == 1
    sample_quality(project=study.project, actor=study.actor, sample=0)
    assert saved(study, 2, quality_sample=5).quality_sample == 5
    with pytest.raises(NotAllowed):
        sample_quality(project=study.project, actor=actor("somebody"), sample=1)


def test_who_works_on_an_older_page_is_told(study: Study) -> None:
    saved(study, 0)
    for revision in (0, 2, 7):
        with pytest.raises(ChangedMeanwhile):
            saved(study, revision, reviews=1)
    assert plan_of(project=study.project, actor=study.actor)[0].reviews == 2


@pytest.mark.parametrize(
    ("field", "texts"),
    [
        ("reviews", ["", "x", "1.5", "-1", "0", "6", "4", "1e1", "²", "9" * 30]),
        ("most_pairs", ["x", "0", "-3", "1.5", "1 000"]),
        ("quality_sample", ["", "x", "-1", "100001"]),
        ("kappa", ["", "x", "0", "-1", "121", "1.5"]),
        ("project_limit", ["x", "0", "100.0000001", "-1", "1.12345678"]),
        ("due", ["x", "31.12.2030", "2030-02-30", (TODAY - timedelta(days=1)).isoformat()]),
        ("guidance", ["x" * 4_001, "a\x00b"]),
        ("priority", ["", "first"]),
        ("accounting", ["", "loose"]),
        ("date_swaps", ["", "both"]),
        ("prices", ["", "free"]),
        ("rule", ["", "loudest"]),
    ],
)
def test_a_field_wrong_in_any_way_has_a_sentence(
    study: Study, field: str, texts: list[str]
) -> None:
    for text in texts:
        found = wrong(study, **{field: text})
        assert list(found) == [field], text
        assert found[field].endswith("."), text


@pytest.mark.parametrize(
    ("what", "texts"),
    [
        ("budget", ["", "x", "0", "100.0000001", "-2", "1000", "2.123456789", "1/2"]),
        ("share", ["", "x", "0", "101", "1.5", "-1"]),
    ],
)
def test_a_person_wrong_in_any_way_has_a_sentence(
    study: Study, what: str, texts: list[str]
) -> None:
    first, *others = typed(study)["people"]
    for text in texts:
        people = (replace(first, **{what: text}), *others)
        assert list(wrong(study, people=people)) == [f"{what}-worker-{first.account}"], text


def test_people_need_their_role(study: Study) -> None:
    people = typed(study)["people"]
    for account_id in (
        "",
        "x",
        str(study.auditor.pk),
        str(study.manager.pk),
        str(study.project.pk),
    ):
        stranger = PersonTyped(account_id, budget="1")
        assert list(wrong(study, people=(*people, stranger))) == [f"person-worker-{account_id}"]
    assert list(wrong(study, people=(*people, people[0]))) == [f"person-worker-{people[0].account}"]
    study.workers[0].is_active = False
    study.workers[0].save()
    assert list(wrong(study)) == [f"person-worker-{study.workers[0].pk}"]


def test_a_manager_reviews_only_where_the_project_allows_it(study: Study) -> None:
    study.project.memberships.create(account=study.manager, role="worker")
    people = (PersonTyped(str(study.manager.pk), budget="1"), *typed(study)["people"])
    assert (
        "Managers cannot review" in wrong(study, people=people)[f"person-worker-{study.manager.pk}"]
    )
    Project.objects.update(managers_may_review=True)
    study.project.refresh_from_db()
    assert len(saved(study, 0, people=people).workers) == 4


def test_starting_levels_are_those_of_attributes(study: Study) -> None:
    assert list(wrong(study, starting={"zz": "full"})) == ["starting"]
    assert list(wrong(study, starting={"last": "open"})) == ["starting-1"]


def test_a_floor_above_the_number_of_records_is_said_when_it_is_set(study: Study) -> None:
    assert "120 records" in wrong(study, kappa=121)["kappa"]
    assert saved(study, 0, kappa=120).kappa == 120


def test_the_day_is_within_the_project(study: Study) -> None:
    study.project.ends = TODAY + timedelta(days=9)
    study.project.save()
    assert "due" in wrong(study, due=(TODAY + timedelta(days=10)).isoformat())
    last = (TODAY + timedelta(days=9)).isoformat()
    assert saved(study, 0, due=last).due == last


def test_all_wrong_fields_are_named_at_once(study: Study) -> None:
    people = (PersonTyped("x", share="x", budget="x"),)
    found = wrong(study, people=people, reviews="x", kappa="0", due="x", rule="x")
    assert set(found) == {
        *("reviews", "kappa", "due", "rule"),
        *("person-worker-x", "share-worker-x", "budget-worker-x"),
    }


def test_who_lost_their_role_is_found_when_the_plan_is_saved_again(study: Study) -> None:
    saved(study, 0)
    gone = study.workers[0]
    remove_member(project=study.project, actor=study.actor, account=gone, role="worker")
    with pytest.raises(FieldErrors, match="Add the person first"):
        saved(study, 1)


def test_adjudicators_have_budgets_of_their_own(study: Study) -> None:
    judge = account("judge", project=study.project, role="adjudicator")
    people = (*typed(study)["people"], PersonTyped(str(judge.pk), role="adjudicator", budget="3"))
    plan = saved(study, 0, people=people)
    assert len(plan.people) == 4
    assert len(plan.workers) == 3


def test_nothing_is_planned_before_records_are_there(study: Study) -> None:
    empty = create_project(name="empty", actor=COMMAND_LINE, synthetic=True)
    assert plan_of(project=empty, actor=COMMAND_LINE) == (ReviewPlan(), 0)
    with pytest.raises(SettingError, match="No databases yet"):
        save_plan(project=empty, actor=COMMAND_LINE, revision=0, changes=typed(study))


def test_others_are_refused(study: Study) -> None:
    worker, auditor = (actor_for(each, study.project) for each in (study.workers[0], study.auditor))
    for who in (worker, auditor):
        with pytest.raises(NotAllowed):
            save_plan(project=study.project, actor=who, revision=0, changes=typed(study))
    for read in (
        lambda: plan_of(project=study.project, actor=worker),
        lambda: read_plan(project=study.project, actor=worker, changes=typed(study)),
    ):
        with pytest.raises(NotAllowed):
            read()
    assert plan_of(project=study.project, actor=auditor)[1] == 0
