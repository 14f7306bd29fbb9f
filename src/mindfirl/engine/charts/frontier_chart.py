"""What budgets buy: accuracy against K, for people and for the machine reviewer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

import altair as alt
import numpy as np

from mindfirl.core.forecast.frontier import FIXED, STEP_BY_STEP, ForecastPart, Point
from mindfirl.engine.charts import Theme, chart
from mindfirl.engine.charts.chart import (
    FONT_SIZE,
    HEIGHT,
    PALETTES,
    WIDTH,
    Chart,
    LabelledPoint,
    Layer,
    LegendEntry,
    Palette,
    Row,
    draw_legend,
    labels_beside,
    spaced,
    tag,
)

_TITLE: Final = "Accuracy against budget"
_WORDS: Final = {
    "all masked": "all masked",
    "all partial": "all partial",
    "differing full": "differing cells full",
    "all full": "all full",
}
_TICKS: Final = (0, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100)
_BEND: Final = 0.1
"""Below this many percent the scale of budgets is about linear, above about logarithmic."""
_LEAST: Final = 0.01
_DASH: Final = (6, 4)
_DOTS: Final = (1, 4)


@dataclass(frozen=True, slots=True)
class _Extent:
    """Which budgets and accuracies are drawn, in percent; where they stand, in pixels."""

    most: float
    low: float
    high: float

    def across(self, budget: float) -> float:
        return WIDTH * math.log1p(100 * budget / _BEND) / math.log1p(self.most / _BEND)

    def down(self, accuracy: float) -> float:
        return HEIGHT * (self.high - 100 * accuracy) / (self.high - self.low)

    def place(self) -> alt.X:
        axis = alt.Axis(
            title="budget K (logarithmic scale)",
            values=[tick for tick in _TICKS if tick <= self.most],
            labelExpr="datum.value + '%'",
            labelOverlap="greedy",
        )
        scale = alt.Scale(type="symlog", constant=_BEND, domain=[0, self.most], nice=False)
        return alt.X("at:Q", axis=axis, scale=scale)

    def height(self, field: str) -> alt.Y:
        axis = alt.Axis(
            title=f"right decisions (from {self.low:g}% on)",
            labelExpr="datum.value + '%'",
            grid=True,
            domain=False,
            ticks=False,
            tickCount=5,
        )
        scale = alt.Scale(domain=[self.low, self.high], nice=False, zero=False)
        return alt.Y(f"{field}:Q", axis=axis, scale=scale)


def frontier_chart(part: ForecastPart, theme: Theme, *, chosen: Point | None = None) -> Chart:
    """Draw what budgets buy for some pairs, and mark the point that a chosen budget pays for."""
    if not part.pairs:
        return chart.draw_nothing(theme, title=_TITLE, description="There are no pairs to draw.")
    curve = _curve(part)
    told = dict.fromkeys([part.masked, *filter(None, [chosen]), part.full])
    return chart.draw_chart(
        _layers(part, curve, chosen, PALETTES[theme]),
        theme,
        title=_TITLE,
        description=" ".join(_sentence(point) for point in told),
        table=_table(part, curve),
    )


def _curve(part: ForecastPart) -> list[Point]:
    points = [part.masked, *part.frontier]
    seen = np.array([[np.log1p(100 * each.budget / _BEND), each.people] for each in points])
    return [points[place] for place in spaced(seen)]


def _layers(
    part: ForecastPart, curve: Sequence[Point], chosen: Point | None, palette: Palette
) -> Iterator[Layer]:
    extent = _extent(part, curve)
    if chosen:
        yield from tag(extent.place(), 100 * chosen.budget, _percent(chosen.budget), palette)
    yield from _machine(curve, extent, palette)
    level = chart.data_rows(_rows([part.full])).mark_rule(color=palette.ink, strokeDash=list(_DOTS))
    yield level.encode(y=extent.height("people"))
    line = chart.data_rows(_rows(curve)).mark_line(color=palette.accent, strokeWidth=2.5)
    yield line.encode(x=extent.place(), y=extent.height("people"))
    yield from _fixed(part, curve, extent, palette)
    if chosen:
        mark = chart.data_rows(_rows([chosen])).mark_point(
            fill=palette.accent, opacity=1, shape="circle", size=140, stroke=palette.card
        )
        yield mark.encode(x=extent.place(), y=extent.height("people"))
    yield from draw_legend(_entries(part, curve, chosen, palette), palette)


def _machine(curve: Sequence[Point], extent: _Extent, palette: Palette) -> Iterator[Layer]:
    known: list[Row] = [
        {
            "at": 100 * each.budget,
            "low": max(100 * (each.achieved - each.margin), extent.low),
            "high": min(100 * (each.achieved + each.margin), extent.high),
        }
        for each in curve
        if each.achieved is not None and each.margin is not None
    ]
    if known:
        band = chart.data_rows(known).mark_area(color=palette.warm, opacity=0.22)
        yield band.encode(x=extent.place(), y=extent.height("low"), y2=alt.Y2("high"))
    line = chart.data_rows(_rows(curve)).mark_line(
        color=palette.warm, strokeWidth=1.5, strokeDash=list(_DASH)
    )
    yield line.encode(x=extent.place(), y=extent.height("machine"))


def _fixed(
    part: ForecastPart, curve: Sequence[Point], extent: _Extent, palette: Palette
) -> Iterator[Layer]:
    points = {policy: part.policies[policy][0] for policy in FIXED if part.policies.get(policy)}
    marks = chart.data_rows(_rows(points.values())).mark_point(
        fill=palette.card, opacity=1, shape="diamond", size=90, stroke=palette.ink, strokeWidth=1.5
    )
    yield marks.encode(x=extent.place(), y=extent.height("people"))
    lines = [
        [(extent.across(each.budget), extent.down(share(each))) for each in curve]
        for share in (attrgetter("people"), attrgetter("accuracy"))
    ]
    level = extent.down(part.full.people)
    lines.append([(0, level), (WIDTH, level)])
    places = [
        LabelledPoint(_WORDS[policy], extent.across(each.budget), extent.down(each.people))
        for policy, each in points.items()
    ]
    for label in labels_beside(places, lines):
        words = chart.data_rows([{"words": label.words}]).mark_text(
            align="left", color=palette.soft, fontSize=FONT_SIZE
        )
        yield words.encode(
            x=alt.XValue(label.left), y=alt.YValue(label.down), text=alt.Text("words:N")
        )


def _extent(part: ForecastPart, curve: Sequence[Point]) -> _Extent:
    points = [*curve, *(each for policy in FIXED for each in part.policies.get(policy, ()))]
    shares = [100 * share for each in points for share in (each.people, each.accuracy)]
    least, most = min(shares), max(shares)
    span = max(most - least, 1)
    return _Extent(
        most=max(100 * max(each.budget for each in points), _BEND),
        low=max(0, math.floor(least - span / 4)),
        high=min(100, math.ceil(most + span / 20)),
    )


def _entries(
    part: ForecastPart, curve: Sequence[Point], chosen: Point | None, palette: Palette
) -> list[LegendEntry]:
    known = any(each.margin is not None for each in curve)
    people = LegendEntry("People", "expected, step by step", palette.accent)
    shaded = "expected; shaded: measured" if known else "expected"
    machine = LegendEntry("Machine reviewer", shaded, palette.warm, _DASH)
    if chosen:
        people = LegendEntry(
            _share(chosen.people), f"people, at K = {_percent(chosen.budget)}", palette.accent
        )
        machine = LegendEntry(_share(chosen.accuracy), _machine_words(chosen), palette.warm, _DASH)
    full = LegendEntry(
        _share(part.full.people), "people, if everything were shown", palette.ink, _DOTS
    )
    return [people, machine, full]


def _machine_words(point: Point) -> str:
    if point.achieved is None or point.margin is None:
        return "machine reviewer"
    return f"machine reviewer (was {_achieved(point)})"


def _rows(points: Iterable[Point]) -> list[Row]:
    return [
        {"at": 100 * each.budget, "people": 100 * each.people, "machine": 100 * each.accuracy}
        for each in points
    ]


def _table(part: ForecastPart, curve: Sequence[Point]) -> Iterator[Row]:
    fixed = ((_WORDS[policy], each) for policy in FIXED for each in part.policies.get(policy, ()))
    for policy, each in (*((STEP_BY_STEP, point) for point in curve[1:]), *fixed):
        yield {
            "policy": policy,
            "budget K": _percent(each.budget),
            "people": _share(each.people),
            "machine reviewer": _share(each.accuracy),
            "where the truth is known": _achieved(each),
            "characters shown of a pair": f"{each.characters:.1f}",
        }


def _achieved(point: Point) -> str:
    if point.achieved is None or point.margin is None:
        return "not known"
    return f"{_share(point.achieved)} ± {100 * point.margin:.1f}"


def _sentence(point: Point) -> str:
    return (
        f"With K = {_percent(point.budget)}, people are expected to decide {_share(point.people)} "
        f"of pairs correctly, the machine reviewer {_share(point.accuracy)}."
    )


def _share(share: float) -> str:
    return f"{100 * share:.1f}%"


def _percent(budget: float) -> str:
    """Write a budget: decimals matter where it is small."""
    percent = 100 * budget
    if 0 < percent < _LEAST:
        return f"less than {_LEAST}%"
    return f"{percent:.0f}%" if percent >= 10 else f"{percent:.2g}%"  # noqa: PLR2004  # two figures
