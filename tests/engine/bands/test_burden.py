"""What the model expects of bands is what a plain sum over all pairs says."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given

from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import Bands, burden, burden_curve
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import candidates, naive_burden, some_bands, weighing


@given(candidates(), some_bands())
def test_the_burden_is_the_sum_over_all_pairs(found: Candidates, bands: Bands) -> None:
    expected = naive_burden(found, bands)
    assert astuple(burden(found, bands)) == pytest.approx(astuple(expected), rel=1e-9)


@given(candidates(), some_bands())
def test_every_pair_is_in_one_band(found: Candidates, bands: Bands) -> None:
    numbers = np.arange(len(found))
    parts = [bands.links(found), bands.review(found), bands.non_links(found)]
    assert np.concatenate([numbers[part] for part in parts]).tolist() == numbers.tolist()
    expected = naive_burden(found, bands)
    sizes = [len(numbers[part]) for part in parts]
    assert sizes == [expected.links, expected.review, expected.non_links]


@given(candidates())
def test_a_threshold_cuts_off_as_many_pairs_as_it_was_asked_to(found: Candidates) -> None:
    curve = burden_curve(found)
    assert curve.cuts[0] == 0
    assert curve.cuts[-1] == len(found)
    for cut in curve.cuts.tolist():
        threshold = curve.threshold(cut)
        assert np.count_nonzero(found.weight >= threshold) == cut


def test_thresholds_have_few_decimals() -> None:
    curve = burden_curve(weighing(9.87654, 3.14159, 3.14158, -2.5))
    assert [curve.threshold(cut) for cut in range(5)] == [10.0, 9.0, 3.14159, 3.0, -3.0]


def test_very_heavy_and_very_light_pairs_leave_no_error() -> None:
    expected = burden(weighing(5_000, -5_000), Bands(0, 0))
    assert (expected.false_links, expected.missed_links) == (0, 0)


def test_what_is_nearly_sure_still_counts() -> None:
    assert burden(weighing(80), Bands(0, 0)).false_links == pytest.approx(2.0**-80)


@pytest.mark.parametrize(
    ("lower", "upper", "words"),
    [
        (2, 1.5, "The lower threshold, 2, is above the upper one, 1.5."),
        (float("nan"), 1, "must be a number"),
        (1, float("inf"), "must be a number"),
    ],
)
def test_thresholds_that_make_no_bands(lower: float, upper: float, words: str) -> None:
    with pytest.raises(SettingError, match=words):
        Bands(lower, upper)
