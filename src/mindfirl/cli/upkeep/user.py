"""``mindfirl user``: invite people, give them new links, shut them out and let them in again."""

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
    help="Where browsers reach the server; the printed link begins with it.",
)


@click.group()
def user() -> None:
    """Invite people, give them new links, shut them out, let them in again.

    Nobody is sent anything: give the printed link to its person yourself, over a channel that you
    trust. It works once, and lets them choose their password.
    """


@user.command()
@click.argument("name")
@click.option("--full-name", default="", metavar="TEXT", help="How pages name this person.")
@click.option("--administrator", is_flag=True, help="May manage accounts.")
@click.option("--creates-projects", is_flag=True, help="May create projects.")
@address_option
def add(
    name: str, full_name: str, administrator: bool, creates_projects: bool, address: str
) -> None:
    """Add an account, and print the link of its invitation."""
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
    help="Take the second factor away as well: authenticator and recovery codes are lost.",
)
@address_option
def reset(name: str, end_second_factor: bool, address: str) -> None:
    """Print a link by which somebody chooses a new password; earlier links end."""
    check_installation()
    account = administration.account_named(name)
    token = administration.new_link(actor=COMMAND_LINE, account=account)
    if end_second_factor:
        administration.remove_second_factor(actor=COMMAND_LINE, account=account)
    print_link(account, token, address=address)


@user.command()
@click.argument("name")
def disable(name: str) -> None:
    """Shut somebody out, from their next request on."""
    check_installation()
    account = administration.account_named(name)
    administration.disable(actor=COMMAND_LINE, account=account)
    click.echo(f"{account.username} is disabled, and no longer signed in anywhere.")


@user.command()
@click.argument("name")
def enable(name: str) -> None:
    """Let somebody in again who was shut out."""
    check_installation()
    account = administration.account_named(name)
    administration.enable(actor=COMMAND_LINE, account=account)
    click.echo(f"{account.username} may sign in again.")


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
    for heading in ("name", "full name", "state", "may", "second factor"):
        table.add_column(heading, overflow="fold")
    for each in found:
        may = [words for key, words in _RIGHTS.items() if each[key]]
        names = [Text(printable(each[key])) for key in ("username", "full_name")]
        factor = "yes" if each["second_factor"] else "no"
        table.add_row(*names, each["state"], ", ".join(may), factor)
    output_console().print(table)


def print_link(account: Account, token: str, *, address: str) -> None:
    click.echo(f"{account.username} chooses a password here, once, within ", nl=False)
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
    }


_RIGHTS = {"administrator": "manage accounts", "creates_projects": "create projects"}
