"""``mindfirl dispatch``: pairs are proposed, confirmed and assigned."""

from __future__ import annotations

import json
from typing import Any

import click

from mindfirl.cli.terminal.acting import Acting, acting, as_option, json_option
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.services import dispatch as service
from mindfirl.services import resolve as resolution
from mindfirl.store.models import Assignment, Dispatch, Project
from mindfirl.store.queries.plans import waiting_dispatch


@click.group()
def dispatch() -> None:
    """Propose, show, confirm and withdraw dispatches.

    A dispatch freezes the plan, the thresholds and the pairs. Where the project requires a second
    person, that person confirms it in the browser: a command never counts as the second person.
    """


@dispatch.command()
@click.argument("name")
@as_option
@json_option
def propose(name: str, user: str, as_json: bool) -> None:
    """Propose to assign the planned pairs. Nothing is assigned until the proposal is confirmed."""
    project = installed_project(name)
    who = acting(project, user, "dispatch")
    made = service.propose(project=project, actor=who.actor, account=who.account)
    if as_json:
        click.echo(json.dumps(described(made), indent=2))
        return
    click.echo(f"Dispatch {made.number} is proposed: {made.plan['pairs']:,} pairs.")
    if made.plan["second_person"]:
        click.echo("Another manager or the auditor must confirm it in the browser.")
    else:
        click.echo(f"Next: mindfirl dispatch confirm {project.name} --as {user}")


@dispatch.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show all dispatches of a project: their state, and what was proposed."""
    found = [described(each) for each in installed_project(name).dispatches.order_by("number")]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    if not found:
        click.echo(f"No dispatches yet. Propose one: mindfirl dispatch propose {name} --as USER")
    for each in found:
        click.echo(
            f"{each['dispatch']}  {each['state']}  {each['kind']}  {each['pairs']:,} pairs, "
            f"{each['assignments']:,} assignments, proposed by {each['proposed_by']}"
        )


@dispatch.command()
@click.argument("name")
@as_option
@json_option
def confirm(name: str, user: str, as_json: bool) -> None:
    """Confirm the proposed dispatch and assign its pairs."""
    project = installed_project(name)
    who = acting(project, user, "confirm dispatch")
    made = _assigned(_proposed(project), who)
    if as_json:
        listed = [{"assignment": str(each.pk), "pairs": each.size} for each in made]
        click.echo(json.dumps(listed, indent=2))
        return
    click.echo(f"{len(made):,} assignments with {sum(each.size for each in made):,} reviews.")
    click.echo(f"Next: mindfirl assignments list {project.name}")


@dispatch.command()
@click.argument("name")
@as_option
def withdraw(name: str, user: str) -> None:
    """Withdraw the proposed dispatch. No pairs are assigned."""
    project = installed_project(name)
    who = acting(project, user, "dispatch")
    done = service.withdraw(dispatch=_proposed(project), actor=who.actor)
    click.echo(f"Dispatch {done.number} is withdrawn. No pairs were assigned.")


def described(made: Dispatch) -> dict[str, Any]:
    return {
        "dispatch": made.number,
        "kind": made.kind,
        "state": made.state,
        "pairs": made.plan["pairs"],
        "assignments": made.assignments.count(),
        "proposed_by": made.proposed_by.username,
        "confirmed_by": made.confirmed_by.username if made.confirmed_by else None,
        "second_person": bool(made.plan["second_person"]),
    }


def _proposed(project: Project) -> Dispatch:
    """Return the dispatch that waits: to be confirmed, or to be done after that."""
    found = waiting_dispatch(project, "review") or waiting_dispatch(project, "adjudication")
    if found is None:
        raise SettingError(
            f"No dispatch is proposed. Propose one: mindfirl dispatch propose {project.name} "
            f"--as USER"
        )
    return found


def _assigned(found: Dispatch, who: Acting) -> list[Assignment]:
    if found.kind == "adjudication":
        return resolution.confirm_conflicts(dispatch=found, actor=who.actor, account=who.account)
    if found.state == "proposed":
        found = service.confirm(dispatch=found, actor=who.actor, account=who.account)
    with stage_bars() as progress:
        return service.dispatch_now(dispatch=found, progress=progress)
