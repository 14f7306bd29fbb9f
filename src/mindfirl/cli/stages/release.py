"""``mindfirl release``: linked data without identities, decisions as labels, crosswalks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click
from rich.table import Table

from mindfirl.cli.terminal import passphrases
from mindfirl.cli.terminal.new_files import check_new, write_private
from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.show import output_console
from mindfirl.cli.upkeep.project import installed_project
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.engine.release.person_rows import SEVERAL
from mindfirl.engine.release.release_files import FORMS, Form
from mindfirl.services.release import creation, handover, release_choices, release_states
from mindfirl.services.release.handover import give_crosswalk, open_crosswalk
from mindfirl.store.models import Linkage, Release
from mindfirl.store.queries.access import account_named
from mindfirl.store.queries.projects import newest_linkage, release_of

_OUTPUT: Final = click.option(
    "-o",
    "--output",
    type=passphrases.PATH,
    required=True,
    metavar="FILE",
    help="FILE.csv or FILE.parquet.",
)


def release_numbered(name: str, number: int) -> Release:
    found = release_of(installed_project(name), number)
    if found is None:
        raise SettingError("This project has no release with that number.")
    return found


@click.group()
def release() -> None:
    """Release linked data without identities, checked and recorded.

    \b
    For example:
      mindfirl release create study                      create a release, and check it
      mindfirl release create study --all -o study.csv   of all records, written to a file
      mindfirl release create study --coarsen born=year  with the year of birth
      mindfirl release labels study -o labels.csv        decisions as labels, for Splink
    """


@release.command()
@click.argument("name")
@click.option("--release", "number", type=int, required=True, help="The number of the release.")
@click.option(
    "--to", "username", required=True, metavar="USERNAME", help="User name of the recipient."
)
@passphrases.passphrase_option
@passphrases.recipient_option
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="Output file."
)
def crosswalk(
    name: str,
    number: int,
    username: str,
    passphrase_file: Path | None,
    recipient: Path | None,
    output: Path,
) -> None:
    """Write the crosswalk of a release (record IDs to person numbers), encrypted for one person.

    That person must not have downloaded the release and cannot do so afterwards, because both
    together identify people. The ledger records the crosswalk. `mindfirl release open` opens the
    file.
    """
    found = release_numbered(name, number)
    to = account_named(username)
    if to is None:
        raise SettingError("No active account has that name. See mindfirl user list.")
    check_new(output)
    lock = passphrases.read_lock(passphrase_file, recipient, "A crosswalk")
    handed = give_crosswalk(release=found, actor=COMMAND_LINE, to=to, lock=lock)
    write_private(output, handed.content.getbuffer())
    click.echo(f"{output}: crosswalk of release {number}, for {to.username} only.")


@release.command("open")
@click.argument("file", type=passphrases.PATH)
@passphrases.passphrase_option
@passphrases.identity_option
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="Output file."
)
def open_file(
    file: Path, passphrase_file: Path | None, identity: Path | None, output: Path
) -> None:
    """Open a crosswalk that was encrypted for you, as CSV.

    The opened file identifies people. Protect it like the databases.
    """
    check_new(output)
    key = passphrases.read_key(passphrase_file, identity, "A crosswalk")
    with file.open("rb") as sealed:
        content = b"".join(open_crosswalk(sealed, key))
    write_private(output, content)
    click.echo(f"{output}: {len(content.splitlines()) - 1:,} records.")


@release.command()
@click.argument("name")
@click.option(
    "--all", "everybody", is_flag=True, help="Include all records, not only linked persons."
)
@click.option(
    "--coarsen",
    multiple=True,
    metavar="COLUMN=HOW",
    help="Keep a part of a quasi-identifier or of a sensitive column: born=year, zip=3.",
)
@click.option("--leave-out", multiple=True, metavar="COLUMN", help="Leave a sensitive column out.")
@click.option("--blank", multiple=True, metavar="COLUMN", help="Blank the found cells of a column.")
@click.option("--escape", multiple=True, metavar="COLUMN", help="Put ' before formulas.")
@click.option("--row", "rows", default="record", type=click.Choice(release_choices.ROWS))
@click.option(
    "--several",
    default="all",
    type=click.Choice(SEVERAL),
    help="One row per person: list all values, keep them only if all agree, or keep the most "
    "common.",
)
@click.option(
    "--least-k", default="", metavar="NUMBER", help="Minimum number of persons in a group (k)."
)
@click.option(
    "--least-l",
    default="",
    metavar="NUMBER",
    help="Minimum number of different sensitive values in a group (l).",
)
@click.option(
    "--term",
    default="",
    metavar="DAYS",
    help="Delete the release after this many days. Default: 30.",
)
@click.option(
    "--draw",
    default="",
    metavar="NUMBER",
    help="Draw a linkage: links come as often as they are probable; each number is another draw.",
)
@click.option(
    "-o", "--output", type=passphrases.PATH, metavar="FILE", help="FILE.csv or FILE.parquet."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON for a pipeline.")
def create(
    name: str,
    everybody: bool,
    coarsen: tuple[str, ...],
    leave_out: tuple[str, ...],
    blank: tuple[str, ...],
    escape: tuple[str, ...],
    rows: str,
    several: str,
    least_k: str,
    least_l: str,
    term: str,
    draw: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Create a release of the newest linkage.

    It contains a random person number, the database, how each record was linked, and the sensitive
    values, with rows in random order. A finding of its check blocks it: leave out the column, blank
    the cells, coarsen the column, or accept the finding with `mindfirl release settle`.
    """
    form = _form(output) if output else None
    linkage = _linkage(name)
    ways = dict(each.partition("=")[::2] for each in coarsen)
    typed = release_choices.ChoicesTyped(
        *(not everybody, ways, least_k, least_l, term, leave_out, blank, escape, rows, several),
        draw=draw,
    )
    choices = release_choices.read_choices(linkage, typed)
    with stage_bars() as progress:
        made = creation.make_release(
            project=linkage.project,
            actor=COMMAND_LINE,
            linkage=linkage,
            choices=choices,
            progress=progress,
        )
    _say(made, as_json=as_json)
    if output and form:
        handed = handover.take(release=made, actor=COMMAND_LINE, form=form)
        write_private(output, handed.content.getbuffer())


