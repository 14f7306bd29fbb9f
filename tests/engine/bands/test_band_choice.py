"""Bands around even odds: where one vote is decisive, and of as many pairs as were asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.band_choice import bands_of_size, decisive_bands
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.pairs.candidates import Candidates


def candidates(weights: list[float]) -> Candidates:
    """Make a pair of records of its own for each weight: no link settles another."""
    weight = np.array(sorted(weights, reverse=True), dtype=np.float64)
    left = np.arange(len(weight)) * 2
    return Candidates(left, left + 1, weight, {})


def sent(found: Candidates, bands: Bands) -> int:
    return int(settle_candidates(found, bands).sent.sum())


def test_one_vote_is_decisive_within_two_bits() -> None:
    assert decisive_bands() == Bands(-2, 2)
    assert decisive_bands(0.9).upper == pytest.approx(3.17, abs=0.01)


@given(
    st.lists(st.integers(-300, 300).map(lambda each: each / 10), max_size=40),
    st.integers(0, 50),
)
def test_no_other_band_around_even_odds_is_nearer(weights: list[float], pairs: int) -> None:
    found = candidates(weights)
    bands = bands_of_size(found, pairs)
    assert bands.lower <= 0 <= bands.upper
    widths = [0.0, *(abs(weight) + 1e-3 for weight in weights)]
    possible = [sent(found, Bands(-width, width)) for width in widths]
    assert abs(sent(found, bands) - pairs) <= min(abs(each - pairs) for each in possible)


@pytest.mark.parametrize("pairs", [500, 2_000, 9_000])
def test_as_many_pairs_as_asked_for_within_2_percent(pairs: int) -> None:
    weight = np.random.default_rng(7).normal(-3, 8, 40_000)
    found = candidates(weight.round(2).tolist())
    assert sent(found, bands_of_size(found, pairs)) == pytest.approx(pairs, rel=0.02)


def test_pairs_that_links_settle_or_contest_are_counted_as_they_are() -> None:
    rng = np.random.default_rng(11)
    left, right = rng.integers(0, 2_000, 9_000), rng.integers(2_000, 4_000, 9_000)
    weight = np.sort(rng.normal(-4, 6, 9_000))[::-1]
    found, alone = Candidates(left, right, weight, {}), np.repeat([0, 1], 2_000)
    bands = bands_of_size(found, 4_000, alone)
    count = int(settle_candidates(found, bands, alone).sent.sum())
    assert count == pytest.approx(4_000, rel=0.02)


def test_fewer_than_no_pairs_cannot_be_sent() -> None:
    with pytest.raises(SettingError, match="fewer than 0"):
        bands_of_size(candidates([1.0]), -1)
