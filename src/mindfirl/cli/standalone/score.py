"""``mindfirl score`` and ``mindfirl example``: the privacy risk of a display of pairs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table

from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.cli.terminal.show import (
    Inputs,
    draw_pair,
    floor_remark,
    load,
    output_console,
    pair_options,
    print_pairs,
)
from mindfirl.core.risk import kapr
from mindfirl.core.risk.attackers import Attackers, attackers, record_risks, union_score
from mindfirl.core.risk.worked_example import SCHEMA, worked_example
from mindfirl.core.values.schema import LEVELS, Accounting, Level

_LONGEST: Final = 15
"""A fraction with more characters than this is shown as a decimal alone."""


@dataclass(frozen=True, slots=True)
class Score:
    """The risk of a display: the total, every row, records over all their rows, attackers."""

    level: Level
    accounting: Accounting
    attributes: int
    kappa: int
    total: Fraction
    union: Fraction
    rows: tuple[kapr.Risk, ...]
    attackers: Attackers

    def shown(self, risk: kapr.Risk) -> Fraction:
        return Fraction(risk.shown, risk.scale * self.attributes)

    def of_row(self, risk: kapr.Risk) -> Fraction:
        return Fraction(self.kappa, len(self.rows) * self.attributes) * risk.exact(self.kappa)


@click.command()
@pair_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def score(
    records: tuple[Path, ...],
    pairs_path: Path,
    schema_path: Path,
    level: Level,
    kappa: int,
    accounting: Accounting,
    as_json: bool,
) -> None:
    """Print the k-anonymized privacy risk of showing pairs at a level.

    RECORDS are one or more files of records (CSV, Parquet, Excel), one per database. Pairs name
    records by the id column that the schema names, or by row number from 1. With one database both
    are in it; with two, left is in the first and right in the second; the columns left_database and
    right_database (file names without their ending) say otherwise.

    \b
    For example, from the project's folder:
      mindfirl score examples/worked/records.csv --pairs examples/worked/pairs.csv \\
        --schema examples/worked/schema.toml --level partial
    """
    inputs = load(records, pairs_path, schema_path, kappa=kappa)
    result = score_at(inputs, level, kappa=kappa, accounting=accounting)
    if as_json:
        click.echo(json.dumps(_as_json(result), indent=2))
    else:
        print_score(result, output_console())


def score_at(inputs: Inputs, level: Level, *, kappa: int, accounting: Accounting) -> Score:
    index = inputs.index
    state = dict.fromkeys(index.schema.names, level)
    views: list[kapr.View] = []
    rows: list[kapr.Risk] = []
    with progress_bar("Scoring pairs") as progress:
        for done, pair in enumerate(inputs.pairs, start=1):
            progress(done, len(inputs.pairs))
            views.append(kapr.view_pair(index, pair, state))
            rows += kapr.row_risks(index, views[-1], accounting)
    attributes = len(index.schema.attributes)
    records = record_risks(index, views, accounting)
    return Score(
        level=level,
        accounting=accounting,
        attributes=attributes,
        kappa=kappa,
        total=kapr.score(rows, attributes=attributes, kappa=kappa),
        union=union_score(views, records, attributes=attributes, kappa=kappa),
        rows=tuple(rows),
        attackers=attackers(rows, records.values()),
    )


def print_score(result: Score, console: Console) -> None:
    table = Table("pair", "row", box=None, pad_edge=False)
    for heading in ("k", "shown", "risk", ""):
        table.add_column(heading, justify="right")
    for place, risk in enumerate(result.rows):
        pair = str(place // 2 + 1) if place % 2 == 0 else ""
        share = f"{float(result.shown(risk)):.0%}"
        table.add_row(pair, str(place % 2 + 1), str(risk.k), share, *exact(result.of_row(risk)))
    console.print(table)
    found = result.attackers
    totals = Table(box=None, show_header=False, pad_edge=False)
    totals.add_column()
    for _ in range(2):
        totals.add_column(justify="right")
    totals.add_row("privacy risk K", *exact(result.total))
    totals.add_row("K, with all rows of a record combined", *exact(result.union))
    totals.add_row("prosecutor: highest 1/k of a row", *exact(found.prosecutor))
    totals.add_row("marketer: mean 1/k of a row", *exact(found.marketer))
    totals.add_row("rows with k = 1", *exact(found.unique_rows))
    console.print()
    console.print(totals)
    console.print(_expected(found))
    below = sum(risk.k < result.kappa for risk in result.rows)
    if below:
        console.print(floor_remark(below, result.kappa))


def _expected(found: Attackers) -> str:
    if not found.records_shown:
        return "expected re-identifications: none, because no character is shown"
    expected = f"{float(found.reidentifications):.2f} of {found.records_shown}"
    return f"expected re-identifications: {expected} records with a character shown"


def exact(number: Fraction) -> tuple[str, str]:
    """Write a share as a percentage, and as a fraction where that is short."""
    fraction = str(number)
    return f"{float(number):.4%}", fraction if len(fraction) <= _LONGEST else ""


def _as_json(result: Score) -> dict[str, Any]:
    """Put a score into plain values; fractions as texts, so that they stay exact."""
    found = result.attackers
    return {
        "K": str(result.total),
        "K_decimal": float(result.total),
        "K_union": str(result.union),
        "level": result.level,
        "kappa": result.kappa,
        "accounting": result.accounting,
        "pairs": len(result.rows) // 2,
        "attributes": result.attributes,
        "rows": [
            {
                "pair": place // 2 + 1,
                "row": place % 2 + 1,
                "k": risk.k,
                "shown": str(result.shown(risk)),
                "risk": str(result.of_row(risk)),
            }
            for place, risk in enumerate(result.rows)
        ],
        "attackers": {
            "prosecutor": str(found.prosecutor),
            "marketer": str(found.marketer),
            "expected_reidentifications": str(found.reidentifications),
            "records_shown": found.records_shown,
            "unique_rows": str(found.unique_rows),
        },
    }


@click.command()
def example() -> None:
    """Show the privacy risk score of four made-up records, step by step.

    All six pairs are shown with every cell masked, then partial, then full: what a worker would
    see, how many records could be the one on each row (k), and how much this adds to the risk K.
    """
    console = output_console()
    index, pairs = worked_example()
    inputs = Inputs(index, pairs)
    for level in LEVELS:
        console.print(f"Every cell {level}", style="bold")
        state = dict.fromkeys(SCHEMA.names, level)
        print_pairs(console, SCHEMA.names, [draw_pair(index, pair, state, {}) for pair in pairs])
        print_score(score_at(inputs, level, kappa=1, accounting="paper"), console)
        console.print()
