"""Match weights in a terminal: what the two thresholds make of the pairs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

from rich.console import Console
from rich.text import Text

from mindfirl.engine.pairs.candidates import BANDS, Bar, WeightBars, Weights, short, weight_bars

_STYLES: Final = ("dim", "yellow", "cyan")
_MOST_BARS: Final = 16
_WIDEST, _NARROWEST = 48, 8
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def print_histogram(console: Console, weights: Weights, lower: float, upper: float) -> None:
    """Print how many pairs have which weight, band by band, on lines that are never folded."""
    held = weight_bars(weights, lower, upper, most=_MOST_BARS)
    if not held.bars:
        console.print("There are no pairs.")
        return
    for line in _lines(held, console):
        console.print(line, no_wrap=True, overflow="ignore", crop=False, highlight=False)


def _lines(held: WeightBars, console: Console) -> Iterator[Text]:
    most = max(bar.pairs for bar in held.bars)
    weights = max(len(_weights(bar)) for bar in held.bars)
    figures = len(f"{most:,}")
    room = max(_NARROWEST, min(_WIDEST, console.width - weights - figures - 6))
    for band, (name, total, words) in enumerate(zip(BANDS, held.totals, held.ranges, strict=True)):
        pairs = "pair" if total == 1 else "pairs"
        yield Text.assemble((name, f"bold {_STYLES[band]}"), f": {total:,} {pairs}, {words}")
        for bar in held.of(band):
            length = room * math.log1p(bar.pairs) / math.log1p(most)
            whole, eighths = divmod(math.ceil(length * 8), 8)
            blocks = ("█" * whole + _EIGHTHS[eighths]).rstrip()
            drawn = "#" * math.ceil(length) if console.options.ascii_only else blocks
            label = f"  {_weights(bar):>{weights}}  {bar.pairs:>{figures},}"
            yield Text.assemble(label, ("  " + drawn if drawn else "", _STYLES[band]))
    yield Text("Lengths are logarithmic. A bar includes its first weight, but not its last.", "dim")


def _weights(bar: Bar) -> str:
    return f"{short(bar.start)} to {short(bar.end)}"
