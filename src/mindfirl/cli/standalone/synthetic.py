"""``mindfirl synthetic``: databases of made-up people, with the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click
import pyarrow as pa
import pyarrow.csv

from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.core.errors import DataError, SettingError
from mindfirl.synthetic.countries import CountryCode
from mindfirl.synthetic.linked_databases import databases, look_alike_databases
from mindfirl.synthetic.messy_databases import messy_database
from mindfirl.synthetic.messy_records import ErrorName

_LINKED = ("hospital", "registry", "truth")
_MESSY = ("people", "truth")


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--people",
    type=click.IntRange(min=2, max=10_000_000),
    default=1_000,
    show_default=True,
    help="Number of persons; each database contains some of them.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, help="Seed for reproducible people."
)
@click.option(
    "--look-alikes",
    "alike",
    is_flag=True,
    help="Include many twins, siblings, juniors and namesakes, for trying forecasts.",
)
@click.option(
    "--messy",
    is_flag=True,
    help="Write one database with 1 to 10 records per person, for trying deduplication.",
)
@click.option(
    "--errors",
    type=click.Choice(get_args(ErrorName)),
    help="With --messy: few errors (default), many, or most of them in a quarter of the records.",
)
@click.option(
    "--country",
    type=click.Choice(get_args(CountryCode)),
    help="With --messy: country of headings, addresses and telephone numbers. Default: gb.",
)
@click.option(
    "--date-parts", is_flag=True, help="With --messy: one column for each part of the birth date."
)
@click.option("--names-only", is_flag=True, help="With --messy: only names, sex and birth date.")
@click.option(
    "--relatives",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --messy: instead of families, add N people of one record each who share surname, "
    "town, postcode and year of birth with another.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
def synthetic(
    out: Path,
    people: int,
    seed: int,
    alike: bool,
    messy: bool,
    force: bool,
    **messy_options: Any,  # noqa: ANN401  # options of the generator, by their names
) -> None:
    """Write databases of made-up people into the folder OUT, with the true pairs.

    hospital.csv and registry.csv have different headings and share no key; truth.csv lists the
    records that are one person. There are twins, juniors, nicknames, name changes, typing errors,
    exchanged names and dates, and missing values; and sensitive columns, one of free text.

    With --messy there is one file instead, people.csv. It has names of several countries, people
    who move and marry, relatives, telephone numbers in many formats, and columns that repeat
    others.

    \b
    For example:
      mindfirl synthetic made --people 5000
      mindfirl synthetic made --messy --people 5000 --errors records --date-parts
    """
    chosen = {
        name: value
        for name, value in messy_options.items()
        if value is not None and value is not False  # 0 relatives are a choice
    }
    if chosen and not messy:
        raise SettingError(f"--{next(iter(chosen)).replace('_', '-')} requires --messy.")
    if alike and messy:
        raise SettingError("Give --look-alikes or --messy, not both.")
    files = {name: out / f"{name}.csv" for name in (_MESSY if messy else _LINKED)}
    there = [path for path in files.values() if path.exists()]
    if there and not force:
        rule, mend = "the file exists already.", "Give another folder, or --force."
        raise DataError(rule, mend, file=there[0].name)
    with progress_bar("Creating people") as progress:
        make = messy_database if messy else look_alike_databases if alike else databases
        made = make(people, seed=seed, **chosen)
        tables: dict[str, pa.Table] = {name: getattr(made, name) for name in files}
        out.mkdir(parents=True, exist_ok=True)
        for done, (name, path) in enumerate(files.items(), start=1):
            pyarrow.csv.write_csv(tables[name], path)
            progress(done, len(files))
    for name, path in files.items():
        click.echo(f"{path}: {tables[name].num_rows:,} rows")
