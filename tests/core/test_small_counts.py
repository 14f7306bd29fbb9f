"""Counts that are too small are not told, and cannot be worked out from the others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.small_counts import (
    ENOUGH,
    blurred_count,
    coarse_count,
    coarse_counts,
    coarse_percentage,
)


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0"), (1, "fewer than 10"), (9, "fewer than 10"), (10, "10"), (4_083, "4,083")],
)
def test_a_count_from_one_to_nine_is_not_told(count: int, words: str) -> None:
    assert coarse_count(count) == words


def test_counts_are_told_where_none_is_small() -> None:
    told = coarse_counts({"unchanged": 4_083, "changed": 50, "gone": 0})
    assert told == {"unchanged": "4,083", "changed": "50", "gone": "0"}


@given(st.lists(st.integers(0, 40), min_size=2, max_size=4))
def test_a_small_count_does_not_follow_from_the_total(counts: list[int]) -> None:
    told = coarse_counts({str(place): each for place, each in enumerate(counts)})
    small = [place for place, each in enumerate(counts) if 0 < each < ENOUGH]
    others = [place for place, each in enumerate(counts) if each >= ENOUGH]
    assert all(told[str(place)] == "fewer than 10" for place in small)
    assert all(
        told[str(place)].startswith("about") == bool(small) and told[str(place)] != "fewer than 10"
        for place in others
    )


@given(st.integers(0, 5_000), st.integers(-9, 9))
def test_a_blurred_count_is_a_ten_near_the_count(count: int, noise: int) -> None:
    found = blurred_count(count, noise)
    assert found % ENOUGH == 0
    assert found >= 0
    assert abs(found - count) <= abs(noise) + ENOUGH // 2


def test_one_more_makes_no_difference_that_noise_does_not_make() -> None:
    noise = [one - other for one in range(ENOUGH) for other in range(ENOUGH)]
    for count in (0, 14, 99, 1_000):
        fewer, more = (
            {blurred_count(number, each) for each in noise} for number in (count, count + 1)
        )
        assert fewer & more
        assert len(fewer | more) <= 4


@pytest.mark.parametrize(
    ("part", "whole", "words"),
    [
        (0, 0, "0%"),
        (0, 500, "0%"),
        (1, 2, "fewer than 10"),
        (9, 5_000, "fewer than 10"),
        (10, 5_000, "less than 1%"),
        (1_000, 5_000, "20%"),
        (5_000, 5_000, "100%"),
        (97, 100, "about 90%"),
    ],
)
def test_a_share_of_few_is_not_told(part: int, whole: int, words: str) -> None:
    assert coarse_percentage(part, whole) == words


@given(st.integers(11, 300), st.integers(1, 9), st.integers(1, 9))
def test_few_left_over_do_not_follow_from_a_share(whole: int, some: int, others: int) -> None:
    """Where between 1 and 9 are left over, most of these numbers give the same share."""
    tens = (whole - 1) // ENOUGH * ENOUGH
    told = {
        coarse_percentage(whole - left, whole)
        for left in (some, others)
        if whole - left >= max(tens, ENOUGH)
    }
    assert len(told) <= 1
