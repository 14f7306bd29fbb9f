"""Openings: what is shown is what the ledger says, charged once, within the budget."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from mindfirl.core.errors import NothingToOpen, NotOpen, NotYours, UnknownName
from mindfirl.core.ledger.replay import AssignmentBalance as LedgerAccount
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.services.dispatch import assignments
from mindfirl.services.review.disclosure.opening import (
    Answer,
    assignment_of,
    meters_of,
    open_step,
    show_pairs,
)
from mindfirl.store.models import Assignment
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import Study, account, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def given(study: Study, **changes: Any) -> Assignment:
    """Give pairs out; return the assignment of the first worker."""
    study.plan(**changes)
    made = study.dispatched()
    assert made
    return Assignment.objects.get(account=study.workers[0])


def kept(assignment: Assignment) -> LedgerAccount:
    return accounts_of(assignment.project)[str(assignment.pk)]


def opened(assignment: Assignment, pair: ShownPair, attribute: str, level: Any) -> Answer:
    return open_step(
        account=assignment.account,
        assignment=assignment,
        token=pair.token,
        step=Step(attribute, level),
        seen=pair.state,
        now=timezone.now(),
    )


def pairs_of(assignment: Assignment) -> list[ShownPair]:
    return show_pairs(assignment=assignment, numbers=range(1, assignment.size + 1))


def visible(pair: ShownPair) -> int:
    """Count the characters that are drawn."""
    return sum(sign.shown for cell in pair.cells for row in cell.rows for sign in row)


def fresh(assignment: Assignment) -> Assignment:
    return assignment_of(account=assignment.account, assignment=assignment.pk)


def test_a_pair_starts_masked_and_shows_no_character(study: Study) -> None:
    assignment = given(study)
    for pair in pairs_of(assignment):
        assert visible(pair) == 0
        assert {cell.level for cell in pair.cells} == {"masked"}
        assert pair.state == 0
    assert meters_of(assignment=assignment).spent == 0
    assert meters_of(assignment=assignment).characters > 0


def test_what_is_shown_charged_and_told_is_the_same_on_every_way(study: Study) -> None:
    assignment, dice = given(study, budget="100"), random.Random(1)
    spent = 0
    for _ in range(12):
        pair = dice.choice(pairs_of(fresh(assignment)))
        steps = [(cell, step) for cell in pair.cells for step in cell.steps if step.affordable]
        if not steps:
            continue
        cell, step = dice.choice(steps)
        answer = opened(assignment, pair, cell.attribute, step.level)
        now = fresh(assignment)
        assert answer.refused is None
        assert step.takes == Fraction(now.spent - spent, now.limit), "the price that was shown"
        assert now.spent >= spent
        spent = now.spent
        account = kept(assignment)
        assert account.spent == spent
        assert answer.pair == show_pairs(assignment=now, numbers=[pair.number])[0]
        told = account.state(pair.number)
        assert {each.attribute: each.level for each in answer.pair.cells} == dict(told)
        drawn = sum(visible(each) for each in pairs_of(now))
        assert meters_of(assignment=now).shown == drawn
    assert spent > 0
    verify_project(assignment.project)


def test_asked_again_it_answers_the_same_and_costs_nothing(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = pairs_of(assignment)[0]
    cell = next(each for each in pair.cells if each.steps)
    level = cell.steps[-1].level
    first = opened(assignment, pair, cell.attribute, level)
    entries = verify_project(assignment.project).entries
    again = opened(assignment, pair, cell.attribute, level)
    assert again == first
    assert verify_project(assignment.project).entries == entries


def test_an_old_page_opens_nothing(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = next(each for each in pairs_of(assignment) if sum(bool(c.steps) for c in each.cells) > 1)
    one, other = [cell for cell in pair.cells if cell.steps][:2]
    opened(assignment, pair, one.attribute, one.steps[-1].level)
    before = fresh(assignment).spent
    answer = opened(assignment, pair, other.attribute, other.steps[-1].level)
    assert (
        other.attribute in {cell.attribute for cell in answer.pair.cells if cell.level == "full"}
        or answer.stale
    )
    assert fresh(assignment).spent == before
    assert answer.pair.state > 0


def test_beyond_the_budget_nothing_is_opened_and_the_refusal_is_told(study: Study) -> None:
    assignment = given(study, budget="0.0000001")
    pair = pairs_of(assignment)[0]
    cell = next(each for each in pair.cells if each.steps)
    assert not cell.steps[-1].affordable
    answer = opened(assignment, pair, cell.attribute, cell.steps[-1].level)
    assert answer.refused == "budget"
    assert visible(answer.pair) == 0
    assert fresh(assignment).spent == kept(assignment).spent == 0


def test_the_floor_refuses_and_costs_nothing(study: Study) -> None:
    assignment = given(study, budget="100", kappa=study.project.versions.get().records)
    pair = next(each for each in pairs_of(assignment) if any(cell.steps for cell in each.cells))
    cell = next(each for each in pair.cells if each.steps)
    assert cell.steps[-1].takes is None
    answer = opened(assignment, pair, cell.attribute, cell.steps[-1].level)
    assert answer.refused == "kappa"
    assert visible(answer.pair) == 0
    assert kept(assignment).spent == 0


def test_a_whole_row_is_opened_for_one_price_or_not_at_all(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = pairs_of(assignment)[0]
    answer = open_step(
        account=assignment.account,
        assignment=assignment,
        token=pair.token,
        step=Step("", "full"),
        seen=0,
        now=timezone.now(),
    )
    assert {cell.level for cell in answer.pair.cells if any(map(bool, cell.rows))} == {"full"}
    assert kept(assignment).spent == fresh(assignment).spent > 0
    assert not any(cell.steps for cell in answer.pair.cells)


@pytest.mark.parametrize("prices", ["exact", "banded"])
def test_a_price_is_never_below_the_charge(study: Study, prices: str) -> None:
    assignment = given(study, budget="100", prices=prices)
    for pair in pairs_of(assignment)[:5]:
        cell = next((each for each in pair.cells if each.steps), None)
        if cell is None:
            continue
        before = fresh(assignment).spent
        step = cell.steps[-1]
        answer = opened(assignment, pair, cell.attribute, step.level)
        now = fresh(assignment)
        assert answer.refused is None
        assert step.takes is not None
        assert step.takes >= Fraction(now.spent - before, now.limit)


def test_what_is_not_ones_own_does_not_exist(study: Study) -> None:
    assignment = given(study, budget="100")
    other = study.workers[1]
    pair = pairs_of(assignment)[0]
    for stranger in (other, study.manager, account("outsider")):
        with pytest.raises(NotYours):
            assignment_of(account=stranger, assignment=assignment.pk)
    with pytest.raises(NotYours):
        assignment_of(account=assignment.account, assignment=uuid4())
    theirs = Assignment.objects.get(account=other)
    with pytest.raises(NotYours):
        opened(theirs, pair, pair.cells[0].attribute, "full")


def test_steps_that_are_none_are_refused(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = pairs_of(assignment)[0]
    with pytest.raises(UnknownName):
        opened(assignment, pair, "diagnosis", "full")
    with pytest.raises(UnknownName):
        opened(assignment, pair, "first", "everything")
    with pytest.raises(NothingToOpen):
        opened(assignment, pair, "sex", "partial")
    with pytest.raises(NothingToOpen):
        opened(assignment, pair, "first", "masked")


def test_nothing_is_opened_while_an_assignment_is_paused_or_ended(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = pairs_of(assignment)[0]
    assignments.pause(assignment=assignment, actor=study.actor)
    with pytest.raises(NotOpen, match="paused"):
        opened(assignment, pair, "first", "full")
    assignments.end(assignment=assignment, actor=study.actor, reason="enough")
    with pytest.raises(NotOpen, match="ended"):
        opened(assignment, pair, "first", "full")


def test_nobody_opens_a_pair_of_somebody_else_even_with_their_assignment_in_hand(
    study: Study,
) -> None:
    assignment = given(study, budget="100")
    pair = next(each for each in pairs_of(assignment) if each.steps)
    entries = verify_project(assignment.project).entries
    for stranger in (study.workers[1], study.manager):
        with pytest.raises(NotYours):
            open_step(
                account=stranger,
                assignment=assignment,
                token=pair.token,
                step=pair.steps[-1].step,
                seen=pair.state,
                now=timezone.now(),
            )
    assert verify_project(assignment.project).entries == entries
    assert fresh(assignment).spent == 0


def test_a_banded_price_above_what_is_left_is_refused(study: Study) -> None:
    assignment = given(study, budget="100", prices="banded")
    pair = pairs_of(assignment)[0]
    cell = next(each for each in pair.cells if each.steps)
    step = cell.steps[-1]
    assert step.takes
    left = int(step.takes * assignment.limit) - 1  # more than the charge, less than the price
    Assignment.objects.filter(pk=assignment.pk).update(spent=assignment.limit - left)
    answer = opened(fresh(assignment), pair, cell.attribute, step.level)
    assert answer.refused == "budget"
    assert fresh(assignment).spent == assignment.limit - left
    Assignment.objects.filter(pk=assignment.pk).update(spent=assignment.limit - left - 1)
    assert opened(fresh(assignment), pair, cell.attribute, step.level).refused is None


def test_the_last_unit_of_a_budget_can_be_spent(study: Study) -> None:
    assignment = given(study, budget="100")
    pair = pairs_of(assignment)[0]
    cell = next(each for each in pair.cells if each.steps)
    step = cell.steps[-1]
    assert step.takes
    charge = int(step.takes * assignment.limit)
    for spare, refused in ((-1, "budget"), (0, None)):
        Assignment.objects.filter(pk=assignment.pk).update(spent=assignment.limit - charge - spare)
        now = fresh(assignment)
        assert opened(now, pair, cell.attribute, step.level).refused == refused
    assert fresh(assignment).spent == assignment.limit


def test_swapped_cells_are_opened_and_recorded_together(study: Study) -> None:
    given(study, budget="100")
    swapped = [
        (assignment, pair)
        for assignment in map(fresh, Assignment.objects.all())  # whoever the pair was dealt to
        for pair in pairs_of(assignment)
        if any("swapped" in cell.marks for cell in pair.cells)
    ]
    assignment, pair = swapped[0]
    answer = opened(assignment, pair, "last", "full")
    levels = {cell.attribute: cell.level for cell in answer.pair.cells}
    assert (levels["first"], levels["last"]) == ("full", "full")
    assert answer.pair.state == 2
    assert {**kept(assignment).state(pair.number)}.items() >= {
        ("first", "full"),
        ("last", "full"),
    }
