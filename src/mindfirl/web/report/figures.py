"""Figures as reports write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.formats import number_format

from mindfirl.web.page.figures import count, percent

Content = Mapping[str, Any]
"""A report as it is kept, or a part of it."""

_LARGE: Final = 100
"""From here on decimals tell nothing."""


def part(some: int, whole: int) -> str:
    return percent(some / whole) if whole else "–"


def expected_number(number: float) -> str:
    """Write an expected number with one decimal; where it is large, or whole, with none."""
    rounded = round(float(number), 1)
    if rounded >= _LARGE or rounded.is_integer():
        return count(round(number))
    return str(number_format(rounded, 1))
