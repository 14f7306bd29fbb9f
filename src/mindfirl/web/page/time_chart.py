"""Counts over time as a chart: every period from the first to the last is a bar."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.translation import gettext as _

from mindfirl.web.page.figures import count

HEIGHT: Final = 120
TOP: Final = 12
"""What is above the highest bar."""
_MOST_MARKS: Final = 4
_MOST_LABELS: Final = 7
_GAP: Final = 0.16
"""Between two bars, of their width."""
_WIDEST: Final = 25
"""A bar takes this many percent of the width at the most."""
_HOURS: Final = timedelta(days=2)
_DAYS: Final = timedelta(days=92)
"""Within so long, things are counted by the hour, and by the day; else by the week."""


@dataclass(frozen=True, slots=True)
class DrawnBar:
    x: str
    width: str
    y: str
    height: str
    label: str
    """What stands under it, on the chart; every other one is left out where that is narrow."""
    minor: bool
    middle: str
    when: str
    number: str


@dataclass(frozen=True, slots=True)
class TimeChart:
    bars: tuple[DrawnBar, ...]
    marks: tuple[tuple[str, str], ...]
    heading: str

    @property
    def rows(self) -> list[DrawnBar]:
        return [bar for bar in self.bars if bar.number != "0"]


def time_chart(by_hour: Mapping[datetime, int]) -> TimeChart | None:
    if not by_hour:
        return None
    unit = _unit(max(by_hour) - min(by_hour))
    counts: dict[datetime, int] = {}
    for hour, number in by_hour.items():
        start = unit.start(hour)
        counts[start] = counts.get(start, 0) + number
    highest = max(counts.values())
    return TimeChart(tuple(_bars(unit, counts, highest)), tuple(_marks(highest)), unit.heading)


@dataclass(frozen=True, slots=True)
class _Unit:
    step: timedelta
    written: str
    label: str
    heading: str

    def start(self, hour: datetime) -> datetime:
        if self.step < timedelta(days=1):
            return hour
        day = hour.replace(hour=0)
        return day - timedelta(days=day.weekday()) if self.step > timedelta(days=1) else day


def _unit(span: timedelta) -> _Unit:
    if span < _HOURS:
        return _Unit(timedelta(hours=1), "%Y-%m-%d %H:00", "%H:00", _("Hour (UTC)"))
    if span < _DAYS:
        return _Unit(timedelta(days=1), "%Y-%m-%d", "%m-%d", _("Day (UTC)"))
    return _Unit(timedelta(weeks=1), "%Y-%m-%d", "%Y-%m", _("Week from"))


def _bars(unit: _Unit, counts: Mapping[datetime, int], highest: int) -> Iterator[DrawnBar]:
    first, last = min(counts), max(counts)
    periods = round((last - first) / unit.step) + 1
    width = min(100 / periods, _WIDEST)
    every = math.ceil(periods / _MOST_LABELS)
    for place in range(periods):
        start = first + place * unit.step
        number = counts.get(start, 0)
        height = HEIGHT * number / highest
        yield DrawnBar(
            x=f"{(place + _GAP / 2) * width:.3f}",
            width=f"{width * (1 - _GAP):.3f}",
            y=f"{TOP + HEIGHT - height:.1f}",
            height=f"{height:.1f}",
            label=start.strftime(unit.label) if place % every == 0 else "",
            minor=bool(place // every % 2),
            middle=f"{(place + 0.5) * width:.3f}",
            when=start.strftime(unit.written),
            number=count(number),
        )


def _marks(highest: int) -> Iterator[tuple[str, str]]:
    size = 10 ** max(len(str(highest)) - 2, 0)
    steps = (size * each for each in (1, 2, 5, 10, 20, 50, 100))
    step = next(each for each in steps if highest / each <= _MOST_MARKS)
    for number in range(0, highest + 1, step):
        yield f"{TOP + HEIGHT * (1 - number / highest):.1f}", count(number)
