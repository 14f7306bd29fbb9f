"""What the model expects of bands is what a plain sum over all pairs says."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import (
    Bands,
    Burden,
    bands_for_pairs,
    bands_for_rates,
    burden_curve,
)
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import all_bands, candidates, naive_burden, some_bands, weighing


@given(candidates(), some_bands())
def test_the_burden_is_the_sum_over_all_pairs(found: Candidates, bands: Bands) -> None:
    expected = naive_burden(found, bands)
    assert astuple(burden_curve(found).at(bands.lower, bands.upper)) == pytest.approx(
        astuple(expected), rel=1e-9
    )


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
    expected = burden_curve(weighing(5_000, -5_000)).at(0, 0)
    assert (expected.false_links, expected.missed_links) == (0, 0)


def test_what_is_nearly_sure_still_counts() -> None:
    assert burden_curve(weighing(80)).at(0, 0).false_links == pytest.approx(2.0**-80)


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


RATES = st.sampled_from([0, 0.001, 0.01, 0.1, 0.3, 1]) | st.floats(0, 1)
TINY = 1e-9


def keeps(found: Candidates, bands: Bands, false: float, missed: float) -> bool:
    expected = naive_burden(found, bands)
    true_links = naive_burden(found, Bands(1000, 1000)).missed_links
    few_false = expected.false_links <= false * expected.links
    return few_false and expected.missed_links <= missed * true_links


@given(candidates(most=10), RATES, RATES)
def test_no_narrower_bands_keep_the_rates(found: Candidates, false: float, missed: float) -> None:
    chosen = bands_for_rates(found, false_links=false, missed_links=missed)
    assert keeps(found, chosen, false + TINY, missed + TINY)
    kept = [
        naive_burden(found, bands).review
        for bands in all_bands(found)
        if keeps(found, bands, false - TINY, missed - TINY)
    ]
    fewest = min(kept, default=len(found))
    assert naive_burden(found, chosen).review <= fewest


@given(candidates(most=10), st.integers(0, 12))
def test_no_other_pairs_would_remove_more_errors(found: Candidates, pairs: int) -> None:
    def errors(expected: Burden) -> float:
        return expected.false_links + expected.missed_links

    chosen = naive_burden(found, bands_for_pairs(found, pairs))
    every = [naive_burden(found, bands) for bands in all_bands(found)]
    least = min(errors(each) for each in every if each.review <= pairs)
    assert chosen.review <= pairs
    assert errors(chosen) == pytest.approx(least, abs=TINY)


def test_with_rates_that_nothing_breaks_nobody_is_asked() -> None:
    chosen = bands_for_rates(weighing(8, 2, -1, -9), false_links=1, missed_links=1)
    assert chosen == Bands(2, 2)


def test_without_errors_allowed_people_get_all() -> None:
    chosen = bands_for_rates(weighing(8, -9), false_links=0, missed_links=0)
    assert chosen == Bands(-9, 9)


def test_people_get_the_pairs_of_even_odds() -> None:
    assert bands_for_pairs(weighing(9, 2, 1, -1, -3, -8), 2) == Bands(-1, 2)
    assert bands_for_pairs(weighing(9, 2, 1, -1, -3, -8), 0) == Bands(1, 1)


def test_without_candidates_any_bands_will_do() -> None:
    assert bands_for_rates(weighing()) == bands_for_pairs(weighing(), 5) == Bands(0, 0)


def test_impossible_wishes() -> None:
    with pytest.raises(SettingError, match="from 0 to 1"):
        bands_for_rates(weighing(1), false_links=1.5)
    with pytest.raises(SettingError, match="from 0 to 1"):
        bands_for_rates(weighing(1), missed_links=float("nan"))
    with pytest.raises(SettingError, match="0 or more"):
        bands_for_pairs(weighing(1), -1)
