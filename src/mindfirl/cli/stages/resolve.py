"""``mindfirl resolve`` and ``mindfirl link``: what reviews leave open; records as persons."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import file_option, output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.link import link_records
from mindfirl.services.specification import check_specification, specification_of
from mindfirl.store.models import Project
from mindfirl.workspace.outcomes.standing import counts_of, standing_of


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def resolve(name: str, as_json: bool) -> None:
    """Show which pairs reviews settled and which conflicts are left to adjudicators.

    Assign conflicts in the browser, where a second person can confirm this.
    """
    project = installed_project(name)
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
    for words, key in _FINDINGS.items():
        table.add_row(words, f"{counts['findings'][key]:,}")
    output_console().print(table)


_FINDINGS = {
    "persons held together by a weak pair": "weakly_joined",
    "persons with far more records than others": "unusually_large",
    "records of the largest person": "largest",
    "chains of more than 5,000 records": "large_components",
}
_ROWS = {
    "assigned": "given_out",
    "under review": "under_review",
    "settled by the rule": "by_rule",
    "settled by adjudicators": "adjudicated",
    "known from elsewhere": "external",
    "of these, decided by reviewers, too": "answers_checked",
    "of these, reviewers disagree": "answers_disputed",
    "carried over from earlier rounds": "carried",
    "linked by people": "links",
    "linked automatically": "automatic_links",
    "for people, undecided": "unsettled",
    "of these, linked by weight": "linked_by_weight",
}


@click.command()
@click.argument("name")
@click.option(
    "--unsettled",
    is_flag=True,
    help="Count undecided pairs as not linked, if votes are not evidence.",
)
@click.option(
    "--accept-errors",
    is_flag=True,
    help="Link even though a sample shows more errors than the weights predict.",
)
@click.option(
    "--specification",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a signed specification of everything the linkage depends on to this file.",
)
@file_option("--check", words="Do not link; check whether a rerun would match this specification.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def link(
    name: str,
    unsettled: bool,
    accept_errors: bool,
    specification: Path | None,
    check: Path | None,
    as_json: bool,
) -> None:
    """Join records to persons by automatic links and decisions.

    If votes are evidence, the weights decide undecided pairs. A specification contains the model,
    rules, seeds, thresholds, and digests of pairs and decisions, but no personal data.

    \b
    For example:
      mindfirl link study
      mindfirl link study --unsettled --specification linkage.json
      mindfirl link study --check linkage.json
    """
    project = installed_project(name)
    if check is not None:
        _check(project, check)
        return
    with stage_bars() as progress:
        made = link_records(
            project=project,
            actor=COMMAND_LINE,
            unsettled=unsettled,
            more_errors=accept_errors,
            progress=progress,
        )
    report = made.report
    if specification is not None:
        content = specification_of(project=project, actor=COMMAND_LINE)
        specification.write_text(f"{json.dumps(content, indent=1)}\n", encoding="utf-8")
    if as_json:
        click.echo(json.dumps({"linkage": made.number, **report}, indent=2))
        return
    click.echo(
        f"Linkage {made.number}: {report['records']:,} records are {report['persons']:,} persons, "
        f"{report['linked_persons']:,} of them with several records."
    )
    if report["rule"] == "evidence" and report["unsettled"]:
        click.echo(
            f"{report['unsettled']:,} undecided pairs were decided by their weights: "
            f"{report['linked_by_weight']:,} linked."
        )


def _check(project: Project, path: Path) -> None:
    differing = check_specification(project=project, actor=COMMAND_LINE, path=path)
    if differing:
        raise SettingError(f"A rerun would differ: {', '.join(differing)} changed.")
    click.echo("Identical: a rerun gives the same persons.")
