"""``mindfirl project`` and ``mindfirl keys``: projects made, shown, ended; their keys changed."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.values.column_values import ColumnFinding
from mindfirl.services import projects
from mindfirl.services.projects import closing
from mindfirl.services.upkeep import health
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.models import Project


def installed_project(name: str) -> Project:
    """Return a project of an installation that can be worked with."""
    check_installation()
    return projects.project_named(name)


@click.group()
def project() -> None:
    """Create a project, list all, see what is in one, or end it."""


@project.command()
@click.argument("name")
@click.option(
    "--synthetic",
    is_flag=True,
    help="Its people do not exist: small databases and assignments are allowed. Stays so.",
)
@click.option(
    "--stable-numbers",
    is_flag=True,
    help="Persons keep their numbers from release to release. Fixed by the first release.",
)
def create(name: str, synthetic: bool, stable_numbers: bool) -> None:
    """Create an empty project with keys of its own."""
    check_installation()
    changes = projects.ProjectChanges(stable_numbers=stable_numbers)
    created = projects.create_project(
        name=name, actor=COMMAND_LINE, changes=changes, synthetic=synthetic
    )
    click.echo(f"Created project {created.name}. Next: mindfirl data import {created.name} FILE…")


@project.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def list_all(as_json: bool) -> None:
    """List all projects."""
    check_installation()
    found = projects.all_projects()
    if as_json:
        click.echo(json.dumps([each.name for each in found]))
        return
    for each in found:
        click.echo(each.name)
    if not found:
        click.echo("There is no project yet. Make one: mindfirl project create NAME", err=True)


@project.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def show(name: str, as_json: bool) -> None:
    """Show the databases of a project, and what was found in each column; never a value."""
    described = projects.describe(installed_project(name))
    if as_json:
        click.echo(json.dumps(described, indent=2))
    else:
        print_project(described, output_console())


@project.command()
@click.argument("name")
@click.option("--reason", required=True, help="Why; the ledger keeps it, so name no person.")
@click.option("--yes", is_flag=True, help="Do not ask for the name to be typed.")
def close(name: str, reason: str, yes: bool) -> None:
    """Close a project for good: it can be read from then on, and nothing in it changes.

    Assignments under way end with what was decided, a dispatch that waits is withdrawn, long work
    that waits is cancelled. The data stay, encrypted: see `mindfirl project shred`.
    """
    found = installed_project(name)
    _confirm(found.name, "Closing is final: nobody can open the project again.", yes=yes)
    closing.close_project(project=found, actor=COMMAND_LINE, reason=reason)
    click.echo(f"{found.name} is closed. Its ledger is kept, and its data are, encrypted.")
    click.echo(f"To have the data destroyed: mindfirl project shred {found.name}")


@project.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for the name to be typed.")
def shred(name: str, yes: bool) -> None:
    """Destroy the keys of a closed project: nobody can open its data again, in no backup either.

    The ledger and all figures are kept. Where it was cut off, do it again: it then finishes.
    """
    found = installed_project(name)
    words = "Nobody can open the data of the project again, here or in any backup."
    if found.closed and not found.reports.filter(created__gte=found.closed).exists():
        words = f"No report was made since it was closed: see mindfirl report. {words}"
    _confirm(found.name, words, yes=yes)
    closing.shred(project=found, actor=COMMAND_LINE)
    click.echo(f"{found.name}: the keys are destroyed, and the data with them. The ledger is kept.")
    click.echo(
        "Destroy the keys of this project in your copies of the key folder, too; and start the "
        "server again if it runs, since it may hold some of the data in its memory."
    )


def _confirm(name: str, words: str, *, yes: bool) -> None:
    """Let the name of the project be typed before what cannot be undone."""
    if not yes and click.prompt(f"{words}\nType the name of the project to go on") != name:
        raise SettingError("That is not the name of the project. Nothing was done.")


def print_project(described: dict[str, Any], console: Console) -> None:
    version = described["version"]
    if described["shredded"]:
        console.print(f"Closed, and its data destroyed on {described['shredded'][:10]}.")
    elif described["closed"]:
        console.print(f"Closed on {described['closed'][:10]}.")
    if version is None and not described["closed"]:
        console.print(f"{described['name']}: nothing was imported yet.")
        console.print(f"Next: mindfirl data import {described['name']} FILE…")
    if version is None:
        return
    console.print(
        f"{described['name']}, version {version['number']}: {version['records']:,} records, "
        f"{version['size'] / 1e6:,.1f} MB encrypted"
    )
    console.print(f"population index {version['index_digest']}", style="dim")
    for database in version["databases"]:
        console.print()
        _print_database(database, console)


def _print_database(database: dict[str, Any], console: Console) -> None:
    unique = ", declared free of duplicates" if database["without_duplicates"] else ""
    console.print(Text(f"{printable(database['name'])}: {database['records']:,} records{unique}"))
    report = database["report"]
    for remark in report["remarks"]:
        console.print(Text(f"  {printable(remark)}"))
    table = Table(box=None, pad_edge=False)
    for heading in ("  column", "attribute", "role", "what was found"):
        table.add_column(heading, overflow="fold")
    for each in report["attributes"]:
        names = [printable(each[key]) for key in ("column", "attribute")]
        order = f"dates read as {each['date_order']}" if each["date_order"] else ""
        rest = f"without the words of {', '.join(each['without'])}" if each.get("without") else ""
        notes = [order, rest, *(ColumnFinding(**finding).words for finding in each["findings"])]
        table.add_row(
            Text(f"  {names[0]}"), Text(names[1]), each["role"], "\n".join(filter(None, notes))
        )
    if report["record_id"]:
        table.add_row(Text(f"  {printable(report['record_id'])}"), "", "record id", "")
    for name, each in report["sensitive"].items():
        empty = database["records"] - each["filled"]
        table.add_row(
            Text(f"  {printable(each['column'])}"),
            Text(printable(name)),
            "sensitive",
            f"{empty:,} empty" if empty else "",
        )
    for column in report["not_imported"]:
        table.add_row(Text(f"  {printable(column)}"), "", "not imported", "")
    console.print(table)


@click.group()
def keys() -> None:
    """Change the keys of a project."""


@keys.command()
@click.argument("name")
@click.confirmation_option(
    prompt="Backups made so far cannot be opened afterwards. Go on?",
    help="Do not ask.",
)
def rotate(name: str) -> None:
    """Give a project new keys, encrypt all its files again, and destroy the old keys.

    Backups that were made before cannot be opened afterwards, unless you keep a copy of the old
    key folder. Make a new backup, and a new copy of the key folder.
    """
    files = health.rotate_keys(project=installed_project(name))
    click.echo(f"{name}: new keys; {files} files encrypted again, the old keys destroyed.")
    click.echo("Keep a new copy of the key folder in a safe place.")
