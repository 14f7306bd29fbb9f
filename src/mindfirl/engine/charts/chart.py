"""From drawings over each other to an SVG file; the scales and axes that charts share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from xml.sax.saxutils import escape

import altair as alt
import vl_convert

from mindfirl.engine.charts.theme import PALETTES, Theme

Row = Mapping[str, str | float]
Layer = alt.Chart

WIDTH: Final = 800
HEIGHT: Final = 220
_VEGA_LITE: Final = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart, and what it says to those who do not see it: in a sentence, and as a table."""

    svg: str
    title: str
    description: str
    table: tuple[Row, ...]


def draw_chart(
    layers: Iterable[Layer], theme: Theme, *, title: str, description: str, table: Iterable[Row]
) -> Chart:
    """Lay drawings over each other and turn them into SVG."""
    picture = alt.layer(*layers).properties(width=WIDTH, height=HEIGHT)
    svg = vl_convert.vegalite_to_svg(
        picture.to_dict(),
        vl_version=_VEGA_LITE,
        config=PALETTES[theme].config,
        allowed_base_urls=[],
    )
    start = svg.index(">") + 1
    words = f"<title>{escape(title)}</title><desc>{escape(description)}</desc>"
    return Chart(svg[:start] + words + svg[start:], title, description, tuple(table))


def draw_nothing(theme: Theme, *, title: str, description: str) -> Chart:
    """Draw a chart that says why there is nothing on it."""
    words = data_rows([{"words": description}]).mark_text(fontSize=14, color=PALETTES[theme].soft)
    layer = words.encode(text=alt.Text("words:N"))
    return draw_chart([layer], theme, title=title, description=description, table=())


def data_rows(values: Iterable[Row]) -> Layer:
    """Begin a drawing with its figures."""
    return alt.Chart(alt.InlineData(values=[dict(row) for row in values]))


def signed(text: str) -> str:
    """Write a minus sign as the axes do."""
    return text.replace("-", "\N{MINUS SIGN}")


def colour() -> alt.Color:
    """Take a colour as it stands in the figures."""
    return alt.Color("colour:N", scale=None)


def steps(most: float) -> list[int]:
    """Give the numbers that are written at a logarithmic axis, which goes to 1 at least."""
    leading = (1, 2, 5) if most <= 100 else (1,)  # noqa: PLR2004  # beyond, there is no room
    powers = (10**power for power in range(len(str(int(most)))))
    numbers = (n * power for power in powers for n in leading)
    return [0, *(number for number in numbers if number <= max(most, 1))]


def logarithmic(most: float) -> alt.Scale:
    """Return a scale from nothing on, on which a single one is still seen."""
    return alt.Scale(type="symlog", domain=[0, max(most, 1)], nice=False)


def rising(title: str, most: float) -> alt.Axis:
    """Return the axis at the side of such a scale."""
    return alt.Axis(
        title=f"{title} (logarithmic scale)",
        values=steps(most),
        format=",d",
        grid=True,
        domain=False,
        ticks=False,
        labelOverlap="greedy",
    )
