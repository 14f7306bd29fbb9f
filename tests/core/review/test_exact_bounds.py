"""Bounds of a share, against published intervals and exact sums of fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import SettingError
from mindfirl.core.review.exact_bounds import at_most, beta_bound, highest_share, share_bounds


def naive_at_most(found: int, looked_at: int, share: Fraction) -> Fraction:
    return sum(
        (
            comb(looked_at, number) * share**number * (1 - share) ** (looked_at - number)
            for number in range(found + 1)
        ),
        Fraction(0),
    )


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    looked_at = draw(st.integers(1, 60))
    return draw(st.integers(0, looked_at)), looked_at


@given(counts(), st.integers(0, 100))
def test_tails_are_exact(case: tuple[int, int], percent: int) -> None:
    share = Fraction(percent, 100)
    assert at_most(*case, float(share)) == pytest.approx(float(naive_at_most(*case, share)))


@pytest.mark.parametrize(
    ("found", "looked_at", "low", "high"),
    [
        (0, 10, 0.0, 0.3085),
        (10, 10, 0.6915, 1.0),
        (5, 10, 0.1871, 0.8129),
        (1, 100, 0.0003, 0.0545),
    ],
)
def test_intervals_are_those_of_clopper_and_pearson(
    found: int, looked_at: int, low: float, high: float
) -> None:
    bounds = share_bounds(found, looked_at)
    assert (round(bounds[0], 4), round(bounds[1], 4)) == (low, high)


def test_of_100_without_one_at_most_3_in_100_are() -> None:
    assert round(highest_share(0, 100), 4) == 0.0295
    assert highest_share(0, 0) == 1.0


@given(counts())
def test_both_ends_leave_a_chance_of_a_fortieth(case: tuple[int, int]) -> None:
    found, looked_at = case
    low, high = share_bounds(found, looked_at)
    assert 0 <= low <= found / looked_at <= high <= 1
    assert at_most(found, looked_at, high) == pytest.approx(0.025 if found < looked_at else 1)
    above = 1 - at_most(found - 1, looked_at, low) if found else 1.0
    assert above == pytest.approx(0.025 if found else 1, abs=1e-6)


@given(st.integers(1, 2_000), st.data())
def test_more_looks_without_a_find_say_more(looked_at: int, data: st.DataObject) -> None:
    more = looked_at + data.draw(st.integers(1, 2_000))
    assert highest_share(0, more) < highest_share(0, looked_at)


@pytest.mark.parametrize(("found", "looked_at"), [(-1, 3), (4, 3)])
def test_more_than_were_looked_at_cannot_be_found(found: int, looked_at: int) -> None:
    with pytest.raises(SettingError, match="cannot be found"):
        share_bounds(found, looked_at)


def naive_beta(right: int, wrong: int, below: Fraction) -> Fraction:
    """Integrate the density of whole parameters, which is a polynomial."""
    whole = Fraction(0)
    for power in range(wrong):
        term = Fraction((-1) ** power * comb(wrong - 1, power), right + power)
        whole += term * below ** (right + power)
    return whole * right * comb(right + wrong - 1, right)


@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 99))
def test_a_share_is_below_its_bound_with_the_chance_given(
    right: int, wrong: int, percent: int
) -> None:
    bound = beta_bound(right, wrong, percent / 100)
    assert float(naive_beta(right, wrong, Fraction(bound))) == pytest.approx(percent / 100)
