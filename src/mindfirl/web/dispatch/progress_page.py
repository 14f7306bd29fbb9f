"""How a review goes, as the page of a project draws it: what is spent, open and decided.

Only counts come in, and everything drawn is an attribute of SVG or a class.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from mindfirl.core.forecast.stopping import Tally
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import LEVELS, MASKED, Level
from mindfirl.services.dispatch.assignments import AssignmentProgress
from mindfirl.services.plan.stopping import Stopping
from mindfirl.web.page.figures import along, count, percent

HEIGHT: Final = 120
TOP: Final = 12
"""What is above the highest bar."""
_TONES: Final = 5
_MOST_MARKS: Final = 4
_MOST_LABELS: Final = 7
_NEAR: Final = 0.99
_GAP: Final = 0.16
"""Between two bars, of their width."""
_WIDEST: Final = 25
"""A bar takes so many percent of the width at the most."""
_HOURS: Final = timedelta(days=2)
_DAYS: Final = timedelta(days=92)
"""Within so long, decisions are counted by the hour, and by the day; else by the week."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """How many cells stand at a level, their share, and how strong that is drawn."""

    level: Level
    cells: str
    share: str
    tone: int


@dataclass(frozen=True, slots=True)
class DrawnBar:
    """The decisions of an hour, a day or a week."""

    x: str
    width: str
    y: str
    height: str
    label: str
    """What stands under it, on the chart; every other one is left out where that is narrow."""
    minor: bool
    middle: str
    when: str
    decisions: str


@dataclass(frozen=True, slots=True)
class TimeChart:
    """Decisions over time: every period from the first to the last, and the scale beside."""

    bars: tuple[DrawnBar, ...]
    marks: tuple[tuple[str, str], ...]
    heading: str

    @property
    def rows(self) -> list[DrawnBar]:
        """The periods in which something was decided."""
        return [bar for bar in self.bars if bar.decisions != "0"]


def together(found: Sequence[AssignmentProgress]) -> dict[str, str]:
    """Describe what all assignments have decided and spent; K is that of all their pairs."""
    size = sum(each.pairs for each in found) or 1
    budget = sum(each.assignment.budget * each.pairs for each in found) / WHOLE / size
    spent = sum(k_of(each) * each.pairs for each in found) / size
    left = sum(each.pairs - each.passed_on for each in found)
    decided = sum(each.decided for each in found)
    return {
        "decided_width": along(decided / left if left else 0.0),
        "decided_words": _("%(decided)s of %(pairs)s decisions made")
        % {"decided": count(decided), "pairs": count(left)},
        "spent_width": along(spent / budget if budget else 0.0),
        "spent_words": _("K %(spent)s spent, of the K %(budget)s that the budgets allow")
        % {"spent": percent(spent), "budget": percent(budget)},
    }


def k_of(each: AssignmentProgress) -> float:
    """Return what an assignment has spent, as K of its pairs."""
    return each.spent * each.assignment.budget / WHOLE


def stopping_words(found: Stopping | None) -> list[str]:
    """Say what stopping now, and finishing, are expected to come to; nothing without a review."""
    if found is None:
        return []
    return [
        _("If you stopped now: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.now),
        _("If everything is reviewed: expected precision %(precision)s, recall %(recall)s.")
        % _quality(found.finished),
    ]


def _quality(tally: Tally) -> dict[str, str]:
    """Write how good links are."""
    return {"precision": _nearly(tally.precision), "recall": _nearly(tally.recall)}


def _nearly(share: float) -> str:
    """Write a share that may be near to all: then more exactly, and never as all."""
    decimals = 2 if share > _NEAR else 1
    shown = min(round(share * 100, decimals), 100 - 10**-decimals)
    return f"{number_format(shown, decimals)}%" if share < 1 else "100%"


def heat_map(levels: Mapping[str, Mapping[Level, int]]) -> dict[str, Any]:
    """Draw how many cells of each attribute stand at each level, and of all of them."""
    total = {level: sum(each[level] for each in levels.values()) for level in LEVELS}
    cells = sum(total.values())
    opened = cells - total[LEVELS[MASKED]]
    return {
        "rows": [(name, _row(each)) for name, each in levels.items()],
        "all": _row(total),
        "opened": opened,
        "opened_words": _("%(opened)s of %(cells)s cells stand above masked (%(share)s).")
        % {
            "opened": count(opened),
            "cells": count(cells),
            "share": percent(opened / cells if cells else 0.0),
        },
    }


def time_chart(by_hour: Mapping[datetime, int]) -> TimeChart | None:
    """Draw decisions over time; nothing where there are none."""
    if not by_hour:
        return None
    unit = _unit(max(by_hour) - min(by_hour))
    counts: dict[datetime, int] = {}
    for hour, decisions in by_hour.items():
        start = unit.start(hour)
        counts[start] = counts.get(start, 0) + decisions
    highest = max(counts.values())
    return TimeChart(
        tuple(_bars(unit, counts, highest)), tuple(_marks(highest)), str(unit.heading())
    )


def _row(levels: Mapping[Level, int]) -> list[HeatCell]:
    cells = sum(levels.values()) or 1
    return [
        HeatCell(level, count(number), percent(number / cells), _tone(number / cells))
        for level, number in levels.items()
    ]


def _tone(share: float) -> int:
    """Return one of five tones: even a few cells are seen, so they go by the root of the share."""
    return math.ceil(math.sqrt(share) * _TONES)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A period by which decisions are counted: an hour, a day, or a week."""

    step: timedelta
    written: str
    label: str

    def start(self, hour: datetime) -> datetime:
        """Return the beginning of the period in which an hour lies."""
        if self.step < timedelta(days=1):
            return hour
        day = hour.replace(hour=0)
        return day - timedelta(days=day.weekday()) if self.step > timedelta(days=1) else day

    def heading(self) -> str:
        """Return what the periods are called."""
        if self.step < timedelta(days=1):
            return _("Hour (UTC)")
        return _("Day (UTC)") if self.step == timedelta(days=1) else _("Week from")


