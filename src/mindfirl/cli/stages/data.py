"""``mindfirl data import``: import databases; identities and sensitive values are stored apart."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from mindfirl.cli.stages.columns import print_profile
from mindfirl.cli.terminal.new_files import write_text
from mindfirl.cli.terminal.progress_bars import progress_bar, stage_bars
from mindfirl.cli.terminal.reading_options import reading_options, reading_words
from mindfirl.cli.terminal.show import file_option, output_console, printable
from mindfirl.cli.upkeep.project import installed_project, print_project
from mindfirl.core.errors import SettingError, or_list
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.reading.file_options import DETECTED, FileOptions
from mindfirl.engine.reading.open_source import default_name, open_table
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.extension import schema_for
from mindfirl.engine.schema.profile import profile_source
from mindfirl.engine.schema.proposal import check_database_name, matched, profile_warnings
from mindfirl.engine.schema.schema_file import SchemaFile, with_file_options, write_schema
from mindfirl.engine.schema.schema_parser import read_schema
from mindfirl.services import projects
from mindfirl.services.data import importing as service
from mindfirl.services.data import previews
from mindfirl.services.data.previews import VersionPreview, sentences_of
from mindfirl.services.data.unreadable import AcceptedColumns
from mindfirl.store.models import Project
from mindfirl.workspace.commits import read_reason
from mindfirl.workspace.open_version import current_schema


@click.group()
def data() -> None:
    """Import databases into a project."""


@data.command("import")
@click.argument("project_name", metavar="NAME")
@click.argument("locations", nargs=-1, required=True, metavar="FILE…")
@click.option(
    "--as",
    "names",
    multiple=True,
    metavar="NAME",
    help="Name of a database; once for each FILE, in the same order. Default: the file name "
    "without its ending.",
)
@file_option(
    "--schema",
    "schema_path",
    words="Roles and kinds of the columns: a TOML file, as proposed by --dry-run.",
)
@file_option(
    *("--write-schema", "write_path"),
    words="Write the proposed schema to a new file, for editing and for --schema.",
)
@reading_options
@click.option("--table", metavar="NAME", help="Table to read from a database URL.")
@click.option("--query", metavar="SQL", help="Query to run on a database URL.")
@click.option(
    "--without-duplicates",
    multiple=True,
    metavar="NAME",
    help="Declare that this database has no duplicates.",
)
@click.option(
    "--confirm",
    "confirmation",
    default="",
    metavar="REASON",
    help="As an administrator: reason for importing a small database or one of near-copies.",
)
@click.option(
    "--accept-unreadable",
    default="",
    metavar="REASON",
    help="Reason for importing columns of which more than a fifth cannot be read as dates. The "
    "ledger keeps it.",
)
@click.option(
    "--start-over",
    is_flag=True,
    help="Import a database even though the file has fewer than half of its record IDs. Decisions "
    "about the other records become void.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Describe the columns, propose a schema, show what a new version would change, and stop.",
)
@click.option("--yes", is_flag=True, help="Accept the proposed schema without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def import_data(
    project_name: str,
    locations: tuple[str, ...],
    names: tuple[str, ...],
    schema_path: Path | None,
    write_path: Path | None,
    options: FileOptions,
    table: str | None,
    query: str | None,
    without_duplicates: tuple[str, ...],
    confirmation: str,
    accept_unreadable: str,
    start_over: bool,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Import databases into the project NAME. Identities and sensitive values are stored apart.

    A FILE is CSV, TSV, Parquet or a workbook (.xlsx, .xls, .xlsb, .ods), or the URL of a database
    (postgresql://user@host/name, sqlite:///file) with --table or --query. Columns without a role
    are not imported. An import that fails leaves nothing behind. Importing a database again creates
    a new version of it.

    \b
    For example:
      mindfirl synthetic made --people 5000
      mindfirl project create study
      mindfirl data import study made/hospital.csv made/registry.csv --dry-run --write-schema s.toml
      mindfirl data import study made/hospital.csv made/registry.csv --yes
    """
    project = installed_project(project_name)
    called = _names(locations, names, table)
    given = read_schema(schema_path) if schema_path else None
    said = {name: options.over(given.file_options(name) if given else DETECTED) for name in called}
    sources = {
        name: open_table(location, options=said[name], table=table, query=query)
        for name, location in zip(called, locations, strict=True)
    }
    _check_names(project, {name: sources[name] for name in called[len(names) :]})
    effect = service.effect_of(project, called)
    schema, profiles = schema_for(
        effect.added,
        [*effect.kept, *effect.replaced],
        lambda names: _profiles({name: sources[name] for name in names}),
        given=given,
        current=current_schema(project),
        latest_year=datetime.now(UTC).year,
    )
    if not set(without_duplicates) <= set(called):
        raise SettingError(f"--without-duplicates names a database: {or_list(called)}.")
    declared = schema.without_duplicates | set(without_duplicates)
    schema = replace(schema, without_duplicates=declared)
    if options != DETECTED:
        others = {name: schema.file_options(name) for name in effect.kept}
        schema = with_file_options(schema, {**others, **said})
    service.check_sources(project=project, sources=sources, schema=schema)
    if write_path:
        write_text(write_path, write_schema(schema, remarks=profile_warnings(profiles)))
    if dry_run:
        profiles = profiles or matched(_profiles(sources), keeping=schema.schema.names)
        preview = previews.preview_version(
            project=project, actor=COMMAND_LINE, sources=sources, schema=schema
        )
        _print_proposal(profiles, schema, sources, as_json=as_json, preview=preview)
        return
    if profiles and not yes:
        _ask(profiles, schema, sources)
    click.echo(_effect(project.name, effect), err=True)
    if effect.replaced and not yes and in_a_terminal():
        click.confirm("Continue?", abort=True)
    with stage_bars() as progress:
        service.import_databases(
            project=project,
            sources=sources,
            schema=schema,
            confirmation=read_reason(confirmation) if confirmation else "",
            start_over=start_over,
            accepted=AcceptedColumns(read_reason(accept_unreadable)) if accept_unreadable else None,
            progress=progress,
        )
    described = projects.describe(project)
    if as_json:
        click.echo(json.dumps(described, indent=2))
    else:
        print_project(described, output_console())


