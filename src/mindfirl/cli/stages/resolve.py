"""``mindfirl resolve`` and ``mindfirl link``: what reviews leave open; records as persons."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.table import Table

from mindfirl.cli.terminal.acting import acting, as_option, json_option
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import file_option, output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import resolve as resolution
from mindfirl.services.link import link_records
from mindfirl.services.specification import check_specification, specification_of
from mindfirl.store.models import Project
from mindfirl.workspace.outcomes.standing import counts_of, standing_of


@click.group()
def resolve() -> None:
    """Show what reviews settled; assign conflicts; accept contradictions."""


@resolve.command()
@click.argument("name")
@json_option
def show(name: str, as_json: bool) -> None:
    """Show which pairs reviews settled and which conflicts are left to adjudicators."""
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


@resolve.command()
@click.argument("name")
@as_option
def assign(name: str, user: str) -> None:
    """Propose to assign all open conflicts to adjudicators; assign them if nobody else confirms."""
    project = installed_project(name)
    who = acting(project, user, "dispatch")
    made = resolution.give_conflicts(project=project, actor=who.actor, account=who.account)
    if made:
        pairs = sum(each.size for each in made)
        click.echo(f"{pairs:,} pairs are assigned to {len(made):,} adjudicators.")
    else:
        click.echo("Proposed. Another manager or the auditor must confirm it in the browser.")


@resolve.command()
@click.argument("name")
@json_option
def contradictions(name: str, as_json: bool) -> None:
    """List open contradictions by number: how their links were made. No records are shown."""
    found = _paths(installed_project(name))
    listed = [
        {
            "contradiction": number,
            "automatic": each.automatic,
            "reviewed": each.reviewed,
            "adjudicated": each.adjudicated,
            "decided_different": each.decided,
            "with_adjudicator": each.given,
        }
        for number, each in enumerate(found, start=1)
    ]
    if as_json:
        click.echo(json.dumps(listed, indent=2))
        return
    for told in listed:
        click.echo("  ".join(f"{words}: {value}" for words, value in told.items()))
    if not listed:
        click.echo("No open contradictions.")


@resolve.command()
@click.argument("name")
@click.argument("number", type=click.IntRange(1))
@click.option(
    "--reason", required=True, help="Reason, recorded in the ledger. Do not name a person."
)
@as_option
def accept(name: str, number: int, reason: str, user: str) -> None:
    """Accept a contradiction, by the number that `contradictions` lists: its links stay."""
    project = installed_project(name)
    who = acting(project, user, "dispatch")
    found = _paths(project)
    if number > len(found):
        raise SettingError(f"There are {len(found):,} open contradictions.")
    resolution.accept(
        project=project,
        actor=who.actor,
        account=who.account,
        between=found[number - 1].between,
        reason=reason,
    )
    click.echo("The contradiction is accepted. The reason is in the ledger.")


def _paths(project: Project) -> list[resolution.Path]:
    return resolution.paths_in(standing_of(project=project, actor=COMMAND_LINE))


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
@json_option
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
