"""The burden of people against the errors to expect from the pairs that nobody looks at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import altair as alt
import numpy as np

from mindfirl.engine.charts import chart
from mindfirl.engine.charts.chart import Chart, Layer, Row
from mindfirl.engine.charts.legend import LegendEntry, draw_legend, tag
from mindfirl.engine.charts.spacing import spaced
from mindfirl.engine.charts.theme import PALETTES, Palette, Theme

_TITLE: Final = "Pairs for people against expected errors"
_FALSE_LINKS: Final = "expected false links"
_MISSED_LINKS: Final = "expected missed links"
_LEAST: Final = 0.01
"""Fewer expected errors than this are not told apart."""


class BurdenPoint(NamedTuple):
    """How many pairs two thresholds send to people, and the errors to expect from the rest."""

    review: int
    false_links: float
    missed_links: float

    @property
    def errors(self) -> tuple[float, float]:
        """The errors of both kinds."""
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
        return chart.draw_nothing(theme, title=_TITLE, description="There are no pairs to draw.")
    kept = [ordered[place] for place in spaced(np.log1p(np.array(ordered)))]
    told = [kept[0], kept[-1], *filter(None, [chosen])]
    return chart.draw_chart(
        _layers(kept, chosen, PALETTES[theme]),
        theme,
        title=_TITLE,
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


def _layers(
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
