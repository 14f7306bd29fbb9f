"""``mindfirl show``: pairs as a worker sees them, with the price of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.inputs import load, pair_options, progress_bar
from mindfirl.core import display, kapr
from mindfirl.core.alignment import Mark
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.schema import LEVELS, Accounting, Level

_OPEN: Final = "default"
_STYLES: Final = {
    Mark.SAME: "dim",
    Mark.SUBSTITUTED: "bold red",
    Mark.GAP: "bold green",
    Mark.TRANSPOSED: "bold magenta",
    Mark.EXCHANGED: "bold magenta",
    Mark.SWAPPED: "bold magenta",
    Mark.DIFFERENT: "bold red",
}


@click.command()
@pair_options
@click.option("--legend/--no-legend", default=True, help="Explain the marks at the end.")
def show(
    records: tuple[Path, ...],
    pairs_path: Path,
    schema_path: Path,
    level: Level,
    kappa: int,
    accounting: Accounting,
    legend: bool,
) -> None:
    """Print pairs as a worker would see them, and what opening each cell further would cost.

    Prices are the rise of the privacy risk K in a display of all the given pairs. The records, the
    pairs and the schema are given as for `mindfirl score`.

    \b
    For example, from the project's folder:
      mindfirl show examples/people/hospital.csv examples/people/registry.csv \\
        --pairs examples/people/pairs.csv --schema examples/people/schema.toml
    """
    inputs = load(records, pairs_path, schema_path, kappa=kappa)
    index = inputs.index
    table = Table("", *index.schema.names, show_lines=True)
    state = dict.fromkeys(index.schema.names, level)
    with progress_bar("Pricing pairs") as progress:
        for number, pair in enumerate(inputs.pairs, start=1):
            progress(number, len(inputs.pairs))
            prices = kapr.prices(
                index, pair, state, pairs=len(inputs.pairs), kappa=kappa, accounting=accounting
            )
            table.add_row(str(number), *draw_pair(index, kapr.view(index, pair, state), prices))
    console = Console()
    console.print(table)
    if legend:
        console.print(_legend())


def draw_pair(
    index: PopulationIndex, seen: kapr.View, prices: Mapping[kapr.Step, Fraction | None]
) -> list[Text]:
    """Draw the cells of a pair: two rows, the marks, and the price of each step."""
    cells = []
    for place, own in enumerate(index.schema.names):
        cell = display.cell(seen.differences[place], LEVELS[seen.levels[place]])
        bands = [index.frequency(record, place) for record in seen.records]
        steps = {level: price for (name, level), price in prices.items() if name == own}
        cells.append(_draw(cell, bands, steps))
    return cells


def _draw(
    cell: display.Cell, bands: Sequence[str], prices: Mapping[Level, Fraction | None]
) -> Text:
    lines = []
    for row, band in zip(cell.rows, bands, strict=True):
        line = Text()
        for sign in row:
            line.append(sign.text, _OPEN if sign.shown and not sign.mark else _STYLES[sign.mark])
        if not row:
            line.append("missing", "italic dim")
        if band:
            line.append(f" {band}", "italic dim")
        lines.append(line)
    lines.append(Text(" ".join(display.LEGEND[mark][0] for mark in cell.marks), "cyan"))
    lines += [Text(f"{level} {_price(price)}", "dim") for level, price in prices.items()]
    return Text("\n").join(lines)


def _price(price: Fraction | None) -> str:
    return "refused by κ" if price is None else f"+{float(price):.3%}"


def _legend() -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("*", "a hidden character on which both rows agree")
    table.add_row("@ &", "a hidden character that differs, on the first and on the second row")
    for icon, words in display.LEGEND.values():
        table.add_row(icon, words)
    table.add_row("+0.1%", "what opening the cell to that level adds to the privacy risk K")
    return table
