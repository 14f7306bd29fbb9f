"""Batches that a forecast helps to choose: when it does, and what stays behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.prospects import Prospects
from mindfirl.engine.pairs.candidates import Candidates
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, withdraw
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan import forecasts
from mindfirl.services.plan.estimates import LeftOver, estimate
from mindfirl.services.plan.plans import plan_of
from mindfirl.store import vault
from mindfirl.store.models import AssignedPair, Assignment, Forecast
from tests.support.conflicts import weighed
from tests.support.forecasts import foresee, keep
from tests.support.reviews import Study, make_study

PEOPLE = 60


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def even(study: Study) -> None:
    """Bring 120 pairs that are as uncertain as each other; every second is of one person."""
    weighed(study, [(n, (n + turn) % PEOPLE, 0) for turn in range(2) for n in range(PEOPLE)])


def hopeless(found: Candidates) -> Prospects:
    """Expect that pairs whose left record is odd cannot be settled."""
    size = len(found)
    right = np.where(found.left % 2 == 1, 0.5, 0.99)
    return Prospects(np.full(size, 0.5), right, np.ones(size, dtype=np.int64))


def plan(study: Study) -> ReviewPlan:
    return plan_of(project=study.project, actor=study.actor)[0]


def left(study: Study, asked: ReviewPlan | None = None) -> LeftOver:
    found = asked or plan(study)
    return estimate(project=study.project, actor=study.actor, plan=found).left


def given() -> set[tuple[int, int]]:
    return set(AssignedPair.objects.values_list("left", "right"))


def test_pairs_that_cannot_be_settled_stay_behind(study: Study) -> None:
    even(study)
    study.plan(most_pairs=60)
    before = left(study)
    foresee(study.project, hopeless)
    after = left(study)
    assert (before.by_forecast, after.by_forecast) == (False, True)
    assert after.pairs == before.pairs == 60
    assert after.wrong == before.wrong, "which pairs stay behind does not show"
    study.dispatched()
    assert len(given()) == 60
    assert all(one % 2 == 0 for one, _ in given())


def test_a_real_forecast_chooses_by_what_it_expects(study: Study) -> None:
    even(study)
    study.plan(most_pairs=40, budget="100")
    truth = study.folder / "truth.csv"
    lines = ["left,right", *(f"c{number},r{number}" for number in range(PEOPLE))]
    truth.write_text("\n".join(lines) + "\n", encoding="utf-8")
    made = forecasts.make(project=study.project, actor=COMMAND_LINE, truth=truth)
    assert made.prospects is not None
    columns = vault.unseal(made.prospects).to_pydict()
    pairs = zip(columns["left"], columns["right"], strict=True)
    right = dict(zip(pairs, columns["answer_right"], strict=True))
    assert left(study).by_forecast
    study.dispatched()
    out = given()
    assert len(out) == 40
    behind = [chance for pair, chance in right.items() if pair not in out]
    assert min(right[pair] for pair in out) >= max(behind) > min(behind)


@pytest.mark.parametrize(
    "changes", [{"kappa": 2}, {"accounting": "strict"}, {"prices": "banded"}, {"most_pairs": None}]
)
def test_a_forecast_of_other_terms_or_without_a_choice_is_not_used(
    study: Study, changes: dict[str, Any]
) -> None:
    study.plan(most_pairs=40)
    foresee(study.project, hopeless)
    assert left(study).by_forecast
    assert not left(study, replace(plan(study), **changes)).by_forecast
    assert not left(study, replace(plan(study), priority="uncertain")).by_forecast


def test_a_forecast_that_is_stale_or_expects_nothing_changes_nothing(study: Study) -> None:
    study.plan(most_pairs=40)
    without = left(study)
    foresee(study.project, hopeless)
    set_bands(project=study.project, bands=Bands(-5.5, 5.5))
    assert left(study) == without
    set_bands(project=study.project, bands=Bands(-5, 5))
    assert left(study).by_forecast
    keep(study.project)
    assert left(study) == without
    Forecast.objects.all().delete()
    assert left(study) == without


def test_what_was_proposed_is_chosen_by_the_same_forecast_or_not_at_all(study: Study) -> None:
    study.plan(most_pairs=40)
    foresee(study.project, hopeless)
    dispatch = study.proposed()
    foresee(study.project, hopeless)
    with pytest.raises(SettingError, match="newer forecast"):
        confirm(dispatch=dispatch, actor=study.actor, account=study.manager)
    withdraw(dispatch=dispatch, actor=study.actor)
    dispatch = study.confirmed()
    Forecast.objects.all().delete()
    with pytest.raises(SettingError, match="newer forecast"):
        dispatch_now(dispatch=dispatch)
    assert not Assignment.objects.exists()


def test_where_all_go_out_another_forecast_stops_nothing(study: Study) -> None:
    study.plan()
    dispatch = study.confirmed()
    foresee(study.project, hopeless)
    dispatch_now(dispatch=dispatch)
    assert len(given()) == 160


def test_with_banded_prices_a_pair_goes_by_what_its_masked_cells_tell(study: Study) -> None:
    even(study)
    study.plan(most_pairs=60, prices="banded")
    foresee(study.project, hopeless)
    assert left(study).by_forecast
    study.dispatched()
    odd = sum(one % 2 for one, _ in given())
    assert 15 < odd < 45, "all look alike, and are drawn"
