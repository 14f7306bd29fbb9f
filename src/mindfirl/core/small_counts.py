"""Counts of people that are told only where they are many enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ENOUGH: Final = 10
"""A count from 1 up to here is not told."""


def coarse_count(count: int) -> str:
    """Write a count; one from 1 to 9 reads as fewer than 10."""
    return f"fewer than {ENOUGH}" if 0 < count < ENOUGH else f"{count:,}"


def blurred_count(count: int, noise: int) -> int:
    """Round a count to the nearest ten after adding noise; so small a count can come out as 0.

    Noise of up to 9 either way keeps somebody who asks several times from learning of one pair
    more.
    """
    return max(count + noise + ENOUGH // 2, 0) // ENOUGH * ENOUGH


def coarse_percentage(part: int, whole: int) -> str:
    """Write a share of cells; of a few it is a count that is not told.

    Where few are left over, it is rounded down: else they could be worked out from it.
    """
    if 0 < part < ENOUGH:
        return coarse_count(part)
    few_left = 0 < whole - part < ENOUGH
    told = part // ENOUGH * ENOUGH if few_left else part
    percent = told * 100 // whole if whole else 0
    if part and not percent:
        return "less than 1%"
    return f"{'about ' if few_left else ''}{percent}%"


def coarse_counts(counts: Mapping[str, int]) -> dict[str, str]:
    """Write counts that make up a known total: where one is not told, others are rounded down.

    Else it could be worked out from them.
    """
    if not any(0 < each < ENOUGH for each in counts.values()):
        return {name: coarse_count(each) for name, each in counts.items()}
    return {
        name: f"about {each // ENOUGH * ENOUGH:,}" if each >= ENOUGH else coarse_count(each)
        for name, each in counts.items()
    }
