"""``mindfirl resolve``: how the pairs of a project stand, and what is in conflict."""

from __future__ import annotations

import json

import click
from rich.table import Table

from mindfirl.cli.terminal.show import output_console
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import projects
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.workspace.standing import counts_of, standing_of


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def resolve(name: str, as_json: bool) -> None:
    """Show what reviews settle, and what they leave to adjudicators.

    Conflicts are given out in the browser, where a second person can confirm that.
    """
    check_installation()
    project = projects.project_named(name)
    standing = standing_of(project=project, actor=COMMAND_LINE)
    counts = counts_of(standing)
    if as_json:
        click.echo(json.dumps(counts, indent=2))
        return
    table = Table(title=f"Pairs of {project.name}")
    for heading in ("", "pairs"):
        table.add_column(heading, justify="right" if heading else "left")
    for words, key in _ROWS.items():
        table.add_row(words, f"{counts[key]:,}")
    for kind, number in counts["conflicts"].items():
        given = counts["with_adjudicators"][kind]
        table.add_row(f"in conflict: {kind}", f"{number:,} (and {given:,} with adjudicators)")
    output_console().print(table)


_ROWS = {
    "given out": "given_out",
    "under review": "under_review",
    "settled by the rule": "by_rule",
    "settled by adjudicators": "adjudicated",
    "linked by people": "links",
    "linked automatically": "automatic_links",
    "for people, not settled": "unsettled",
}
