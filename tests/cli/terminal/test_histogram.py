"""Match weights in a terminal and in a pipe."""

from __future__ import annotations

import io
import math
from typing import Literal

import numpy as np
import pytest
from rich.console import Console

from mindfirl.cli.terminal.histogram import print_histogram
from mindfirl.engine.pairs.candidates import Weights

RANDOM = np.random.default_rng(4)
WEIGHTS = np.concatenate([RANDOM.normal(-12, 3, 9_000), RANDOM.normal(14, 4, 1_000)])


def printed(
    weights: Weights,
    lower: float = -3.5,
    upper: float = 5.5,
    *,
    width: int = 80,
    encoding: str = "utf-8",
    terminal: bool = False,
) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding)
    colours: Literal["standard"] | None = "standard" if terminal else None
    console = Console(file=file, width=width, force_terminal=terminal, color_system=colours)
    print_histogram(console, weights, lower, upper)
    file.flush()
    return raw.getvalue().decode(encoding)


def test_bands_are_named_and_counted() -> None:
    lines = printed(WEIGHTS).splitlines()
    headings = [line for line in lines if not line.startswith(" ")][:3]
    links, rest = int((WEIGHTS >= 5.5).sum()), int((WEIGHTS < -3.5).sum())
    people = len(WEIGHTS) - links - rest
    assert headings == [
        f"not linked: {rest:,} pairs, weight below -3.5",
        f"for people: {people:,} pairs, weight -3.5 to 5.5",
        f"linked automatically: {links:,} pairs, weight 5.5 and above",
    ]
    assert len(lines) <= 26


@pytest.mark.parametrize("width", [60, 80, 10_000])
def test_bars_fit_and_are_never_longer_than_a_screen(width: int) -> None:
    out = printed(WEIGHTS, width=width).splitlines()
    lines = [line for line in out if line.startswith(" ")]
    assert max(map(len, lines)) <= min(width, 80)
    assert max(map(len, out)) <= 80
    counts = [int(line.split()[3].replace(",", "")) for line in lines]
    bars = [line.count("█") for line in lines]
    assert sum(counts) == len(WEIGHTS)
    assert bars[counts.index(max(counts))] == max(bars)


def test_a_narrow_terminal_folds_nothing() -> None:
    assert len(printed(WEIGHTS, width=12).splitlines()) == len(printed(WEIGHTS).splitlines())


def test_a_single_pair_is_seen_and_none_is_not() -> None:
    out = printed(np.array([-9.0] * 100_000 + [9.0]))
    (single,) = [line for line in out.splitlines() if "  1  " in line]
    assert "█" in single
    assert any(line.endswith("  0") for line in out.splitlines())


def test_colours_in_a_terminal_alone() -> None:
    assert "\x1b[" in printed(WEIGHTS, terminal=True)
    assert "\x1b[" not in printed(WEIGHTS)


def test_a_terminal_without_blocks() -> None:
    out = printed(WEIGHTS, encoding="ascii")
    assert "##" in out


def test_one_value_no_value_no_limits() -> None:
    assert "linked automatically: 1 pair, weight 3 and above" in printed(np.array([3.0]), 3, 3)
    assert printed(np.array([])) == "There are no pairs.\n"
    assert "for people: 10,000 pairs, any weight" in printed(WEIGHTS, -math.inf, math.inf)
