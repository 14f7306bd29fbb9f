"""Precision against recall, where the truth is known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import altair as alt
import numpy as np

from mindfirl.engine.charts import chart
from mindfirl.engine.charts.chart import Chart, Layer
from mindfirl.engine.charts.legend import LegendEntry, draw_legend
from mindfirl.engine.charts.spacing import spaced
from mindfirl.engine.charts.theme import PALETTES, Palette, Theme
from mindfirl.engine.pairs.candidates import Weights

_TITLE: Final = "Precision against recall"
_CORNERS: Final = (0.95, 0.9, 0.8, 0.5)
"""Where the scales may begin, if not at 0."""


class QualityPoint(NamedTuple):
    """How many of the true links a threshold finds, and how many of its links are true."""

    recall: float
    precision: float

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        return 2 * self.recall * self.precision / (sum(self) or 1)


def precision_recall(
    recall: Weights, precision: Weights, best: QualityPoint | None, theme: Theme
) -> Chart:
    """Draw precision against recall over all thresholds, and the best of them."""
    if not len(recall):
        words = "There are no pairs to draw."
        return chart.draw_nothing(theme, title=_TITLE, description=words)
    there = np.column_stack([recall, precision])[np.lexsort((-precision, recall))]
    # Seen as a whole and in the corner that is drawn, so that either keeps its points.
    seen = np.hstack([there, np.maximum(there, _corner(best))])
    points = {QualityPoint(*map(float, there[place])) for place in spaced(seen)}
    kept = sorted({*points, *filter(None, [best])}, key=lambda at: (at.recall, -at.precision))
    return chart.draw_chart(
        _layers(kept, best, PALETTES[theme]),
        theme,
        title=_TITLE,
        description=_description(kept, best),
        table=[point._asdict() for point in kept],
    )


def _layers(
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


def _description(points: Sequence[QualityPoint], best: QualityPoint | None) -> str:
    words = f"From {_shares(points[0])} to {_shares(points[-1])}."
    return f"{words} Best single threshold: {_shares(best)}, F1 {best.f1:.3f}." if best else words
