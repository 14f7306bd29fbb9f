"""Commands that act for a person: that person's roles apply, and the ledger says by command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import click

from mindfirl.core.errors import NotAllowed, SettingError
from mindfirl.core.policy import Actor, check_may
from mindfirl.services.accounts.administration import account_named
from mindfirl.store.ledger.writer import made_by_command
from mindfirl.store.models import Account, Project
from mindfirl.store.queries.access import actor_for

json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON for a pipeline."
)
as_option: Final = click.option(
    "--as",
    "user",
    required=True,
    metavar="USER",
    help="Act for this person, whose role must allow it. The ledger marks it as made by a command.",
)


@dataclass(frozen=True, slots=True)
class Acting:
    """The person for whom a command acts, with their standings in a project."""

    account: Account
    actor: Actor


def acting(project: Project, user: str, action: str) -> Acting:
    """Return who a command acts for, if they may do the action; mark its entries until it ends."""
    account = account_named(user)
    if not account.is_active:
        raise SettingError(f"The account {account.username} is disabled.")
    actor = actor_for(account, project)
    try:
        check_may(actor, action)
    except NotAllowed:
        raise SettingError(
            f"The role of {account.username} in {project.name} does not allow this. "
            f"mindfirl members list {project.name} shows all roles."
        ) from None
    click.get_current_context().with_resource(made_by_command())
    return Acting(account, actor)


def user_and_percent(typed: str) -> tuple[str, str]:
    """Read USER=PERCENT."""
    user, _, percent = typed.rpartition("=")
    if not user or not percent:
        raise SettingError("Write USER=PERCENT, such as ann=2.5.")
    return user, percent
