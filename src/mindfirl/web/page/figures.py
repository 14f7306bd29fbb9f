"""Figures as a page writes them."""

from __future__ import annotations

import math
from datetime import date
from fractions import Fraction
from typing import Final

from django import template
from django.utils.formats import date_format, number_format
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

register = template.Library()

PAIRS_AN_HOUR: Final = 60
_ALMOST_NOTHING: Final = 0.00001
_ABOUT_ONE: Final = 0.95
_WHOLE_FROM: Final = 10
_MIDDLE: Final = 50.0
_END: Final = 100.0
_LARGE: Final = 100
"""From here on decimals tell nothing."""


def count(number: int) -> str:
    return str(number_format(number, force_grouping=True))


def short_date(when: date) -> str:
    return date_format(when, "SHORT_DATE_FORMAT")


@register.filter
def within_sentence(noun: object) -> str:
    """Write a noun without its capital, but in German, where nouns keep it."""
    return str(noun) if get_language() == "de" else str(noun).lower()


def pairs(number: int) -> str:
    return ngettext("%(shown)s pair", "%(shown)s pairs", number) % {"shown": count(number)}


def percent(share: float) -> str:
    """Write a share as a percentage with about two figures that count."""
    if 0 < share < _ALMOST_NOTHING:
        return f"<{number_format(0.001)}%"
    hundredths = share * 100
    decimals = max(0, min(1 - math.floor(math.log10(hundredths)), 3)) if share else 0
    text = f"{hundredths:.{decimals}f}"
    return f"{number_format(text.rstrip('0').rstrip('.') if decimals else text)}%"


def weight(number: float) -> str:
    text = f"{abs(number):.2f}".rstrip("0").rstrip(".")
    return f"−{text}" if number < 0 and text != "0" else text


@register.filter
def accuracy(share: float) -> str:
    return f"{number_format(round(share * 100, 1), 1)}%"


def about(number: float) -> tuple[str, int]:
    """Write how many are expected, no more exactly than can be known; as singular or plural."""
    if number < _ABOUT_ONE:
        return _("less than 1"), 1
    whole = number >= _WHOLE_FROM or float(f"{number:.1f}").is_integer()
    shown = count(round(number)) if whole else str(number_format(round(number, 1), 1))
    return _("about %(number)s") % {"number": shown}, 1 if shown == "1" else 2


def working_time(pairs: int) -> str:
    minutes = round(pairs * 60 / PAIRS_AN_HOUR)
    if minutes < 60:  # noqa: PLR2004  # an hour
        return ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes}
    hours = minutes / 60
    whole = hours >= _WHOLE_FROM or float(f"{hours:.1f}").is_integer()
    shown = count(round(hours)) if whole else str(number_format(round(hours, 1), 1))
    return ngettext("%(n)s hour", "%(n)s hours", 1 if shown == "1" else 2) % {"n": shown}


@register.filter("meter_width")
def along(share: float | Fraction) -> str:
    return f"{min(max(share, 0.0), 1.0) * _END:.2f}"


def between(budget: float, partial: float, full: float) -> str:
    """Return how far a budget comes on a meter with all partial in the middle, all full at the end.

    Everything at partial costs so little beside everything at full that one scale would hide it.
    """
    if budget < partial:
        return f"{_MIDDLE * budget / partial:.2f}"
    beyond = (budget - partial) / (full - partial) if full > partial else 1.0
    return f"{_MIDDLE + min(beyond, 1.0) * _MIDDLE:.2f}"


def whole_percent(number: float) -> str:
    """Write a share in whole percent; almost all of it is not all, almost nothing not nothing."""
    shown = f"{number:.0%}"
    if 0 < number < 1:
        return {"0%": "<1%", "100%": ">99%"}.get(shown, shown)
    return shown


def coefficient(number: float) -> str:
    """Write a coefficient of agreement with two decimals; almost 1 is not 1."""
    shown = f"{abs(number):.2f}"
    if shown == "1.00" and 0 < number < 1:
        return f">{number_format('0.99')}"
    return f"{'−' if number < 0 and float(shown) else ''}{number_format(shown)}"


def expected(number: float) -> str:
    """Write an expected number with one decimal; where it is large, or whole, with none."""
    rounded = round(float(number), 1)
    if rounded >= _LARGE or rounded.is_integer():
        return count(round(number))
    return str(number_format(rounded, 1))


@register.filter
def script_share(share: Fraction) -> str:
    """Write a share for the script that draws it ahead on a meter."""
    return f"{float(min(share, Fraction(2))):.9f}"


@register.filter
def share_of(some: float, whole: float) -> float:
    return some / whole if whole else 0.0


@register.filter("percent")
def percent_or_none(share: float | str | None) -> str:
    """Write a share; nothing counts as 0%."""
    return percent(float(share or 0.0))


@register.filter("expected")
def expected_or_none(number: float | str | None) -> str:
    """Write an expected number; nothing counts as 0."""
    return expected(float(number or 0.0))
