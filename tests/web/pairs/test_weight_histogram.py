"""The histogram: thresholds are where their weights are, and nothing leaves the chart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.burden import Bands
from mindfirl.web.pairs.weight_histogram import HEIGHT, TOP, chart_of, typed_bands

WEIGHTS = st.lists(st.floats(-100, 100, allow_subnormal=False), max_size=40)
LIMITS = st.floats(-1000, 1000, allow_subnormal=False)


@given(WEIGHTS, LIMITS, LIMITS)
def test_everything_is_on_the_chart(weights: list[float], one: float, other: float) -> None:
    chart = chart_of(np.array(weights), Bands(min(one, other), max(one, other)))
    assert float(chart.low) < float(chart.high)
    for bar in chart.bars:
        assert -0.01 <= float(bar.x) <= float(bar.x) + float(bar.width) <= 100.01
        assert float(bar.y) >= TOP - 0.1
        assert float(bar.y) + float(bar.height) == pytest.approx(TOP + HEIGHT, abs=0.11)
    lower, upper = float(chart.lower.x), float(chart.upper.x)
    assert 0 <= lower <= upper <= 100
    assert upper - lower == pytest.approx(float(chart.between), abs=0.01)
    assert 100 - upper == pytest.approx(float(chart.above), abs=0.01)
    assert 4 <= len(chart.weights) <= 15
    places = [float(mark.place) for mark in chart.weights]
    assert places == sorted(places)


def test_a_threshold_stands_at_its_weight() -> None:
    chart = chart_of(np.array([-10.0, 9.9]), Bands(-5, 0))
    assert (chart.low, chart.high) == ("-10", "10")
    assert (chart.lower.x, chart.upper.x) == ("25.000", "50.000")
    assert [mark.label for mark in chart.weights][:2] == ["−10", "−8"]


def test_thresholds_beyond_all_pairs_stay_at_hand() -> None:
    near = chart_of(np.array([0.1, 15.2]), Bands(-1, 17))
    assert (near.low, near.high) == ("-1", "17")
    far = chart_of(np.array([0.1, 15.2]), Bands(-900, 900))
    assert (far.lower.x, far.upper.x) == ("0.000", "100.000")
    assert far.lower.value == "-900"
    assert (near.lower.label, near.upper.label) == ("none", "none")


@pytest.mark.parametrize(
    ("lower", "upper", "labels", "typed"),
    [
        (-1000, 1000, ("none", "none"), (-10, 10)),
        (1000, 1000, ("all", "none"), (10, 10)),
        (-1000, -1000, ("none", "all"), (-1000, -1000)),
        (-1000, -2, ("none", "−2"), (-10, -2)),
        (-1000, -50, ("none", "−50"), (-50, -50)),
        (-20, 3, ("none", "3"), (-20, 3)),
        (-2, 3, ("−2", "3"), (-2, 3)),
    ],
)
def test_thresholds_beyond_all_pairs_say_so_in_words(
    lower: float, upper: float, labels: tuple[str, str], typed: tuple[float, float]
) -> None:
    weights, bands = np.array([-10.0, 9.9]), Bands(lower, upper)
    chart = chart_of(weights, bands)
    assert (chart.lower.label, chart.upper.label) == labels
    assert (chart.lightest, chart.heaviest) == ("-10", "10")
    assert typed_bands(weights, bands) == Bands(*typed)


def test_a_single_weight_does_not_fill_the_chart() -> None:
    chart = chart_of(np.zeros(9), Bands(0, 1))
    assert (chart.low, chart.high) == ("-5", "6")
    assert float(chart.bars[0].width) < 10


def test_powers_of_ten_are_marked() -> None:
    chart = chart_of(np.zeros(4_321), Bands(0, 1))
    assert [mark.label for mark in chart.counts] == ["1", "10", "100", "1,000"]
