"""Assignments under way: every change is told in the ledger, and nothing is given twice."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, NotAllowed, SettingError
from mindfirl.core.ledger.events import BudgetRaised, DueMoved, Ended, Paused, Resumed
from mindfirl.core.ledger.replay import AssignmentBalance as Replayed
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import Actor, actor
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk import kapr
from mindfirl.services.dispatch.assignments import (
    end,
    move_due,
    pause,
    progress_of,
    raise_budget,
    reassign,
    resume,
)
from mindfirl.services.plan.plans import PersonTyped
from mindfirl.services.review.decisions import decide
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, Assignment, LedgerLine, Project
from mindfirl.store.queries.access import actor_for
from mindfirl.store.queries.reviews import decided_in
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import Study, account, make_given, make_study

TODAY = timezone.localdate()
OPEN = {"sex": "full", "born": "full"}


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_given(tmp_path, reviews=2, budget="5", most_pairs=30)


@pytest.fixture
def assignment(study: Study) -> Assignment:
    return study.project.assignments.get(account=study.workers[0])


def now(assignment: Assignment) -> Assignment:
    return Assignment.objects.get(pk=assignment.pk)


def replayed(assignment: Assignment) -> Replayed:
    verify_project(assignment.project)
    return accounts_of(assignment.project)[str(assignment.pk)]


def told(assignment: Assignment) -> object:
    return read(lines(assignment.project))[-1].event


def another(study: Study, name: str = "extra") -> Account:
    return account(name, project=study.project, role="worker")


def test_an_assignment_is_paused_resumed_and_ended(study: Study, assignment: Assignment) -> None:
    name = str(assignment.pk)
    pause(assignment=assignment, actor=study.actor)
    assert (now(assignment).state, told(assignment)) == ("paused", Paused(name))
    resume(assignment=assignment, actor=study.actor)
    assert (now(assignment).state, told(assignment)) == ("open", Resumed(name))
    end(assignment=assignment, actor=study.actor, reason=" left ")
    assert (now(assignment).state, told(assignment)) == ("ended", Ended(name, "left"))
    assert now(assignment).ended is not None
    assert now(assignment).size == assignment.size
    assert replayed(assignment).phase == "ended"
    assert read(lines(study.project))[-1].actor == str(study.manager.pk)


Act = Callable[[Study, Assignment], object]
ACTS: dict[str, Act] = {
    "pause": lambda s, a: pause(assignment=a, actor=s.actor),
    "resume": lambda s, a: resume(assignment=a, actor=s.actor),
    "end": lambda s, a: end(assignment=a, actor=s.actor, reason="why"),
    "move": lambda s, a: move_due(assignment=a, actor=s.actor, due=None),
    "raise": lambda s, a: raise_budget(assignment=a, actor=s.actor, budget="6", reason="why"),
}


@pytest.mark.parametrize(
    ("before", "act"),
    [
        ("open", "resume"),
        ("paused", "pause"),
        *(("ended", act) for act in ACTS),
        *(("submitted", act) for act in ACTS),
    ],
)
def test_what_cannot_follow_is_refused_and_not_told(
    study: Study, assignment: Assignment, before: str, act: str
) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(state=before)
    entries = LedgerLine.objects.count()
    with pytest.raises(SettingError, match=f"is already {before}"):
        ACTS[act](study, assignment)
    assert LedgerLine.objects.count() == entries
    assert now(assignment).state == before


def test_the_day_is_moved_within_the_project(study: Study, assignment: Assignment) -> None:
    later = TODAY + timedelta(days=5)
    move_due(assignment=assignment, actor=study.actor, due=later)
    assert now(assignment).due == later
    assert told(assignment) == DueMoved(str(assignment.pk), later.isoformat())
    move_due(assignment=assignment, actor=study.actor, due=None)
    assert (now(assignment).due, replayed(assignment).due) == (None, "")
    Project.objects.update(ends=later)
    for wrong in (TODAY - timedelta(days=1), later + timedelta(days=1)):
        with pytest.raises(FieldErrors) as caught:
            move_due(assignment=assignment, actor=study.actor, due=wrong)
        assert list(caught.value.fields) == ["due"]


def test_a_budget_is_raised_for_a_reason(study: Study, assignment: Assignment) -> None:
    raise_budget(
        assignment=assignment, actor=study.actor, budget="7,5", reason="harder than thought"
    )
    raised = now(assignment)
    assert (raised.budget, raised.limit) == (75_000_000, 75_000_000 * 2 * raised.size * 4)
    event = BudgetRaised(str(assignment.pk), 75_000_000, "harder than thought")
    assert told(assignment) == event
    assert replayed(assignment).budget == 75_000_000


@pytest.mark.parametrize("budget", ["", "x", "5", "4.9999999", "100.0000001", "0", "-1"])
def test_a_budget_only_rises(study: Study, assignment: Assignment, budget: str) -> None:
    with pytest.raises(FieldErrors, match="more than 5%"):
        raise_budget(assignment=assignment, actor=study.actor, budget=budget, reason="why")
    assert now(assignment).budget == 50_000_000


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "a\x00b"])
def test_a_reason_is_given(study: Study, assignment: Assignment, reason: str) -> None:
    other = another(study)
    for act in (
        lambda: raise_budget(assignment=assignment, actor=study.actor, budget="6", reason=reason),
        lambda: end(assignment=assignment, actor=study.actor, reason=reason),
        lambda: reassign(
            assignment=assignment, actor=study.actor, to=[other], budgets=["1"], reason=reason
        ),
    ):
        with pytest.raises(FieldErrors) as caught:
            act()
        assert list(caught.value.fields) == ["reason"]
    assert now(assignment).state == "open"


def given(assignment: Assignment) -> set[tuple[int, int]]:
    return set(assignment.pairs.values_list("left", "right"))


def test_the_rest_goes_to_others(study: Study, assignment: Assignment) -> None:
    others = [another(study, "one"), another(study, "two")]
    made = reassign(
        assignment=assignment,
        actor=study.actor,
        to=others,
        budgets=["3", "4"],
        reason="on leave",
    )
    assert [each.account for each in made] == others
    assert [each.budget for each in made] == [30_000_000, 40_000_000]
    assert sorted(each.size for each in made) == [10, 10]
    assert given(made[0]) | given(made[1]) == given(assignment)
    assert not given(made[0]) & given(made[1])
    old = now(assignment)
    assert (old.state, old.size, old.pairs.filter(withdrawn=True).count()) == ("ended", 20, 20)
    for each in made:
        assert (each.continues, each.dispatch, each.version) == (old, old.dispatch, old.version)
        assert each.limit == each.budget * 2 * each.size * 4
        terms = replayed(each).terms
        assert (terms.continues, terms.pairs, terms.dispatch) == (str(old.pk), each.size, 1)
    assert replayed(old).phase == "ended"
    tokens = {pair.token for each in (old, *made) for pair in each.pairs.all()}
    assert len(tokens) == 40


def test_nobody_gets_a_pair_that_they_had(study: Study, assignment: Assignment) -> None:
    """Of three workers, each of whom has two thirds, the others have half of the rest each."""
    others = list(study.workers[1:])
    made = reassign(
        assignment=assignment,
        actor=study.actor,
        to=[*others, another(study)],
        budgets=["1", "1", "1"],
        reason="on leave",
    )
    for each in made:
        own = study.project.assignments.filter(account=each.account)
        pairs = [pair for one in own for pair in given(one)]
        assert len(pairs) == len(set(pairs))
    assert sum(each.size for each in made) == 20


def test_where_all_had_a_pair_it_is_said(study: Study, assignment: Assignment) -> None:
    with pytest.raises(SettingError, match=r"\d+ of the 20 pairs cannot be assigned"):
        reassign(
            assignment=assignment,
            actor=study.actor,
            to=[study.workers[1]],
            budgets=["1"],
            reason="on leave",
        )
    assert now(assignment).state == "open"
    assert not assignment.pairs.filter(withdrawn=True).exists()


def test_what_is_decided_stays_with_who_decided_it(study: Study, assignment: Assignment) -> None:
    said = assignment.pairs.order_by("number")[0]
    decide(
        account=assignment.account,
        assignment=assignment,
        token=said.token,
        decision=Decision("surely different"),
        now=timezone.now(),
    )
    (made,) = reassign(
        assignment=assignment,
        actor=study.actor,
        to=[another(study, "one")],
        budgets=["50"],
        reason="ill",
    )
    assert made.size == assignment.size - 1
    said.refresh_from_db()
    assert not said.withdrawn
    assert not made.pairs.filter(left=said.left, right=said.right).exists()
    assert decided_in([assignment]) == {assignment.pk: 1}


def test_what_was_passed_on_cannot_be_again_but_an_ended_rest_can(
    study: Study, assignment: Assignment
) -> None:
    end(assignment=assignment, actor=study.actor, reason="left")
    ways: dict[str, Any] = {"actor": study.actor, "budgets": ["1"], "reason": "left"}
    (first,) = reassign(assignment=assignment, to=[another(study, "one")], **ways)
    with pytest.raises(SettingError, match="has no remaining pairs"):
        reassign(assignment=assignment, to=[another(study, "two")], **ways)
    with pytest.raises(SettingError, match="cannot be assigned"):
        reassign(assignment=first, to=[study.workers[0]], **ways)
    (second,) = reassign(assignment=first, to=[another(study, "three")], **ways)
    assert given(second) == given(assignment)
    assert replayed(second).terms.continues == str(first.pk)
    Assignment.objects.filter(pk=second.pk).update(state="submitted")
    with pytest.raises(SettingError, match="is already submitted"):
        reassign(assignment=second, to=[another(study, "four")], **ways)


def test_who_takes_over_needs_their_role_and_a_budget(study: Study, assignment: Assignment) -> None:
    gone = another(study, "gone")
    gone.is_active = False
    gone.save()
    both = another(study, "both")
    study.project.memberships.create(account=both, role="manager")
    wrong = [study.auditor, gone, both, study.workers[0], account("stranger")]
    with pytest.raises(FieldErrors) as caught:
        reassign(
            assignment=assignment,
            actor=study.actor,
            to=[*wrong, study.workers[1]],
            budgets=["1", "1", "1", "1", "1", "x"],
            reason="why",
        )
    people = {f"person-{each.pk}" for each in wrong}
    assert set(caught.value.fields) == people | {f"budget-{study.workers[1].pk}"}
    with pytest.raises(FieldErrors, match="Choose at least one person"):
        reassign(assignment=assignment, actor=study.actor, to=[], budgets=[], reason="why")
    for budget in ("", "0", "100.1"):
        with pytest.raises(FieldErrors, match="more than 0%"):
            reassign(
                assignment=assignment,
                actor=study.actor,
                to=[study.workers[1]],
                budgets=[budget],
                reason="why",
            )


def test_starting_levels_are_charged_to_who_takes_over(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = make_study(tmp_path)
    study.plan(reviews=1, budget="100", most_pairs=30, kappa=3, starting=OPEN)
    old = study.dispatched()[0]
    other = another(study)
    ways: dict[str, Any] = {"actor": study.actor, "to": [other], "reason": "on leave"}
    with pytest.raises(FieldErrors, match="starting levels alone take") as caught:
        reassign(assignment=old, budgets=["0.0000001"], **ways)
    assert list(caught.value.fields) == [f"budget-{other.pk}"]
    (new,) = reassign(assignment=old, budgets=["100"], **ways)
    assert new.spent == old.spent == replayed(new).spent > 0
    levels = [
        {
            (pair.left, pair.right): dict(replayed(each).state(pair.number))
            for pair in each.pairs.all()
        }
        for each in (old, new)
    ]
    assert levels[0] == levels[1]


def test_progress_tells_how_far_each_is(study: Study, assignment: Assignment) -> None:
    move_due(assignment=assignment, actor=study.actor, due=TODAY)
    Assignment.objects.filter(pk=assignment.pk).update(
        due=TODAY - timedelta(days=1), spent=F("limit") / 4
    )
    found = progress_of(project=study.project, actor=study.actor)
    assert [each.person for each in found] == list(study.workers)
    first = found[0]
    assert (first.assignment, first.pairs, first.decided) == (assignment, 20, 0)
    assert (first.state, first.overdue, first.passed_on) == ("open", True, 0)
    assert first.spent == pytest.approx(0.25)
    assert not found[1].overdue
    other = another(study)
    reassign(assignment=assignment, actor=study.actor, to=[other], budgets=["1"], reason="on leave")
    after = {each.person: each for each in progress_of(project=study.project, actor=study.actor)}
    assert (after[study.workers[0]].state, after[study.workers[0]].passed_on) == ("ended", 20)
    assert after[other].pairs == 20


def test_the_database_itself_keeps_spending_within_the_limit(assignment: Assignment) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.filter(pk=assignment.pk).update(spent=F("limit") + 1)
    size = {"pairs": assignment.size, "attributes": 4, "kappa": 1}
    assert kapr.within_budget(assignment.limit, assignment.budget, **size)
    assert not kapr.within_budget(assignment.limit + 1, assignment.budget, **size)


OTHERS: list[Actor] = [
    actor("x", roles=["worker", "adjudicator", "auditor"]),
    actor("x", administrator=True, creator=True),
]


@pytest.mark.parametrize("who", OTHERS)
def test_others_are_refused(study: Study, assignment: Assignment, who: Actor) -> None:
    acts: list[Callable[[], object]] = [
        lambda: pause(assignment=assignment, actor=who),
        lambda: resume(assignment=assignment, actor=who),
        lambda: end(assignment=assignment, actor=who, reason=""),
        lambda: move_due(assignment=assignment, actor=who, due=None),
        lambda: raise_budget(assignment=assignment, actor=who, budget="9", reason=""),
        lambda: reassign(assignment=assignment, actor=who, to=[], budgets=[], reason=""),
    ]
    entries = LedgerLine.objects.count()
    for act in acts:
        with pytest.raises(NotAllowed):
            act()
    assert LedgerLine.objects.count() == entries
    with pytest.raises(NotAllowed):
        progress_of(project=study.project, actor=actor_for(study.workers[0], study.project))


def test_people_in_two_plans_have_two_assignments(study: Study) -> None:
    people = tuple(PersonTyped(str(worker.pk), budget="5") for worker in study.workers)
    study.plan(people=people, most_pairs=10)
    study.dispatched()
    found = progress_of(project=study.project, actor=study.actor)
    assert [each.assignment.dispatch.number for each in found] == [2, 2, 2, 1, 1, 1]
