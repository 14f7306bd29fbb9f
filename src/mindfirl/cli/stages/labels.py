"""``mindfirl labels``: answers that are known from elsewhere."""

from __future__ import annotations

from pathlib import Path

import click

from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.labels import import_labels


@click.group()
def labels() -> None:
    """Import known answers."""


@labels.command("import")
@click.argument("name")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--source",
    required=True,
    metavar="TEXT",
    help="Source of the answers, recorded in the ledger.",
)
def import_file(name: str, file: Path, source: str) -> None:
    """Import the known answers in FILE as decisions of the project NAME.

    FILE has the columns left, right and answer (same or different), or those of Splink's clerical
    labels. These pairs are linked or kept apart accordingly, and people do not review them.

    \b
    For example:
      mindfirl labels import study known.csv --source "Registry of 2024"
    """
    made = import_labels(
        project=installed_project(name), actor=COMMAND_LINE, path=file, source=source
    )
    unsure = f" Left out as unsure: {made.left_out:,}." if made.left_out else ""
    click.echo(f"Known answers: {made.pairs:,} pairs of version {made.version.number}.{unsure}")
