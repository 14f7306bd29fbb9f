"""Numbers as people read them: percentages, hours, and how far along a meter something is."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

PAIRS_AN_HOUR: Final = 60
_MIDDLE: Final = 50.0
_END: Final = 100.0


def percent(share: float) -> str:
    """Write a share as a percentage with two digits that matter, and as much as 100%."""
    hundredths = 100 * share
    if hundredths <= 0:
        return "0%"
    if hundredths >= 10:  # noqa: PLR2004  # two digits already
        return f"{hundredths:.0f}%"
    return f"{float(f'{hundredths:.2g}'):.9f}".rstrip("0").rstrip(".") + "%"


def count(number: int) -> str:
    """Write a whole number with its thousands apart."""
    return f"{number:,}"


def pairs(number: int) -> str:
    """Say how many pairs."""
    return ngettext("%(shown)s pair", "%(shown)s pairs", number) % {"shown": count(number)}


def hours(number: int) -> str:
    """Say how long so many pairs take, at 60 an hour."""
    if number < PAIRS_AN_HOUR:
        minutes = ngettext("%(shown)s minute", "%(shown)s minutes", number)
        return minutes % {"shown": number}
    return _("%(shown)s hours") % {"shown": f"{number / PAIRS_AN_HOUR:,.1f}"}


def along(share: float) -> str:
    """Return how wide a meter is filled, of 100."""
    return f"{min(max(share, 0.0), 1.0) * _END:.2f}"


def between(budget: float, partial: float, full: float) -> str:
    """Return how far a budget comes on a meter with all partial in the middle, all full at the end.

    Everything at partial costs so little beside everything at full that one scale would hide it.
    """
    if budget < partial:
        return f"{_MIDDLE * budget / partial:.2f}"
    beyond = (budget - partial) / (full - partial) if full > partial else 1.0
    return f"{_MIDDLE + min(beyond, 1.0) * _MIDDLE:.2f}"
