"""Reports: their figures are those of an independent count, and nobody is named in them."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from mindfirl.core.errors import LedgerBroken, NotAllowed, SettingError, UnknownName
from mindfirl.core.ledger.events import (
    FindingSettled,
    HandedOver,
    Linked,
    ProjectEvent,
    Released,
    ReleaseDeleted,
)
from mindfirl.core.ledger.receipts import read_receipt
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import Step
from mindfirl.services import report, resolve
from mindfirl.services.ledger import check_receipt
from mindfirl.services.plan.plans import PersonTyped
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Account, Assignment, Database, Report
from mindfirl.store.queries.access import actor_for
from tests.conftest import Figure
from tests.support.audited import edit
from tests.support.forecasts import keep, made_by_hand
from tests.support.recounted import recounted
from tests.support.reviews import ATTRIBUTES, Study, account, make_study

SAME, DIFFERENT = Decision("surely the same"), Decision("probably different")
CLOSE = 1e-12


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=60, pairs=200)


def open_some(study: Study, *, times: int, seed: int = 1, hours: int = 0) -> None:
    """Open cells at random, over some hours."""
    dice = random.Random(seed)
    given = list(study.project.assignments.filter(state="open").order_by("created", "pk"))
    begin = datetime(2031, 5, 7, 12, tzinfo=UTC) + timedelta(days=5 * seed)
    for turn in range(times):
        mine = dice.choice(given)
        mine = assignment_of(account=mine.account, assignment=mine.pk)
        (pair,) = show_pairs(assignment=mine, numbers=[dice.randint(1, mine.size)])
        steps = [(cell.attribute, step.level) for cell in pair.cells for step in cell.steps]
        if steps:
            attribute, level = dice.choice(steps)
            open_step(
                account=mine.account,
                assignment=mine,
                token=pair.token,
                step=Step(attribute, level),
                seen=pair.state,
                now=begin + timedelta(hours=hours * turn // times),
            )


def decide_all(mine: Assignment, dice: random.Random) -> None:
    for pair in mine.pairs.filter(withdrawn=False):
        decide(
            account=mine.account,
            assignment=mine,
            token=pair.token,
            decision=dice.choice([SAME, SAME, DIFFERENT, Decision("cannot tell", "twins")]),
            now=timezone.now(),
        )


def made(study: Study, **more: Any) -> dict[str, Any]:
    found = report.make_report(project=study.project, actor=study.actor, **more)
    assert Report.objects.get(pk=found.pk).content == found.content
    return found.content


PLANS: tuple[dict[str, Any], ...] = (
    {"budget": "100"},
    {"budget": "100", "accounting": "strict", "frequency_bands": True},
    {"budget": "100", "kappa": 2, "starting": {"last": "full", "born": "partial"}},
    {"budget": "40", "date_swaps": "fields", "prices": "banded", "reviews": 1},
)


def test_every_figure_of_disclosure_is_that_of_a_naive_count(study: Study, figure: Figure) -> None:
    for number, plan in enumerate(PLANS):
        study.plan(most_pairs=10, **plan)
        study.dispatched()
        open_some(study, times=25, seed=number, hours=3)
    content, naive = made(study), recounted(study.project)
    everybody = {str(each.pk) for each in study.workers}
    told = {str(number): each for number, each in numbered(study).items()}
    assert set(told.values()) == everybody
    for each in [*content["people"], {**content["together"], "number": 0}]:
        people = everybody if not each["number"] else {told[str(each["number"])]}
        seen = each["exposure"]
        rows = [row for row in naive.rows if row.person in people]
        places = sum(naive.places[who] for who in people)
        for name, rule in (("published", "paper"), ("strict", "strict"), ("union", "union")):
            assert seen[name] == pytest.approx(float(naive.score(rule, people)), rel=CLOSE)
        for name, rule in (("attack", "paper"), ("strict_attack", "strict")):
            ks = [row.k(rule) for row in rows]
            assert seen[name]["prosecutor"] == 1 / min(ks)
            assert seen[name]["marketer"] == pytest.approx(sum(1 / k for k in ks) / len(ks))
            assert seen[name]["unique_rows"] == ks.count(1) / len(ks)
        records, expected = naive.reidentifications(people)
        assert (seen["rows"], seen["records"]) == (len(rows), records)
        assert seen["reidentifications"] == pytest.approx(float(expected), rel=CLOSE)
        charged = sum(naive.charged[who] for who in people)
        assert each["charged"] == pytest.approx(charged / places / 10**9, rel=CLOSE)
        assert each["characters"] == sum(len(row.places) for row in rows)
    for each in content["attributes"]:
        counted = naive.characters[each["name"]]
        assert each["characters"] == {level: counted[level] for level in ("partial", "full")}
        assert each["of"] == counted["all"]
    by_day: dict[str, int] = {}
    for hour, characters in naive.by_hour.items():
        by_day[hour[:10]] = by_day.get(hour[:10], 0) + characters
    periods = content["over_time"]["periods"]
    assert content["over_time"]["unit"] == "day"
    seen = {day: characters for day, characters in by_day.items() if characters}
    assert {each["from"][:10]: each["characters"] for each in periods} == seen
    assert sum(by_day.values()) == content["together"]["characters"] > 0
    figure(f"report against a naive count of {len(naive.rows)} rows: all figures equal")


def numbered(study: Study) -> dict[int, str]:
    """People by the order of their first assignments."""
    found = study.project.assignments.order_by("created", "dispatch__number", "pk")
    order = dict.fromkeys(str(each.account_id) for each in found)
    return dict(enumerate(order, start=1))


def test_people_keep_their_numbers(study: Study) -> None:
    study.plan(most_pairs=10, budget="100")
    study.dispatched()
    before = {each["number"]: each["pairs"] for each in made(study)["people"]}
    first = numbered(study)
    late = account("late", project=study.project, role="worker")
    study.plan(most_pairs=10, people=(PersonTyped(str(late.pk), budget="9"),), reviews=1)
    study.dispatched()
    content = made(study)
    assert {each["number"]: each["pairs"] for each in content["people"]} == {
        **before,
        len(first) + 1: 10,
    }
    assert numbered(study) == {**first, len(first) + 1: str(late.pk)}


def test_groups_of_fewer_than_ten_persons_are_not_told_apart(study: Study) -> None:
    study.plan(budget="100")
    study.dispatched()
    open_some(study, times=40)
    for attribute in ATTRIBUTES:
        groups = made(study, group=attribute)["groups"]
        assert groups["attribute"] == attribute
        assert groups["groups"]
        assert all(each["persons"] >= 10 for each in groups["groups"])
    sexes = made(study, group="sex")["groups"]
    given = {
        record
        for pair in study.project.assignments.values_list("pairs__left", "pairs__right")
        for record in pair
    }
    assert {each["name"] for each in sexes["groups"]} == {"F", "M"}
    assert sum(each["records"] for each in sexes["groups"]) == len(given)
    names = made(study, group="first")["groups"]
    assert names["by"] == "frequency"
    assert {each["name"] for each in names["groups"]} <= {"rare", "common", "very common", None}


def test_nobody_is_named_and_nothing_typed_is_repeated_but_what_is_meant_for_it(
    study: Study,
) -> None:
    study.plan(budget="100", guidance="SECRET GUIDANCE")
    study.dispatched()
    open_some(study, times=30)
    dice = random.Random(2)
    for mine in Assignment.objects.filter(project=study.project):
        decide_all(mine, dice)
    for number, each in enumerate(Account.objects.all()):
        each.username, each.full_name = f"user-{number}-name", f"Full-{number} Name"
        each.save()
    found = report.make_report(project=study.project, actor=study.actor, account=study.manager)
    for each in Account.objects.all():
        assert each.username not in found.text
        assert each.full_name not in found.text
        assert str(each.pk) not in found.text
    assert "SECRET" not in found.text
    for name in ("Zoe", "Bobby", "Mary"):
        assert name not in found.text


def test_decisions_without_opening_agreement_and_samples_are_counted(study: Study) -> None:
    study.plan(budget="100", quality_sample=4)
    study.dispatched()
    open_some(study, times=40)
    dice = random.Random(3)
    given = list(study.project.assignments.all())
    for mine in given:
        decide_all(mine, dice)
        mine.refresh_from_db()
        submit(account=mine.account, assignment=mine, now=timezone.now())
    content = made(study)
    decided = content["decisions"]["review"]
    pairs = [pair for mine in given for pair in mine.pairs.all()]
    assert decided["decided"] == len(pairs)
    assert decided["without_opening"] == sum(not pair.open_cells.exists() for pair in pairs)
    assert 0 < decided["without_opening"] < decided["decided"]
    assert decided["cannot_tell"] == sum(pair.verdict == "cannot tell" for pair in pairs)
    assert content["agreement"]["pairs"] == len(pairs) // 2
    assert content["agreement"]["observed"]["estimate"] is not None
    for each in content["agreement"]["of_two"]:
        assert set(each["people"]) <= {1, 2, 3}
    quality = content["linked"]["quality"]
    assert quality["samples"]["links"]["sampled"] == 4
    assert quality["samples"]["links"]["band"] == content["linked"]["pairs"]["linked"]
    assert quality["samples"]["non_links"]["band"] == content["linked"]["pairs"]["not_linked"]
    assert 0 <= quality["precision"]["low"] <= quality["precision"]["high"] <= 1
    bands = content["linked"]["pairs"]
    assert bands["found_by"] == "elsewhere"
    four = ("linked", "for_people", "settled_by_links", "not_linked")
    assert sum(bands[name] for name in four) == bands["found"] == 200


def test_linkage_and_adjudication_are_told(study: Study) -> None:
    Database.objects.update(without_duplicates=False)
    judge = account("judge", project=study.project, role="adjudicator")
    people = tuple(PersonTyped(str(each.pk), budget="80") for each in study.workers)
    study.plan(
        people=(*people, PersonTyped(str(judge.pk), "adjudicator", budget="70")), most_pairs=20
    )
    study.dispatched()
    for number, mine in enumerate(study.project.assignments.order_by("pk")):
        for pair in mine.pairs.all():
            said = DIFFERENT if (number + pair.left) % 2 else SAME
            decide(
                account=mine.account,
                assignment=mine,
                token=pair.token,
                decision=said,
                now=timezone.now(),
            )
        submit(account=mine.account, assignment=mine, now=timezone.now())
    resolve.give_conflicts(project=study.project, actor=study.actor, account=study.manager)
    content = made(study)
    assert content["linked"]["linkage"] is None
    (judged,) = [each for each in content["people"] if each["kinds"] == ["adjudication"]]
    assert judged["number"] == 4
    assert judged["pairs"] > 0
    assert judged["budget"] == 0.7
    assert content["roles"]["members"] == {
        "manager": 1,
        "worker": 3,
        "adjudicator": 1,
        "auditor": 1,
    }


def test_what_was_released_and_handed_over_is_counted_from_the_ledger(study: Study) -> None:
    told: list[ProjectEvent] = [
        Linked(1, 1, 120, 100, 0, 0),
        Released(1, 1, 50, ("stage", "income"), 3),
        FindingSettled(1, "stage", "words", 3, "SECRET REASON"),
        HandedOver(1, "data", str(study.manager.pk)),
        HandedOver(1, "data", str(study.auditor.pk)),
        HandedOver(1, "crosswalk", str(study.workers[0].pk)),
        HandedOver(0, "labels", str(study.manager.pk)),
        Released(2, 1, 60, ("stage",), 0),
        ReleaseDeleted(1, "SECRET REASON"),
    ]
    with transaction.atomic():
        locked_head(study.project)
        append(study.project, at=timezone.now(), actor="command line", events=told)
    found = report.make_report(project=study.project, actor=study.actor)
    first, second = found.content["releases"]
    assert (first["rows"], first["columns"], first["found"], first["settled"]) == (50, 2, 3, 3)
    assert (first["data_handed_over"], first["crosswalk_handed_over"]) == (2, 1)
    assert first["deleted"]
    assert not second["deleted"]
    assert found.content["labels_handed_over"] == 1
    assert "SECRET" not in found.text
    assert found.content["people"] == []
    assert found.content["together"]["exposure"] is None


def test_what_was_forecast_is_held_against_what_became_of_it(study: Study) -> None:
    assert made(study)["planned"] is None
    made_forecast = keep(study.project, made_by_hand(labelled=250))
    found = made(study)["planned"]
    assert (found["budgets"], found["promises"], found["labelled"]) == ([], True, 250)
    assert found["everything"]["people"] == 0.9
    one, *others = (PersonTyped(str(each.pk), budget="2") for each in study.workers)
    study.plan(people=(replace(one, budget="3"), *others), most_pairs=30, kappa=2)
    study.dispatched()
    open_some(study, times=40)
    content = made(study)
    small, large = content["planned"]["budgets"]
    assert [small["budget"], large["budget"]] == [0.02, 0.03]
    assert small["expected"] == {
        "K": 0.02,
        "characters": 8.0,
        "people": 0.88,
        "machine": pytest.approx(0.95),
    }
    assert (small["actual"]["assignments"], large["actual"]["assignments"]) == (2, 1)
    for each in (small, large):
        theirs = [one for one in content["people"] if one["budget"] == each["budget"]]
        pairs = sum(one["pairs"] for one in theirs)
        assert each["actual"]["pairs"] == pairs
        spent = sum(one["charged"] * one["pairs"] for one in theirs) / pairs
        assert each["actual"]["K"] == pytest.approx(spent)
        shown = sum(one["characters"] for one in theirs) / pairs
        assert each["actual"]["characters"] == pytest.approx(shown)
    assert small["actual"]["K"] + large["actual"]["K"] > 0
    assert not content["planned"]["changed_since"]
    made_forecast.scoring = None
    made_forecast.save()
    assert made(study)["planned"]["changed_since"]


def test_the_signed_head_of_a_report_is_a_receipt(study: Study) -> None:
    study.plan(budget="100")
    study.dispatched()
    content = made(study)
    receipt = json.dumps(content["signed_head"])
    assert read_receipt(receipt).head.digest == content["ledger"]["digest"]
    open_some(study, times=3)
    taken, _ = check_receipt(project=study.project, actor=study.actor, text=receipt)
    assert taken.entries == content["ledger"]["entries"]
    assert taken.occasion == "report"


def test_there_is_no_report_of_a_ledger_that_does_not_hold(study: Study) -> None:
    study.plan(budget="100")
    study.dispatched()
    open_some(study, times=5)
    lines = list(study.project.ledger_lines.values_list("line", flat=True))
    edit(study.project, lines, 2, random.Random(1))
    with pytest.raises(LedgerBroken):
        made(study)
    assert not study.project.reports.exists()


def test_reports_are_counted_and_stay_when_the_keys_are_gone(study: Study) -> None:
    assert report.newest_report(project=study.project, actor=study.actor) is None
    assert (made(study)["report"], made(study)["report"]) == (1, 2)
    study.project.shredded = timezone.now()
    study.project.save()
    with pytest.raises(SettingError, match="last report"):
        made(study)
    newest = report.newest_report(project=study.project, actor=study.actor)
    assert newest is not None
    assert newest.number == 2


def test_a_report_is_for_those_who_oversee_the_project(study: Study) -> None:
    auditor = actor_for(study.auditor, study.project)
    report.make_report(project=study.project, actor=auditor, account=study.auditor)
    worker = actor_for(study.workers[0], study.project)
    with pytest.raises(NotAllowed):
        report.make_report(project=study.project, actor=worker)
    with pytest.raises(NotAllowed):
        report.newest_report(project=study.project, actor=worker)
    with pytest.raises(UnknownName):
        report.make_report(project=study.project, actor=COMMAND_LINE, group="shoe size")
    assert report.groups_of(project=study.project, actor=auditor) == (list(ATTRIBUTES), "last")
