"""``mindfirl show``: pairs as a worker sees them, with the price of each cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, TypeVar

import click
from rich.console import Console, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.core.display import cells as display
from mindfirl.core.display.alignment import Mark
from mindfirl.core.errors import SettingError
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk import kapr
from mindfirl.core.values.schema import ACCOUNTINGS, LEVELS, Accounting, Level, Pair, State
from mindfirl.engine.pairs.pair_lists import read_pairs
from mindfirl.engine.schema.schema_parser import read_schema
from mindfirl.engine.separation.indexed_databases import index_databases, read_databases

_Command = TypeVar("_Command", bound=Callable[..., Any])

_PATH: Final = click.Path(path_type=Path)
TRUTH_WORDS: Final = (
    "The true pairs (columns left and right, with record IDs) or persons (columns id and person)."
)
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
_PIPE_WIDTH: Final = 10_000
"""Where there is no terminal, no line is cut."""


def file_option(*names: str, words: str, required: bool = False) -> Callable[[_Command], _Command]:
    return click.option(*names, type=_PATH, required=required, metavar="FILE", help=words)


_OPTIONS: Final = (
    click.argument("records", nargs=-1, type=_PATH, required=True),
    file_option(
        *("--pairs", "pairs_path"),
        words="The pairs: CSV or Parquet with the columns left and right.",
        required=True,
    ),
    file_option(
        *("--schema", "schema_path"),
        words="The schema: attributes and how they are compared (TOML).",
        required=True,
    ),
    click.option(
        "--level",
        type=click.Choice(LEVELS),
        default="masked",
        show_default=True,
        help="The level of every cell.",
    ),
    click.option(
        "--kappa",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Minimum group size (kappa).",
    ),
    click.option(
        "--accounting",
        type=click.Choice(ACCOUNTINGS),
        default="paper",
        show_default=True,
        help="Count by the published rules (paper), or also count what masks and marks reveal "
        "(strict).",
    ),
)


def pair_options(command: _Command) -> _Command:
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True, slots=True)
class Inputs:
    index: PopulationIndex
    pairs: tuple[Pair, ...]


def load(records: Sequence[Path], pairs: Path, schema: Path, *, kappa: int) -> Inputs:
    read = read_schema(schema)
    with progress_bar("Reading records") as progress:
        databases = read_databases(records, read, progress=progress)
    with progress_bar("Indexing records") as progress:
        index = index_databases(databases, read, progress=progress)
    if kappa > index.size:
        raise SettingError(
            f"kappa is {kappa}, but there are only {index.size} records. Lower kappa."
        )
    return Inputs(index, tuple(read_pairs(pairs, index, databases, read)))


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """A pair as it is printed: for each attribute two rows, the marks and the prices."""

    rows: tuple[tuple[Text, Text], ...]
    notes: tuple[tuple[Text, ...], ...]
    marks: frozenset[str]


@click.command()
@pair_options
@click.option("--legend/--no-legend", default=True, help="Print a legend of the marks.")
def show(
    records: tuple[Path, ...],
    pairs_path: Path,
    schema_path: Path,
    level: Level,
    kappa: int,
    accounting: Accounting,
    legend: bool,
) -> None:
    """Print pairs as a worker would see them, with the price of opening each cell further.

    A price is the increase of the privacy risk K in a display of all given pairs. Give records,
    pairs and schema as for `mindfirl score`. At level full, all values are printed.

    \b
    For example, from the project's folder:
      mindfirl show examples/people/hospital.csv examples/people/registry.csv \\
        --pairs examples/people/pairs.csv --schema examples/people/schema.toml
    """
    inputs = load(records, pairs_path, schema_path, kappa=kappa)
    index = inputs.index
    state = dict.fromkeys(index.schema.names, level)
    drawings, below = [], 0
    with progress_bar("Pricing pairs") as progress:
        for done, pair in enumerate(inputs.pairs, start=1):
            prices = kapr.prices(
                index, pair, state, pairs=len(inputs.pairs), kappa=kappa, accounting=accounting
            )
            drawings.append(draw_pair(index, pair, state, prices))
            seen = kapr.view_pair(index, pair, state)
            below += sum(risk.k < kappa for risk in kapr.row_risks(index, seen, "paper"))
            progress(done, len(inputs.pairs))
    console = output_console()
    print_pairs(console, index.schema.names, drawings)
    if legend:
        marks = frozenset[str]().union(*(drawing.marks for drawing in drawings))
        console.print(_legend(marks, refused=kappa > 1))
    if below:
        console.print(floor_remark(below, kappa))


def output_console() -> Console:
    """Return a console that never cuts a line where there is no terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_PIPE_WIDTH)


