"""Figures are written no more exactly than they are known."""

from __future__ import annotations

import pytest
from django.utils.translation import override

from mindfirl.web.page import figures


@pytest.mark.parametrize(
    ("share", "written"),
    [
        (0, "0%"),
        (0.000001, "<0.001%"),
        (0.00005, "0.005%"),
        (0.00052, "0.052%"),
        (0.002, "0.2%"),
        (0.0184, "1.8%"),
        (0.0996, "10%"),
        (0.64, "64%"),
        (1, "100%"),
    ],
)
def test_percent(share: float, written: str) -> None:
    assert figures.percent(share) == written


@pytest.mark.parametrize(
    ("number", "written"),
    [(0, "0"), (-0.001, "0"), (-3.5, "−3.5"), (7.3456, "7.35"), (20, "20"), (-100, "−100")],
)
def test_weight(number: float, written: str) -> None:
    assert figures.weight(number) == written


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0.01, ("less than 1", 1)),
        (0.97, ("about 1", 1)),
        (4.26, ("about 4.3", 2)),
        (31.4, ("about 31", 2)),
        (12_345.6, ("about 12,346", 2)),
    ],
)
def test_about(number: float, written: tuple[str, int]) -> None:
    assert figures.about(number) == written


@pytest.mark.parametrize(
    ("pairs", "written"),
    [
        (0, "0 minutes"),
        (1, "1 minute"),
        (45, "45 minutes"),
        (60, "1 hour"),
        (412, "6.9 hours"),
        (43_302, "722 hours"),
    ],
)
def test_working_time(pairs: int, written: str) -> None:
    assert figures.working_time(pairs) == written


def test_figures_follow_the_language() -> None:
    with override("de"):
        assert figures.count(1_234_567) == "1.234.567"
        assert figures.percent(0.0184) == "1,8%"
