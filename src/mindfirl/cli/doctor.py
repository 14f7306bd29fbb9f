"""``mindfirl doctor``: what is wrong with the installation."""

from __future__ import annotations

import sys

import click

from mindfirl.services.installation import check_installation
from mindfirl.services.upkeep import examine


@click.command()
@click.option("--check", is_flag=True, help="Only look: leave leftovers where they are.")
def doctor(check: bool) -> None:
    """Look for leftovers of work that was cut off, missing keys and damaged files.

    Leftovers are encrypted, and nobody has their keys: they are removed. The exit code is 1 if
    something is left to be mended.
    """
    check_installation()
    found = examine(mend=not check)
    for each in found:
        click.echo(f"{each.project}: {each.words}{' Removed.' if each.mended else ''}")
    left = [each for each in found if not each.mended]
    if not left:
        click.echo("All is well.")
    sys.exit(1 if left else 0)
