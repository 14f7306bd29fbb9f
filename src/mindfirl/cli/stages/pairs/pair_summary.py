"""How the candidate pairs of a project are printed: weights, bands, expected errors and risk."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.histogram import print_histogram
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.services import pairs as candidates
from mindfirl.workspace.open_pairs import OpenPairs


def print_summary(found: OpenPairs, *, as_json: bool) -> None:
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
