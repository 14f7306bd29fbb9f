"""``mindfirl plan``: what budgets buy for the pairs of a project."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import TRUTH_WORDS, file_option, output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.forecast.frontier import WITHIN, ForecastPart
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.risk.percent import WHOLE
from mindfirl.services.plan import forecasts
from mindfirl.store.queries.plans import figures_of
from mindfirl.web.page.figures import accuracy
from mindfirl.web.plan import forecast_page

_HEADINGS = (
    *("", "K", "characters", "machine reviewer", "achieved", "people"),
    *("precision", "recall", "balanced", "undecided"),
)


@click.command()
@click.argument("name")
@file_option("--truth", words=TRUTH_WORDS)
@file_option(
    "--people",
    words="How often people slip, if you know it better than the included file.",
)
@click.option(
    "--loss",
    type=click.FloatRange(0, 100),
    default=WITHIN * 100,
    show_default=True,
    metavar="POINTS",
    help="Allowed loss of accuracy compared with full disclosure, in percentage points.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def plan(name: str, truth: Path | None, people: Path | None, loss: float, as_json: bool) -> None:
    """Forecast how many decisions are right at each budget of risk K.

    The forecast is trained on a truth file, or else on pairs that two people reviewed. With fewer
    than 200 such pairs it is trained on synthetic people, and no budget is recommended. The
    forecast is saved and shown on the page Plan.

    \b
    For example:
      mindfirl plan study
      mindfirl plan study --truth made/truth.csv --loss 2
    """
    project = installed_project(name)
    with stage_bars() as progress:
        made = forecasts.make(
            project=project,
            actor=COMMAND_LINE,
            truth=truth,
            people=people,
            baselines=True,
            progress=progress,
        )
    figures = figures_of(made)
    if as_json:
        recommended = figures.recommended_budget(loss / 100)
        share = None if recommended is None else recommended / WHOLE
        click.echo(json.dumps({**made.content, "recommended_budget": share}, indent=2))
        return
    console = output_console()
    for part_name, part in figures.parts.items():
        if part_name in forecast_page.PARTS:
            words = forecast_page.PARTS[part_name]
            title = f"{words}: {part.pairs:,}, {part.labelled:,} with known answers"
            console.print(_table(title, part))
    for sentence in (*forecast_page.sentences(figures, loss / 100), *forecast_page.remarks(made)):
        console.print(sentence)


def _table(title: str, part: ForecastPart) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right" if heading else "left")
    before = ""
    for policy, point in forecast_page.rows(part):
        if before and policy != before and point is not part.policies[policy][-1]:
            table.add_section()
        before = policy
        table.add_row(
            str(forecast_page.POLICIES[policy]),
            f"{point.budget:.2%}",
            f"{point.characters:.1f}",
            accuracy(point.accuracy),
            forecast_page.achieved(point),
            accuracy(point.people),
            *map(accuracy, (point.precision, point.recall, point.balanced, point.undecided)),
        )
    return table
