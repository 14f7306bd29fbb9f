"""Forecasts are told of candidates of about the weights in question, never of chosen ones."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.core.forecast.frontier import STEP_BY_STEP
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.reference_candidates import coarse_forecast, draw_reference_candidates
from mindfirl.engine.bands.weight_bins import cut_into_bins
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.forecasts import made_by_hand, point

SIZE = 1_000
FEWEST = 100


def candidates(size: int = SIZE) -> Candidates:
    """Pairs that share no record, of weights from 50 down to below -50."""
    places = np.arange(size)
    weight = 50 - places * 100 / size
    return Candidates(places, size + places, weight, {})


def drawn(lower: float, upper: float, *, seed: int = 3, most: int = 60) -> list[int]:
    found = draw_reference_candidates(
        candidates(), Bands(lower, upper), seed=seed, most=most, fewest=FEWEST
    )
    assert found is not None
    return [int(number) for number in found]


def test_where_there_are_too_few_nothing_is_drawn() -> None:
    bands = Bands(-1, 1)
    assert draw_reference_candidates(candidates(99), bands, seed=1, most=9, fewest=FEWEST) is None
    star = Candidates(np.zeros(500, dtype=np.int64), np.arange(1, 501), np.zeros(500), {})
    assert draw_reference_candidates(star, bands, seed=1, most=9, fewest=FEWEST) is None


def test_moving_thresholds_within_a_bin_changes_nothing() -> None:
    assert cut_into_bins(candidates(), FEWEST) == [*range(0, SIZE, FEWEST), SIZE]
    usual = drawn(-8, 8)
    assert usual == drawn(-8.1, 8.1) == drawn(-7.9, 7.9) == drawn(-9, 9)
    assert len(usual) == 60
    assert all(400 <= number < 600 for number in usual)
    assert usual != drawn(-8, 8, seed=4)
    assert usual != drawn(-12, 8)


@pytest.mark.parametrize(
    ("lower", "upper", "first", "last"),
    [
        (-1000, 1000, 0, SIZE),
        (45, 1000, 0, 100),
        (1000, 1000, 0, 100),
        (-1000, -1000, 900, SIZE),
        (5, 5, 400, 500),
    ],
)
def test_pairs_of_the_bins_that_thresholds_touch_are_drawn(
    lower: float, upper: float, first: int, last: int
) -> None:
    assert drawn(lower, upper, most=SIZE) == list(range(first, last))


def test_figures_are_rounded() -> None:
    figures = made_by_hand()
    told = coarse_forecast(figures)
    assert coarse_forecast(told) == told
    assert [each.budget for each in told.band.frontier] == [0.0051, 0.01, 0.02, 0.03, 0.051, 0.1]
    for before, after in zip(figures.band.frontier, told.band.frontier, strict=True):
        assert abs(before.people - after.people) <= 0.0025
        assert after.budget >= before.budget
    assert told.kappas[10] is None
    part = figures.band
    close = {**part.policies, STEP_BY_STEP: (point(0.0201, 0.8), point(0.0202, 0.9))}
    (one,) = coarse_forecast(
        made_by_hand(parts={"band": type(part)(9, 0, 0.5, close)})
    ).band.frontier
    assert (one.budget, one.people) == (0.022, 0.9)
