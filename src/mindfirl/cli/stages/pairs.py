"""``mindfirl pairs``: score pairs or upload them, move the thresholds, check against the truth."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.stages.evaluate import error_range, evaluate
from mindfirl.cli.terminal.histogram import print_histogram
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.engine.bands.burden import Bands, bands_for_rates
from mindfirl.engine.scoring.blocking import RULE_SOURCES, Blocking, Mode, RuleSource
from mindfirl.engine.scoring.engines import DuckDBEngine, Engine, SparkEngine
from mindfirl.services import pairs as candidates
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs

_MODE = click.option(
    "--mode",
    type=click.Choice(["link", "dedupe", "both"]),
    help="Between databases (link), within them (dedupe), or both. Default: link, or dedupe for "
    "one database.",
)
_AS_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
_POINTS = 80
"""This many points are enough for the curve of burden."""


@click.group()
def pairs() -> None:
    """Score or upload candidate pairs and choose which of them people review.

    Two thresholds cut the pairs into three bands: linked automatically, for people, not linked.
    """


def print_summary(found: OpenPairs, *, as_json: bool) -> None:
    described = candidates.describe(found)
    if as_json:
        click.echo(json.dumps(described, indent=2))
        return
    console = output_console()
    for remark in described["remarks"]:
        console.print(Text(printable(remark)))
    print_histogram(console, found.shown_weights, found.bands.lower, found.bands.upper)
    _print_bands(described, console)


def _print_bands(described: dict[str, Any], console: Console) -> None:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column()
    table.add_column(justify="right")
    table.add_column()
    notes = [
        f"{described['contested']:,} of them above the upper threshold, but contested"
        if described["contested"]
        else "",
        f"{described['settled']:,} more are settled by automatic links"
        if described["settled"]
        else "",
    ]
    table.add_row("linked automatically", f"{described['links']:,}", "")
    table.add_row("for people", f"{described['review']:,}", "; ".join(filter(None, notes)))
    table.add_row("not linked", f"{described['non_links']:,}", "")
    console.print(table)
    print_errors(described["errors"], console)
    risk = described["K"]
    words = (
        f"K for one worker who sees pairs like these: about {risk['partial']:.2%} with every cell "
        f"partial, {risk['full']:.2%} with every cell full"
    )
    console.print(Text(words))


def print_errors(errors: dict[str, Any], console: Console) -> None:
    """Print the errors to expect if records were linked now."""
    whose = "the model" if errors["by"] == "model" else "your file"
    console.print(f"expected errors if linked now, based on the weights of {whose}:")
    for words, ends in (
        (f"false links, of {errors['links']:,}", errors["false_links"]),
        ("missed links, compared but not linked", errors["missed_links"]),
        ("links never compared, or more", errors["never_compared"]),
    ):
        console.print(f"  {words}: {error_range(ends)}")
    if errors["look_alikes"]:
        alike = f"{errors['look_alikes']:,}"
        console.print(
            f"  About {alike} links may join relatives: several personal attributes differ in them."
        )
    if errors["contradicted"]:
        console.print("  A sample shows more errors than the weights predict: see the page Pairs.")


@pairs.command()
@click.argument("name")
@_MODE
@click.option(
    "--engine",
    "engine_name",
    type=click.Choice(["duckdb", "spark"]),
    default="duckdb",
    show_default=True,
    help="Engine: DuckDB in this process, or Spark on a cluster.",
)
@click.option("--master", metavar="URL", help="The Spark cluster. Default: this machine.")
@click.option(
    "--most",
    type=click.IntRange(min=1),
    metavar="N",
    help="Maximum number of comparisons.",
)
@click.option(
    "--rule",
    "own",
    multiple=True,
    metavar="RULE",
    help="Also compare pairs that agree on this, such as 'last_name + year of birth_date'.",
)
@click.option(
    "--rules",
    "source",
    type=click.Choice(RULE_SOURCES),
    default="derived",
    show_default=True,
    help="Rules for comparing: derived from a first model, whole values only (exact), or only "
    "your own rules (own).",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Seed for reproducible pairs.")
@click.option("--dry-run", is_flag=True, help="Print how many pairs would be compared, and stop.")
@_AS_JSON
def score(
    name: str,
    mode: Mode | None,
    engine_name: str,
    master: str | None,
    most: int | None,
    own: tuple[str, ...],
    source: RuleSource,
    seed: int,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Find candidate pairs of records and score them.

    A model learns from pairs that agree on whole values. From its matches it derives rules for
    parts of values, which also find pairs with an error in each value, and it gives each pair a
    match weight. Pairs and weights are stored encrypted and replace earlier ones.

    \b
    For example:
      mindfirl pairs score study --dry-run
      mindfirl pairs score study
      mindfirl pairs score study --rule "last_name + year of birth_date"
    """
    project = installed_project(name)
    blocked = candidates.plan_pairs(project=project, mode=mode, most=most, source=source, own=own)
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
    found = open_pairs(project)
    click.echo(_used(candidates.rules_used(found.scoring)), err=True)
    print_summary(found, as_json=as_json)


