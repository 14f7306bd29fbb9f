"""``mindfirl pairs score`` and ``mindfirl pairs upload``: candidate pairs with match weights."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.stages.pairs.pair_summary import print_summary
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import printable
from mindfirl.core.errors import SettingError
from mindfirl.engine.scoring.blocking import Mode
from mindfirl.engine.scoring.engines import DuckDBEngine, Engine, SparkEngine
from mindfirl.services import pairs as candidates
from mindfirl.services import projects
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.workspace.open_pairs import open_pairs

_MODE = click.option(
    "--mode",
    type=click.Choice(["link", "dedupe", "both"]),
    help="Across databases, within them, or both. By default link, or dedupe for one database.",
)
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")


@click.command()
@click.argument("name")
@_MODE
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
@click.option("--dry-run", is_flag=True, help="Say how many pairs would be compared, and stop.")
@_AS_JSON
def score(
    name: str,
    mode: Mode | None,
    engine_name: str,
    master: str | None,
    most: int | None,
    seed: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Find candidate pairs of records, and score them.

    Pairs that agree on chosen attributes are compared; a model that learns from the data gives each
    a match weight. Pairs and weights are stored encrypted, and replace earlier ones.

    \b
    For example:
      mindfirl pairs score study --dry-run
      mindfirl pairs score study
    """
    check_installation()
    project = projects.project_named(name)
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
    print_summary(open_pairs(project), as_json=as_json)


@click.command()
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path))
@_MODE
@_AS_JSON
def upload(name: str, file: Path, mode: Mode | None, as_json: bool) -> None:
    """Upload pairs that were scored elsewhere: by Splink or dedupe, or two record IDs a row.

    \b
    For example:
      mindfirl pairs upload study splink_predictions.parquet
    """
    check_installation()
    project = projects.project_named(name)
    with stage_bars() as progress:
        candidates.bring_pairs(project=project, path=file, mode=mode, progress=progress)
    print_summary(open_pairs(project), as_json=as_json)


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
