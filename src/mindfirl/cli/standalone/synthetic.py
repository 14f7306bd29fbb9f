"""``mindfirl synthetic``: two databases of made-up people, with the truth."""

from __future__ import annotations

from pathlib import Path

import click
import pyarrow.csv

from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.core.errors import DataError
from mindfirl.synthetic.linked_databases import databases, look_alike_databases


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--people",
    type=click.IntRange(min=2, max=10_000_000),
    default=1_000,
    show_default=True,
    help="How many persons there are; each database knows some of them.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="The same seed, the same people."
)
@click.option(
    "--look-alikes",
    "alike",
    is_flag=True,
    help="Make many of them twins, siblings, juniors and namesakes, to try `mindfirl plan` on.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
def synthetic(out: Path, people: int, seed: int, alike: bool, force: bool) -> None:
    """Write two databases of made-up people into the folder OUT, and which records are the same.

    hospital.csv and registry.csv have different headings and share no key; truth.csv names the
    records that are of one person. There are twins, juniors, nicknames, name changes, typing
    errors, exchanged names and dates, and missing values; and sensitive columns, one of free text.
    """
    files = {name: out / f"{name}.csv" for name in ("hospital", "registry", "truth")}
    there = [path for path in files.values() if path.exists()]
    if there and not force:
        rule, mend = "the file exists already.", "Give another folder, or --force."
        raise DataError(rule, mend, file=there[0].name)
    with progress_bar("Making people up") as progress:
        made = (look_alike_databases if alike else databases)(people, seed=seed)
        out.mkdir(parents=True, exist_ok=True)
        for done, (name, path) in enumerate(files.items(), start=1):
            pyarrow.csv.write_csv(getattr(made, name), path)
            progress(done, len(files))
    for name, path in files.items():
        click.echo(f"{path}: {getattr(made, name).num_rows:,} rows")
