"""The histogram of match weights as a template draws it: places in percent, heights in pixels.

Everything is an attribute of SVG, so that no style is written into the page, and the chart is as
wide as there is room. The bars stand still; three copies of them, each cut at the thresholds,
have the colours of the bands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext as _

from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.pairs.candidates import OUTSIDE, Bar, Weights, still_bars
from mindfirl.web.page import figures

STEP: Final = 0.5
"""A threshold moves by this much; bars end where a threshold can be."""
HEIGHT: Final = 200
TOP: Final = 34
"""What is above the bars: the flags of the thresholds."""

_MOST_BARS: Final = 170
_GAP: Final = 0.1
"""Between two bars, of their width."""
_MOST_MARKS: Final = 14
_BEYOND: Final = 2
"""A threshold may be this far beyond all pairs and still be on the chart."""
_NARROWEST: Final = 10
"""The chart goes over this many weights at the least, so that a single bar is not all of it."""
_CLOSE: Final = 7
"""Limits nearer to each other, in percent of the width, have their flags beside each other."""


@dataclass(frozen=True, slots=True)
class DrawnBar:
    x: str
    width: str
    y: str
    height: str
    start: str
    end: str
    pairs: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A figure at a scale; on narrow screens every other one is left out."""

    place: str
    label: str
    minor: bool


@dataclass(frozen=True, slots=True)
class Threshold:
    x: str
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Chart:
    low: str
    high: str
    lightest: str
    heaviest: str
    """The ends of the bars: a threshold at one of them is beyond all pairs."""
    bars: tuple[DrawnBar, ...]
    weights: tuple[Mark, ...]
    counts: tuple[Mark, ...]
    lower: Threshold
    upper: Threshold
    between: str
    above: str
    close: bool


def chart_of(weights: Weights, bands: Bands) -> Chart:
    bars = still_bars(weights, step=STEP, most=_MOST_BARS)
    scale = _scale(bars, bands)
    lightest, heaviest = _ends(bars)
    labels = _labels(bands, lightest, heaviest)
    lower, upper = (
        Threshold(f"{scale.at(weight):.3f}", f"{weight:g}", label)
        for weight, label in zip((bands.lower, bands.upper), labels, strict=True)
    )
    left, right = float(lower.x), float(upper.x)
    highest = max((bar.pairs for bar in bars), default=1)
    return Chart(
        low=f"{scale.low:g}",
        high=f"{scale.high:g}",
        lightest=f"{lightest:g}",
        heaviest=f"{heaviest:g}",
        bars=tuple(_drawn(bar, scale, highest) for bar in bars if bar.pairs),
        weights=tuple(_weight_marks(scale)),
        counts=tuple(_count_marks(highest)),
        lower=lower,
        upper=upper,
        between=f"{right - left:.3f}",
        above=f"{100 - right:.3f}",
        close=right - left < _CLOSE,
    )


def typed_bands(weights: Weights, bands: Bands) -> Bands:
    """Return thresholds as fields show them: those beyond all weights just beyond the pairs."""
    lightest, heaviest = _ends(still_bars(weights, step=STEP, most=_MOST_BARS))
    upper = heaviest if bands.upper >= OUTSIDE else bands.upper
    lower = bands.lower
    if abs(lower) >= OUTSIDE:
        lower = lightest if lower < 0 else heaviest
    return Bands(min(lower, upper), upper)


def _ends(bars: tuple[Bar, ...]) -> tuple[float, float]:
    return (bars[0].start, bars[-1].end) if bars else (-OUTSIDE, OUTSIDE)


def _labels(bands: Bands, lightest: float, heaviest: float) -> tuple[str, str]:
    """Write thresholds; in words where all pairs, or none, are on their side."""
    lower, upper = figures.weight(bands.lower), figures.weight(bands.upper)
    if bands.lower <= lightest:
        lower = _("none")
    elif bands.lower >= heaviest:
        lower = _("all")
    if bands.upper >= heaviest:
        upper = _("none")
    elif bands.upper <= -OUTSIDE:
        upper = _("all")
    return lower, upper


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    def at(self, weight: float) -> float:
        """Return the place of a weight in percent of the width."""
        within = min(max(weight, self.low), self.high)
        return (within - self.low) / (self.high - self.low) * 100


def _scale(bars: tuple[Bar, ...], bands: Bands) -> _Scale:
    first, last = _ends(bars) if bars else (0.0, 0.0)
    low = min(first, max(math.floor(bands.lower), first - _BEYOND))
    high = max(last, min(math.ceil(bands.upper), last + _BEYOND))
    room = max(0, math.ceil((_NARROWEST - (high - low)) / 2))
    return _Scale(low - room, high + room)


def _share(pairs: int, highest: int) -> float:
    """Return how high a number of pairs stands: a symmetric logarithm, of nothing it is 0."""
    return math.log1p(pairs) / math.log1p(highest)


def _drawn(bar: Bar, scale: _Scale, highest: int) -> DrawnBar:
    height = HEIGHT * _share(bar.pairs, highest)
    left, width = scale.at(bar.start), scale.at(bar.end) - scale.at(bar.start)
    return DrawnBar(
        x=f"{left + width * _GAP / 2:.3f}",
        width=f"{width * (1 - _GAP):.3f}",
        y=f"{TOP + HEIGHT - height:.1f}",
        height=f"{height:.1f}",
        start=figures.weight(bar.start),
        end=figures.weight(bar.end),
        pairs=figures.count(bar.pairs),
    )


def _weight_marks(scale: _Scale) -> Iterator[Mark]:
    """Mark round weights, one of them 0 where it is on the chart."""
    span = scale.high - scale.low
    step = next(each for each in (1, 2, 5, 10, 20, 50) if span / each <= _MOST_MARKS)
    for number in range(math.ceil(scale.low / step), math.floor(scale.high / step) + 1):
        weight = number * step
        yield Mark(f"{scale.at(weight):.3f}", figures.weight(weight), bool(number % 2))


def _count_marks(highest: int) -> Iterator[Mark]:
    for power in range(len(str(highest))):
        place = TOP + HEIGHT * (1 - _share(10**power, highest))
        yield Mark(f"{place:.1f}", figures.count(10**power), bool(power % 2))
