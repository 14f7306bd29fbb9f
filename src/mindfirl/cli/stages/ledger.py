"""``mindfirl ledger``: verify a ledger, sign a receipt of it, download it as one file.

A file is checked without an installation: Django is loaded where a project is named, and only then.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mindfirl.cli.terminal.setting_up import set_up_django
from mindfirl.cli.terminal.show import printable
from mindfirl.core.errors import LedgerBroken, LedgerDiffers, ReceiptBroken, SettingError
from mindfirl.core.ledger.chain import Entry, Head
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.receipts import read_receipt
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.store.ledger.ledger_files import check_ledger, read_ledger

if TYPE_CHECKING:  # it needs Django
    from mindfirl.store.models import Project

_PATH = click.Path(path_type=Path, exists=True, dir_okay=False)


@click.group()
def ledger() -> None:
    """Verify a ledger, sign a receipt of it, or download it as one file."""


@ledger.command()
@click.argument("name", required=False)
@click.option("--file", type=_PATH, metavar="FILE", help="A downloaded ledger, instead of NAME.")
@click.option("--receipt", type=_PATH, metavar="FILE", help="A receipt to compare with.")
def verify(name: str | None, file: Path | None, receipt: Path | None) -> None:
    """Verify every entry of the ledger of project NAME, or of a downloaded FILE.

    Verifies the chain of entries, the rules they follow and every signed head. For a project, also
    verifies who wrote each entry, how far the ledger was written, and that decisions, comments,
    plans, members, linkages, releases and all other tables match the entries. A file can be
    verified on any computer, without an installation; with a receipt, this also shows that nobody
    rewrote it since the receipt was created.

    The exit code is 1 if something is wrong. The first bad entry or row is named.
    """
    if (name is None) == (file is None):
        raise SettingError("Give the name of a project, or a downloaded ledger with --file.")
    with _failing():
        if file is not None:
            _verify_file(file, receipt)
        else:
            assert name is not None
            _verify_project(name, receipt)


@ledger.command()
@click.argument("name")
def receipt(name: str) -> None:
    """Sign where the ledger of project NAME ends now, and print a receipt.

    Keep the receipt away from this machine. Later, mindfirl ledger verify NAME --receipt FILE shows
    that no earlier entry was changed.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    with _failing():
        taken = service.take_receipt(project=_project(name), actor=COMMAND_LINE)
        click.echo(taken.line())


@ledger.command()
@click.argument("name")
def download(name: str) -> None:
    """Print the ledger of project NAME as one file, which can be verified on any computer.

    People appear as random numbers. The file contains no values of records, but the reasons in the
    words of managers.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    for line in service.ledger_file(project=_project(name), actor=COMMAND_LINE):
        click.echo(line, nl=False)


@ledger.command()
@click.argument("name")
@click.option("--reason", required=True, help="Reason for continuing, recorded in the ledger.")
def acknowledge(name: str, reason: str) -> None:
    """Acknowledge that project NAME was changed outside this software or restored from a backup.

    The finding and the reason are recorded in the ledger. Until then, dispatches and releases are
    blocked; if the ledger is behind its mark, nothing at all is recorded.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    told = service.acknowledge(project=_project(name), actor=COMMAND_LINE, reason=reason)
    click.echo(f"Acknowledged. {told.found or 'No problem was found.'}")


def _verify_file(file: Path, receipt: Path | None) -> None:
    with file.open(encoding="ascii", errors="replace", newline="\n") as text:
        found = read_ledger(text)
    taken = read_receipt(_text(receipt)) if receipt else None
    checked = check_ledger(found, taken)
    known = [entry for entry in checked.entries if isinstance(entry.event, Acknowledged)]
    _say(found.name, checked.head, "" if not known else ", except for acknowledged changes")
    for entry in known:
        click.echo(printable(_acknowledged(entry)))
    click.echo(f"{len(found.signed):,} signed heads. Keys: {', '.join(found.keys)}.")
    if taken is None:
        click.echo(
            "The file is consistent. To check that nobody rewrote it, give a receipt (--receipt), "
            "or compare the key with that of the installation."
        )
    else:
        click.echo(f"The receipt of {taken.at} ({taken.entries:,} entries) matches.")


def _verify_project(name: str, receipt: Path | None) -> None:
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    project = _project(name)
    if receipt is None:
        found = service.verify_project(project=project, actor=COMMAND_LINE)
    else:
        text = _text(receipt)
        taken, found = service.check_receipt(project=project, actor=COMMAND_LINE, text=text)
        click.echo(f"The receipt of {taken.at} ({taken.entries:,} entries) matches.")
    _say(name, found.head)
    if not found.with_tables:
        click.echo("Its keys were destroyed: only the chain was verified, not the tables.")
    if found.acknowledged:
        click.echo(f"Outside changes were acknowledged {found.acknowledged:,} times.")
    click.echo(
        f"{found.signed:,} heads were signed by this installation, {found.signed_by_others:,} by "
        f"others; the key folder knows of {found.mark:,} entries. Key: {found.key}."
    )


def _project(name: str) -> Project:
    from mindfirl.cli.upkeep.project import installed_project  # noqa: PLC0415  # the same

    return installed_project(name)


def _say(name: str, head: Head, but: str = "") -> None:
    entries = f"all {head.entries:,} entries are intact{but}"
    click.echo(f"{printable(name)}: {entries}. Head: {head.digest}.")


def _acknowledged(entry: Entry) -> str:
    """Say what does not hold, and why work went on."""
    told = entry.event
    assert isinstance(told, Acknowledged)
    gap = f" Entries {told.first:,} to {told.last:,} are not proven." if told.first else ""
    return (
        f"Entry {entry.number:,} acknowledges an outside change, at {entry.at}.{gap} "
        f"{told.found or 'No problem was found.'} Reason: {told.reason}"
    )


def _text(path: Path) -> str:
    return path.read_text(encoding="ascii", errors="replace")


@contextmanager
def _failing() -> Iterator[None]:
    """End with 1 where a ledger or a receipt does not hold."""
    try:
        yield
    except (LedgerBroken, LedgerDiffers, ReceiptBroken) as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(1)
