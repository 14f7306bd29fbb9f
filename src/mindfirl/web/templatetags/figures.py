"""Figures in templates: shares in percent, widths of meters, expected numbers."""

from __future__ import annotations

from django import template

from mindfirl.web.page import figures

register = template.Library()


@register.filter
def percent(share: float | str | None) -> str:
    """Write a share; nothing counts as 0%."""
    return figures.percent(float(share or 0.0))


@register.filter
def expected(number: float | str | None) -> str:
    """Write an expected number; nothing counts as 0."""
    return figures.expected(float(number or 0.0))


register.filter("accuracy", figures.accuracy)
register.filter("meter_width", figures.along)


@register.filter
def share_of(some: float, whole: float) -> float:
    return some / whole if whole else 0.0
