"""Chosen bands keep what was asked, and no others would do it with fewer pairs or errors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import Bands, Burden
from mindfirl.engine.bands.threshold_choice import bands_for_pairs, bands_for_rates
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import all_bands, candidates, naive_burden, weighing

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
