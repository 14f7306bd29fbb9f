"""``mindfirl members``: who has which role in a project."""

from __future__ import annotations

import json
from typing import cast

import click
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.acting import json_option
from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE, ROLES, Role
from mindfirl.services import projects
from mindfirl.services.accounts.administration import account_named
from mindfirl.store.queries.access import members_of, roles_in

_role_option = click.option(
    "--role", type=click.Choice(ROLES), required=True, help="What the person does in the project."
)


@click.group()
def members() -> None:
    """List, add and remove the people of a project. The ledger records each change."""


@members.command("list")
@click.argument("name")
@json_option
def list_all(name: str, as_json: bool) -> None:
    """List the people of a project with their roles."""
    found = members_of(installed_project(name))
    if as_json:
        listed = [
            {"user": each.account.username, "role": each.role, "active": each.account.is_active}
            for each in found
        ]
        click.echo(json.dumps(listed, indent=2))
        return
    if not found:
        click.echo(f"No members yet. Add one: mindfirl members add {name} USER --role manager")
        return
    table = Table(title=f"People of {name}")
    for heading in ("user", "role", "account"):
        table.add_column(heading)
    for each in found:
        state = "active" if each.account.is_active else "disabled"
        table.add_row(Text(printable(each.account.username)), each.role, state)
    output_console().print(table)


@members.command()
@click.argument("name")
@click.argument("user")
@_role_option
def add(name: str, user: str, role: str) -> None:
    """Give a person a role in a project. A manager sees the project in the browser from then on."""
    project, account = installed_project(name), account_named(user)
    if role in roles_in(account, project):
        raise SettingError(f"{account.username} is already {role} of {project.name}.")
    projects.add_member(
        project=project, actor=COMMAND_LINE, account=account, role=cast("Role", role)
    )
    click.echo(f"{account.username} is now {role} of {project.name}.")


@members.command()
@click.argument("name")
@click.argument("user")
@_role_option
def remove(name: str, user: str, role: str) -> None:
    """Take a role in a project from a person. Unfinished assignments have to end first."""
    project, account = installed_project(name), account_named(user)
    if role not in roles_in(account, project):
        raise SettingError(f"{account.username} is not {role} of {project.name}.")
    projects.remove_member(project=project, actor=COMMAND_LINE, account=account, role=role)
    click.echo(f"{account.username} is no longer {role} of {project.name}.")
