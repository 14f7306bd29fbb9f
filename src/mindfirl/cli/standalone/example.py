"""``mindfirl example``: the worked example of the privacy risk score, state by state."""

from __future__ import annotations

from itertools import combinations
from typing import Final

import click

from mindfirl.cli.standalone.score import print_score, score_at
from mindfirl.cli.terminal.inputs import Inputs
from mindfirl.cli.terminal.show import draw_pair, output_console, print_pairs
from mindfirl.core.population.index import build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import LEVELS, Attribute, Schema

SCHEMA: Final = Schema(
    [Attribute("name", "string"), Attribute("dob", "date"), Attribute("race", "category")]
)
RECORDS: Final = (
    {"name": "Mary", "dob": "08/09/1964", "race": "Hispanic"},
    {"name": "Mark", "dob": "08/09/1964", "race": "Hispanic"},
    {"name": "Mary", "dob": "09/08/1964", "race": "Black"},
    {"name": "Mary", "dob": "09/08/1964", "race": "Black"},
)


@click.command()
def example() -> None:
    """Show the privacy risk score on four made-up records, state by state.

    All six pairs are shown with every cell masked, then partial, then full: what a worker would
    see, how many records could be the one on each row (k), and what that adds to the risk K.
    """
    console = output_console()
    index = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    pairs = tuple(index.pair(left, right) for left, right in combinations(range(len(RECORDS)), 2))
    inputs = Inputs(index, pairs)
    for level in LEVELS:
        console.print(f"Every cell {level}", style="bold")
        state = dict.fromkeys(SCHEMA.names, level)
        print_pairs(console, SCHEMA.names, [draw_pair(index, pair, state, {}) for pair in pairs])
        print_score(score_at(inputs, level, kappa=1, accounting="paper"), console)
        console.print()
