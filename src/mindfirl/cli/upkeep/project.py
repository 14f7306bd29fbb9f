"""``mindfirl project`` and ``mindfirl keys``: projects made, shown, ended; their keys changed."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import date
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.acting import acting, as_option, json_option
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.values.column_values import ColumnFinding
from mindfirl.services import projects
from mindfirl.services.dispatch.assignments import progress_of
from mindfirl.services.jobs import current_job
from mindfirl.services.projects import closing
from mindfirl.services.upkeep import health
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.models import Project
from mindfirl.store.queries.projects import steps_of


def installed_project(name: str) -> Project:
    """Return a project of an installation that can be worked with."""
    check_installation()
    return projects.project_named(name)


@click.group()
def project() -> None:
    """Create, list, show, change, close or shred projects."""


@project.command()
@click.argument("name")
@click.option(
    "--synthetic",
    is_flag=True,
    help="The people are made up: small databases and assignments are allowed. Cannot be changed "
    "later.",
)
@click.option(
    "--stable-numbers",
    is_flag=True,
    help="Person numbers stay the same in all releases. Cannot be changed after the first release.",
)
def create(name: str, synthetic: bool, stable_numbers: bool) -> None:
    """Create an empty project with keys of its own."""
    check_installation()
    changes = projects.ProjectChanges(stable_numbers=stable_numbers)
    created = projects.create_project(
        name=name, actor=COMMAND_LINE, changes=changes, synthetic=synthetic
    )
    click.echo(
        f"Created project {created.name}. Next: mindfirl members add {created.name} USER "
        f"--role manager, and mindfirl data import {created.name} FILE…"
    )


@project.command("set")
@click.argument("name")
@as_option
@click.option("--title", help="Title, shown on pages.")
@click.option("--purpose", help="What the linked data are used for.")
@click.option("--legal-basis", help="The law, consent or agreement that permits the linkage.")
@click.option("--approval", help="Approval number of the ethics board or data office.")
@click.option("--ends", metavar="DAY", help="Last day, as year-month-day; empty for none.")
@click.option("--managers-may-review/--managers-may-not-review", default=None)
@click.option("--second-person/--no-second-person", default=None, help="Confirms dispatches.")
@click.option("--second-factor/--no-second-factor", default=None, help="Required to sign in.")
@click.option("--idle-minutes", type=int, help="Hide pairs after minutes without activity.")
@click.option("--fewest-records", type=int, help="Minimum records per database.")
@click.option("--least-persons", type=int, help="Minimum persons per release.")
@click.option("--pass-mark", type=int, help="Pairs of the practice to decide correctly first.")
def set_project(name: str, user: str, ends: str | None, **typed: str | int | None) -> None:
    """Change what a project is for, and its rules. What is not given stays as it is."""
    found = installed_project(name)
    who = acting(found, user, "change project")
    given: dict[str, Any] = {field: value for field, value in typed.items() if value is not None}
    if ends is not None:
        given["ends"] = read_day(ends)
    now = {each.name: getattr(found, each.name) for each in fields(projects.ProjectChanges)}
    changes = projects.ProjectChanges(**{**now, **given})
    projects.change_project(
        project=found, actor=who.actor, revision=found.revision, changes=changes
    )
    click.echo("Saved.")


@project.command()
@click.argument("name")
@json_option
def status(name: str, as_json: bool) -> None:
    """Show which steps of a project are done, and what waits for whom."""
    found = installed_project(name)
    told = _status(found)
    if as_json:
        click.echo(json.dumps(told, indent=2))
        return
    for step, state in told["steps"].items():
        click.echo(f"{step}: {state}")
    click.echo(f"decided: {told['decided']:,} of {told['assigned']:,} assigned pairs")
    if told["dispatch_waiting"]:
        click.echo("A dispatch waits for confirmation.")
    if told["work"]:
        click.echo(f"Work under way: {told['work']}.")


def _status(found: Project) -> dict[str, Any]:
    rows = progress_of(project=found, actor=COMMAND_LINE)
    job = current_job(found)
    return {
        "steps": {
            each.route: "done" if each.done else "open" if each.open else "not yet"
            for each in steps_of(found)
        },
        "assigned": sum(each.pairs - each.passed_on for each in rows),
        "decided": sum(each.decided for each in rows),
        "dispatch_waiting": found.dispatches.filter(state="proposed").exists(),
        "work": job.kind if job else None,
    }


def read_day(typed: str) -> date | None:
    """Read a day of a command line; an empty text stands for none."""
    try:
        return date.fromisoformat(typed) if typed else None
    except ValueError:
        raise SettingError("Enter the day as year-month-day, such as 2030-01-31.") from None


@project.command("list")
@json_option
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
        click.echo("No projects yet. Create one: mindfirl project create NAME", err=True)


@project.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show the databases of a project and what was found in each column, but no values."""
    described = projects.describe(installed_project(name))
    if as_json:
        click.echo(json.dumps(described, indent=2))
    else:
        print_project(described, output_console())