def floor_remark(rows: int, kappa: int) -> str:
    return (
        f"{rows} rows have fewer than kappa = {kappa} possible records. In a review, openings "
        f"that lead there are refused."
    )


def draw_pair(
    index: PopulationIndex,
    pair: Pair,
    state: State,
    prices: Mapping[kapr.Step, Fraction | None],
) -> DrawnPair:
    seen = kapr.view_pair(index, pair, state)
    cells = [
        display.cell(difference, LEVELS[level])
        for difference, level in zip(seen.differences, seen.levels, strict=True)
    ]
    rows, notes = [], []
    for place, (name, cell) in enumerate(zip(index.schema.names, cells, strict=True)):
        first, second = (
            _line(signs, index.frequency(record, place))
            for signs, record in zip(cell.rows, seen.records, strict=True)
        )
        rows.append((first, second))
        icons = Text(" ".join(display.LEGEND[mark][0] for mark in cell.marks), "cyan")
        steps = [(level, price) for (own, level), price in prices.items() if own == name]
        notes.append((icons, *(Text(f"{level} {_price(price)}", "dim") for level, price in steps)))
    marks = frozenset(mark for cell in cells for mark in cell.marks)
    return DrawnPair(tuple(rows), tuple(notes), marks)


def print_pairs(console: Console, names: Sequence[str], drawings: Sequence[DrawnPair]) -> None:
    """Print the pairs side by side if they fit, else attribute by attribute; nothing is cut."""
    headings = [Text(printable(name)) for name in names]
    wide = Table(show_lines=True)
    for heading in (Text("pair"), *headings):
        wide.add_column(heading)
    for number, drawing in enumerate(drawings, start=1):
        cells = zip(drawing.rows, drawing.notes, strict=True)
        wide.add_row(str(number), *(Text("\n").join([*rows, *notes]) for rows, notes in cells))
    if fits(console, wide):
        console.print(wide)
        return
    for number, drawing in enumerate(drawings, start=1):
        console.print(_stacked(number, headings, drawing))


def fits(console: Console, table: Table) -> bool:
    """Say whether a table has room on the console without folding a cell."""
    unbounded = console.options.update(max_width=_PIPE_WIDTH)
    return Measurement.get(console, unbounded, table).maximum <= console.width


def _stacked(number: int, headings: Sequence[Text], drawing: DrawnPair) -> Table:
    table = Table(show_header=False, title=f"pair {number}", title_justify="left")
    for _ in range(2):
        table.add_column(overflow="fold")
    for heading, rows, notes in zip(headings, drawing.rows, drawing.notes, strict=True):
        table.add_row(heading, Text("\n").join([*rows, *notes]))
        table.add_section()
    return table


def _line(signs: Sequence[display.Sign], band: str) -> Text:
    line = Text()
    for sign in signs:
        style = _OPEN if sign.shown and not sign.mark else _STYLES[sign.mark]
        line.append(printable(sign.text), style)
    if not signs:
        line.append("missing", "italic dim")
    if band:
        line.append(f" {band}", "italic dim")
    return line


def printable(text: str) -> str:
    """Replace what would move the cursor, reorder or hide text."""
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


def _price(price: Fraction | None) -> str:
    return "refused" if price is None else f"+{float(price):.3%}"


def _legend(marks: frozenset[str], *, refused: bool) -> RenderableType:
    table = Table(box=None, show_header=False, pad_edge=False)
    for icon, words in _explained(marks):
        table.add_row(icon, words)
    if refused:
        table.add_row("refused", "opening it would leave fewer than kappa possible records")
    return table


def _explained(marks: frozenset[str]) -> Iterator[tuple[str, str]]:
    yield "*", "a hidden character that is the same on both rows"
    yield "@ &", "a hidden character that differs, on the first and second row"
    yield from (explained for mark, explained in display.LEGEND.items() if mark in marks)
    yield "full +1%", "opening the cell to full adds 1% to the privacy risk K of all these pairs"
