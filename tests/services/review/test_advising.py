"""Suggestions: by what is seen and told alone, frozen when pairs are given out, off by default."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.events import Dispatched
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.dispatch.assignments import raise_budget, reassign
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan.plans import plan_of
from mindfirl.services.resolve import propose_conflicts
from mindfirl.services.review.disclosure import opening
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.services.review.disclosure.practice import Practice, show_practice
from mindfirl.store import vault
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, Plan, SealedFile
from mindfirl.workspace.open_version import SingleFlightCache
from tests.support.advisers import StandIn, advise, stand_in
from tests.support.conflicts import (
    adjudicator,
    conflicting,
    disagree,
    give_conflicts,
)
from tests.support.ledgers import verify_project
from tests.support.reviews import BANDS, Study, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    assert home.exists()
    stand_in(monkeypatch)
    monkeypatch.setattr(opening, "_advisers", SingleFlightCache[object](size=4))
    return make_study(tmp_path)


def given(study: Study, **changes: Any) -> Assignment:
    """Give pairs out with suggestions; return the assignment of the first worker."""
    study.plan(**{"hints": True, **changes})
    study.dispatched()
    return mine(study)


def mine(study: Study, worker: int = 0) -> Assignment:
    found = Assignment.objects.get(account=study.workers[worker], continues=None)
    return assignment_of(account=study.workers[worker], assignment=found.pk)


def pairs_of(assignment: Assignment) -> list[ShownPair]:
    return show_pairs(assignment=assignment, numbers=range(1, assignment.size + 1))


def settings_told(study: Study) -> list[dict[str, str]]:
    told = [entry.event for entry in read(lines(study.project))]
    return [dict(event.settings) for event in told if isinstance(event, Dispatched)]


def asked_of(assignment: Assignment) -> list[tuple[dict[Any, int | None], float]]:
    """Return what the adviser of an assignment was asked."""
    held: Any = opening._advisers  # noqa: SLF001  # where it is kept at hand
    made: StandIn = held.get(assignment.adviser_id, (), None).adviser
    return list(made.asked)


def test_they_are_off_until_the_plan_says_otherwise(study: Study) -> None:
    advise(study.project)
    assignment = given(study, hints=False)
    assert all(not pair.advised and pair.hint is None for pair in pairs_of(assignment))
    assert assignment.adviser is None
    assert {told["hints"] for told in settings_told(study)} == {"off"}
    assert not any("adviser" in told for told in settings_told(study))


def test_the_plan_keeps_that_they_are_on(study: Study) -> None:
    study.plan(hints=True)
    assert plan_of(project=study.project, actor=study.actor)[0].hints
    study.plan()
    assert not plan_of(project=study.project, actor=study.actor)[0].hints


def test_without_a_forecast_they_cannot_be_given(study: Study) -> None:
    study.plan(hints=True)
    with pytest.raises(SettingError, match="create a forecast or turn suggestions off"):
        study.proposed()
    advise(study.project)
    set_bands(project=study.project, bands=Bands(-6, 5))
    with pytest.raises(SettingError, match="no forecast for the current pairs"):
        study.proposed()
    set_bands(project=study.project, bands=BANDS)
    assert study.proposed().plan["plan"]["hints"]


def test_the_ledger_says_that_they_were_on_and_by_what(study: Study) -> None:
    adviser = advise(study.project)
    assignment = given(study)
    for told in settings_told(study):
        assert (told["hints"], told["adviser"]) == ("on", adviser.digest)
    assert assignment.adviser == adviser
    verify_project(study.project)


def test_the_cheapest_step_is_suggested_where_it_is_thought_best(study: Study) -> None:
    advise(study.project)
    for pair in pairs_of(given(study)):
        told = [
            (step.takes, cell.attribute, step.level)
            for cell in pair.cells
            for step in cell.steps
            if step.affordable
        ]
        assert pair.advised
        assert pair.hint == min(told)[1:]


@pytest.mark.parametrize("prices", ["exact", "banded"])
def test_an_adviser_is_asked_with_prices_as_they_are_told(study: Study, prices: str) -> None:
    advise(study.project)
    assignment = given(study, prices=prices, budget="0.01")
    assert assignment.budget == 100_000
    drawn = pairs_of(assignment)
    asked = asked_of(assignment)
    assert len(asked) == len(drawn)
    dear = 0
    for pair, (known, worth) in zip(drawn, asked, strict=True):
        assert worth == 1 / assignment.budget
        steps = {(cell.attribute, step.level): step for cell in pair.cells for step in cell.steps}
        assert known.keys() == steps.keys()
        for name, step in steps.items():
            assert step.takes is not None
            price = ceil(step.takes * assignment.limit) if step.affordable else None
            assert known[name] == price
            dear += not step.affordable
    assert dear, "something is more than is left"


def test_what_is_more_than_is_left_is_never_suggested(study: Study) -> None:
    advise(study.project)
    assignment = given(study)
    Assignment.objects.filter(pk=assignment.pk).update(spent=assignment.limit - 1)
    drawn = pairs_of(mine(study))
    assert all(pair.advised for pair in drawn)
    takes = {
        (pair.number, cell.attribute, step.level): step.takes
        for pair in drawn
        for cell in pair.cells
        for step in cell.steps
    }
    left = Fraction(1, assignment.limit)
    assert all((takes[pair.number, *pair.hint] or 0) <= left for pair in drawn if pair.hint)
    assert any(pair.hint is None for pair in drawn)


def test_what_is_not_worth_its_price_is_not_suggested(study: Study) -> None:
    advise(study.project, most=-1)
    drawn = pairs_of(given(study))
    assert all(pair.advised and pair.hint is None for pair in drawn)


def test_a_step_that_is_taken_is_not_suggested_again(study: Study) -> None:
    advise(study.project)
    assignment = given(study, budget="100")
    before = pairs_of(assignment)[0]
    assert before.hint
    answer = open_step(
        account=assignment.account,
        assignment=assignment,
        token=before.token,
        step=Step(before.hint[0], before.hint[1]),
        seen=before.state,
        now=timezone.now(),
    )
    assert answer.refused is None
    assert answer.pair.hint not in (None, before.hint)


def test_a_later_forecast_changes_nothing_that_was_given_out(study: Study) -> None:
    first = advise(study.project)
    before = [pair.hint for pair in pairs_of(given(study))]
    second = advise(study.project, most=-1)
    assert {first.name, second.name}.isdisjoint(vault.forget_unused(study.project))
    opening._advisers.forget(first.digest)  # noqa: SLF001  # as in another process
    assert [pair.hint for pair in pairs_of(mine(study))] == before
    assert SealedFile.objects.filter(pk=first.pk).exists()


def test_what_was_proposed_is_given_out_with_the_same_adviser_or_not_at_all(study: Study) -> None:
    advise(study.project)
    study.plan(hints=True)
    proposed = study.proposed()
    advise(study.project, most=-1)
    with pytest.raises(SettingError, match="newer forecast"):
        confirm(dispatch=proposed, actor=study.actor, account=study.manager)


def test_a_forecast_that_comes_after_it_was_confirmed_stops_it_too(study: Study) -> None:
    advise(study.project)
    study.plan(hints=True)
    confirmed = study.confirmed()
    advise(study.project, most=-1)
    with pytest.raises(SettingError, match="newer forecast"):
        dispatch_now(dispatch=confirmed)
    assert not Assignment.objects.exists()


def test_who_takes_over_a_rest_is_advised_by_the_same(study: Study) -> None:
    adviser = advise(study.project)
    assignment = given(study, reviews=1)
    advise(study.project, most=-1)
    made = reassign(
        assignment=assignment,
        actor=study.actor,
        to=[study.workers[1]],
        budgets=["50"],
        reason="Ill.",
    )
    assert [each.adviser for each in made] == [adviser]
    assert {told["adviser"] for told in settings_told(study)} == {adviser.digest}


def test_a_budget_that_is_raised_changes_what_is_worth_its_price(study: Study) -> None:
    advise(study.project)
    assignment = given(study, budget="10")
    pairs_of(assignment)
    raise_budget(assignment=assignment, actor=COMMAND_LINE, budget="20", reason="More to see.")
    pairs_of(mine(study))
    worths = [worth for _, worth in asked_of(assignment)]
    assert (worths[0], worths[-1]) == (1 / 100_000_000, 1 / 200_000_000)


def test_an_adviser_is_opened_once(study: Study) -> None:
    advise(study.project)
    assignment = given(study)
    for _ in range(3):
        pairs_of(assignment)
    pairs_of(mine(study, worker=1))
    assert len(StandIn.opened) == 1


def test_who_comes_back_to_a_pair_is_answered_without_asking_again(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    advise(study.project)
    assignment = given(study)
    first = [pair.hint for pair in pairs_of(assignment)]
    assert [pair.hint for pair in pairs_of(assignment)] == first
    assert len(asked_of(assignment)) == assignment.size
    monkeypatch.setattr(opening, "_MOST_ANSWERS", 10)
    pairs_of(mine(study, worker=1))
    assert [pair.hint for pair in pairs_of(assignment)] == first
    assert len(asked_of(assignment)) > 2 * assignment.size, "not all that was asked is remembered"


def test_adjudicators_are_advised_as_the_plan_says(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.exists()
    stand_in(monkeypatch)
    study = conflicting(tmp_path)
    adviser = advise(study.project)
    disagree(study, adjudicator(study), hints=True)
    made = give_conflicts(study)
    assert [each.adviser for each in made] == [adviser]
    assert all(pair.hint for pair in pairs_of(made[0]))
    assert settings_told(study)[-1]["adviser"] == adviser.digest


def test_conflicts_are_not_given_out_where_there_is_no_forecast(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = conflicting(tmp_path)
    disagree(study, adjudicator(study))
    plan = Plan.objects.get()
    plan.content["hints"] = True
    plan.save()
    with pytest.raises(SettingError, match="no forecast"):
        propose_conflicts(project=study.project, actor=study.actor, account=study.manager)


def test_the_practice_suggests_nothing() -> None:
    assert all(
        not pair.advised and pair.hint is None for pair in show_practice(practice=Practice())
    )


def test_an_assignment_from_before_there_were_suggestions_has_none(study: Study) -> None:
    assignment = given(study, hints=False)
    del assignment.settings["hints"]
    assert all(not pair.advised for pair in pairs_of(assignment))