@release.command()
@click.argument("name")
@click.argument("number", type=int)
@click.option(
    "--changes",
    is_flag=True,
    help="File for merged and split person numbers (CSV), if the project keeps person numbers.",
)
@_OUTPUT
def download(name: str, number: int, changes: bool, output: Path) -> None:
    """Write a ready release to a file. The ledger records this."""
    form = _form(output)
    found = release_numbered(name, number)
    if changes and (not found.changes_id or form != "csv"):
        raise SettingError(
            "Merged and split person numbers exist only in projects that keep person numbers. The "
            "file name must end in .csv."
        )
    handed = handover.take(
        release=found, actor=COMMAND_LINE, form=handover.CHANGES if changes else form
    )
    write_private(output, handed.content.getbuffer())


@release.command("settle")
@click.argument("name")
@click.argument("number", type=int)
@click.option("--column", required=True, help="Column with the finding.")
@click.option("--kind", required=True, help="Kind of finding: word, number, date, formula, …")
@click.option(
    "--reason", required=True, help="Why the values can be released, recorded in the ledger."
)
def settle(name: str, number: int, column: str, kind: str, reason: str) -> None:
    """Accept a finding in a column of a release, with a reason.

    If the project requires a second person, another person must confirm it in a browser or with
    `mindfirl release confirm`.
    """
    found = release_states.settle_finding(
        release=release_numbered(name, number),
        actor=COMMAND_LINE,
        account=None,
        column=column,
        kind=kind,
        reason=reason,
    )
    click.echo(f"Release {number} is {found.state}.")


@release.command()
@click.argument("name")
@click.argument("number", type=int)
@click.option("--column", required=True, help="Column with the finding.")
@click.option("--kind", required=True, help="Kind of finding: word, number, date, formula, …")
def confirm(name: str, number: int, column: str, kind: str) -> None:
    """Confirm an accepted finding as the second person."""
    found = release_states.confirm_finding(
        release=release_numbered(name, number),
        actor=COMMAND_LINE,
        account=None,
        column=column,
        kind=kind,
    )
    click.echo(f"Release {number} is {found.state}.")


@release.command()
@click.argument("name")
@click.argument("number", type=int)
@click.option("--reason", required=True, help="Reason, recorded in the ledger.")
def delete(name: str, number: int, reason: str) -> None:
    """Delete a release and its key. Nobody can open it again, not even from a backup."""
    release_states.delete_release(
        release=release_numbered(name, number), actor=COMMAND_LINE, reason=reason
    )
    click.echo(f"Release {number} deleted and its key destroyed.")


@release.command()
@click.argument("name")
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="FILE.csv."
)
def labels(name: str, output: Path) -> None:
    """Write decisions as Splink labels; the file contains record IDs.

    1 means the same person, 0 different persons, 0.5 cannot tell. The ledger records the export.
    """
    check_new(output)
    handed = handover.take_labels(project=installed_project(name), actor=COMMAND_LINE)
    write_private(output, handed.content.getbuffer())


_BARRIERS: Final[dict[release_states.Barrier, str]] = {
    "persons": "Blocked: it has fewer persons than the project's minimum.",
    "difference": "Blocked: it differs from a downloaded release by too few persons.",
    "k": "Blocked: its smallest group has fewer persons than the minimum k.",
    "l": "Blocked: a group has fewer different values than the minimum l.",
    "joint k": "Blocked: combined with the columns of downloaded releases, groups are too small.",
    "joint l": "Blocked: combined with the columns of downloaded releases, values are too alike.",
}


def _form(path: Path) -> Form:
    """Tell the form of a file by its ending; refuse one that is there."""
    check_new(path)
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMS:
        raise SettingError("The file name must end in .csv or .parquet.")
    return ending


def _linkage(name: str) -> Linkage:
    project = installed_project(name)
    found = newest_linkage(project)
    if found is None:
        raise SettingError(f"The records are not linked yet. Run mindfirl link {project.name}.")
    return found


def _say(made: Release, *, as_json: bool) -> None:
    report = made.report
    if as_json:
        about = {"release": made.number, "state": made.state, "expires": made.expires.isoformat()}
        about["synthetic"] = made.project.synthetic
        click.echo(json.dumps({**about, **report}, indent=2))
        return
    click.echo(
        f"Release {made.number}: {report['rows']:,} rows of {report['persons']:,} persons, "
        f"{made.state}; kept until {made.expires}."
    )
    if made.project.synthetic:
        click.echo("Synthetic: the people are made up.")
    if report["anonymity"]:
        k, l_value = (report["anonymity"][name] for name in ("k", "l"))
        click.echo(f"Smallest group: k = {k}, l = {'–' if l_value is None else l_value}.")
    for barrier in release_states.barriers(report, release_choices.kept_choices(made.choices)):
        click.echo(_BARRIERS[barrier])
    if report["findings"]:
        table = Table(title="Findings")
        for heading in ("column", "found", "cells"):
            table.add_column(heading, justify="right" if heading == "cells" else "left")
        for each in report["findings"]:
            table.add_row(each["column"], each["kind"], f"{each['count']:,}")
        output_console().print(table)