@pairs.command()
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
    project = installed_project(name)
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
    """Say which pairs are compared, and how many, before that is done."""
    exact, own = blocked.blocking, blocked.own
    lines = [f"{blocked.mode}: {blocked.records:,} records"]
    if blocked.source == "exact":
        every = blocked.own_and_exact
        lines += [f"compare at most {every.total:,} pairs", *_rules(every)]
    else:
        lines += [f"learn from at most {exact.total:,} pairs", *_rules(exact)]
    if blocked.source != "exact" and own.rules:
        lines += [f"compare at most {own.total:,} pairs by your own rules", *_rules(own)]
    if blocked.source == "derived":
        lines.append(f"then compare up to {blocked.left:,} pairs by rules derived from the model")
    return "\n".join(lines)


def _used(blocking: Blocking) -> str:
    head = f"compared at most {blocking.total:,} pairs by {len(blocking.rules)} rules"
    return "\n".join([head, *_rules(blocking)])


def _rules(blocking: Blocking) -> list[str]:
    return [
        f"  {count:>15,}  that agree on {' and on '.join(map(printable, rule))}"
        for rule, count in blocking.listed()
    ]


@pairs.command()
@click.argument("name")
@click.option("--lower", type=float, help="Pairs below this weight are not linked.")
@click.option("--upper", type=float, help="Pairs with at least this weight are linked.")
@click.option(
    "--pairs", "count", type=click.IntRange(min=0), help="Send this many pairs to people."
)
@click.option(
    "--hours",
    type=click.FloatRange(min=0),
    help="Or send as many pairs as people can review in this many hours, at 60 decisions per hour.",
)
@click.option("--false-links", type=float, help="Or allow this share of false automatic links.")
@click.option("--missed-links", type=float, help="And this share of missed links.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def bands(
    name: str,
    lower: float | None,
    upper: float | None,
    count: int | None,
    hours: float | None,
    false_links: float | None,
    missed_links: float | None,
    as_json: bool,
) -> None:
    """Show or set the two thresholds that divide pairs into three bands.

    Give both thresholds as match weights. Or give the number of pairs that people can review: the
    pairs nearest to even odds are sent. Pairs of equal weight stay together, and contested links
    always go to people, so the number can be slightly different. Or give the shares of errors that
    are allowed.

    \b
    For example:
      mindfirl pairs bands study
      mindfirl pairs bands study --lower -2 --upper 9
      mindfirl pairs bands study --pairs 500
      mindfirl pairs bands study --hours 20
    """
    project = installed_project(name)
    found = open_pairs(project)
    if hours is not None:
        if count is not None:
            raise SettingError("Give --pairs or --hours, not both.")
        count = candidates.pairs_in_hours(project, hours)
    wanted = None
    if lower is not None or upper is not None:
        if lower is None or upper is None or count is not None:
            raise SettingError(
                "Give both --lower and --upper, without --pairs, --hours or allowed errors."
            )
        wanted = Bands(lower, upper)
    elif count is not None:
        wanted = candidates.bands_for(found, count)
    elif false_links is not None or missed_links is not None:
        rates = {"false_links": false_links, "missed_links": missed_links}
        given = {key: rate for key, rate in rates.items() if rate is not None}
        wanted = bands_for_rates(found.candidates, **given)
    if wanted:
        candidates.set_bands(project=project, bands=wanted)
        found = open_pairs(project)
    print_summary(found, as_json=as_json)


pairs.add_command(evaluate)
