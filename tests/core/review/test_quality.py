"""Precision and missed links from samples: published intervals, and the laws of ranges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.review.quality import (
    Z95,
    Z95_OF_TWO,
    Estimate,
    Figure,
    NotDefined,
    Range,
    Reviewed,
    Sample,
    estimate_quality,
    wilson,
)
from tests.golden import read_golden

EMPTY = Sample(0, 0, 0, 0, 0)
NONE = Reviewed(0, 0)
NO_ANSWERS, NO_PAIRS = NotDefined("no answers"), NotDefined("no pairs")

counts = st.integers(0, 400)


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    answers = [draw(counts) for _ in range(3)]
    sampled = sum(answers) + draw(counts)
    return Sample(sampled + draw(st.integers(0, 10**7)), sampled, *answers)


reviews = st.builds(Reviewed, counts, counts)


def figures(figure: Range) -> list[Figure]:
    return [figure.as_link, figure.as_nonlink, figure.left_out]


def defined(figure: Figure) -> Estimate:
    assert isinstance(figure, Estimate)
    return figure


@pytest.mark.parametrize("golden", read_golden("wilson")["intervals"])
def test_intervals_are_the_published_ones(golden: dict[str, Any]) -> None:
    interval = wilson(golden["successes"], golden["trials"])
    assert (round(interval.low, 4), round(interval.high, 4)) == (golden["low"], golden["high"])
    assert interval.estimate == golden["successes"] / golden["trials"]


@given(st.integers(1, 10**9), st.data())
def test_an_interval_contains_its_share_and_lies_between_0_and_1(trials: int, data: Any) -> None:
    successes = data.draw(st.integers(0, trials))
    interval = wilson(successes, trials)
    assert 0 <= interval.low <= interval.estimate <= interval.high <= 1
    assert (interval.low == 0) == (successes == 0)
    assert (interval.high == 1) == (successes == trials)


@given(st.integers(1, 10**5), st.integers(2, 100), st.data())
def test_an_interval_narrows_with_the_sample(trials: int, more: int, data: Any) -> None:
    successes = data.draw(st.integers(0, trials))
    small, large = wilson(successes, trials), wilson(successes * more, trials * more)
    assert large.high - large.low < small.high - small.low


@given(st.integers(1, 10**5), st.data())
def test_an_interval_is_turned_round_with_its_question(trials: int, data: Any) -> None:
    successes = data.draw(st.integers(0, trials))
    one, other = wilson(successes, trials), wilson(trials - successes, trials)
    assert one.low == pytest.approx(1 - other.high, abs=1e-9)
    assert one.high == pytest.approx(1 - other.low, abs=1e-9)


@given(st.integers(1, 10**5), st.data())
def test_two_that_are_to_hold_at_once_are_each_wider(trials: int, data: Any) -> None:
    successes = data.draw(st.integers(0, trials))
    one, of_two = (wilson(successes, trials, z) for z in (Z95, Z95_OF_TWO))
    assert of_two.low <= one.low
    assert one.high <= of_two.high
    assert of_two.high - of_two.low > one.high - one.low


def test_a_worked_example() -> None:
    links = Sample(band=10_000, sampled=100, links=95, nonlinks=3, cannot_tell=2)
    nonlinks = Sample(band=50_000, sampled=120, links=1, nonlinks=98, cannot_tell=1)
    done = estimate_quality(links, nonlinks, Reviewed(links=500, cannot_tell=100))
    precision = done.automatic_precision
    assert defined(precision.as_link).estimate == 0.97
    assert defined(precision.as_nonlink).estimate == 0.95
    assert defined(precision.left_out).estimate == pytest.approx(95 / 98)
    assert precision.low == pytest.approx(wilson(95, 100).low)
    assert precision.high == pytest.approx(wilson(97, 100).high)
    assert defined(done.missed.as_link).estimate == 1000
    assert defined(done.missed.as_nonlink).estimate == 500
    assert defined(done.missed.left_out).estimate == pytest.approx(50_000 / 99)
    assert defined(done.missed.as_link).high == pytest.approx(50_000 * wilson(2, 100).high)
    assert defined(done.precision.as_nonlink).estimate == (9_500 + 500) / 10_500
    assert defined(done.precision.as_nonlink).low == pytest.approx(
        (10_000 * wilson(95, 100).low + 500) / 10_500
    )
    assert defined(done.recall.as_link).estimate == (9_700 + 500) / (10_200 + 1_000 + 100)
    assert defined(done.recall.as_nonlink).estimate == 10_000 / (10_000 + 500)
    right, missed = (10_000 * wilson(97, 100, Z95_OF_TWO).low + 500, wilson(2, 100, Z95_OF_TWO))
    assert defined(done.recall.as_link).low == pytest.approx(
        right / (right + 50_000 * missed.high + 100)
    )


@given(samples(), samples(), reviews)
def test_every_interval_contains_its_estimate(
    links: Sample, nonlinks: Sample, reviewed: Reviewed
) -> None:
    done = estimate_quality(links, nonlinks, reviewed)
    for figure in (done.automatic_precision, done.missed, done.precision, done.recall):
        for each in figures(figure):
            if not isinstance(each, Estimate):
                continue
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low <= each.low <= each.estimate <= each.high <= figure.high
            assert each.low >= 0
            assert each.high <= (nonlinks.band if figure is done.missed else 1)


@given(samples(), samples(), reviews)
def test_the_more_are_read_as_links_the_more_links_there_are(
    links: Sample, nonlinks: Sample, reviewed: Reviewed
) -> None:
    done = estimate_quality(links, nonlinks, reviewed)
    for figure in (done.automatic_precision, done.missed, done.precision):
        most, least, between = figures(figure)
        if not (isinstance(most, Estimate) and isinstance(least, Estimate)):
            continue
        assert least.low <= most.low
        assert least.estimate <= most.estimate
        assert least.high <= most.high
        if not isinstance(between, Estimate):
            continue
        assert least.estimate <= between.estimate * (1 + 1e-12)
        assert between.estimate <= most.estimate * (1 + 1e-12)


@given(samples(), samples(), st.integers(0, 400))
def test_where_everybody_can_tell_all_readings_are_one(
    links: Sample, nonlinks: Sample, linked: int
) -> None:
    links, nonlinks = (replace(each, cannot_tell=0) for each in (links, nonlinks))
    done = estimate_quality(links, nonlinks, Reviewed(linked, 0))
    for figure in (done.automatic_precision, done.missed, done.precision, done.recall):
        assert figure.as_link == figure.as_nonlink == figure.left_out


@given(st.integers(0, 300), st.integers(1, 300))
def test_where_the_whole_band_was_seen_nothing_is_estimated(links: int, nonlinks: int) -> None:
    band = links + nonlinks
    seen = Sample(band, band, links, nonlinks, 0)
    done = estimate_quality(seen, seen, NONE)
    share = links / band
    assert done.missed.left_out == Estimate(links, links, links)
    assert done.automatic_precision.left_out == Estimate(share, share, share)


@given(samples(), reviews)
def test_the_links_that_were_seen_are_there_and_the_non_links_are_not(
    sample: Sample, reviewed: Reviewed
) -> None:
    missed = estimate_quality(EMPTY, sample, reviewed).missed.left_out
    assert not isinstance(missed, Estimate) or sample.links <= missed.low
    assert not isinstance(missed, Estimate) or missed.high <= sample.band - sample.nonlinks


def test_without_automatic_pairs_peoples_links_are_all_there_is() -> None:
    done = estimate_quality(EMPTY, EMPTY, Reviewed(links=30, cannot_tell=10))
    assert figures(done.automatic_precision) == [NO_PAIRS] * 3
    assert figures(done.missed) == [Estimate(0, 0, 0)] * 3
    assert figures(done.precision) == [Estimate(1, 1, 1)] * 3
    assert done.recall == Range(Estimate(0.75, 0.75, 0.75), Estimate(1, 1, 1), Estimate(1, 1, 1))


def test_without_a_sample_it_is_said_that_nobody_answered() -> None:
    unseen = Sample(1000, 20, 0, 0, 0)
    done = estimate_quality(unseen, unseen, Reviewed(links=5, cannot_tell=0))
    for figure in (done.automatic_precision, done.missed, done.precision, done.recall):
        assert figures(figure) == [NO_ANSWERS] * 3
        assert (figure.low, figure.high) == (None, None)


def test_a_recall_needs_both_samples() -> None:
    seen, unseen = Sample(1000, 20, 10, 10, 0), Sample(1000, 20, 0, 0, 0)
    assert figures(estimate_quality(seen, unseen, NONE).recall) == [NO_ANSWERS] * 3
    assert figures(estimate_quality(unseen, seen, NONE).recall) == [NO_ANSWERS] * 3
    assert isinstance(estimate_quality(seen, seen, NONE).recall.left_out, Estimate)


def test_where_nobody_can_tell_leaving_out_leaves_nothing() -> None:
    unsure = Sample(1000, 20, 0, 0, 20)
    done = estimate_quality(unsure, EMPTY, NONE)
    assert defined(done.automatic_precision.as_link).low == pytest.approx(wilson(20, 20).low)
    assert done.automatic_precision.left_out == NO_ANSWERS
    assert (done.automatic_precision.low, done.automatic_precision.high) == (0, 1)


def test_without_any_link_a_recall_is_not_defined() -> None:
    seen = Sample(1000, 20, 0, 20, 0)
    assert figures(estimate_quality(EMPTY, seen, NONE).recall) == [NotDefined("no links")] * 3
    assert figures(estimate_quality(EMPTY, EMPTY, NONE).precision) == [NO_PAIRS] * 3


def test_where_nothing_can_be_missed_all_links_are_found_however_few() -> None:
    links = Sample(1000, 20, 1, 19, 0)
    assert figures(estimate_quality(links, EMPTY, NONE).recall) == [Estimate(1, 1, 1)] * 3


@pytest.mark.parametrize(
    "numbers", [(10, 11, 0, 0, 0), (10, 5, 3, 3, 0), (10, 5, -1, 0, 0), (10, 5, 0, 0, 6)]
)
def test_counts_that_do_not_fit_are_refused(numbers: tuple[int, int, int, int, int]) -> None:
    with pytest.raises(SettingError, match="A band of 10 pairs cannot have"):
        Sample(*numbers)
