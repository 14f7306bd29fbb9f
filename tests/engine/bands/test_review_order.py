"""The pairs that go out are for people, each once; the seed alone decides about chance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError, UnknownName
from mindfirl.core.forecast.priority import Reviews
from mindfirl.core.review.plan import Priority
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.bands.closure import settle_candidates, settled_by_links
from mindfirl.engine.bands.review_order import pick, quality_sample, shuffled
from mindfirl.engine.pairs.candidates import Candidates
from tests.support.band_worlds import band_of, candidates, candidates_of, some_bands, weighing

PRIORITIES: tuple[Priority, ...] = ("worth", "uncertain", "stratified", "sample")
SEEDS = st.integers(0, 5)


@given(
    candidates(), some_bands(), st.none() | st.integers(0, 9), st.sampled_from(PRIORITIES), SEEDS
)
def test_what_is_picked(
    found: Candidates, bands: Bands, count: int | None, priority: Priority, seed: int
) -> None:
    done = settled_by_links(found, bands)
    open_pairs = {
        number
        for number, weight in enumerate(found.weight.tolist())
        if band_of(weight, bands) == "review" and not done[number]
    }
    picked = pick(
        found, settle_candidates(found, bands), count=count, priority=priority, seed=seed
    ).tolist()
    assert len(picked) == len(set(picked)) == min(len(open_pairs), 99 if count is None else count)
    assert set(picked) <= open_pairs
    again = pick(
        found, settle_candidates(found, bands), count=count, priority=priority, seed=seed
    ).tolist()
    assert picked == again
    everything = pick(
        found, settle_candidates(found, bands), count=None, priority=priority, seed=seed
    ).tolist()
    assert everything[: len(picked)] == picked


def test_those_come_first_whose_review_helps_most() -> None:
    found, bands = weighing(9, 5, 3, 1, -2, -4, -9), Bands(-5, 6)
    right = np.array([1, 0.99, 0.9, 0.7, 0.7, 0.99, 1])
    picked = pick(
        found,
        settle_candidates(found, bands),
        count=2,
        priority="worth",
        seed=1,
        reviews=Reviews(right),
    )
    assert found.weight[picked].tolist() == [-4, 1], "0.99 - 0.94, 0.70 - 0.67"
    cost = np.array([0, 1, 1, 100, 1, 100, 0])
    dear = Reviews(np.ones(7), cost, 10)
    picked = pick(
        found, settle_candidates(found, bands), count=2, priority="worth", seed=1, reviews=dear
    )
    assert found.weight[picked].tolist() == [-2, 3], "what the budget pays for"


def test_without_more_knowledge_the_most_uncertain_help_most_and_equals_are_drawn() -> None:
    found = weighing(3, 2, 1, *[-1] * 50, -2, -3)
    picked = [
        pick(
            found, settle_candidates(found, Bands(-5, 6)), count=20, priority="worth", seed=seed
        ).tolist()
        for seed in range(9)
    ]
    assert all(set(np.abs(found.weight[each])) == {1} for each in picked)
    assert len({frozenset(each) for each in picked}) == 9


def test_only_flagged_pairs_are_picked() -> None:
    found, flags = weighing(3, 2, 1), np.array([True, False, True])
    picked = pick(
        found,
        settle_candidates(found, Bands(0, 6)),
        count=None,
        priority="uncertain",
        seed=1,
        among=flags,
    )
    assert picked.tolist() == [2, 0]


def test_the_most_uncertain_come_first() -> None:
    found = weighing(9, 5, 3, 1, -2, -4, -9)
    picked = pick(
        found, settle_candidates(found, Bands(-5, 6)), count=3, priority="uncertain", seed=1
    )
    assert found.weight[picked].tolist() == [1, -2, 3]


def test_strata_of_weight_take_turns() -> None:
    found = weighing(*np.linspace(0, 1, 50), *np.linspace(9.1, 10, 950))
    picked = pick(
        found, settle_candidates(found, Bands(0, 11)), count=20, priority="stratified", seed=1
    )
    assert np.count_nonzero(found.weight[picked] <= 1) == 10
    other = pick(
        found, settle_candidates(found, Bands(0, 11)), count=20, priority="stratified", seed=2
    )
    assert picked.tolist() != other.tolist()


def test_a_sample_is_taken_from_everywhere() -> None:
    found = weighing(*range(1000))
    picked = pick(
        found, settle_candidates(found, Bands(0, 1000)), count=500, priority="sample", seed=1
    )
    assert 450 < np.mean(found.weight[picked]) < 550


def test_settled_pairs_are_not_sent() -> None:
    found = candidates_of({(0, 1): 20.0, (1, 2): 20.0, (0, 2): 1.0, (2, 3): 2.0})
    assert pick(
        found, settle_candidates(found, Bands(0, 10)), count=None, priority="uncertain", seed=1
    ).tolist() == [2]


def test_the_order_of_an_assignment_tells_nothing_about_what_was_picked_first() -> None:
    numbers = np.arange(100)
    assert shuffled(numbers, 1).tolist() == shuffled(numbers[::-1], 1).tolist()
    assert shuffled(numbers, 1).tolist() != shuffled(numbers, 2).tolist()
    assert sorted(shuffled(numbers, 1).tolist()) == numbers.tolist()


@given(candidates(), some_bands(), st.integers(0, 5), st.integers(0, 5), SEEDS)
def test_a_quality_sample_is_of_the_automatic_bands(
    found: Candidates, bands: Bands, links: int, non_links: int, seed: int
) -> None:
    drawn = quality_sample(
        settle_candidates(found, bands), links=links, non_links=non_links, seed=seed
    )
    for numbers, band, count in (
        (drawn.links, "link", links),
        (drawn.non_links, "non-link", non_links),
    ):
        there = [band_of(weight, bands) for weight in found.weight.tolist()].count(band)
        assert len(set(numbers.tolist())) == len(numbers) == min(count, there)
        assert all(band_of(weight, bands) == band for weight in found.weight[numbers].tolist())


def test_impossible_wishes() -> None:
    found, bands = weighing(1), Bands(0, 2)
    with pytest.raises(SettingError, match="0 or more"):
        pick(found, settle_candidates(found, bands), count=-1, priority="sample", seed=1)
    with pytest.raises(
        UnknownName, match=r"Unknown priority\. Use worth, uncertain, stratified or sample"
    ):
        pick(found, settle_candidates(found, bands), count=1, priority="best", seed=1)  # type: ignore[arg-type]  # is tried
    with pytest.raises(SettingError, match="0 or more"):
        quality_sample(settle_candidates(found, bands), links=1, non_links=-1, seed=1)
