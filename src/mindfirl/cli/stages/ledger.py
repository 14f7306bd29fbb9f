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
@click.option("--receipt", type=_PATH, metavar="FILE", help="A receipt that was taken before.")
def verify(name: str | None, file: Path | None, receipt: Path | None) -> None:
    """Check every entry of the ledger of project NAME, or of a downloaded FILE.

    The chain of entries, the rules they keep, every head that was signed; of a project also who
    wrote each entry, how far the ledger was written, and that decisions, comments, plans, members,
    linkages, releases and all else in the tables is what the entries tell. A file is checked
    anywhere, without an installation; with a receipt it is also shown that nobody rewrote it since
    that was taken.

    The exit code is 1 where something is wrong, and the first bad entry or row is named.
    """
    if (name is None) == (file is None):
        raise SettingError("Name a project, or give a downloaded ledger by --file.")
    with _failing():
        if file is not None:
            _verify_file(file, receipt)
        else:
            assert name is not None
            _verify_project(name, receipt)


@ledger.command()
@click.argument("name")
def receipt(name: str) -> None:
    """Sign where the ledger of project NAME ends now, and print that as a receipt.

    Keep it away from this machine: mindfirl ledger verify NAME --receipt FILE shows later that
    nothing up to it was changed.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    with _failing():
        taken = service.take_receipt(project=_project(name), actor=COMMAND_LINE)
        click.echo(taken.line())


@ledger.command()
@click.argument("name")
def download(name: str) -> None:
    """Print the ledger of project NAME as one file, which can be checked anywhere.

    People are random numbers in it. It holds no value of a record, and the reasons that managers
    gave in their words.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    for line in service.ledger_file(project=_project(name), actor=COMMAND_LINE):
        click.echo(line, nl=False)


@ledger.command()
@click.argument("name")
@click.option("--reason", required=True, help="Why work goes on; the ledger keeps it.")
def acknowledge(name: str, reason: str) -> None:
    """Acknowledge that project NAME was changed from outside, or restored from a backup.

    What was found goes into the ledger with the reason. Until then nothing is dispatched or
    released in the project; behind its mark, nothing at all is recorded.
    """
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    told = service.acknowledge(project=_project(name), actor=COMMAND_LINE, reason=reason)
    click.echo(f"Acknowledged. {told.found or 'Nothing was found to be wrong.'}")


def _verify_file(file: Path, receipt: Path | None) -> None:
    with file.open(encoding="ascii", errors="replace", newline="\n") as text:
        found = read_ledger(text)
    taken = read_receipt(_text(receipt)) if receipt else None
    checked = check_ledger(found, taken)
    known = [entry for entry in checked.entries if isinstance(entry.event, Acknowledged)]
    _say(found.name, checked.head, "" if not known else ", but for what was acknowledged")
    for entry in known:
        click.echo(printable(_acknowledged(entry)))
    click.echo(f"{len(found.signed):,} signed heads. Keys: {', '.join(found.keys)}.")
    if taken is None:
        click.echo(
            "The file holds together. Whether somebody rewrote it, a receipt shows (--receipt), "
            "or the key, compared with that of the installation."
        )
    else:
        click.echo(f"The receipt of {taken.at} ({taken.entries:,} entries) fits.")


def _verify_project(name: str, receipt: Path | None) -> None:
    set_up_django()
    from mindfirl.services import ledger as service  # noqa: PLC0415  # after Django is set up

    project = _project(name)
    if receipt is None:
        found = service.verify_project(project=project, actor=COMMAND_LINE)
    else:
        text = _text(receipt)
        taken, found = service.check_receipt(project=project, actor=COMMAND_LINE, text=text)
        click.echo(f"The receipt of {taken.at} ({taken.entries:,} entries) fits.")
    _say(name, found.head)
    if not found.with_tables:
        click.echo("Its keys were destroyed: the chain was checked, the tables cannot be.")
    if found.acknowledged:
        click.echo(f"Changes from outside were acknowledged {found.acknowledged:,} times.")
    click.echo(
        f"{found.signed:,} heads were signed by this installation, {found.signed_by_others:,} by "
        f"others; the key folder knows of {found.mark:,} entries. Key: {found.key}."
    )


def _project(name: str) -> Project:
    from mindfirl.cli.upkeep.project import installed_project  # noqa: PLC0415  # the same

    return installed_project(name)


def _say(name: str, head: Head, but: str = "") -> None:
    click.echo(f"{printable(name)}: all {head.entries:,} entries hold{but}. Head: {head.digest}.")


def _acknowledged(entry: Entry) -> str:
    """Say what does not hold, and why work went on."""
    told = entry.event
    assert isinstance(told, Acknowledged)
    gap = f" Entries {told.first:,} to {told.last:,} are not proven." if told.first else ""
    return (
        f"Entry {entry.number:,} acknowledges a change from outside, at {entry.at}.{gap} "
        f"{told.found or 'Nothing was found to be wrong.'} Reason: {told.reason}"
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
