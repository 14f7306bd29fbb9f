"""``mindfirl columns propose``: describe columns without showing a value, and propose a schema."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.new_files import write_text
from mindfirl.cli.terminal.progress_bars import progress_bar
from mindfirl.cli.terminal.reading_options import reading_options
from mindfirl.cli.terminal.show import file_option, fits, output_console, printable
from mindfirl.core.errors import SettingError
from mindfirl.engine.reading.file_options import FileOptions
from mindfirl.engine.reading.open_source import read_table
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, profile_warnings, propose_schema
from mindfirl.engine.schema.schema_file import with_file_options, write_schema


@click.group()
def columns() -> None:
    """Describe the columns of files and propose a role for each."""


@columns.command()
@click.argument("records", nargs=-1, type=click.Path(path_type=Path), required=True)
@file_option("--schema", "schema_path", words="Write the proposed schema to a new file.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def propose(
    records: tuple[Path, ...], schema_path: Path | None, options: FileOptions, as_json: bool
) -> None:
    """Describe the columns of files and propose a schema for them.

    For every column: the share of filled cells, the number of distinct values, the most common
    shapes of its values (Aaaa, 99/99/9999), but never a value; and a proposed role, kind and
    attribute. Columns of several files that hold the same attribute are matched.

    \b
    For example:
      mindfirl synthetic made --people 5000
      mindfirl columns propose made/hospital.csv made/registry.csv --schema made/schema.toml
      mindfirl show made/hospital.csv made/registry.csv --pairs made/truth.csv \\
        --schema made/schema.toml
    """
    if len({path.stem for path in records}) < len(records):
        raise SettingError("Two files of records have the same name. Rename one of them.")
    found: list[ColumnProfile] = []
    with progress_bar("Reading columns") as progress:
        for done, path in enumerate(records, start=1):
            found += profile_table(read_table(path, options), path.stem)
            progress(done, len(records))
    profiles = matched(found)
    proposed = propose_schema(profiles, latest_year=datetime.now(tz=UTC).year)
    proposed = with_file_options(proposed, {path.stem: options for path in records})
    schema = write_schema(proposed, remarks=profile_warnings(profiles))
    if schema_path:
        write_text(schema_path, schema)
    if as_json:
        click.echo(json.dumps([asdict(each) for each in profiles], indent=2))
        return
    console = output_console()
    print_profile(profiles, console)
    if not schema_path:
        console.print(Text(schema), soft_wrap=True)


def print_profile(profiles: Sequence[ColumnProfile], console: Console) -> None:
    """Print what columns are like, and what they are proposed to be, as wide as there is room."""
    wide = _table(profiles)
    if fits(console, wide):
        console.print(wide)
        return
    for each in profiles:
        console.print(_block(each))


def _block(each: ColumnProfile) -> Text:
    filled = f"{each.filled / each.rows:.0%} filled, " if each.rows else ""
    name = f"{printable(each.database)}: {printable(each.column)}"
    proposed = [each.role, each.part or each.kind or "", printable(each.attribute)]
    block = Text().append(f"{name}\n", "bold")
    block.append(f"  {', '.join(filter(None, proposed))}\n")
    shapes = "   ".join(printable(shape) for shape in each.shapes)
    block.append(f"  {filled}{each.distinct:,} distinct   {shapes}", "dim")
    for warning in each.warnings:
        block.append(f"\n  {printable(warning)}", "yellow")
    return block


def _table(profiles: Sequence[ColumnProfile]) -> Table:
    table = Table()
    for heading in ("database", "column"):
        table.add_column(heading, overflow="fold")
    for heading in ("filled", "distinct"):
        table.add_column(heading, justify="right")
    for heading in ("role", "kind", "attribute", "shapes and warnings"):
        table.add_column(heading, overflow="fold")
    for each in profiles:
        notes = Text("   ".join(printable(shape) for shape in each.shapes), "dim")
        for warning in each.warnings:
            notes.append(f"\n{printable(warning)}", "yellow")
        table.add_row(
            *(Text(printable(name)) for name in (each.database, each.column)),
            f"{each.filled / each.rows:.0%}" if each.rows else "",
            f"{each.distinct:,}",
            each.role,
            each.part or each.kind or "",
            Text(printable(each.attribute)),
            notes,
        )
    return table
