"""``mindfirl evaluate``: hold pairs, bands and the linkage against the truth."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from mindfirl.cli.terminal.new_files import write_text
from mindfirl.cli.terminal.show import TRUTH_WORDS, file_option, output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import bands_for_pairs, burden_curve
from mindfirl.engine.bands.settlement import Evaluation
from mindfirl.engine.charts.chart import Chart
from mindfirl.engine.charts.pair_charts import (
    BurdenPoint,
    QualityPoint,
    burden_chart,
    precision_recall,
    weight_histogram,
)
from mindfirl.services.evaluation import Judgement, evaluated
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs
from mindfirl.workspace.outcomes.simulated_reviews import SimulatedReview

_POINTS = 80
"""This many points are enough for the curve of burden."""


def error_range(ends: list[int] | None) -> str:
    """Write how many errors there may be."""
    if ends is None:
        return "not known"
    return f"{ends[0]:,} to {ends[1]:,}" if ends[0] else f"at most {ends[1]:,}"


@click.command()
@click.argument("name")
@file_option("--truth", words=TRUTH_WORDS, required=True)
@click.option(
    "--charts",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Folder for charts of weights, burden, precision and recall (SVG, light and dark).",
)
@click.option(
    "--simulate",
    metavar="N",
    help="Also simulate the review of N pairs, or of the whole band (--simulate band).",
)
@click.option(
    "--accuracy",
    type=click.FloatRange(min=0, max=1, min_open=True),
    default=0.85,
    show_default=True,
    help="Accuracy of the simulated people.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed for a reproducible review."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def evaluate(
    name: str,
    truth: Path,
    charts: Path | None,
    simulate: str | None,
    accuracy: float,
    seed: int,
    as_json: bool,
) -> None:
    """Compare the pairs and bands of a project with known answers.

    Expected errors are compared with true errors. With --simulate, people of a given accuracy
    review pairs in the order of a dispatch, and their votes count as they would in linking.

    \b
    For example:
      mindfirl synthetic made --people 5000
      mindfirl pairs evaluate study --truth made/truth.csv --charts made/charts
      mindfirl pairs evaluate study --truth made/truth.csv --simulate 500 --accuracy 0.85
    """
    project = installed_project(name)
    review = SimulatedReview(_amount(simulate), accuracy, seed) if simulate else None
    found = evaluated(project=project, truth=truth, simulated=review)
    if charts:
        _write_charts(charts, open_pairs(project), found.bands)
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2))
        return
    _print_judgement(found, output_console())


def _amount(simulate: str) -> int | None:
    """Return how many pairs to review; nothing for the whole band."""
    if simulate == "band":
        return None
    if not simulate.isdecimal():
        raise SettingError("--simulate takes a number of pairs or the word band.")
    return int(simulate)


def _print_judgement(found: Judgement, console: Console) -> None:
    table = Table()
    for heading in ("", "pairs", "precision", "recall", "F1"):
        table.add_column(heading, justify="right" if heading else "left")
    bands, made = found.bands, found.unreviewed
    for words, quality in (
        ("candidates", bands.candidates),
        (f"best single threshold ({bands.best_threshold:.1f})", bands.best),
        ("linked automatically", bands.automatic),
        ("sent to people", bands.sent),
        ("not linked", bands.non_links),
        ("if people decide correctly", bands.reviewed),
        ("linkage without review", made),
    ):
        figures = (quality.precision, quality.recall, quality.f1)
        table.add_row(words, f"{quality.pairs:,}", *(f"{figure:.4f}" for figure in figures))
    if found.reviewed:
        after = found.reviewed.made
        figures = (after.precision, after.recall, after.f1)
        words = f"after review of {found.reviewed.pairs:,} pairs (simulated)"
        table.add_row(words, f"{after.pairs:,}", *(f"{figure:.4f}" for figure in figures))
    by_record = (made.b3_precision, made.b3_recall, made.b3_f1)
    table.add_row("by record (B-cubed)", "", *(f"{figure:.4f}" for figure in by_record))
    console.print(table)
    console.print(f"{bands.true_pairs:,} true pairs")
    console.print(f"records of the largest person without review: {made.largest_cluster:,}")
    _print_stated(found, console)


def _print_stated(found: Judgement, console: Console) -> None:
    """Print which errors would be stated without review, and which there are."""
    stated, table = found.stated, Table()
    for heading in ("errors without review", "stated", "true"):
        table.add_column(heading, justify="left" if "errors" in heading else "right")
    for words, ends, true in (
        ("false links", stated.false_links.to_json(), found.false_links),
        ("missed links", stated.missed_to_json, found.missed),
        ("links never compared", stated.never_compared_to_json, found.never_compared),
    ):
        table.add_row(words, error_range(ends), f"{true:,}")
    console.print(table)


def _write_charts(folder: Path, pairs: OpenPairs, found: Evaluation) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    curve, bands = burden_curve(pairs.candidates), pairs.bands
    counts = sorted({round(len(pairs.candidates) ** (place / _POINTS)) for place in range(_POINTS)})
    wanted = [bands_for_pairs(pairs.candidates, count) for count in (0, *counts)]
    points = [
        BurdenPoint(each.review, each.false_links, each.missed_links)
        for each in (curve.at(thresholds.lower, thresholds.upper) for thresholds in wanted)
    ]
    here = curve.at(bands.lower, bands.upper)
    now = BurdenPoint(int(pairs.settlement.sent.sum()), here.false_links, here.missed_links)
    best = QualityPoint(found.best.recall, found.best.precision)
    for theme in ("light", "dark"):
        drawn: dict[str, Chart] = {
            "weights": weight_histogram(pairs.candidates.weight, bands.lower, bands.upper, theme),
            "burden": burden_chart(points, theme, chosen=now),
            "quality": precision_recall(found.points.recall, found.points.precision, best, theme),
        }
        for kind, chart in drawn.items():
            write_text(folder / f"{kind}-{theme}.svg", chart.svg)
