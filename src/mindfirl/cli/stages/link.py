"""``mindfirl link``: the records of a project, put together to persons."""

from __future__ import annotations

import json

import click

from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import projects
from mindfirl.services.link import link_records
from mindfirl.services.upkeep.installation import check_installation


@click.command()
@click.argument("name")
@click.option("--unsettled", is_flag=True, help="Count pairs that nobody settled as not linked.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def link(name: str, unsettled: bool, as_json: bool) -> None:
    """Put records together to persons, by automatic links and what people decided.

    \b
    For example:
      mindfirl link study
      mindfirl link study --unsettled
    """
    check_installation()
    project = projects.project_named(name)
    with stage_bars() as progress:
        made = link_records(
            project=project, actor=COMMAND_LINE, unsettled=unsettled, progress=progress
        )
    report = made.report
    if as_json:
        click.echo(json.dumps({"linkage": made.number, **report}, indent=2))
        return
    click.echo(
        f"Linkage {made.number}: {report['records']:,} records are {report['persons']:,} persons, "
        f"{report['linked_persons']:,} of them with several records."
    )
