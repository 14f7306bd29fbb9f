"""Percentages as people write them, without losing a digit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.risk.percent import (
    WHOLE,
    read_percent,
    round_up_share,
    sufficient_share,
    write_percent,
)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("100", WHOLE),
        ("2.5", 25_000_000),
        (" 2,5 % ", 25_000_000),
        ("0.0000001%", 1),
        ("0", 0),
        ("999", 9_990_000_000),
    ],
)
def test_percentages_are_read_exactly(text: str, share: int) -> None:
    assert read_percent(text) == share


@pytest.mark.parametrize(
    "text",
    ["", " ", "%", "x", "-1", "+1", "1e2", "1.", ".5", "1.23456789", "1000", "1 2", "٣", "²"],
)
def test_what_is_no_percentage_is_not_read(text: str) -> None:
    assert read_percent(text) is None


@given(st.integers(0, 999 * WHOLE // 100))
def test_what_is_written_reads_back(share: int) -> None:
    assert read_percent(write_percent(share)) == share


def test_percentages_are_written_with_few_decimals() -> None:
    assert [write_percent(share) for share in (WHOLE, 25_000_000, 1, 0)] == [
        "100",
        "2.5",
        "0.0000001",
        "0",
    ]


@pytest.mark.parametrize(
    ("share", "budget"),
    [(0.0, 1), (1e-12, 1), (0.02, 20_000_000), (0.02001, 21_000_000), (0.999, WHOLE), (2, WHOLE)],
)
def test_shares_are_rounded_up_to_two_digits(share: float, budget: int) -> None:
    assert round_up_share(share) == budget


@pytest.mark.parametrize(
    ("needed", "sufficient"),
    [(0, 1), (1, 1), (3, 5), (12, 20), (200, 200), (201, 500), (501, 1_000), (600_000_000, WHOLE)],
)
def test_a_sufficient_share_is_1_2_or_5_of_a_power_of_ten(needed: int, sufficient: int) -> None:
    assert sufficient_share(needed) == sufficient
