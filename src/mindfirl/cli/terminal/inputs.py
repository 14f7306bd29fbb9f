"""What the commands read: databases of records, a schema, a list of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.core.errors import SettingError
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import ACCOUNTINGS, LEVELS, Pair
from mindfirl.engine.pairs.pair_lists import read_pairs
from mindfirl.engine.schema.schema_files import read_schema
from mindfirl.engine.separation.indexed_databases import index_databases, read_databases

_Command = TypeVar("_Command", bound=Callable[..., Any])

_PATH: Final = click.Path(path_type=Path)
_OPTIONS: Final = (
    click.argument("records", nargs=-1, type=_PATH, required=True),
    click.option(
        "--pairs",
        "pairs_path",
        type=_PATH,
        required=True,
        metavar="FILE",
        help="The pairs to look at: CSV or Parquet with the columns left and right.",
    ),
    click.option(
        "--schema",
        "schema_path",
        type=_PATH,
        required=True,
        metavar="FILE",
        help="The attributes and how they are compared: TOML.",
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
        help="The smallest anonymity set that is allowed.",
    ),
    click.option(
        "--accounting",
        type=click.Choice(ACCOUNTINGS),
        default="paper",
        show_default=True,
        help="Count by the published rules, or count what masks and marks give away, too.",
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
        raise SettingError(f"kappa is {kappa}, but there are only {index.size} records. Lower it.")
    return Inputs(index, tuple(read_pairs(pairs, index, databases, read)))
