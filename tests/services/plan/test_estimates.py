"""What a plan asks and buys, said before anything is shown; the figures are those of the score."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.errors import NotAllowed, SettingError
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import right_together, usually_right
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk import kapr
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import Level
from mindfirl.engine.bands.price_table import rounded_up
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan.estimates import Estimate, LeftOver, estimate
from mindfirl.services.plan.plans import plan_of
from mindfirl.services.projects import create_project
from mindfirl.store.queries.access import actor_for
from mindfirl.workspace.open_pairs import open_pairs
from mindfirl.workspace.price_tables import price_table
from tests.support.processes import FEW_PAIRS
from tests.support.reviews import ATTRIBUTES, BANDS, Study, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def plan(study: Study, budget: int = WHOLE // 50, **changes: Any) -> ReviewPlan:
    people = tuple(
        PersonPlan(str(worker.pk), "worker", share, budget)
        for worker, share in zip(study.workers, (100, 100, 50), strict=True)
    )
    return replace(ReviewPlan(people=people), **changes)


def estimated(study: Study, asked: ReviewPlan) -> Estimate:
    return estimate(project=study.project, actor=study.actor, plan=asked)


def priced(study: Study, state: dict[str, Level], asked: ReviewPlan) -> float:
    """Return K of the reference pairs in one state, rounded up to two digits."""
    data = open_pairs(study.project).data
    index = data.index(asked)
    risks = [
        risk
        for pair in price_table(data, asked).pairs
        for risk in kapr.row_risks(index, kapr.view_pair(index, pair, state), asked.accounting)
    ]
    return rounded_up(float(kapr.score(risks, attributes=len(ATTRIBUTES), kappa=asked.kappa)))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"kappa": 3},
        {"accounting": "strict"},
        {"date_swaps": "fields"},
        {"frequency_bands": True, "accounting": "strict"},
    ],
)
def test_figures_are_those_of_the_reference_pairs(study: Study, changes: dict[str, Any]) -> None:
    asked = plan(study, **changes)
    found = estimated(study, asked)
    assert (found.pairs, found.reference) == (160, FEW_PAIRS)
    assert found.partial == priced(study, dict.fromkeys(ATTRIBUTES, "partial"), asked)
    assert found.full == priced(study, dict.fromkeys(ATTRIBUTES, "full"), asked)
    assert list(found.attributes) == list(ATTRIBUTES)
    for name in ATTRIBUTES:
        assert found.attributes[name] == priced(study, {name: "full"}, asked)
    assert 0 < found.partial < found.full


def test_figures_are_the_same_for_any_chosen_pairs(study: Study) -> None:
    asked = plan(study, starting=(("sex", "full"),))
    before = estimated(study, asked)
    set_bands(project=study.project, bands=type(BANDS)(-1, 1))
    after = estimated(study, asked)
    assert after.pairs < before.pairs
    for name in ("partial", "full", "attributes", "starting"):
        assert getattr(after, name) == getattr(before, name)


def test_starting_levels_are_part_of_it(study: Study) -> None:
    asked = plan(study, starting=(("sex", "full"),))
    found = estimated(study, asked)
    assert found.starting == priced(study, {"sex": "full"}, asked)
    assert found.starting == found.attributes["sex"]
    (worker, *_) = found.workers
    assert worker.takes_starting == pytest.approx(found.starting / 0.02)
    assert estimated(study, plan(study)).starting == 0


def test_work_is_shared_out(study: Study) -> None:
    found = estimated(study, plan(study, quality_sample=10))
    assert (found.pairs, found.quality, found.decisions) == (160, 20, 360)
    assert [worker.pairs for worker in found.workers] == [144, 144, 72]
    assert found.hours == 6
    assert [worker.hours for worker in found.workers] == [2.4, 2.4, 1.2]
    assert estimated(study, plan(study, most_pairs=30)).pairs == 30
    assert estimated(study, plan(study, most_pairs=3_000)).pairs == 160


def test_a_sample_is_not_asked_for_once_all_pairs_are_given_out(study: Study) -> None:
    study.plan(quality_sample=10, reviews=2)
    study.dispatched()
    found = estimated(study, plan(study, quality_sample=10))
    assert (found.pairs, found.quality, found.decisions) == (0, 0, 0)


def test_budgets_buy_shares(study: Study) -> None:
    found = estimated(study, plan(study))
    (worker, *_) = found.workers
    assert worker.buys_full == pytest.approx(0.02 / found.full)
    assert worker.buys_partial == pytest.approx(min(1, 0.02 / found.partial))
    rich = estimated(study, plan(study, budget=WHOLE)).workers[0]
    assert (rich.buys_partial, rich.buys_full) == (1, 1)


def test_a_plan_without_people_is_estimated_too(study: Study) -> None:
    found = estimated(study, ReviewPlan())
    assert (found.pairs, found.workers) == (160, ())


def test_pairs_that_were_given_out_do_not_count(study: Study) -> None:
    study.plan(most_pairs=50)
    study.dispatched()
    assert estimated(study, plan(study)).pairs == 110


def test_what_stays_undecided_is_counted_with_what_that_costs(study: Study) -> None:
    assert estimated(study, plan(study)).left == LeftOver(0, 0.0)
    assert estimated(study, plan(study, most_pairs=160)).left == LeftOver(0, 0.0)
    right = right_together(usually_right(Habits()), 2, "unanimous")
    weight = open_pairs(study.project).candidates.weight
    gain = sorted(
        max(right - 1 / (1 + 2 ** -abs(each)), 0.0) for each in weight.tolist() if abs(each) < 5
    )
    rich = plan(study, budget=WHOLE, most_pairs=40)
    found = estimated(study, rich).left
    assert found.pairs == 120
    assert found.wrong == pytest.approx(sum(gain[:120]))
    for priority in ("uncertain", "stratified", "sample"):
        other = estimated(study, replace(rich, priority=priority)).left
        assert other.pairs == 120
        assert other.wrong >= found.wrong - 1e-9
    worst = estimated(study, replace(rich, priority="sample")).left.wrong
    assert found.wrong < worst


def test_a_dispatch_leaves_what_was_estimated(study: Study) -> None:
    for budget in ("100", "0.5"):
        study.plan(most_pairs=50, budget=budget)
        asked = plan_of(project=study.project, actor=study.actor)[0]
        before = estimated(study, asked)
        study.dispatched()
        after = estimated(study, replace(asked, most_pairs=1))
        assert after.left.pairs + 1 == before.left.pairs
        assert after.left.wrong == pytest.approx(before.left.wrong, abs=0.5)


def test_moved_limits_are_other_figures(study: Study) -> None:
    before = estimated(study, plan(study))
    narrow = type(BANDS)(-1, 1)
    set_bands(project=study.project, bands=narrow)
    assert estimated(study, plan(study)).pairs < before.pairs


def test_where_there_are_no_pairs_it_is_said(study: Study) -> None:
    empty = create_project(name="empty", actor=COMMAND_LINE, synthetic=True)
    with pytest.raises(SettingError, match="have not been found yet"):
        estimate(project=empty, actor=COMMAND_LINE, plan=plan(study))
    none = type(BANDS)(30, 30)
    set_bands(project=study.project, bands=none)
    found = estimated(study, plan(study, starting=(("sex", "full"),)))
    assert (found.pairs, found.partial, found.full, found.starting) == (0, 0, 0, 0)


def test_others_are_refused(study: Study) -> None:
    worker = actor_for(study.workers[0], study.project)
    with pytest.raises(NotAllowed):
        estimate(project=study.project, actor=worker, plan=plan(study))
