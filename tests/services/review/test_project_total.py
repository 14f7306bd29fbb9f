"""What all people of a project have seen together: counted as it is defined, within its limit."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.attackers import record_risks
from mindfirl.core.risk.kapr import Step, view_pair
from mindfirl.core.values.schema import Pair
from mindfirl.services.dispatch import assignments
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.opening import Answer, open_step, show_pairs
from mindfirl.store.models import Assignment, LedgerHead
from mindfirl.workspace.open_version import population_of
from mindfirl.workspace.seen_together import count_together
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import Study, make_study

DIFFERENT = Decision("surely different")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path, people=20, pairs=60)


def given(study: Study, **changes: Any) -> list[Assignment]:
    study.plan(budget="100", **{"project_limit": "100", "reviews": 2, **changes})
    study.dispatched()
    return list(study.project.assignments.order_by("created"))


def open_something(mine: Assignment, dice: random.Random) -> Answer | None:
    """Open a cell, or now and then a whole pair, of an assignment."""
    mine.refresh_from_db()
    pair = show_pairs(assignment=mine, numbers=[dice.randint(1, mine.size)])[0]
    steps = [(cell.attribute, step.level) for cell in pair.cells for step in cell.steps]
    if not steps:
        return None
    about: dict[str, Any] = {
        "account": mine.account,
        "assignment": mine,
        "token": pair.token,
        "seen": pair.state,
        "now": timezone.now(),
    }
    if pair.steps and dice.random() < 0.2:
        return open_step(step=dice.choice(pair.steps).step, **about)
    attribute, level = dice.choice(steps)
    return open_step(step=Step(attribute, level), **about)


def kept(study: Study) -> int | None:
    return LedgerHead.objects.get(project=study.project).together


def naive(study: Study) -> Fraction:
    """Return the score over distinct records by its definition, from what the ledger tells."""
    accounts, views, index = accounts_of(study.project), [], None
    for each in study.project.assignments.all():
        index = population_of(each)
        for pair in each.pairs.all():
            state = accounts[str(each.pk)].state(pair.number)
            views.append(view_pair(index, Pair(pair.left, pair.right), state))
    assert index is not None
    risks = record_risks(index, views, each.terms.accounting)
    return sum((risk.exact(1) for risk in risks.values()), Fraction(0)) / places_in(study.folder)


def places_in(folder: Path) -> int:
    """Return four attributes times the records that occur in the candidate pairs, by their IDs."""
    _, *lines = (folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    return 4 * len({record for line in lines for record in line.split(",")[:2]})


def score(study: Study, units: int) -> Fraction:
    return Fraction(units, places_in(study.folder) * 10**9)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"accounting": "strict", "kappa": 2},
        {"prices": "banded"},
        {"starting": {"born": "partial"}},
    ],
    ids=["as it is", "strict", "banded", "starting"],
)
def test_what_is_kept_is_what_the_definition_says(study: Study, changes: Any) -> None:
    made, dice = given(study, **changes), random.Random(1)
    opened = 0
    for turn in range(24):
        answer = open_something(dice.choice(made), dice)
        opened += bool(answer and answer.refused is None)
        if not opened or turn % 8 != 7:
            continue
        units = kept(study)
        assert units == count_together(study.project)
        defined = naive(study)
        assert defined <= score(study, units or 0) < defined + Fraction(1, 10**9)
    assert opened > 10
    verify_project(study.project)


@pytest.mark.parametrize("prices", ["exact", "banded"])
def test_nobody_opens_beyond_what_all_may_have_seen(study: Study, prices: str) -> None:
    made, dice = given(study, project_limit="8", prices=prices), random.Random(2)
    refused = 0
    for _ in range(60):
        mine = dice.choice(made)
        mine.refresh_from_db()
        spent, before = mine.spent, kept(study)
        answer = open_something(mine, dice)
        mine.refresh_from_db()
        together = answer is not None and answer.refused == "together"
        refused += together
        assert not together or (mine.spent, kept(study)) == (spent, before)
        assert score(study, kept(study) or 0) <= Fraction(8, 100)
    assert refused > 0
    assert sum(each.spent for each in study.project.assignments.all()) > 0
    verify_project(study.project)


def test_what_others_have_seen_already_adds_little(study: Study) -> None:
    """The same cell of the same pair, opened by a second worker, tells nothing new."""
    first, second = given(study)[:2]
    theirs = {(each.left, each.right): each for each in second.pairs.all()}
    mine = next(each for each in first.pairs.all() if (each.left, each.right) in theirs)
    other = theirs[mine.left, mine.right]
    seen = []
    for row, assignment in ((mine, first), (other, second)):
        pair = show_pairs(assignment=assignment, numbers=[row.number])[0]
        cell = next(each for each in pair.cells if each.steps)
        open_step(
            account=assignment.account,
            assignment=assignment,
            token=row.token,
            step=Step(cell.attribute, "full"),
            seen=0,
            now=timezone.now(),
        )
        seen.append(kept(study))
    assert seen[0] == seen[1]


def test_without_a_limit_nothing_is_counted(study: Study) -> None:
    made, dice = given(study, project_limit=""), random.Random(3)
    while open_something(made[0], dice) is None:
        continue
    assert kept(study) is None


def test_pairs_that_were_passed_on_count_for_both(study: Study) -> None:
    made, dice = given(study, reviews=1), random.Random(4)
    for _ in range(10):
        open_something(made[0], dice)
    before = count_together(study.project)
    assignments.reassign(
        assignment=made[0],
        actor=study.actor,
        to=[each for each in study.workers if each != made[0].account][:1],
        budgets=["50"],
        reason="ill",
    )
    assert kept(study) is None, "it is counted again after whatever else happened"
    assert count_together(study.project) == before, "nobody has seen more"
    newest = study.project.assignments.get(continues=made[0])
    while open_something(newest, dice) is None:
        continue
    assert kept(study) == count_together(study.project)
    assert naive(study) <= score(study, kept(study) or 0)


def test_the_index_is_let_go_when_nothing_is_under_way(study: Study) -> None:
    made = given(study)
    before = population_of(made[0])
    for place, each in enumerate(made):
        assert population_of(each) is before
        if place % 2:
            assignments.end(assignment=each, actor=study.actor, reason="enough")
            continue
        for pair in each.pairs.filter(withdrawn=False):
            decide(
                account=each.account,
                assignment=each,
                token=pair.token,
                decision=DIFFERENT,
                now=timezone.now(),
            )
        submit(account=each.account, assignment=each, now=timezone.now())
    assert population_of(made[0]) is not before