def _unit(span: timedelta) -> _Unit:
    if span < _HOURS:
        return _Unit(timedelta(hours=1), "%Y-%m-%d %H:00", "%H:00")
    if span < _DAYS:
        return _Unit(timedelta(days=1), "%Y-%m-%d", "%m-%d")
    return _Unit(timedelta(weeks=1), "%Y-%m-%d", "%Y-%m")


def _bars(unit: _Unit, counts: Mapping[datetime, int], highest: int) -> Iterator[DrawnBar]:
    first, last = min(counts), max(counts)
    periods = round((last - first) / unit.step) + 1
    width = min(100 / periods, _WIDEST)
    every = math.ceil(periods / _MOST_LABELS)
    for number in range(periods):
        start = first + number * unit.step
        decisions = counts.get(start, 0)
        height = HEIGHT * decisions / highest
        yield DrawnBar(
            x=f"{(number + _GAP / 2) * width:.3f}",
            width=f"{width * (1 - _GAP):.3f}",
            y=f"{TOP + HEIGHT - height:.1f}",
            height=f"{height:.1f}",
            label=start.strftime(unit.label) if number % every == 0 else "",
            minor=bool(number // every % 2),
            middle=f"{(number + 0.5) * width:.3f}",
            when=start.strftime(unit.written),
            decisions=count(decisions),
        )


def _marks(highest: int) -> Iterator[tuple[str, str]]:
    """Mark round numbers of decisions, from nothing on."""
    size = 10 ** max(len(str(highest)) - 2, 0)
    steps = (size * each for each in (1, 2, 5, 10, 20, 50, 100))
    step = next(each for each in steps if highest / each <= _MOST_MARKS)
    for number in range(0, highest + 1, step):
        yield f"{TOP + HEIGHT * (1 - number / highest):.1f}", count(number)
