"""``mindfirl pairs``: find what needs a person, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.histogram import print_histogram
from mindfirl.cli.terminal.progress import stage_bars
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.core.errors import SettingError
from mindfirl.engine.scoring.blocking import Mode
from mindfirl.engine.scoring.engines import DuckDBEngine, Engine, SparkEngine
from mindfirl.services import pairs as candidates
from mindfirl.services import projects
from mindfirl.services.upkeep.installation import check_installation


@click.command()
@click.argument("name")
@click.option(
    "--mode",
    type=click.Choice(["link", "dedupe", "both"]),
    help="Across databases, within them, or both. By default link, or dedupe for one database.",
)
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="What scores the pairs: DuckDB in this process, or Spark on a cluster.",
)
@click.option("--master", metavar="URL", help="The Spark cluster; by default this machine.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="N",
    help="Compare no more than so many pairs.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed, the same pairs."
)
@click.option(
    "--from",
    "path",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take scored pairs from elsewhere: from Splink or dedupe, or two ids a row.",
)
@click.option("--dry-run", is_flag=True, help="Say how many pairs would be compared, and stop.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def pairs(
    name: str,
    mode: Mode | None,
    engine_name: str,
    master: str | None,
    most: int | None,
    seed: int,
    path: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Find the pairs of records that may be of one person, and weigh them.

    Pairs that agree on chosen attributes are compared and weighed by a model that learns from the
    data themselves. Two limits cut them into three bands: linked automatically, for people, not
    linked; see `mindfirl bands`. Pairs and weights are kept encrypted, and replace earlier ones.

    \b
    For example:
      mindfirl pairs study --dry-run
      mindfirl pairs study
      mindfirl pairs study --from splink_predictions.parquet
    """
    check_installation()
    project = projects.project_named(name)
    if path:
        with stage_bars() as progress:
            candidates.bring_pairs(project=project, path=path, mode=mode, progress=progress)
    else:
        blocked = candidates.plan_pairs(project=project, mode=mode, most=most)
        click.echo(_planned(blocked), err=True)
        if dry_run:
            return
        with stage_bars() as progress:
            candidates.find_pairs(
                project=project,
                blocked=blocked,
                engine=_engine(engine_name, master),
                seed=seed,
                progress=progress,
            )
    print_pairs(candidates.open_pairs(project), as_json=as_json)


def _engine(name: str, master: str | None) -> Engine:
    if name == "spark":
        return SparkEngine(master=master or "local[*]")
    if master:
        raise SettingError("--master belongs to --engine spark.")
    return DuckDBEngine()


def _planned(blocked: candidates.Blocked) -> str:
    """Say which pairs will be compared, rule by rule."""
    lines = [
        f"{blocked.mode}: {blocked.records:,} records, at most {blocked.blocking.total:,} pairs"
    ]
    lines += [
        f"  {count:>15,}  that agree on {' and '.join(map(printable, rule))}"
        for rule, count in zip(blocked.blocking.rules, blocked.blocking.comparisons, strict=True)
    ]
    return "\n".join(lines)


def print_pairs(found: candidates.OpenPairs, *, as_json: bool) -> None:
    """Print bands, what they ask of people, and what that could cost."""
    described = candidates.describe(found)
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    console = output_console()
    for remark in described["remarks"]:
        console.print(Text(printable(remark)))
    print_histogram(console, found.candidates.weight, found.bands.lower, found.bands.upper)
    _print_bands(described, console)


def _print_bands(described: dict[str, Any], console: Console) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    missed, false = described["expected_missed_links"], described["expected_false_links"]
    notes = [
        f"{described['contested']:,} of them heavy, but contested"
        if described["contested"]
        else "",
        f"{described['settled']:,} more are settled by links" if described["settled"] else "",
    ]
    table.add_row("linked automatically", f"{described['links']:,}", f"{false:,.1f} expected false")
    table.add_row("for people", f"{described['review']:,}", "; ".join(filter(None, notes)))
    table.add_row("not linked", f"{described['non_links']:,}", f"{missed:,.1f} expected missed")
    console.print(table)
    console.print(Text(_risk_words(described)))


def _risk_words(described: dict[str, Any]) -> str:
    """Say what showing the pairs for people could cost, as far as that is known."""
    risk, known, review = described["K"], described["K_known"], described["review"]
    which = "these pairs" if known == review else f"{known:,} of these pairs"
    return (
        f"showing {which} to one worker: K at most {risk['partial']:.2%} with every cell "
        f"partial, {risk['full']:.2%} with every cell full"
    )