@data.command()
@click.argument("project_name", metavar="NAME")
@file_option("--schema", "schema_path", words="The corrected schema (TOML).", required=True)
def correct(project_name: str, schema_path: Path) -> None:
    """Correct the columns of the project NAME without uploading its files again.

    You can leave out columns, change roles and names, and mark databases as having no duplicates.
    Changes that need the raw values are refused, with the names of the databases to import again.
    Decisions remain valid where no compared value changed.

    \b
    For example:
      mindfirl data correct study --schema corrected.toml
    """
    project = installed_project(project_name)
    with stage_bars() as progress:
        service.import_databases(
            project=project, sources={}, schema=read_schema(schema_path), progress=progress
        )
    print_project(projects.describe(project), output_console())


def _names(locations: Sequence[str], given: Sequence[str], table: str | None) -> list[str]:
    if len(given) > len(locations):
        raise SettingError("There are more names (--as) than files. Give one name per file.")
    names = [*given, *(default_name(each, table=table) for each in locations[len(given) :])]
    for name in names:
        check_database_name(name, mend="Give another by --as NAME.")
    if len(set(names)) < len(names):
        raise SettingError("Two databases have the same name. Give one of them another: --as NAME.")
    return names


def _check_names(project: Project, sources: dict[str, TableSource]) -> None:
    """Refuse to add a file as another database that seems to be a new version of one."""
    for name, like in previews.resembled_databases(project, sources).items():
        raise SettingError(
            f"{name} has the columns of {like} and most of its record IDs. To import it as the new "
            f"version of {like}, give --as {like}; to add it as another database, --as {name}."
        )


def _profiles(sources: dict[str, TableSource]) -> list[ColumnProfile]:
    found: list[ColumnProfile] = []
    with progress_bar("Analysing columns") as progress:
        for done, (name, source) in enumerate(sources.items(), start=1):
            found += profile_source(source, name)
            progress(done, len(sources))
    return found


def _print_proposal(
    profiles: Sequence[ColumnProfile],
    schema: SchemaFile,
    sources: Mapping[str, TableSource],
    *,
    as_json: bool,
    preview: VersionPreview | None = None,
) -> None:
    text = write_schema(schema, remarks=profile_warnings(profiles))
    readings = {name: each.read_as for name, each in sources.items() if each.read_as}
    if as_json:
        columns = [asdict(each) for each in profiles]
        found: dict[str, Any] = {"files": {name: asdict(each) for name, each in readings.items()}}
        found |= {"preview": asdict(preview)} if preview else {}
        click.echo(json.dumps({"columns": columns, "schema": text, **found}, indent=2))
        return
    console = output_console()
    for name, reading in readings.items():
        console.print(Text(f"{printable(name)}: read as {reading_words(reading)}"), soft_wrap=True)
    print_profile(profiles, console)
    console.print(Text(text), soft_wrap=True)
    for sentence in sentences_of(preview) if preview else ():
        console.print(Text(sentence), soft_wrap=True)


def _ask(
    profiles: Sequence[ColumnProfile], schema: SchemaFile, sources: Mapping[str, TableSource]
) -> None:
    """Let a person look at the proposal; where there is none, do not go on."""
    if not in_a_terminal():
        raise SettingError(
            "Nothing was imported: the proposed schema is not confirmed. Give --schema FILE, or "
            "--yes to accept the proposal. --dry-run prints it; --write-schema FILE saves it."
        )
    _print_proposal(profiles, schema, sources, as_json=False)
    if not click.confirm("Import with this schema?"):
        raise SettingError(
            "Nothing was imported. Save the schema with --write-schema FILE, edit it, and pass it "
            "with --schema FILE."
        )


def in_a_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _effect(project: str, effect: service.Effect) -> str:
    parts = [f"Importing into {project} as version {effect.number}:"]
    for verb, names in (
        ("adds", effect.added),
        ("replaces", effect.replaced),
        ("keeps", effect.kept),
    ):
        parts += [f"{verb} {', '.join(names)};"] if names else []
    if effect.number > 1:
        parts.append("older versions are deleted unless work refers to them.")
    return " ".join(parts).rstrip(";")
