"""The match weights of all pairs, with the two thresholds that cut them into three bands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import altair as alt
import numpy as np

from mindfirl.engine.charts import chart
from mindfirl.engine.charts.chart import Chart, Layer, Row
from mindfirl.engine.charts.legend import LegendEntry, draw_legend, tag, tag_width
from mindfirl.engine.charts.theme import PALETTES, Palette, Theme
from mindfirl.engine.pairs.candidates import Weights
from mindfirl.engine.pairs.weight_bars import BANDS, WeightBars, short, weight_bars

_TITLE: Final = "Pairs by match weight"
_MOST_BARS: Final = 48


def weight_histogram(weights: Weights, lower: float, upper: float, theme: Theme) -> Chart:
    """Draw how many pairs have which match weight, and what the two thresholds make of them."""
    held = weight_bars(weights, lower, upper, most=_MOST_BARS)
    if not held.bars:
        return chart.draw_nothing(theme, title=_TITLE, description="There are no pairs to draw.")
    return chart.draw_chart(
        _layers(held, PALETTES[theme]),
        theme,
        title=_TITLE,
        description=_description(held, weights),
        table=[
            {"from": bar.start, "to": bar.end, "pairs": bar.pairs, "band": BANDS[bar.band]}
            for bar in held.bars
        ],
    )


def _description(held: WeightBars, weights: Weights) -> str:
    bands = (
        f"{total:,} {band} ({words})"
        for band, total, words in zip(BANDS, held.totals, held.ranges, strict=True)
    )
    ends = f"from {short(weights.min())} to {short(weights.max())}"
    return chart.signed(f"Match weights of all pairs, {ends}: {', '.join(bands)}.")


def _layers(held: WeightBars, palette: Palette) -> Iterator[Layer]:
    yield from _grounds(held, palette)
    yield from _bars(held, palette)
    yield from _thresholds(held, palette)
    entries = [
        LegendEntry(f"{total:,}", chart.signed(f"{band} · {words}"), colour)
        for total, band, words, colour in zip(
            held.totals, BANDS, held.ranges, palette.bands, strict=True
        )
    ]
    yield from draw_legend(entries, palette)


def _grounds(held: WeightBars, palette: Palette) -> Iterator[Layer]:
    bands = [(colour, list(held.of(band))) for band, colour in enumerate(palette.bands)]
    grounds: list[Row] = [
        {"from": bars[0].start, "to": bars[-1].end, "colour": colour}
        for colour, bars in bands
        if bars
    ]
    shade = chart.data_rows(grounds).mark_rect(opacity=0.12)
    yield shade.encode(x=_weight(held, "from"), x2=alt.X2("to"), color=chart.colour())


def _bars(held: WeightBars, palette: Palette) -> Iterator[Layer]:
    most = max(bar.pairs for bar in held.bars)
    drawn: list[Row] = [
        {"from": bar.start, "to": bar.end, "pairs": bar.pairs, "colour": palette.bands[bar.band]}
        for bar in held.bars
        if bar.pairs
    ]
    height = alt.Y("pairs:Q", axis=chart.rising("pairs", most), scale=chart.logarithmic(most))
    bars = chart.data_rows(drawn).mark_rect(
        xOffset=0.75, x2Offset=-0.75, stroke=palette.soft, strokeWidth=0.75
    )
    yield bars.encode(
        x=_weight(held, "from"),
        x2=alt.X2("to"),
        y=height,
        y2=alt.Y2Datum(0),
        color=chart.colour(),
    )


def _thresholds(held: WeightBars, palette: Palette) -> Iterator[Layer]:
    """Draw the thresholds; where they are close, their tags step aside."""
    thresholds = sorted(
        {threshold for threshold in (held.lower, held.upper) if math.isfinite(threshold)}
    )
    tags = [chart.signed(short(threshold)) for threshold in thresholds]
    room = sum(map(tag_width, tags)) / 2 + 2
    apart = np.ptp(thresholds or [0]) / np.ptp(_domain(held)) * chart.WIDTH
    aside = max(0, room - apart) / 2 if len(thresholds) > 1 else 0
    for threshold, words, step in zip(thresholds, tags, (-aside, aside), strict=False):
        yield from tag(_weight(held, "at"), threshold, words, palette, aside=step)


def _weight(held: WeightBars, field: str) -> alt.X:
    axis = alt.Axis(title="match weight", tickCount=10)
    return alt.X(f"{field}:Q", axis=axis, scale=alt.Scale(domain=_domain(held), nice=False))


def _domain(held: WeightBars) -> tuple[float, float]:
    return held.bars[0].start, held.bars[-1].end
