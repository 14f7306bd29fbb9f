"""What all people of a project have seen together: counted as it is defined, within its limit."""

from __future__ import annotations

import random
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.project_events import DispatchRefused
from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.attackers import record_risks
from mindfirl.core.risk.kapr import Step, view_pair
from mindfirl.core.risk.percent import WHOLE, sufficient_share
from mindfirl.core.values.schema import Pair
from mindfirl.services.dispatch import assignments
from mindfirl.services.dispatch.dispatches import withdraw
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.opening import Answer, open_step, show_pairs
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, LedgerHead
from mindfirl.workspace.open_version import population_of
from mindfirl.workspace.refusals import PairsRefused
from mindfirl.workspace.seen_together import count_together, places_of
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import BANDS, Study, make_study
from tests.support.rounds import decide_all, import_version, renamed, write_version

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


def test_pairs_that_come_later_change_nothing_of_what_was_seen(study: Study) -> None:
    """Dealt in batches, with pairs of further records found in between."""
    header, *lines = (study.folder / "pairs.csv").read_text(encoding="utf-8").splitlines()
    bring_lines(study, [header, *(line for line in lines if len(line.split(",")[0]) == 2)])
    made, dice = given(study, reviews=1, most_pairs="12"), random.Random(6)
    for _ in range(20):
        open_something(dice.choice(made), dice)
    seen, whole = count_together(study.project), places_in(study.folder)
    bring_lines(study, [header, *lines])
    assert places_in(study.folder) > whole
    again = given(study, reviews=1, most_pairs="")
    assert len(again) > len(made)
    assert count_together(study.project) == seen
    assert places_of(made[0].version) == whole
    verify_project(study.project)


def bring_lines(study: Study, content: list[str]) -> None:
    path = study.folder / "pairs.csv"
    path.write_text("\n".join(content) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=BANDS)


def test_a_second_dispatch_below_what_was_seen_is_refused(study: Study) -> None:
    made, dice = given(study, reviews=1, most_pairs="12"), random.Random(6)
    while score(study, count_together(study.project)) < Fraction(2, 100):
        open_something(dice.choice(made), dice)
    before = study.project.assignments.count()
    study.plan(budget="100", project_limit="1", most_pairs="")
    with pytest.raises(PairsRefused, match="above their limit of 1%") as refused:
        study.dispatched()
    seen = score(study, count_together(study.project))
    assert refused.value.sufficient == sufficient_share(ceil(seen * WHOLE))
    assert study.project.assignments.count() == before
    told = [entry.event for entry in read(lines(study.project))][-1]
    assert told == DispatchRefused(2, refused.value.sufficient, "together")
    verify_project(study.project)


def test_a_newer_dispatch_with_a_lower_limit_holds_for_those_who_work_already(study: Study) -> None:
    made, dice = given(study, reviews=1, most_pairs="12", project_limit="100"), random.Random(7)
    study.plan(budget="100", project_limit="1", most_pairs="")
    study.dispatched()
    told = []
    for _ in range(40):
        answer = open_something(dice.choice(made), dice)
        told.append(answer.refused if answer else None)
        assert score(study, count_together(study.project)) <= Fraction(1, 100)
    assert "together" in told


def test_where_no_limit_suffices_the_refusal_says_so(study: Study) -> None:
    """People saw everything of many records; the next round is of two records alone."""
    made, dice = given(study, reviews=1, project_limit=""), random.Random(8)
    for _ in range(80):
        open_something(dice.choice(made), dice)
    decide_all(made, DIFFERENT)
    import_version(study.project, write_version(study.folder, changed={"c1": renamed}))
    bring_lines(study, ["left,right,weight", "c1,r2,0.5"])
    study.plan(budget="100", project_limit="100", reviews=1)
    with pytest.raises(PairsRefused, match="Leave the limit empty"):
        study.dispatched()
    withdraw(dispatch=study.project.dispatches.get(number=2), actor=study.actor)
    study.plan(budget="100", project_limit="", reviews=1)
    assert len(study.dispatched()) == 1


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
