"""``mindfirl doctor``: what is wrong with the installation."""

from __future__ import annotations

import sys

import click

from mindfirl.core.errors import SettingError
from mindfirl.services.upkeep.health import Problem, examine, examine_machine
from mindfirl.services.upkeep.installation import check_installation, is_demo


@click.command()
@click.option("--check", is_flag=True, help="Only look: leave leftovers where they are.")
def doctor(check: bool) -> None:
    """Say what is wrong with the installation, and how to mend it.

    Folders and rights, space, the database, work that nobody does, missing keys, damaged files,
    leftovers of work that was cut off. Leftovers are encrypted, and nobody has their keys: they are
    removed. The exit code is 1 if something is left to be mended.
    """
    if is_demo():
        click.echo("This is a demonstration. Never put data of real people into it.")
    found = [*examine_machine(), *_examine(mend=not check)]
    for each in found:
        click.echo(f"{each.project}: {each.words}{' Removed.' if each.mended else ''}")
    left = [each for each in found if not each.mended]
    if not left:
        click.echo("All is well.")
    sys.exit(1 if left else 0)


def _examine(*, mend: bool) -> list[Problem]:
    """Look into the database and the vault, where they can be looked into."""
    try:
        check_installation()
    except SettingError as error:
        return [Problem("(database)", str(error))]
    return examine(mend=mend)
