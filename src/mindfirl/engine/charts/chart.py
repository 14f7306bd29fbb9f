"""From drawings over each other to an SVG file: themes, scales, legends and words beside marks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, product
from typing import Any, Final, NamedTuple
from xml.sax.saxutils import escape

import altair as alt
import numpy as np
import vl_convert
from numpy.typing import NDArray

from mindfirl.engine.charts import Theme

_FONT: Final = "Inter, system-ui, sans-serif"
"""Names without quotes: else widths are taken from another font, and there is room left over."""


@dataclass(frozen=True, slots=True)
class Palette:
    card: str
    ink: str
    soft: str
    line: str
    off: str
    warm: str
    accent: str

    @property
    def bands(self) -> list[str]:
        return [self.off, self.warm, self.accent]

    @property
    def config(self) -> dict[str, Any]:
        return {
            "background": self.card,
            "font": _FONT,
            "padding": 16,
            "view": {"stroke": None},
            "axis": {
                "domainColor": self.soft,
                "grid": False,
                "gridColor": self.line,
                "labelColor": self.soft,
                "labelFlush": False,
                "labelFontSize": 12,
                "labelPadding": 5,
                "tickColor": self.soft,
                "titleColor": self.soft,
                "titleFontSize": 13,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "zindex": 0,
            },
            "text": {"color": self.ink, "fontSize": 13},
        }


PALETTES: Final[Mapping[Theme, Palette]] = {
    "light": Palette(
        card="#ffffff",
        ink="#1c2024",
        soft="#656b73",
        line="#e2dfd7",
        off="#cfcbc1",
        warm="#c47a1b",
        accent="#1f5f8b",
    ),
    "dark": Palette(
        card="#1d2024",
        ink="#e7e6e1",
        soft="#9aa1a9",
        line="#31363c",
        off="#474d55",
        warm="#e3ab5f",
        accent="#7db8e0",
    ),
}


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
    words = data_rows([{"words": description}]).mark_text(fontSize=14, color=PALETTES[theme].soft)
    layer = words.encode(text=alt.Text("words:N"))
    return draw_chart([layer], theme, title=title, description=description, table=())


def data_rows(values: Iterable[Row]) -> Layer:
    return alt.Chart(alt.InlineData(values=[dict(row) for row in values]))


def signed(text: str) -> str:
    return text.replace("-", "\N{MINUS SIGN}")


def colour() -> alt.Color:
    return alt.Color("colour:N", scale=None)


def steps(most: float) -> list[int]:
    """Give the numbers that are written at a logarithmic axis, which goes to 1 at least."""
    leading = (1, 2, 5) if most <= 100 else (1,)  # noqa: PLR2004  # beyond, there is no room
    powers = (10**power for power in range(len(str(int(most)))))
    numbers = (n * power for power in powers for n in leading)
    return [0, *(number for number in numbers if number <= max(most, 1))]


def logarithmic(most: float) -> alt.Scale:
    return alt.Scale(type="symlog", domain=[0, max(most, 1)], nice=False)


def rising(title: str, most: float) -> alt.Axis:
    return alt.Axis(
        title=f"{title} (logarithmic scale)",
        values=steps(most),
        format=",d",
        grid=True,
        domain=False,
        ticks=False,
        labelOverlap="greedy",
    )


MOST_POINTS: Final = 200
"""More points than this cannot be told apart on a screen."""


def spaced(curve: NDArray[Any]) -> NDArray[Any]:
    """Choose points at about equal distances along a curve, both ends included."""
    if len(curve) <= MOST_POINTS:
        return np.arange(len(curve))
    extent = np.ptp(curve, axis=0)
    steps = np.abs(np.diff(curve / np.where(extent, extent, 1), axis=0)).sum(axis=1)
    way = np.concatenate([[0], np.cumsum(steps)])
    slots = (way / (way[-1] or 1) * (MOST_POINTS - 2)).astype(int)
    return np.union1d(np.unique(slots, return_index=True)[1], [len(curve) - 1])


@dataclass(frozen=True, slots=True)
class LegendEntry:
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


FONT_SIZE: Final = 12
_LETTER: Final = 6.4
"""About how wide a letter is, in a font that is not known here."""
_LINE: Final = 16
_APART: Final = 3
_LINES: Final = (1, 0, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7, 8, -8)
"""How many lines below a mark its words may stand, the best first."""
_ASIDE: Final = (8, 50, 90)

Dots = NDArray[np.float64]


class LabelledPoint(NamedTuple):
    words: str
    across: float
    down: float


class Label(NamedTuple):
    words: str
    left: float
    down: float

    @property
    def right(self) -> float:
        return self.left + _LETTER * len(self.words)


def labels_beside(
    marks: Sequence[LabelledPoint], lines: Iterable[Sequence[tuple[float, float]]]
) -> list[Label]:
    """Find a place for the words of each mark; where there is none, they cross a line at worst."""
    points = [[(each.across, each.down)] * 2 for each in marks]
    dots = np.concatenate([_dots(line) for line in (*points, *lines)])
    found: list[Label] = []
    for mark in marks:
        places = _places(mark)
        apart = [each for each in places if not _covers(each, found)]
        free = (each for each in apart if not _crosses(each, dots))
        found.append(next(chain(free, apart, places)))
    return found


def _places(mark: LabelledPoint) -> list[Label]:
    width = Label(mark.words, 0, 0).right
    beside = [side for far in _ASIDE for side in (mark.across + far, mark.across - width - far)]
    places = [
        Label(mark.words, min(max(left, 2), WIDTH - width - 2), mark.down + lines * _LINE)
        for lines, left in product(_LINES, [mark.across - width / 2, *beside])
    ]
    inside = [each for each in places if _LINE / 2 <= each.down <= HEIGHT - _LINE / 2]
    return sorted(inside, key=lambda each: _distance(mark, each))


def _distance(mark: LabelledPoint, label: Label) -> float:
    across = max(label.left - mark.across, mark.across - label.right, 0)
    return math.hypot(across, max(abs(label.down - mark.down) - _LINE / 2, 0))


def _covers(label: Label, others: Iterable[Label]) -> bool:
    return any(
        label.left < other.right + _APART
        and other.left < label.right + _APART
        and abs(label.down - other.down) < _LINE
        for other in others
    )


def _crosses(label: Label, dots: Dots) -> bool:
    inside = (
        (dots[:, 0] > label.left - _APART)
        & (dots[:, 0] < label.right + _APART)
        & (np.abs(dots[:, 1] - label.down) < _LINE / 2 + _APART)
    )
    return bool(inside.any())


def _dots(line: Sequence[tuple[float, float]]) -> Dots:
    """Put dots along a line, close enough that no words fit between them."""
    ends = [(np.array(start), np.array(end)) for start, end in pairwise(line)]
    pieces = (
        np.linspace(start, end, 2 + int(np.abs(end - start).max() / _APART)) for start, end in ends
    )
    return np.array(list(chain.from_iterable(pieces))).reshape(-1, 2)