@project.command()
@click.argument("name")
@click.option(
    "--reason", required=True, help="Reason, recorded in the ledger. Do not name a person."
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def close(name: str, reason: str, yes: bool) -> None:
    """Close a project permanently. It can then be read but not changed.

    Assignments in progress end with their decisions, a proposed dispatch is withdrawn, and work
    that has not started is cancelled. The data stay encrypted; see `mindfirl project shred`.
    """
    found = installed_project(name)
    _confirm(found.name, "Closing is final: nobody can reopen the project.", yes=yes)
    closing.close_project(project=found, actor=COMMAND_LINE, reason=reason)
    click.echo(f"{found.name} is closed. Its ledger and its encrypted data are kept.")
    click.echo(f"To destroy the data: mindfirl project shred {found.name}")


@project.command()
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
def shred(name: str, yes: bool) -> None:
    """Destroy the keys of a closed project. Nobody can open its data again, not even from a backup.

    The ledger and all figures are kept. If it was interrupted, run it again to finish.
    """
    found = installed_project(name)
    words = "Nobody can open the data of the project again, here or from a backup."
    if found.closed and not found.reports.filter(created__gte=found.closed).exists():
        words = f"No report was created since it was closed; see mindfirl report. {words}"
    _confirm(found.name, words, yes=yes)
    closing.shred(project=found, actor=COMMAND_LINE)
    click.echo(
        f"{found.name}: keys destroyed; the data can no longer be opened. The ledger is kept."
    )
    click.echo(
        "Destroy the keys of this project in your copies of the key folder, too. If the server is "
        "running, restart it: it may still have some of the data in memory."
    )


def _confirm(name: str, words: str, *, yes: bool) -> None:
    """Let the name of the project be typed before what cannot be undone."""
    if not yes and click.prompt(f"{words}\nType the name of the project to continue") != name:
        raise SettingError("Nothing was done: that is not the name of the project.")


def print_project(described: dict[str, Any], console: Console) -> None:
    version = described["version"]
    if described["shredded"]:
        console.print(f"Closed. Its data were destroyed on {described['shredded'][:10]}.")
    elif described["closed"]:
        console.print(f"Closed on {described['closed'][:10]}.")
    if version is None and not described["closed"]:
        console.print(f"{described['name']}: no databases yet.")
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
    unique = ", declared to have no duplicates" if database["without_duplicates"] else ""
    console.print(Text(f"{printable(database['name'])}: {database['records']:,} records{unique}"))
    report = database["report"]
    for remark in report["remarks"]:
        console.print(Text(f"  {printable(remark)}"))
    table = Table(box=None, pad_edge=False)
    for heading in ("  column", "attribute", "role", "findings"):
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
    prompt="Existing backups cannot be opened afterwards. Continue?",
    help="Do not ask.",
)
def rotate(name: str) -> None:
    """Create new keys for a project, re-encrypt its files and destroy the old keys.

    Existing backups cannot be opened afterwards, unless you keep a copy of the old key folder.
    Create a new backup and a new copy of the key folder.
    """
    files = health.rotate_keys(project=installed_project(name))
    click.echo(f"{name}: new keys; {files} files re-encrypted, old keys destroyed.")
    click.echo("Keep a new copy of the key folder in a safe place.")
