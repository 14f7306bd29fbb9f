"""Charts of candidate pairs: their weights, what thresholds cost people, precision and recall."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import altair as alt
import numpy as np

from mindfirl.engine.charts import Theme, chart
from mindfirl.engine.charts.chart import (
    PALETTES,
    Chart,
    Layer,
    LegendEntry,
    Palette,
    Row,
    draw_legend,
    spaced,
    tag,
    tag_width,
)
from mindfirl.engine.pairs.candidates import BANDS, WeightBars, Weights, short, weight_bars

_WEIGHT_TITLE: Final = "Pairs by match weight"
_MOST_BARS: Final = 48


def weight_histogram(weights: Weights, lower: float, upper: float, theme: Theme) -> Chart:
    held = weight_bars(weights, lower, upper, most=_MOST_BARS)
    if not held.bars:
        return chart.draw_nothing(
            theme, title=_WEIGHT_TITLE, description="There are no pairs to draw."
        )
    return chart.draw_chart(
        _weight_layers(held, PALETTES[theme]),
        theme,
        title=_WEIGHT_TITLE,
        description=_weight_description(held, weights),
        table=[
            {"from": bar.start, "to": bar.end, "pairs": bar.pairs, "band": BANDS[bar.band]}
            for bar in held.bars
        ],
    )


def _weight_description(held: WeightBars, weights: Weights) -> str:
    bands = (
        f"{total:,} {band} ({words})"
        for band, total, words in zip(BANDS, held.totals, held.ranges, strict=True)
    )
    ends = f"from {short(weights.min())} to {short(weights.max())}"
    return chart.signed(f"Match weights of all pairs, {ends}: {', '.join(bands)}.")


def _weight_layers(held: WeightBars, palette: Palette) -> Iterator[Layer]:
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
        x=_weight(held, "from"), x2=alt.X2("to"), y=height, y2=alt.Y2Datum(0), color=chart.colour()
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


_BURDEN_TITLE: Final = "Pairs for people against expected errors"
_FALSE_LINKS: Final = "expected false links"
_MISSED_LINKS: Final = "expected missed links"
_LEAST: Final = 0.01


class BurdenPoint(NamedTuple):
    review: int
    false_links: float
    missed_links: float

    @property
    def errors(self) -> tuple[float, float]:
        return self.false_links, self.missed_links


class _Line(NamedTuple):
    words: str
    colour: str
    dash: tuple[int, ...]
    shape: str


def burden_chart(
    points: Iterable[BurdenPoint], theme: Theme, *, chosen: BurdenPoint | None = None
) -> Chart:
    """Draw what looking at more pairs saves; of equal burdens, that with fewest errors."""
    by_errors = sorted(points, key=lambda point: (point.review, -sum(point.errors)))
    ordered = list({point.review: point for point in by_errors}.values())
    if not ordered:
        return chart.draw_nothing(
            theme, title=_BURDEN_TITLE, description="There are no pairs to draw."
        )
    kept = [ordered[place] for place in spaced(np.log1p(np.array(ordered)))]
    told = [kept[0], kept[-1], *filter(None, [chosen])]
    return chart.draw_chart(
        _burden_layers(kept, chosen, PALETTES[theme]),
        theme,
        title=_BURDEN_TITLE,
        description=" ".join(_sentence(point) for point in dict.fromkeys(told)),
        table=[
            {
                "pairs for people": point.review,
                _FALSE_LINKS: point.false_links,
                _MISSED_LINKS: point.missed_links,
            }
            for point in kept
        ],
    )


def _burden_layers(
    points: Sequence[BurdenPoint], chosen: BurdenPoint | None, palette: Palette
) -> Iterator[Layer]:
    marked = list(filter(None, [chosen]))
    most = max(max(point.errors) for point in (*points, *marked))
    place = _pairs(max(point.review for point in (*points, *marked)))
    height = alt.Y(
        "errors:Q", axis=chart.rising("expected errors", most), scale=chart.logarithmic(most)
    )
    for point in marked:
        yield from tag(place, point.review, f"{point.review:,}", palette)
    for kind, line in enumerate(_lines(palette)):
        curve = chart.data_rows(_errors(points, kind)).mark_line(
            color=line.colour, strokeWidth=2.5, strokeDash=list(line.dash)
        )
        yield curve.encode(x=place, y=height)
        mark = chart.data_rows(_errors(marked, kind)).mark_point(
            fill=line.colour, opacity=1, shape=line.shape, size=120, stroke=palette.card
        )
        yield mark.encode(x=place, y=height)
    yield from draw_legend(_entries(chosen, palette), palette)


def _lines(palette: Palette) -> tuple[_Line, _Line]:
    return (
        _Line(_FALSE_LINKS, palette.accent, (), "circle"),
        _Line(_MISSED_LINKS, palette.warm, (7, 5), "diamond"),
    )


def _errors(points: Iterable[BurdenPoint], kind: int) -> list[Row]:
    return [{"at": point.review, "errors": point.errors[kind]} for point in points]


def _entries(chosen: BurdenPoint | None, palette: Palette) -> list[LegendEntry]:
    lines = _lines(palette)
    if not chosen:
        return [LegendEntry(line.words.capitalize(), "", line.colour, line.dash) for line in lines]
    return [
        LegendEntry(
            _figure(errors),
            f"{line.words} at {chosen.review:,} pairs for people",
            line.colour,
            line.dash,
        )
        for errors, line in zip(chosen.errors, lines, strict=True)
    ]


def _pairs(most: int) -> alt.X:
    axis = alt.Axis(
        title="pairs for people (logarithmic scale)",
        values=chart.steps(most),
        format=",d",
        labelOverlap="greedy",
    )
    return alt.X("at:Q", axis=axis, scale=chart.logarithmic(most))


def _sentence(point: BurdenPoint) -> str:
    return (
        f"With {point.review:,} pairs for people, {_figure(point.false_links)} false links and "
        f"{_figure(point.missed_links)} missed links are expected."
    )


def _figure(errors: float) -> str:
    """Write an expected number: decimals matter where it is small."""
    if errors >= 10:  # noqa: PLR2004  # two figures are enough of an expectation
        return f"{errors:,.0f}"
    return f"{errors:.2g}" if errors >= _LEAST or not errors else f"less than {_LEAST}"


_QUALITY_TITLE: Final = "Precision against recall"
_CORNERS: Final = (0.95, 0.9, 0.8, 0.5)
"""Where the scales may begin, if not at 0."""


class QualityPoint(NamedTuple):
    recall: float
    precision: float

    @property
    def f1(self) -> float:
        return 2 * self.recall * self.precision / (sum(self) or 1)


def precision_recall(
    recall: Weights, precision: Weights, best: QualityPoint | None, theme: Theme
) -> Chart:
    if not len(recall):
        words = "There are no pairs to draw."
        return chart.draw_nothing(theme, title=_QUALITY_TITLE, description=words)
    there = np.column_stack([recall, precision])[np.lexsort((-precision, recall))]
    # Seen as a whole and in the corner that is drawn, so that either keeps its points.
    seen = np.hstack([there, np.maximum(there, _corner(best))])
    points = {QualityPoint(*map(float, there[place])) for place in spaced(seen)}
    kept = sorted({*points, *filter(None, [best])}, key=lambda at: (at.recall, -at.precision))
    return chart.draw_chart(
        _quality_layers(kept, best, PALETTES[theme]),
        theme,
        title=_QUALITY_TITLE,
        description=_quality_description(kept, best),
        table=[point._asdict() for point in kept],
    )


def _quality_layers(
    points: Sequence[QualityPoint], best: QualityPoint | None, palette: Palette
) -> Iterator[Layer]:
    least = _corner(best)
    place, height = (
        alt.X("recall:Q", axis=_share_axis("recall", least), scale=_share_scale(least)),
        alt.Y("precision:Q", axis=_share_axis("precision", least), scale=_share_scale(least)),
    )
    shown = [point._asdict() for point in points if min(point) >= least]
    line = chart.data_rows(shown).mark_line(color=palette.accent, strokeWidth=2.5)
    yield line.encode(x=place, y=height)
    entries = [LegendEntry("All thresholds", "precision at each recall", palette.accent)]
    if best:
        mark = chart.data_rows([best._asdict()]).mark_point(
            fill=palette.warm, opacity=1, shape="diamond", size=160, stroke=palette.card
        )
        yield mark.encode(x=place, y=height)
        words = f"best single threshold (diamond): {_shares(best)}"
        entries.append(LegendEntry(f"F1 {best.f1:.3f}", words, palette.warm))
    yield from draw_legend(entries, palette)


def _corner(best: QualityPoint | None) -> float:
    """Return where the scales begin: a good result is a corner that the whole would not show."""
    missing = 1 - min(best) if best else 1
    return next((least for least in _CORNERS if 1 - least >= 4 * missing), 0)


def _share_axis(name: str, least: float) -> alt.Axis:
    title = f"{name} (from {least:g} on)" if least else name
    return alt.Axis(title=title, format=".2f", grid=True, tickCount=5)


def _share_scale(least: float) -> alt.Scale:
    return alt.Scale(domain=[least, 1], nice=False)


def _shares(point: QualityPoint) -> str:
    return f"recall {point.recall:.3f}, precision {point.precision:.3f}"


def _quality_description(points: Sequence[QualityPoint], best: QualityPoint | None) -> str:
    words = f"From {_shares(points[0])} to {_shares(points[-1])}."
    return f"{words} Best single threshold: {_shares(best)}, F1 {best.f1:.3f}." if best else words
