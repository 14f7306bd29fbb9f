"""Words on a chart: the figures above it, and tags on its lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import altair as alt

from mindfirl.engine.charts.chart import HEIGHT, WIDTH, Layer, data_rows
from mindfirl.engine.charts.theme import Palette


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """A figure of the legend, what it counts, and the line that it belongs to."""

    figure: str
    words: str
    colour: str
    dash: tuple[int, ...] = ()


def tag_width(words: str) -> float:
    """Return the room that a tag needs, in a font that is not known here."""
    return 14 + 7.5 * len(words)


def tag(place: alt.X, at: float, words: str, palette: Palette, *, aside: float = 0) -> list[Layer]:
    """Draw a line across the chart at ``at`` and, on top of it, a tag with words."""
    here = data_rows([{"at": at, "words": words}])
    half = tag_width(words) / 2
    line = here.mark_rule(color=palette.ink, strokeWidth=1.5, orient="vertical")
    box = here.mark_rect(
        color=palette.ink, cornerRadius=4, xOffset=aside - half, x2Offset=aside + half
    )
    text = here.mark_text(color=palette.card, fontSize=12, fontWeight="bold", xOffset=aside)
    return [
        line.encode(x=place, y=alt.YValue(-12), y2=alt.Y2Value(HEIGHT)),
        box.encode(x=place, x2=alt.X2("at"), y=alt.YValue(-30), y2=alt.Y2Value(-12)),
        text.encode(x=place, y=alt.YValue(-21), text=alt.Text("words:N")),
    ]


def draw_legend(entries: Sequence[LegendEntry], palette: Palette) -> Iterator[Layer]:
    """Write the figures that matter above the chart, each under a line in its colour."""
    column = WIDTH / max(len(entries), 2)
    for place, entry in enumerate(entries):
        here = data_rows([{"figure": entry.figure, "words": entry.words}])
        left = alt.XValue(place * column)
        stroke = here.mark_rule(color=entry.colour, strokeWidth=3, strokeDash=list(entry.dash))
        end = alt.X2Value((place + 1) * column - 12)
        yield stroke.encode(x=left, x2=end, y=alt.YValue(-104))
        figure = here.mark_text(align="left", fontSize=17, fontWeight="bold")
        yield figure.encode(x=left, y=alt.YValue(-84), text=alt.Text("figure:N"))
        words = here.mark_text(align="left", color=palette.soft)
        yield words.encode(x=left, y=alt.YValue(-63), text=alt.Text("words:N"))
