"""Dispatch: pairs out in one commit, under tokens and orders that tell nothing about them."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import textwrap
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mindfirl.core.errors import Busy, FieldErrors, NotAllowed, SettingError
from mindfirl.core.ledger.events import DispatchConfirmed, Dispatched
from mindfirl.core.ledger.replay import read
from mindfirl.core.policy import Actor, actor
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk import kapr
from mindfirl.core.risk.percent import WHOLE, sufficient_share, write_percent
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.indexed_databases import index_arrays
from mindfirl.services.dispatch.dispatches import (
    StartingCost,
    check_budgets,
    confirm,
    dispatch_now,
    propose,
    withdraw,
)
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan.plans import PersonTyped
from mindfirl.services.projects import remove_member
from mindfirl.store import vault
from mindfirl.store.disk import locked
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import AssignedPair, Assignment, Dispatch, LedgerLine, Project, Version
from mindfirl.store.queries.access import actor_for
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.price_tables import starting_price
from tests.support import processes
from tests.support.installation import Installation, new_installation
from tests.support.ledgers import accounts_of, verify_project
from tests.support.reviews import ATTRIBUTES, Study, account, bring, import_again, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def pairs_of(assignment: Assignment) -> dict[tuple[int, int], AssignedPair]:
    return {(each.left, each.right): each for each in assignment.pairs.all()}


def index_of(version: Version, date_swap: Any = "digits") -> PopulationIndex:
    schema = parse_schema(version.schema, "").schema
    displayed = schema.displayed(date_swap=date_swap, frequency=False)
    return restore_index(displayed, index_arrays(vault.unseal(version.index)))


@pytest.mark.parametrize("reviews", [1, 2, 3])
def test_each_pair_goes_to_so_many_different_workers(study: Study, reviews: int) -> None:
    study.plan(reviews=reviews)
    assignments = study.dispatched()
    assert {each.account for each in assignments} == set(study.workers)
    counts = Counter(pair for each in assignments for pair in pairs_of(each))
    assert len(counts) == 160
    assert set(counts.values()) == {reviews}
    for each in assignments:
        numbers = sorted(each.pairs.values_list("number", flat=True))
        assert numbers == list(range(1, each.size + 1))


def test_work_is_dealt_by_share(study: Study) -> None:
    people = [
        PersonTyped(str(worker.pk), share=share, budget="5")
        for worker, share in zip(study.workers, (100, 50, 50), strict=True)
    ]
    study.plan(reviews=1, people=tuple(people))
    sizes = {each.account: each.size for each in study.dispatched()}
    assert [sizes[worker] for worker in study.workers] == [80, 40, 40]


def test_fewer_pairs_than_workers_leave_some_without(study: Study) -> None:
    study.plan(reviews=1, most_pairs=2)
    assert [each.size for each in study.dispatched()] == [1, 1]


def test_a_quality_sample_goes_out_among_the_rest(study: Study) -> None:
    study.plan(quality_sample=5, reviews=2)
    dispatch = study.proposed()
    assert (dispatch.plan["pairs"], dispatch.plan["quality"]) == (160, 10)
    confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    dispatch_now(dispatch=dispatch)
    origins = Counter(AssignedPair.objects.values_list("origin", flat=True))
    assert origins == {"review": 320, "link": 10, "non-link": 10}
    weights = dict(AssignedPair.objects.values_list("origin", "weight"))
    assert weights["link"] == 20
    assert weights["non-link"] == -20


def test_terms_are_frozen_in_the_ledger(study: Study) -> None:
    study.plan(
        budget="12.5",
        kappa=2,
        accounting="strict",
        prices="banded",
        date_swaps="fields",
        project_limit="80",
        guidance="Look twice.",
        due="2999-01-01",
    )
    assignments = {str(each.pk): each for each in study.dispatched()}
    entries = read(lines(study.project))
    confirmed, *dispatched = [entry.event for entry in entries[-4:]]
    manager = str(study.manager.pk)
    assert confirmed == DispatchConfirmed(1, manager, manager)
    assert {entry.actor for entry in entries[-4:]} == {manager}
    version = study.project.versions.get()
    assert len(dispatched) == 3
    for event in dispatched:
        assert isinstance(event, Dispatched)
        each = assignments[event.assignment]
        assert event.pairs == each.size == each.pairs.count()
        assert event.population == version.index_digest
        assert (event.attributes, event.kappa, event.accounting) == (ATTRIBUTES, 2, "strict")
        assert (event.budget, event.charge, event.person) == (125_000_000, 0, str(each.account_id))
        assert (event.dispatch, event.due, event.continues) == (1, "2999-01-01", "")
        assert dict(event.settings) == {
            "date_swaps": "fields",
            "frequency_bands": "off",
            "gold_pairs": "0",
            "hints": "off",
            "managers_may_review": "off",
            "second_person": "off",
            "prices": "banded",
            "project_limit": "800000000",
            "reviews": "2",
            "rule": "evidence",
            "version": "1",
            "kind": "review",
        }
        assert each.limit == 125_000_000 * 2 * each.size * 4 // 2
        assert (each.spent, each.state, each.version) == (0, "open", version)
        assert each.terms.guidance == "Look twice."
        assert each.attributes == list(ATTRIBUTES)
    verify_project(study.project)
    assert LedgerLine.objects.filter(kind="dispatched").count() == 3


def correlated(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(abs(np.corrcoef(one, other)[0, 1]))


def test_no_token_order_or_id_tells_that_two_have_the_same_pair(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = make_study(tmp_path, people=1_200, pairs=2_500)
    study.plan(reviews=3)
    assignments = study.dispatched()
    tables = [pairs_of(each) for each in assignments]
    same = sorted(tables[0])
    assert len(same) > 1_900
    bound = 5 / len(same) ** 0.5
    columns: list[dict[str, NDArray[Any]]] = []
    for table in tables:
        rows = [table[pair] for pair in same]
        tokens = [base64.urlsafe_b64decode(f"{row.token}==") for row in rows]
        assert {len(token) for token in tokens} == {16}
        columns.append(
            {
                "number": np.array([row.number for row in rows]),
                "row": np.array([row.pk for row in rows]),
                "token": np.array([int.from_bytes(token[:6], "big") for token in tokens]),
                "bits": np.unpackbits(np.frombuffer(b"".join(tokens), dtype=np.uint8)),
            }
        )
    named = [each.token for table in tables for each in table.values()]
    assert len(set(named)) == 3 * len(same)
    weight = np.array([tables[0][pair].weight for pair in same])
    record = np.array([left for left, _ in same])
    for one, other in combinations(columns, 2):
        for mine in ("number", "row", "token"):
            for theirs in ("number", "row", "token"):
                assert correlated(one[mine], other[theirs]) < bound, (mine, theirs)
        agreement = np.mean(one["bits"] == other["bits"])
        assert abs(agreement - 0.5) < 5 / (2 * len(one["bits"]) ** 0.5)
    for own in columns:
        for mine in ("number", "row", "token"):
            assert correlated(own[mine], weight) < bound, mine
            assert correlated(own[mine], record) < bound, mine
        for mine, theirs in combinations(("number", "row", "token"), 2):
            assert correlated(own[mine], own[theirs]) < bound, (mine, theirs)


def test_the_order_of_a_batch_tells_nothing_of_what_its_review_brings(
    home: Path, tmp_path: Path
) -> None:
    assert home.exists()
    study = make_study(tmp_path, people=60, pairs=700)
    study.plan(most_pairs=400, budget="100", reviews=3)
    given = study.dispatched()
    everybody = [abs(pair.weight) for pair in given[0].pairs.all()]
    assert max(everybody) < 3.5, "the most uncertain of weights from -4 to 4"
    ranks = []
    for mine in given:
        gain = [-abs(pair.weight) for pair in mine.pairs.order_by("number")]
        order = np.argsort(np.argsort(gain))
        ranks.append(float(np.corrcoef(order, np.arange(len(order)))[0, 1]))
    assert len(ranks) == 3
    assert abs(np.mean(ranks)) < 0.17, "six times what chance alone makes of 1,200 pairs"


def test_who_gets_a_pair_is_random(study: Study) -> None:
    study.plan(reviews=1)
    weights = {
        each.account: np.array([pair.weight for pair in each.pairs.all()])
        for each in study.dispatched()
    }
    for own in weights.values():
        assert abs(own.mean()) < 5 * 2.31 / len(own) ** 0.5


@pytest.mark.parametrize("accounting", ["paper", "strict"])
def test_starting_levels_keep_the_floor_and_are_charged_as_their_state(
    study: Study, accounting: Any
) -> None:
    starting = {"sex": "full", "last": "full", "born": "partial"}
    study.plan(budget="100", kappa=4, accounting=accounting, starting=starting)
    assignments = study.dispatched()
    accounts = accounts_of(study.project)
    index = index_of(study.project.versions.get())
    lowered = 0
    for each in assignments:
        known = accounts[str(each.pk)]
        rows = list[kapr.Risk]()
        for pair in each.pairs.all():
            state = known.state(pair.number)
            seen = kapr.view_pair(index, index.pair(pair.left, pair.right), state)
            assert min(risk.k for risk in kapr.row_risks(index, seen, "paper")) >= 4
            rows += kapr.row_risks(index, seen, accounting)
        assert each.spent == known.spent == known.terms.charge == kapr.units(rows, 4) > 0
        lowered += len(known.terms.lower)
    assert lowered > 0, "some cells of these records would break the floor"
    verify_project(study.project)


def test_without_a_floor_every_cell_starts_as_planned(study: Study) -> None:
    study.plan(budget="100", starting={"sex": "full"})
    for each in study.dispatched():
        known = accounts_of(study.project)[str(each.pk)]
        assert known.terms.lower == ()
        assert known.state(1)["sex"] == "full"
        assert known.state(1)["last"] == "masked"


def needed_for(study: Study, name: str) -> int:
    """Return the budget that opening an attribute of all pairs takes, in 10⁻⁹."""
    version = study.project.versions.get()
    index, total = index_of(version), 0
    for row in vault.unseal(version.scoring.candidates).to_pylist():
        if abs(row["weight"]) < 5:
            seen = kapr.view_pair(index, index.pair(row["left"], row["right"]), {name: "full"})
            total += kapr.units(kapr.row_risks(index, seen, "paper"), 1)
    return kapr.budget_for(total, pairs=160, attributes=4, kappa=1)


def test_starting_levels_beyond_the_budget_are_refused_with_one_that_suffices(study: Study) -> None:
    plan = ReviewPlan(starting=(kapr.Step("born", "full"),))
    price = round(starting_price(open_pairs(study.project).data, plan) * WHOLE)
    study.plan(budget=write_percent(price - 1), starting={"born": "full"}, reviews=1)
    with pytest.raises(FieldErrors) as caught:
        study.proposed()
    assert set(caught.value.fields) == {f"budget-worker-{worker.pk}" for worker in study.workers}
    assert f"{write_percent(sufficient_share(price))}%, or let" in str(caught.value)
    assert not Assignment.objects.exists()
    assert not LedgerLine.objects.filter(kind="dispatched").exists()
    study.plan(budget="100", starting={"born": "full"}, reviews=1)
    assert len(study.dispatched()) == 3


def test_what_given_pairs_cost_at_the_start_is_told_coarsely(study: Study) -> None:
    needed = needed_for(study, "born")
    charge = kapr.units_within(needed, pairs=160, attributes=len(ATTRIBUTES), kappa=1)
    about = {"attributes": len(ATTRIBUTES), "kappa": 1}
    check_budgets([StartingCost("budget", needed, 160, charge)], **about)
    with pytest.raises(FieldErrors) as caught:
        check_budgets([StartingCost("budget", needed // 2, 160, charge)], **about)
    assert f"{write_percent(sufficient_share(needed))}%, or let" in str(caught.value)
    assert write_percent(needed) not in str(caught.value)


def test_a_second_person_confirms_where_the_project_asks_for_it(study: Study) -> None:
    Project.objects.update(second_person=True)
    study.plan()
    dispatch = study.proposed()
    Project.objects.update(second_person=False)
    with pytest.raises(SettingError, match="second person"):
        confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    auditor = actor_for(study.auditor, study.project)
    confirmed = confirm(dispatch=dispatch, actor=auditor, account=study.auditor)
    assert (confirmed.state, confirmed.confirmed_by) == ("confirmed", study.auditor)
    dispatch_now(dispatch=confirmed)
    first = read(lines(study.project))[-4]
    assert first.event == DispatchConfirmed(1, str(study.manager.pk), str(study.auditor.pk))


def test_a_second_person_can_be_asked_for_later(study: Study) -> None:
    study.plan()
    dispatch = study.proposed()
    Project.objects.update(second_person=True)
    with pytest.raises(SettingError, match="second person"):
        confirm(dispatch=dispatch, actor=study.actor, account=study.manager)


def test_what_is_not_confirmed_is_not_dispatched(study: Study) -> None:
    study.plan()
    dispatch = study.proposed()
    with pytest.raises(SettingError, match="is already proposed"):
        dispatch_now(dispatch=dispatch)
    assert not Assignment.objects.exists()
    assert not LedgerLine.objects.filter(kind="dispatched").exists()


def test_one_dispatch_waits_at_a_time_and_is_done_once(study: Study) -> None:
    study.plan()
    first = study.proposed()
    with pytest.raises(SettingError, match="waits already"):
        study.proposed()
    withdraw(dispatch=first, actor=study.actor)
    with pytest.raises(SettingError, match="is already withdrawn"):
        confirm(dispatch=first, actor=study.actor, account=study.manager)
    second = study.confirmed()
    assert second.number == 2
    with pytest.raises(SettingError, match="waits already"):
        study.proposed()
    with pytest.raises(SettingError, match="is already confirmed"):
        confirm(dispatch=second, actor=study.actor, account=study.manager)
    dispatch_now(dispatch=second)
    with pytest.raises(SettingError, match="is already dispatched"):
        dispatch_now(dispatch=second)
    with pytest.raises(SettingError, match="is already dispatched"):
        withdraw(dispatch=second, actor=study.actor)
    assert Assignment.objects.count() == 3


def test_the_plan_is_the_one_that_was_proposed(study: Study) -> None:
    study.plan(reviews=3)
    dispatch = study.confirmed()
    study.plan(reviews=1)
    dispatch_now(dispatch=dispatch)
    assert AssignedPair.objects.count() == 3 * 160


def other_limits(study: Study) -> None:
    set_bands(project=study.project, bands=Bands(-3, 3))


def other_pairs(study: Study) -> None:
    bring(study.project, study.folder)


def other_records(study: Study) -> None:
    import_again(study.project, study.folder)
    bring(study.project, study.folder)


@pytest.mark.parametrize("change", [other_limits, other_pairs, other_records])
def test_what_changed_since_it_was_proposed_stops_it(
    study: Study, change: Callable[[Study], None]
) -> None:
    study.plan()
    dispatch = study.proposed()
    change(study)
    with pytest.raises(SettingError, match="have changed since"):
        confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    Dispatch.objects.update(state="confirmed", confirmed_by=study.manager)
    with pytest.raises(SettingError, match="have changed since"):
        dispatch_now(dispatch=dispatch)
    withdraw(dispatch=dispatch, actor=study.actor)
    assert study.dispatched()


def test_who_cannot_sign_in_any_more_stops_it(study: Study) -> None:
    study.plan()
    dispatch = study.confirmed()
    study.workers[1].is_active = False
    study.workers[1].save()
    with pytest.raises(FieldErrors, match="is disabled"):
        dispatch_now(dispatch=dispatch)
    assert not Assignment.objects.exists()


def test_the_ledger_tells_whether_managers_could_review_and_two_had_to_agree(study: Study) -> None:
    Project.objects.update(managers_may_review=True, second_person=True)
    study.plan()
    who = actor_for(study.auditor, study.project)
    dispatch_now(dispatch=confirm(dispatch=study.proposed(), actor=who, account=study.auditor))
    Project.objects.update(managers_may_review=False, second_person=False)
    for entry in read(lines(study.project))[-3:]:
        assert isinstance(entry.event, Dispatched)
        frozen = dict(entry.event.settings)
        assert (frozen["managers_may_review"], frozen["second_person"]) == ("on", "on")


def test_who_loses_their_role_while_pairs_are_dealt_stops_it(study: Study) -> None:
    study.plan()
    dispatch, worker = study.confirmed(), study.workers[0]

    def lose(what: str, _done: int, _steps: int) -> None:
        if what == "assigning pairs":
            remove_member(project=study.project, actor=study.actor, account=worker, role="worker")

    with pytest.raises(FieldErrors, match="does not have this role"):
        dispatch_now(dispatch=dispatch, progress=lose)
    assert not Assignment.objects.exists()
    assert Dispatch.objects.get().state == "confirmed"


def test_a_later_dispatch_gives_out_other_pairs(study: Study) -> None:
    study.plan(most_pairs=60)
    first = {pair for each in study.dispatched() for pair in pairs_of(each)}
    study.plan(most_pairs=60)
    second = {pair for each in study.dispatched() for pair in pairs_of(each)}
    assert len(first) == len(second) == 60
    assert not first & second
    study.plan()
    assert len({pair for each in study.dispatched() for pair in pairs_of(each)}) == 40
    with pytest.raises(SettingError, match="no pairs to assign"):
        study.proposed()
    verify_project(study.project)
    assert LedgerLine.objects.filter(kind="dispatched").count() == 3 * 3


def test_there_must_be_a_plan_and_pairs(study: Study) -> None:
    with pytest.raises(SettingError, match="no plan yet"):
        study.proposed()
    study.plan()
    import_again(study.project, study.folder)
    with pytest.raises(SettingError, match="have not been found yet"):
        study.proposed()


def test_a_plan_that_does_not_fit_any_more_is_not_proposed(study: Study) -> None:
    study.plan(reviews=3)
    study.project.memberships.filter(account=study.workers[0]).delete()
    with pytest.raises(FieldErrors) as caught:
        study.proposed()
    assert list(caught.value.fields) == [f"person-worker-{study.workers[0].pk}"]


def test_what_else_belongs_to_the_commit_can_stop_it(study: Study) -> None:
    study.plan()
    dispatch = study.confirmed()

    def stopped() -> None:
        assert Assignment.objects.count() == 3
        raise Busy

    with pytest.raises(Busy):
        dispatch_now(dispatch=dispatch, also=stopped)
    assert not Assignment.objects.exists()
    assert not LedgerLine.objects.filter(kind="dispatched").exists()
    seen: list[tuple[str, int, int]] = []
    dispatch_now(dispatch=dispatch, progress=lambda *step: seen.append(step))
    assert seen[0] == ("picking pairs", 0, 1)
    assert seen[-1] == ("assigning pairs", 1, 1)


def test_it_waits_for_nobody_who_works_on_the_vault(study: Study) -> None:
    study.plan()
    dispatch = study.confirmed()
    with locked(study.project.id), pytest.raises(Busy):
        dispatch_now(dispatch=dispatch)


OTHERS = [actor("x", roles=["worker", "adjudicator"]), actor("x", administrator=True)]


@pytest.mark.parametrize("who", OTHERS)
def test_others_are_refused(study: Study, who: Actor) -> None:
    study.plan()
    dispatch = study.proposed()
    with pytest.raises(NotAllowed):
        propose(project=study.project, actor=who, account=study.manager)
    with pytest.raises(NotAllowed):
        withdraw(dispatch=dispatch, actor=who)
    with pytest.raises(NotAllowed):
        confirm(dispatch=dispatch, actor=who, account=study.auditor)
    auditor = actor_for(study.auditor, study.project)
    with pytest.raises(NotAllowed):
        propose(project=study.project, actor=auditor, account=study.auditor)
    with pytest.raises(NotAllowed):
        withdraw(dispatch=dispatch, actor=auditor)


def test_adjudicators_wait_for_conflicts(study: Study) -> None:
    judge = account("judge", project=study.project, role="adjudicator")
    people = [PersonTyped(str(worker.pk), budget="5") for worker in study.workers]
    people.append(PersonTyped(str(judge.pk), role="adjudicator", budget="5"))
    study.plan(people=tuple(people))
    assert judge not in {each.account for each in study.dispatched()}


PREPARING = """
import django
django.setup()
from pathlib import Path
from tests.support.reviews import make_study
study = make_study(Path(sys.argv[1]))
study.plan(starting={"sex": "full"}, budget="100")
study.confirmed()
"""
DISPATCHING = """
import django
django.setup()
from mindfirl.services.dispatch import dispatch_now
from mindfirl.store.models import Dispatch
dispatch_now(dispatch=Dispatch.objects.get())
"""
LOOKING = """
import json
import django
django.setup()
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.ledger import verify_project
from mindfirl.store.models import AssignedPair, Assignment, Dispatch, Project
print(json.dumps({
    "entries": verify_project(project=Project.objects.get(), actor=COMMAND_LINE).head.entries - 12,
    "assignments": Assignment.objects.count(),
    "pairs": AssignedPair.objects.count(),
    "state": Dispatch.objects.get().state,
}))
"""


def script(
    own: Installation, text: str, *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(__file__).parents[3]), *filter(None, sys.path)])
    program = ["-c", f"import sys{textwrap.dedent(text)}", *words]
    return processes.run(program, own.environment | {"PYTHONPATH": path} | more)


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """An installation with a dispatch that was confirmed."""
    installation = new_installation(tmp_path_factory.mktemp("dispatch") / "own")
    done = script(installation, PREPARING, str(tmp_path_factory.mktemp("files")))
    assert done.returncode == 0, done.stderr
    return installation


@pytest.mark.parametrize("point", ["before commit", "after commit", "before answer"])
def test_what_is_cut_off_gave_out_everything_or_nothing(
    template: Installation, tmp_path: Path, point: str
) -> None:
    own = template.copy(tmp_path / "own")
    assert script(own, DISPATCHING, MINDFIRL_FAULT=point).returncode == -9
    nothing = {"entries": 0, "assignments": 0, "pairs": 0, "state": "confirmed"}
    everything = {"entries": 3, "assignments": 3, "pairs": 320, "state": "dispatched"}
    found = json.loads(script(own, LOOKING).stdout)
    assert found == (nothing if point == "before commit" else everything)
    again = script(own, DISPATCHING)
    assert (again.returncode == 0) == (point == "before commit"), again.stderr
    assert json.loads(script(own, LOOKING).stdout) == everything
