"""``mindfirl user``: invite people, change their rights and links, shut them out, delete them."""

from __future__ import annotations

import json
from typing import Any

import click
from django.conf import settings
from rich.table import Table
from rich.text import Text

from mindfirl.cli.terminal.show import output_console, printable
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts import administration
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.models import Account

address_option = click.option(
    "--address",
    default="http://localhost:8000",
    show_default=True,
    metavar="URL",
    help="Address of the server; the printed link begins with it.",
)


@click.group()
def user() -> None:
    """Invite people, create new links for them, disable and enable accounts.

    No e-mail is sent. Pass the printed link on to the person over a channel that you trust. It
    works once and lets them choose their password.
    """


@user.command()
@click.argument("name")
@click.option("--full-name", default="", metavar="TEXT", help="Full name, shown on pages.")
@click.option("--administrator", is_flag=True, help="Can manage accounts.")
@click.option("--creates-projects", is_flag=True, help="Can create projects.")
@address_option
def add(
    name: str, full_name: str, administrator: bool, creates_projects: bool, address: str
) -> None:
    """Add an account and print its invitation link."""
    check_installation()
    account, token = administration.add_account(
        actor=COMMAND_LINE,
        username=name,
        full_name=full_name,
        administrator=administrator,
        creates_projects=creates_projects,
    )
    print_link(account, token, address=address)


@user.command()
@click.argument("name")
@click.option(
    "--end-second-factor",
    is_flag=True,
    help="Also remove the second factor, with its authenticator and recovery codes.",
)
@address_option
def reset(name: str, end_second_factor: bool, address: str) -> None:
    """Print a link for choosing a new password. Earlier links stop working."""
    check_installation()
    account = administration.account_named(name)
    token = administration.new_link(actor=COMMAND_LINE, account=account)
    if end_second_factor:
        administration.remove_second_factor(actor=COMMAND_LINE, account=account)
    print_link(account, token, address=address)


@user.command()
@click.argument("name")
@click.option("--full-name", metavar="TEXT", help="Full name, shown on pages.")
@click.option("--administrator/--no-administrator", default=None, help="Can manage accounts.")
@click.option("--creates-projects/--no-creates-projects", default=None, help="Can create projects.")
def change(
    name: str, full_name: str | None, administrator: bool | None, creates_projects: bool | None
) -> None:
    """Change the full name or the rights of an account. What is not given stays as it is."""
    check_installation()
    account = administration.account_named(name)
    administration.change_account(
        actor=COMMAND_LINE,
        account=account,
        full_name=account.full_name if full_name is None else full_name,
        administrator=account.is_administrator if administrator is None else administrator,
        creates_projects=account.creates_projects if creates_projects is None else creates_projects,
    )
    click.echo(f"{account.username} is changed.")


@user.command()
@click.argument("name")
def delete(name: str) -> None:
    """Delete an account that never had a role in a project."""
    check_installation()
    account = administration.account_named(name)
    administration.delete(actor=COMMAND_LINE, account=account)
    click.echo(f"{account.username} is deleted.")


@user.command()
@click.argument("name")
def disable(name: str) -> None:
    """Disable an account. The person is signed out with their next request."""
    check_installation()
    account = administration.account_named(name)
    administration.disable(actor=COMMAND_LINE, account=account)
    click.echo(f"{account.username} is disabled and signed out everywhere.")


@user.command()
@click.argument("name")
def enable(name: str) -> None:
    """Enable a disabled account."""
    check_installation()
    account = administration.account_named(name)
    administration.enable(actor=COMMAND_LINE, account=account)
    click.echo(f"{account.username} can sign in again.")


@user.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def list_all(as_json: bool) -> None:
    """List all accounts."""
    check_installation()
    found = [_described(each) for each in administration.all_accounts(actor=COMMAND_LINE)]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("name", "full name", "state", "may", "second factor", "last sign-in"):
        table.add_column(heading, overflow="fold")
    for each in found:
        may = [words for key, words in _RIGHTS.items() if each[key]]
        names = [Text(printable(each[key])) for key in ("username", "full_name")]
        factor = "yes" if each["second_factor"] else "no"
        seen = (each["last_sign_in"] or "never")[:10]
        table.add_row(*names, each["state"], ", ".join(may), factor, seen)
    output_console().print(table)


def print_link(account: Account, token: str, *, address: str) -> None:
    click.echo(f"{account.username} can choose a password here, once, within ", nl=False)
    click.echo(f"{settings.ACCESS_LINK_DAYS} days:")
    click.echo(f"{address.rstrip('/')}/welcome/{token}")


def _described(listed: administration.Listed) -> dict[str, Any]:
    account = listed.account
    state = "invited" if listed.invited else "active"
    return {
        "username": account.username,
        "full_name": account.full_name,
        "state": state if account.is_active else "disabled",
        "administrator": account.is_administrator,
        "creates_projects": account.creates_projects or account.is_administrator,
        "second_factor": listed.second_factor,
        "last_sign_in": account.last_login.isoformat() if account.last_login else None,
    }


_RIGHTS = {"administrator": "manage accounts", "creates_projects": "create projects"}
