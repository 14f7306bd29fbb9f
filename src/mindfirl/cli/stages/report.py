"""``mindfirl report``: what was disclosed in a project, for people outside of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import report as reports
from mindfirl.store.models import Project, Report


@click.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the report as an HTML file.",
)
@click.option(
    "--pdf",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the report as a PDF file.",
)
@click.option("--group", default="", help="Compare exposure between groups of this attribute.")
def report(name: str, as_json: bool, html: Path | None, pdf: Path | None, group: str) -> None:
    """Create a report of what was disclosed, from counts only, and sign the head of the ledger.

    A PDF needs Chromium or Chrome. If the keys of a project were destroyed, its last report is
    printed.

    \b
    For example:
      mindfirl report study
      mindfirl report study --html report.html --group sex
    """
    made = _made(installed_project(name), group)
    content = made.content
    if html or pdf:
        _write(content, html, pdf)
    if as_json:
        click.echo(made.text)
        return
    click.echo(_words(content))


def _made(project: Project, group: str) -> Report:
    if project.shredded:
        found = reports.newest_report(project=project, actor=COMMAND_LINE)
        if found is None:
            raise SettingError(
                "This project has no report: its keys were destroyed before one was created. Its "
                "ledger is kept; see mindfirl ledger verify."
            )
        return found
    with stage_bars() as progress:
        return reports.make_report(
            project=project, actor=COMMAND_LINE, group=group, progress=progress
        )


def _write(content: dict[str, Any], html: Path | None, pdf: Path | None) -> None:
    from mindfirl.web.report.printing import report_html, report_pdf  # noqa: PLC0415  # needed here alone

    if html:
        html.write_text(report_html(content), encoding="utf-8")
    if pdf:
        pdf.write_bytes(report_pdf(content))


def _words(content: dict[str, Any]) -> str:
    together, decisions = content["together"], content["decisions"]
    seen = together["exposure"] or {"published": 0.0, "union": 0.0, "reidentifications": 0.0}
    decided = sum(each["decided"] for each in decisions.values())
    unopened = sum(each["without_opening"] for each in decisions.values())
    return (
        f"Report {content['report']}: {len(content['people']):,} people had "
        f"{together['pairs']:,} pairs and made {decided:,} decisions, {unopened:,} of them without "
        f"opening anything. K is {seen['published']:.4%} by the published rules, "
        f"{seen['union']:.4%} for all people together; {seen['reidentifications']:.1f} of "
        f"{content['linked']['records']:,} records are expected to be re-identifiable. "
        f"The ledger has {content['ledger']['entries']:,} entries and ends with "
        f"{content['ledger']['digest']}."
    )
