"""Which pairs a dispatch gives out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mindfirl.core.plans import ReviewPlan
from mindfirl.engine.bands import Bands
from mindfirl.engine.candidates import ordered
from mindfirl.engine.outgoing import Outgoing, outgoing

LEFT = np.arange(100)
CANDIDATES = ordered(LEFT, LEFT + 1_000, np.linspace(-10, 10, 100), {})
BANDS = Bands(-5, 5)
FOR_PEOPLE = {number for number in range(100) if -5 <= CANDIDATES.weight[number] < 5}


def chosen(plan: ReviewPlan, given: set[int] | None = None, seed: int = 1) -> Outgoing:
    pairs = {
        (int(CANDIDATES.left[number]), int(CANDIDATES.right[number])) for number in given or ()
    }
    return outgoing(CANDIDATES, BANDS, plan, given=pairs, seed=seed)


def test_all_pairs_for_people_go_out() -> None:
    found = chosen(ReviewPlan())
    assert set(found.review.tolist()) == FOR_PEOPLE
    assert (len(found), found.quality) == (len(FOR_PEOPLE), 0)


def test_the_most_uncertain_go_first_where_not_all_can() -> None:
    found = chosen(ReviewPlan(most_pairs=10))
    weights = np.sort(np.abs(CANDIDATES.weight))
    assert np.sort(np.abs(CANDIDATES.weight[found.review])) == pytest.approx(weights[:10])


def test_what_was_given_out_is_not_given_again() -> None:
    first = chosen(ReviewPlan(most_pairs=10, quality_sample=4))
    given = {number for numbers in first.origins.values() for number in numbers.tolist()}
    second = chosen(ReviewPlan(most_pairs=10, quality_sample=4), given, seed=2)
    again = {number for numbers in second.origins.values() for number in numbers.tolist()}
    assert not given & again
    assert len(second) == len(first) == 18
    assert len(chosen(ReviewPlan(), FOR_PEOPLE)) == 0


def test_no_sample_goes_out_where_there_is_nothing_to_hide_it_among() -> None:
    plan = ReviewPlan(quality_sample=4)
    assert len(chosen(plan, FOR_PEOPLE)) == 0
    assert chosen(plan, FOR_PEOPLE - {max(FOR_PEOPLE)}).quality == 8
    only = outgoing(CANDIDATES, Bands(0, 0), plan, given=set(), seed=1)
    assert (len(only.review), only.quality) == (0, 8)


def test_samples_come_from_the_automatic_bands() -> None:
    found = chosen(ReviewPlan(quality_sample=7))
    assert (CANDIDATES.weight[found.links] >= 5).all()
    assert (CANDIDATES.weight[found.non_links] < -5).all()
    assert (len(found.links), len(found.non_links), found.quality) == (7, 7, 14)
    assert list(found.origins) == ["review", "link", "non-link"]
    everything = chosen(replace(ReviewPlan(), quality_sample=1_000))
    assert len(everything) == len(CANDIDATES)


def test_another_seed_is_another_sample() -> None:
    one, other = (chosen(ReviewPlan(quality_sample=7), seed=seed) for seed in (1, 2))
    assert set(one.links.tolist()) != set(other.links.tolist())
