"""``mindfirl init`` and ``mindfirl doctor``: an installation made, and examined."""

from __future__ import annotations

import sys

import click

from mindfirl.cli.upkeep.user import address_option, print_link
from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.administration import add_first_administrator
from mindfirl.services.upkeep.health import Problem, examine, examine_machine
from mindfirl.services.upkeep.installation import check_installation, initialise, is_demo


@click.command()
@click.option(
    "--administrator",
    default="administrator",
    show_default=True,
    metavar="NAME",
    help="User name of the first administrator.",
)
@address_option
def init(administrator: str, address: str) -> None:
    """Create the data folder, the key folder and the database, or bring them up to date.

    The data folder is MINDFIRL_HOME (by default .local/share/mindfirl in your home), the key folder
    MINDFIRL_KEYS (by default .config/mindfirl/keys), the database SQLite in the data folder or the
    PostgreSQL that DATABASE_URL names. Each setting can also be read from the file that NAME_FILE
    names.

    If there are no accounts yet, an account for the first administrator is created, and a link for
    choosing a password is printed.
    """
    made = initialise()
    first = add_first_administrator(actor=COMMAND_LINE, username=administrator)
    click.echo(f"Data folder:  {made.home}")
    click.echo(f"Key folder:   {made.keys}")
    click.echo(f"Database:     {_DATABASES.get(made.database, made.database)}")
    click.echo()
    click.echo(
        "The key folder holds the keys of every project. Without them nobody, you included, can\n"
        "open a project's data again: keep a copy of the folder in a safe place, apart from\n"
        "backups of the data. Whoever has both can read everything."
    )
    click.echo()
    if first is not None:
        print_link(*first, address=address)
        click.echo()
    click.echo("Next: mindfirl serve, for a browser; or mindfirl project create NAME")


_DATABASES = {"sqlite": "SQLite, in the data folder", "postgresql": "PostgreSQL"}


@click.command()
@click.option("--check", is_flag=True, help="Only check; do not remove leftovers.")
def doctor(check: bool) -> None:
    """Check the installation, and print how to fix problems.

    Checks folders and permissions, space, the database, stalled work, missing keys, damaged files,
    and leftovers of interrupted work. Leftovers are encrypted with keys that nobody has, so they
    are removed. The exit code is 1 if a problem remains.
    """
    if is_demo():
        click.echo("This is a demonstration. Never import data of real people into it.")
    found = [*examine_machine(), *_examine(mend=not check)]
    for each in found:
        click.echo(f"{each.project}: {each.words}{' Removed.' if each.mended else ''}")
    left = [each for each in found if not each.mended]
    if not left:
        click.echo("No problems found.")
    sys.exit(1 if left else 0)


def _examine(*, mend: bool) -> list[Problem]:
    try:
        check_installation()
    except SettingError as error:
        return [Problem("(database)", str(error))]
    return examine(mend=mend)
