"""``mindfirl pairs evaluate``: how good the pairs of a project are, where the truth is known."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from mindfirl.cli.terminal.new_files import write_text
from mindfirl.cli.terminal.show import output_console
from mindfirl.engine.bands import bands_for_pairs, burden_curve
from mindfirl.engine.bands.evaluation import Evaluation
from mindfirl.engine.charts import (
    BurdenPoint,
    Chart,
    QualityPoint,
    burden_chart,
    precision_recall,
    weight_histogram,
)
from mindfirl.services import pairs as candidates
from mindfirl.services import projects
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs

_POINTS = 80
"""So many points are enough for the curve of burden."""


@click.command()
@click.argument("name")
@click.option(
    "--truth",
    type=click.Path(path_type=Path),
    required=True,
    metavar="FILE",
    help="The true pairs (columns left and right: record ids) or persons (columns id and person).",
)
@click.option(
    "--charts",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Write the charts there: weights, burden, precision and recall, as SVG, light and dark.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def evaluate(name: str, truth: Path, charts: Path | None, as_json: bool) -> None:
    """Compare the pairs and bands of a project with the truth, where it is known.

    \b
    For example:
      mindfirl synthetic made --people 5000
      mindfirl pairs evaluate study --truth made/truth.csv --charts made/charts
    """
    check_installation()
    project = projects.project_named(name)
    found = candidates.evaluated(project=project, truth=truth)
    if charts:
        _write_charts(charts, open_pairs(project), found)
    if as_json:
        click.echo(json.dumps(found.to_json(), indent=2))
        return
    table = Table()
    for heading in ("", "pairs", "precision", "recall", "F1"):
        table.add_column(heading, justify="right" if heading else "left")
    for words, quality in (
        ("candidates", found.candidates),
        (f"best single threshold ({found.best_threshold:.1f})", found.best),
        ("linked automatically", found.automatic),
        ("sent to people", found.sent),
        ("not linked", found.non_links),
        ("if people decide rightly", found.reviewed),
    ):
        figures = (quality.precision, quality.recall, quality.f1)
        table.add_row(words, f"{quality.pairs:,}", *(f"{figure:.4f}" for figure in figures))
    console = output_console()
    console.print(table)
    console.print(f"{found.true_pairs:,} true pairs")


def _write_charts(folder: Path, pairs: OpenPairs, found: Evaluation) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    curve, bands = burden_curve(pairs.candidates), pairs.bands
    chosen = candidates.describe(pairs)
    counts = sorted({round(len(pairs.candidates) ** (place / _POINTS)) for place in range(_POINTS)})
    wanted = [bands_for_pairs(pairs.candidates, count) for count in (0, *counts)]
    points = [
        BurdenPoint(each.review, each.false_links, each.missed_links)
        for each in (curve.at(thresholds.lower, thresholds.upper) for thresholds in wanted)
    ]
    now = BurdenPoint(
        chosen["review"], chosen["expected_false_links"], chosen["expected_missed_links"]
    )
    best = QualityPoint(found.best.recall, found.best.precision)
    for theme in ("light", "dark"):
        drawn: dict[str, Chart] = {
            "weights": weight_histogram(pairs.candidates.weight, bands.lower, bands.upper, theme),
            "burden": burden_chart(points, theme, chosen=now),
            "quality": precision_recall(found.points.recall, found.points.precision, best, theme),
        }
        for kind, chart in drawn.items():
            write_text(folder / f"{kind}-{theme}.svg", chart.svg)
