"""Figures about weights of our own are those of bins with ten pairs of different records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.bands.band_choice import bands_of_size
from mindfirl.engine.bands.burden import Bands, count_from
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.bands.weight_bins import (
    FEWEST,
    WeightBins,
    binned_bands_of_size,
    weight_bins,
)
from mindfirl.engine.pairs.candidates import OUTSIDE, Candidates, ordered


def drawn(size: int, records: int, *, seed: int = 1, distinct: int = 10**6) -> Candidates:
    rng = np.random.default_rng(seed)
    weight = np.round(rng.normal(0, 6, size) * distinct) / distinct
    left, right = rng.integers(records, size=size), records + rng.integers(records, size=size)
    return ordered(left, right, weight, {})


def disjoint(candidates: Candidates, first: int, last: int) -> int:
    """Count pairs that share no record, the heaviest first."""
    used: set[int] = set()
    for number in range(first, last):
        ends = {int(candidates.left[number]), int(candidates.right[number])}
        used |= ends if used.isdisjoint(ends) else set()
    return len(used) // 2


@given(
    st.integers(0, 400), st.integers(1, 200), st.integers(0, 50), st.sampled_from([1, 10, 10**6])
)
def test_every_bin_has_ten_pairs_of_different_records(
    size: int, records: int, seed: int, distinct: int
) -> None:
    candidates = drawn(size, records, seed=seed, distinct=distinct)
    bins = weight_bins(candidates)
    assert (bins.cuts[0], bins.cuts[-1]) == (0, size)
    assert len(bins.edges) == len(bins.cuts)
    for edge, cut in zip(bins.edges, bins.cuts, strict=True):
        assert count_from(candidates.weight, float(edge)) == cut
    ends = zip(bins.cuts[:-1].tolist(), bins.cuts[1:].tolist(), strict=True)
    fewest = min(disjoint(candidates, first, last) for first, last in ends)
    assert fewest >= FEWEST or len(bins.cuts) == 2, "of fewer in all, there is one bin"


def test_a_record_in_many_pairs_makes_no_bin_of_its_own() -> None:
    others = drawn(300, 100)
    target = np.full(150, 999)
    candidates = ordered(
        np.concatenate((target, others.left)),
        np.concatenate((np.arange(2_000, 2_150), others.right)),
        np.concatenate((np.linspace(30, 40, 150), others.weight)),
        {},
    )
    assert weight_bins(candidates).cuts[1] > 150


@given(st.floats(-60, 60), st.floats(-60, 60))
def test_thresholds_are_at_edges_and_stay_there(one: float, other: float) -> None:
    bins = weight_bins(drawn(300, 100))
    snapped = bins.snapped(Bands(min(one, other), max(one, other)))
    assert {snapped.lower, snapped.upper} <= set(bins.edges.tolist())
    assert bins.snapped(snapped) == snapped


def test_far_outside_is_beyond_all_pairs() -> None:
    bins = weight_bins(drawn(300, 100))
    assert bins.snapped(Bands(-60, 60)) == Bands(-OUTSIDE, OUTSIDE)
    assert bins.snapped(Bands(-OUTSIDE - 1, OUTSIDE + 1)) == Bands(-OUTSIDE, OUTSIDE)


def test_shown_weights_tell_no_weight_of_a_pair() -> None:
    candidates = drawn(300, 100)
    bins = weight_bins(candidates)
    shown = bins.shown_weights()
    assert len(shown) == 300
    assert shown.mean() == pytest.approx(candidates.weight.mean())
    assert np.unique(shown, return_counts=True)[1].min() >= FEWEST


def of_size(candidates: Candidates, bins: WeightBins, pairs: int) -> int:
    bands = binned_bands_of_size(candidates, bins, bands_of_size(candidates, pairs), pairs)
    return int(settle_candidates(candidates, bands).sent.sum())


@pytest.mark.parametrize("pairs", [600, 1_000, 2_500])
def test_as_many_pairs_as_wished_are_sent_within_two_percent(pairs: int) -> None:
    candidates = drawn(5_000, 4_000)
    assert of_size(candidates, weight_bins(candidates), pairs) == pytest.approx(pairs, rel=0.02)


def test_the_most_uncertain_pairs_are_not_left_out_for_a_number_that_fits_better() -> None:
    """Ten pairs near even odds, and further bins that are all surer, on one side."""
    weights = np.repeat(np.arange(40.0, 0.0, -4.0), 10)
    weights = np.concatenate([weights, np.full(13, -0.5)])
    numbers = np.arange(len(weights))
    candidates = ordered(2 * numbers, 2 * numbers + 1, weights, {})
    bins = weight_bins(candidates)
    bands = binned_bands_of_size(candidates, bins, bands_of_size(candidates, 30), 30)
    assert bands.lower < -0.5
    assert abs(int(settle_candidates(candidates, bands).sent.sum()) - 30) < FEWEST
