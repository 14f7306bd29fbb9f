"""``mindfirl jobs``: long work that the runner does, seen and cancelled from a terminal."""

from __future__ import annotations

import json
import time
from typing import Any, Final

import click

from mindfirl.cli.terminal.acting import json_option
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE, JOB_STATES
from mindfirl.services import jobs as service
from mindfirl.store.models import Job

_ENDED: Final = {state for state, next_states in JOB_STATES.items() if not next_states}
_PAUSE: Final = 0.5


@click.group()
def jobs() -> None:
    """List, wait for and cancel work that was started in the browser.

    Work that a command starts is done by that command, and is not listed here.
    """


@jobs.command("list")
@click.argument("name")
@json_option
def list_all(name: str, as_json: bool) -> None:
    """List the work of a project, newest first."""
    found = [described(each) for each in installed_project(name).jobs.order_by("-created")]
    if as_json:
        click.echo(json.dumps(found, indent=2))
        return
    for each in found:
        click.echo(f"{each['created'][:16]}  {each['kind']}  {each['state']}  {each['sentence']}")
    if not found:
        click.echo("No work was started yet.")


@jobs.command()
@click.argument("name")
@json_option
def wait(name: str, as_json: bool) -> None:
    """Wait until the work of a project has ended. Ends with exit code 2 if it did not succeed."""
    project = installed_project(name)
    job = service.current_job(project) or service.latest_job(project)
    if job is None:
        raise SettingError("No work was started yet.")
    while job.state not in _ENDED:
        time.sleep(_PAUSE)
        job.refresh_from_db()
    if as_json:
        click.echo(json.dumps(described(job), indent=2))
    if job.state != "done":
        raise SettingError(f"The work ended as {job.state}. {job.sentence}".strip())
    if not as_json:
        click.echo("The work is done.")


@jobs.command()
@click.argument("name")
def cancel(name: str) -> None:
    """Cancel the current work of a project. Nothing of it is kept."""
    job = service.current_job(installed_project(name))
    if job is None:
        raise SettingError("No work is waiting or running.")
    service.cancel(job=job, actor=COMMAND_LINE)
    click.echo("The work is cancelled, or stops at its next step.")


def described(job: Job) -> dict[str, Any]:
    return {
        "kind": job.kind,
        "state": job.state,
        "stage": job.stage,
        "done": job.done,
        "steps": job.steps,
        "created": job.created.isoformat(),
        "ended": job.ended.isoformat() if job.ended else None,
        "sentence": job.sentence,
    }
