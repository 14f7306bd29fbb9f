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
        raise SettingError("This project has no release of that number.")
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
@click.option("--to", "username", required=True, metavar="USERNAME", help="Whom it is for.")
@passphrases.passphrase_option
@passphrases.recipient_option
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="Where to."
)
def crosswalk(
    name: str,
    number: int,
    username: str,
    passphrase_file: Path | None,
    recipient: Path | None,
    output: Path,
) -> None:
    """Write which record has which person number in a release, encrypted for one person.

    That person must not have downloaded the release, and cannot do so afterwards: with both, the
    data would identify people. The crosswalk is recorded. `mindfirl release open` opens the file.
    """
    found = release_numbered(name, number)
    to = account_named(username)
    if to is None:
        raise SettingError("Nobody of that name can sign in here. See mindfirl user list.")
    check_new(output)
    lock = passphrases.read_lock(passphrase_file, recipient, "A crosswalk")
    handed = give_crosswalk(release=found, actor=COMMAND_LINE, to=to, lock=lock)
    write_private(output, handed.content.getbuffer())
    click.echo(f"{output}: the crosswalk to release {number}, for {to.username} alone.")


@release.command("open")
@click.argument("file", type=passphrases.PATH)
@passphrases.passphrase_option
@passphrases.identity_option
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="Where to."
)
def open_file(
    file: Path, passphrase_file: Path | None, identity: Path | None, output: Path
) -> None:
    """Open a crosswalk that was encrypted for you, as CSV.

    What it then says identifies people: keep it as you keep the databases.
    """
    check_new(output)
    key = passphrases.read_key(passphrase_file, identity, "A crosswalk")
    with file.open("rb") as sealed:
        content = b"".join(open_crosswalk(sealed, key))
    write_private(output, content)
    click.echo(f"{output}: {len(content.splitlines()) - 1:,} records.")


@release.command()
@click.argument("name")
@click.option("--all", "everybody", is_flag=True, help="All records, not linked persons alone.")
@click.option(
    "--coarsen",
    multiple=True,
    metavar="COLUMN=HOW",
    help="Keep a part of a quasi-identifier or of a sensitive column: born=year, zip=3.",
)
@click.option("--leave-out", multiple=True, metavar="COLUMN", help="Leave a sensitive column out.")
@click.option("--blank", multiple=True, metavar="COLUMN", help="Empty the cells found in a column.")
@click.option("--escape", multiple=True, metavar="COLUMN", help="Put ' before formulas.")
@click.option("--row", "rows", default="record", type=click.Choice(release_choices.ROWS))
@click.option(
    "--several",
    default="all",
    type=click.Choice(SEVERAL),
    help="One row per person: list all values, keep those that agree, or the commonest.",
)
@click.option("--least-k", default="", metavar="NUMBER", help="Persons of the smallest group.")
@click.option("--least-l", default="", metavar="NUMBER", help="Sensitive values of each group.")
@click.option("--term", default="", metavar="DAYS", help="Delete it after this many days (30).")
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
    output: Path | None,
    as_json: bool,
) -> None:
    """Create a release of the newest linkage.

    It holds a random person number, the database, how each record was linked, and the sensitive
    values, with rows in random order. A finding of its check blocks it: leave the column out,
    blank the cells, coarsen it, or accept it with `mindfirl release settle`.
    """
    form = _form(output) if output else None
    linkage = _linkage(name)
    ways = dict(each.partition("=")[::2] for each in coarsen)
    typed = release_choices.ChoicesTyped(
        *(not everybody, ways, least_k, least_l, term, leave_out, blank, escape, rows, several)
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
    help="Which person numbers merged and split, as CSV; where the project's numbers stay.",
)
@_OUTPUT
def download(name: str, number: int, changes: bool, output: Path) -> None:
    """Write a release that is ready to a file; that is recorded."""
    form = _form(output)
    found = release_numbered(name, number)
    if changes and (not found.changes_id or form != "csv"):
        raise SettingError(
            "Only a release whose person numbers stay says what merged and split, as a .csv file."
        )
    handed = handover.take(
        release=found, actor=COMMAND_LINE, form=handover.CHANGES if changes else form
    )
    write_private(output, handed.content.getbuffer())


@release.command("settle")
@click.argument("name")
@click.argument("number", type=int)
@click.option("--column", required=True, help="The column in which something was found.")
@click.option("--kind", required=True, help="What was found: word, number, date, formula, …")
@click.option("--reason", required=True, help="Why it may leave; the ledger keeps it.")
def settle(name: str, number: int, column: str, kind: str, reason: str) -> None:
    """Accept a finding in a column of a release, for a reason.

    Where the project asks for a second person, somebody else confirms it, in a browser or by
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
@click.option("--column", required=True, help="The column in which something was found.")
@click.option("--kind", required=True, help="What was found: word, number, date, formula, …")
def confirm(name: str, number: int, column: str, kind: str) -> None:
    """Confirm, as a second person, that a finding is accepted."""
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
@click.option("--reason", required=True, help="Why; the ledger keeps it.")
def delete(name: str, number: int, reason: str) -> None:
    """Delete a release, and its key: nobody can open it again, in no backup either."""
    release_states.delete_release(
        release=release_numbered(name, number), actor=COMMAND_LINE, reason=reason
    )
    click.echo(f"Release {number} is deleted, and its key destroyed.")


@release.command()
@click.argument("name")
@click.option(
    "-o", "--output", type=passphrases.PATH, required=True, metavar="FILE", help="FILE.csv."
)
def labels(name: str, output: Path) -> None:
    """Write what people decided in Splink's form; it names records, and is recorded.

    1 where two records are one person's, 0 where not, 0.5 where people cannot tell.
    """
    check_new(output)
    handed = handover.take_labels(project=installed_project(name), actor=COMMAND_LINE)
    write_private(output, handed.content.getbuffer())


_BARRIERS: Final[dict[release_states.Barrier, str]] = {
    "persons": "Blocked: it has fewer persons than the project's minimum.",
    "difference": "Blocked: it differs from a release that somebody has by too few persons.",
    "k": "Blocked: its smallest group has fewer persons than the least k.",
    "l": "Blocked: a group has fewer different values than the least l.",
    "joint k": "Blocked: with the columns of releases that somebody has, groups are too small.",
    "joint l": "Blocked: with the columns of releases that somebody has, values are too alike.",
}


def _form(path: Path) -> Form:
    """Tell the form of a file by its ending; refuse one that is there."""
    check_new(path)
    ending = path.suffix.lower().removeprefix(".")
    if ending not in FORMS:
        raise SettingError("The name of the file must end in .csv or .parquet.")
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
        click.echo("Synthetic: nobody in it exists.")
    if report["anonymity"]:
        k, l_value = (report["anonymity"][name] for name in ("k", "l"))
        click.echo(f"Smallest group: k = {k}, l = {'–' if l_value is None else l_value}.")
    for barrier in release_states.barriers(report, release_choices.kept_choices(made.choices)):
        click.echo(_BARRIERS[barrier])
    if report["findings"]:
        table = Table(title="What must not leave")
        for heading in ("column", "found", "cells"):
            table.add_column(heading, justify="right" if heading == "cells" else "left")
        for each in report["findings"]:
            table.add_row(each["column"], each["kind"], f"{each['count']:,}")
        output_console().print(table)
