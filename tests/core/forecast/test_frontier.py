"""What a forecast answers, and that it comes back as it was kept."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given

from mindfirl.core.forecast.frontier import (
    FIXED,
    Forecast,
    ForecastPart,
    Point,
    Source,
    forecast_from_json,
    forecast_to_json,
)
from mindfirl.core.review.plan import ReviewPlan
from tests.support.forecast_worlds import forecasts, parts, shares

NOTHING = Point(0, 0, 0.7, 0.6, 1, 1, 1, 0)
FRONTIER = tuple(
    replace(NOTHING, budget=budget, accuracy=accuracy, people=accuracy - 0.1)
    for budget, accuracy in [(0.01, 0.75), (0.02, 0.78), (0.07, 0.79)]
)
FULL = replace(NOTHING, budget=0.9, accuracy=0.8, people=0.65)


def made(*frontier: Point, masked: Point = NOTHING) -> ForecastPart:
    fixed: dict[str, tuple[Point, ...]] = dict.fromkeys(FIXED, (masked,))
    return ForecastPart(10, 5, 0.4, {**fixed, "all full": (FULL,), "step by step": frontier})


@given(forecasts)
def test_a_kept_forecast_is_the_same_forecast(forecast: Forecast) -> None:
    kept = forecast_to_json(forecast)
    assert forecast_from_json(kept) == forecast
    assert forecast_from_json(json.loads(json.dumps(kept, allow_nan=False))) == forecast


@pytest.mark.parametrize(
    ("loss", "budget"), [(0.2, 0), (0.11, 0), (0.06, 0.01), (0.021, 0.02), (0.011, 0.07)]
)
def test_the_smallest_budget_within_a_loss(loss: float, budget: float) -> None:
    found = made(*FRONTIER).within(loss)
    assert found is not None
    assert found.budget == budget


def test_for_people_another_budget_may_be_the_smallest() -> None:
    assert made(*FRONTIER).within(0.001, of_people=True) == FRONTIER[0]


def test_there_may_be_no_such_budget() -> None:
    assert made(*FRONTIER).within(0.001) is None
    assert made().within(0.01) is None


def test_where_no_step_comes_near_the_best_that_steps_bring_is_recommended() -> None:
    part = made(*FRONTIER)
    assert part.best() == FRONTIER[2]
    assert part.recommended(0.06) == part.within(0.06) == FRONTIER[0]
    assert part.recommended(0.009) == FRONTIER[2]
    assert part.recommended(0.001) == FRONTIER[2]
    assert made().recommended(0.001) == NOTHING


@given(parts(), shares)
def test_no_smaller_budget_is_within_a_loss(part: ForecastPart, loss: float) -> None:
    found = part.within(loss)
    smaller = [each for each in part.frontier if found is None or each.budget < found.budget]
    assert all(each.accuracy < part.full.accuracy - loss for each in smaller)


@pytest.mark.parametrize(
    ("budget", "expected"),
    [(-1, NOTHING), (0, NOTHING), (0.0099, NOTHING), (0.01, FRONTIER[0]), (9, FRONTIER[2])],
)
def test_a_budget_pays_for_the_dearest_point_that_fits(budget: float, expected: Point) -> None:
    assert made(*FRONTIER).at(budget) == expected


@given(parts(), shares)
def test_what_is_paid_for_fits_and_nothing_dearer_does(part: ForecastPart, budget: float) -> None:
    found = part.at(budget)
    assert found == part.masked or found.budget <= budget + 1e-9
    assert not any(found.budget < each.budget <= budget for each in part.frontier)


def test_what_is_free_is_taken() -> None:
    free = replace(NOTHING, accuracy=0.72)
    assert made(free, *FRONTIER).at(0) == free


def test_the_next_percent_is_worth_what_it_adds() -> None:
    part = made(*FRONTIER)
    assert part.next_percent(0) == pytest.approx(0.05)
    assert part.next_percent(0, of_people=True) == pytest.approx(0.05)
    assert part.next_percent(0.02) == pytest.approx(0.002), "a fifth of what 5% bring"
    assert part.next_percent(0.06) == pytest.approx(0.002)
    assert part.next_percent(0.07) == 0, "there is nothing more to buy"


def test_a_forecast_is_for_plans_of_its_terms() -> None:
    forecast = Forecast("truth", 200, ("name",), 2, "paper", "exact", {})
    plan = ReviewPlan(kappa=2, accounting="paper", prices="exact")
    assert forecast.is_for(plan)
    assert forecast.is_for(replace(plan, reviews=3))
    assert not forecast.is_for(replace(plan, kappa=1))
    assert not forecast.is_for(replace(plan, accounting="strict"))
    assert not forecast.is_for(replace(plan, prices="banded"))


@pytest.mark.parametrize(
    ("source", "labelled", "promises"),
    [("truth", 200, True), ("reviews", 200, True), ("truth", 199, False), ("made up", 9999, False)],
)
def test_a_forecast_promises_from_200_labels_of_the_project_on(
    source: Source, labelled: int, *, promises: bool
) -> None:
    part = made(*FRONTIER)
    forecast = Forecast(source, labelled, ("name",), 1, "paper", "exact", {"band": part})
    assert forecast.promises is promises
    assert forecast.band is part


def test_a_budget_is_recommended_where_enough_is_known() -> None:
    first = replace(FRONTIER[0], budget=0.01234)
    forecast = Forecast("truth", 200, ("name",), 1, "paper", "exact", {"band": made(first)})
    assert forecast.recommended_budget(0.001) == 13_000_000, "rounded up to two digits"
    assert forecast.recommended_budget(0.1) is None, "nothing has to be opened"
    assert replace(forecast, labelled=199).recommended_budget(0.001) is None
    assert replace(forecast, source="made up").recommended_budget(0.001) is None
