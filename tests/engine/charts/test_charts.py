"""Charts: sound SVG that fetches nothing, in two themes, with words and a table."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from mindfirl.core.forecast.frontier import FIXED, ForecastPart, Point
from mindfirl.engine.charts import Theme
from mindfirl.engine.charts.chart import MOST_POINTS, Chart, steps
from mindfirl.engine.charts.frontier_chart import frontier_chart
from mindfirl.engine.charts.pair_charts import (
    BurdenPoint,
    QualityPoint,
    burden_chart,
    precision_recall,
    weight_histogram,
)

Drawn = Callable[[Theme], Chart]
RANDOM = np.random.default_rng(4)
WEIGHTS = np.concatenate([RANDOM.normal(-12, 3, 9_000), RANDOM.normal(14, 4, 1_000)])
POINTS = [BurdenPoint(pairs, 55 / (1 + pairs), 418 / (1 + pairs / 9)) for pairs in range(0, 900, 9)]
RECALL = np.linspace(0.01, 1, 1_000)
PRECISION = 1 - RECALL**40 * 0.9
BEST = QualityPoint(0.96, 0.98)


def at(budget: float, accuracy: float, *, known: bool = True) -> Point:
    people = 0.5 + 0.74 * (accuracy - 0.5)
    measured = (accuracy - 0.004, 0.012) if known else (None, None)
    return Point(budget, 99 * budget, accuracy, people, 1, 1, 1, 0, *measured)


def part(*frontier: Point, fixed: tuple[Point, ...], pairs: int = 3000) -> ForecastPart:
    named: dict[str, tuple[Point, ...]] = {
        policy: (point,) for policy, point in zip(FIXED, fixed, strict=True)
    }
    return ForecastPart(pairs, pairs, 0.4, {**named, "step by step": frontier})


BOUGHT = [(0.001, 0.74), (0.005, 0.757), (0.01, 0.763), (0.02, 0.771), (0.05, 0.778), (0.9, 0.782)]
FIXED_AT = [(0, 0.7), (0.041, 0.742), (0.35, 0.768), (0.93, 0.782)]
PART = part(*(at(*point) for point in BOUGHT), fixed=tuple(at(*point) for point in FIXED_AT))
UNKNOWN = part(
    *(at(*point, known=False) for point in BOUGHT),
    fixed=tuple(at(*point, known=False) for point in FIXED_AT),
)
NEAR = part(fixed=(at(0, 0.7), at(0, 0.7), at(0.00004, 0.702), at(0.93, 0.7)))

CHARTS: dict[str, Drawn] = {
    "weights": lambda theme: weight_histogram(WEIGHTS, -3.5, 5.5, theme),
    "one weight": lambda theme: weight_histogram(np.array([3.0]), 3, 3, theme),
    "close limits": lambda theme: weight_histogram(WEIGHTS, 2, 2.2, theme),
    "no limits": lambda theme: weight_histogram(WEIGHTS, -math.inf, math.inf, theme),
    "no weights": lambda theme: weight_histogram(np.array([]), 0, 1, theme),
    "burden": lambda theme: burden_chart(POINTS, theme, chosen=BurdenPoint(400, 0.004, 9.5)),
    "burden of no choice": lambda theme: burden_chart(POINTS, theme),
    "burden of nothing": lambda theme: burden_chart([BurdenPoint(0, 0, 0)], theme),
    "no burden": lambda theme: burden_chart([], theme),
    "quality": lambda theme: precision_recall(RECALL, PRECISION, BEST, theme),
    "quality without a best": lambda theme: precision_recall(RECALL, PRECISION, None, theme),
    "one threshold": lambda theme: precision_recall(np.ones(1), np.ones(1), None, theme),
    "bad quality": lambda theme: precision_recall(
        np.zeros(1), np.zeros(1), QualityPoint(0, 0), theme
    ),
    "frontier": lambda theme: frontier_chart(PART, theme, chosen=PART.at(0.02)),
    "frontier of no choice": lambda theme: frontier_chart(PART, theme),
    "frontier without labels": lambda theme: frontier_chart(UNKNOWN, theme, chosen=UNKNOWN.at(0.1)),
    "frontier of one point": lambda theme: frontier_chart(NEAR, theme, chosen=NEAR.masked),
    "certain frontier": lambda theme: frontier_chart(part(fixed=(at(0, 1),) * 4), theme),
    "no frontier": lambda theme: frontier_chart(part(fixed=(at(0, 1),) * 4, pairs=0), theme),
    "no quality": lambda theme: precision_recall(np.array([]), np.array([]), None, theme),
}


def texts(chart: Chart) -> list[str]:
    root = ET.fromstring(chart.svg)  # noqa: S314  # drawn by us
    return [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("name", CHARTS)
def test_charts_are_sound_and_fetch_nothing(name: str) -> None:
    light, dark = CHARTS[name]("light"), CHARTS[name]("dark")
    assert light.svg != dark.svg
    assert (light.title, light.description, light.table) == (
        dark.title,
        dark.description,
        dark.table,
    )
    for chart in (light, dark):
        root = ET.fromstring(chart.svg)  # noqa: S314  # drawn by us
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert (root[0].text, root[1].text) == (chart.title, chart.description)
        assert not re.search(r"<script|<style|style=|href|url\(|<image|\son\w+=|NaN", chart.svg)
        families = {each.get("font-family") for each in root.iter() if each.get("font-family")}
        assert families == {"Inter, system-ui, sans-serif"}
        assert float(root.get("width", "0")) <= 950, "beside the chart there is little empty room"


@pytest.mark.parametrize("name", ["weights", "burden", "quality", "frontier"])
def test_equal_figures_give_equal_charts(name: str) -> None:
    assert CHARTS[name]("light") == CHARTS[name]("light")


def test_the_histogram_says_what_the_limits_do() -> None:
    chart = CHARTS["weights"]("light")
    links, rest = int((WEIGHTS >= 5.5).sum()), int((WEIGHTS < -3.5).sum())
    totals = dict.fromkeys(("not linked", "for people", "linked automatically"), 0)
    for row in chart.table:
        inside = (row["from"] <= WEIGHTS) & (row["to"] > WEIGHTS)
        assert row["pairs"] == inside.sum()
        totals[str(row["band"])] += int(row["pairs"])
    assert list(totals.values()) == [rest, len(WEIGHTS) - rest - links, links]
    assert f"{links:,} linked automatically (weight 5.5 and above)" in chart.description
    assert {"−3.5", "5.5", f"{rest:,}", f"{links:,}"} <= set(texts(chart))
    assert "pairs (logarithmic scale)" in texts(chart)


def test_one_limit_is_drawn_once() -> None:
    assert texts(CHARTS["one weight"]("light")).count("3") == 1


def test_what_is_empty_says_so() -> None:
    for name in ("no weights", "no burden", "no quality", "no frontier"):
        chart = CHARTS[name]("light")
        assert texts(chart) == [chart.description] == ["There are no pairs to draw."]
        assert chart.table == ()


def test_the_burden_of_a_choice_is_written_on_it() -> None:
    chart = CHARTS["burden"]("light")
    assert chart.description.endswith(
        "With 400 pairs for people, less than 0.01 false links and 9.5 missed links are expected."
    )
    assert {"less than 0.01", "9.5", "400"} <= set(texts(chart))
    assert [tuple(row.values()) for row in chart.table] == POINTS


def test_of_equal_burdens_the_one_with_fewest_errors_is_drawn() -> None:
    worse, better = BurdenPoint(5, 9, 9), BurdenPoint(5, 2, 3)
    (row,) = burden_chart([better, worse], "light").table
    assert tuple(row.values()) == better


def test_the_best_threshold_is_on_the_curve() -> None:
    chart = CHARTS["quality"]("light")
    assert BEST._asdict() in chart.table
    assert "F1 0.970" in texts(chart)
    assert "recall (from 0.8 on)" in texts(chart)
    assert "recall" in texts(CHARTS["quality without a best"]("light"))
    assert len(chart.table) <= MOST_POINTS + 1
    assert {(row["recall"], row["precision"]) for row in chart.table} <= {
        *zip(RECALL.tolist(), PRECISION.tolist(), strict=True),
        BEST,
    }


def test_the_frontier_says_what_a_choice_buys() -> None:
    chart = CHARTS["frontier"]("light")
    assert (
        "With K = 2%, people are expected to decide 70.1% of pairs correctly, "
        "the machine reviewer 77.1%."
    ) in chart.description
    assert {"2%", "70.1%", "people, at K = 2%", "77.1%"} <= set(texts(chart))
    assert "machine reviewer (was 76.7% ± 1.2)" in texts(chart)
    assert "right decisions (from 61% on)" in texts(chart)


def test_the_frontier_has_all_fixed_levels_on_it_and_in_its_table() -> None:
    chart = CHARTS["frontier"]("light")
    named = {"all masked", "all partial", "differing cells full", "all full"}
    assert named <= set(texts(chart))
    assert [row["policy"] for row in chart.table] == ["step by step"] * 6 + [
        *("all masked", "all partial", "differing cells full", "all full")
    ]
    assert chart.table[1] == {
        "policy": "step by step",
        "budget K": "0.5%",
        "people": "69.0%",
        "machine reviewer": "75.7%",
        "where the truth is known": "75.3% ± 1.2",
        "characters shown of a pair": "0.5",
    }


def test_without_labels_nothing_is_said_to_be_measured() -> None:
    chart = CHARTS["frontier without labels"]("light")
    assert "machine reviewer" in texts(chart)
    assert {row["where the truth is known"] for row in chart.table} == {"not known"}
    measured, bare = (CHARTS["frontier"]("light").svg, chart.svg)
    assert ("area mark" in measured, "area mark" in bare) == (True, False)


def test_the_smallest_budgets_are_not_written_as_nothing() -> None:
    chart = CHARTS["frontier of one point"]("light")
    assert [row["budget K"] for row in chart.table] == ["0%", "0%", "less than 0.01%", "93%"]


def test_long_curves_keep_their_ends() -> None:
    points = [BurdenPoint(pairs, 1e4 / (1 + pairs), 0) for pairs in range(50_000)]
    rows = burden_chart(points, "light").table
    assert len(rows) <= MOST_POINTS
    assert (tuple(rows[0].values()), tuple(rows[-1].values())) == (points[0], points[-1])


@pytest.mark.parametrize(
    ("most", "expected"), [(0.3, [0, 1]), (7, [0, 1, 2, 5]), (1234, [0, 1, 10, 100, 1000])]
)
def test_steps_of_an_axis(most: float, expected: list[int]) -> None:
    assert steps(most) == expected


def test_a_million_weights_are_all_counted_in_a_chart() -> None:
    weights = np.random.default_rng(1).normal(0, 9, 1_000_000)
    chart = weight_histogram(weights, -3, 3, "light")
    assert sum(int(row["pairs"]) for row in chart.table) == 1_000_000


def test_the_terminal_does_not_load_the_drawing_library() -> None:
    code = "import sys, mindfirl.cli.terminal.histogram; sys.exit('altair' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
