"""``mindfirl assignments``: who reviews how much, and changes while they are under way."""

from __future__ import annotations

import json
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.acting import acting, as_option, json_option, user_and_percent
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.cli.upkeep.project import installed_project, read_day
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE, Actor
from mindfirl.core.risk.percent import write_percent
from mindfirl.services.accounts.administration import account_named
from mindfirl.services.dispatch import assignments as service
from mindfirl.services.dispatch.assignments import AssignmentProgress
from mindfirl.store.models import Assignment, Project

_ACTION = "manage assignments"
_which = click.argument("number", metavar="ASSIGNMENT")
_reason = click.option(
    "--reason", required=True, help="Reason, recorded in the ledger. Do not name a person."
)


@click.group()
def assignments() -> None:
    """List assignments; pause, resume, end or reassign them, change due dates and budgets.

    ASSIGNMENT is the identifier that the list shows, or its beginning.
    """


@assignments.command("list")
@click.argument("name")
@json_option
def list_all(name: str, as_json: bool) -> None:
    """List the assignments of a project: how far each is, and what it has spent."""
    project = installed_project(name)
    found = service.progress_of(project=project, actor=COMMAND_LINE)
    if as_json:
        click.echo(json.dumps([_described(each) for each in found], indent=2))
        return
    if not found:
        click.echo(f"No assignments yet. Propose a dispatch: mindfirl dispatch propose {name}")
        return
    table = Table(title=f"Assignments of {project.name}")
    for heading in ("assignment", "person", "state", "decided", "budget, % of K", "used", "due"):
        table.add_column(heading)
    for each in found:
        table.add_row(
            str(each.assignment.pk)[:8],
            Text(printable(each.person.username)),
            each.state,
            f"{each.decided:,} of {each.pairs:,}",
            write_percent(each.assignment.budget),
            f"{each.spent:.0%}",
            each.due.isoformat() if each.due else "",
        )
    output_console().print(table)


@assignments.command()
@click.argument("name")
@_which
@as_option
def pause(name: str, number: str, user: str) -> None:
    """Pause an assignment: nothing can be opened or decided until it is resumed."""
    found, actor = _found(name, number, user)
    service.pause(assignment=found, actor=actor)
    click.echo("The assignment is paused.")


@assignments.command()
@click.argument("name")
@_which
@as_option
def resume(name: str, number: str, user: str) -> None:
    """Resume a paused assignment."""
    found, actor = _found(name, number, user)
    service.resume(assignment=found, actor=actor)
    click.echo("The assignment is resumed.")


@assignments.command()
@click.argument("name")
@_which
@_reason
@as_option
def end(name: str, number: str, reason: str, user: str) -> None:
    """End an assignment with its decisions so far. It cannot be continued."""
    found, actor = _found(name, number, user)
    service.end(assignment=found, actor=actor, reason=reason)
    click.echo("The assignment has ended.")


@assignments.command()
@click.argument("name")
@_which
@click.argument("day", required=False, default="", metavar="[DAY]")
@as_option
def due(name: str, number: str, day: str, user: str) -> None:
    """Set the due date of an assignment (year-month-day); without DAY, it has none."""
    found, actor = _found(name, number, user)
    service.move_due(assignment=found, actor=actor, due=read_day(day))
    click.echo(f"The assignment is due on {day}." if day else "The assignment has no due date.")


@assignments.command()
@click.argument("name")
@_which
@click.argument("percent", metavar="PERCENT")
@_reason
@as_option
def budget(name: str, number: str, percent: str, reason: str, user: str) -> None:
    """Raise the budget of an assignment to PERCENT of K."""
    found, actor = _found(name, number, user)
    service.raise_budget(assignment=found, actor=actor, budget=percent, reason=reason)
    click.echo(f"The budget is now {percent}% of K.")


@assignments.command()
@click.argument("name")
@_which
@click.option(
    "--to",
    "people",
    multiple=True,
    required=True,
    metavar="USER=PERCENT",
    help="Who takes over remaining pairs, with a budget in percent of K; repeat for several.",
)
@_reason
@as_option
def reassign(name: str, number: str, people: tuple[str, ...], reason: str, user: str) -> None:
    """End an assignment and give its remaining pairs to others, each with their own budget."""
    found, actor = _found(name, number, user)
    given = [user_and_percent(each) for each in people]
    made = service.reassign(
        assignment=found,
        actor=actor,
        to=[account_named(person) for person, _ in given],
        budgets=[percent for _, percent in given],
        reason=reason,
    )
    click.echo(f"{len(made):,} new assignments with {sum(each.size for each in made):,} pairs.")


def _found(name: str, number: str, user: str) -> tuple[Assignment, Actor]:
    project = installed_project(name)
    who = acting(project, user, _ACTION)
    return assignment_named(project, number), who.actor


def assignment_named(project: Project, number: str) -> Assignment:
    """Return the assignment of a project whose identifier begins like this."""
    begins = number.lower()
    found = [each for each in project.assignments.all() if str(each.pk).startswith(begins)]
    if len(found) != 1 or not begins:
        several = "Several assignments begin like this." if found else "No assignment begins so."
        raise SettingError(f"{several} mindfirl assignments list {project.name} shows all.")
    return found[0]


def _described(each: AssignmentProgress) -> dict[str, Any]:
    return {
        "assignment": str(each.assignment.pk),
        "dispatch": each.assignment.dispatch.number,
        "kind": each.assignment.kind,
        "user": each.person.username,
        "state": each.state,
        "pairs": each.pairs,
        "decided": each.decided,
        "passed_on": each.passed_on,
        "budget_percent": write_percent(each.assignment.budget),
        "share_spent": each.spent,
        "due": each.due.isoformat() if each.due else None,
        "overdue": each.overdue,
    }
