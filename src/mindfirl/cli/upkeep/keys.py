"""``mindfirl keys``: change the keys of a project."""

from __future__ import annotations

import click

from mindfirl.services import projects
from mindfirl.services.upkeep import health
from mindfirl.services.upkeep.installation import check_installation


@click.group()
def keys() -> None:
    """Change the keys of a project."""


@keys.command()
@click.argument("name")
@click.confirmation_option(
    prompt="Backups made so far cannot be opened afterwards. Go on?",
    help="Do not ask.",
)
def rotate(name: str) -> None:
    """Give a project new keys, encrypt all its files anew, and destroy the old keys.

    Backups that were made before cannot be opened afterwards, unless you keep a copy of the old
    key folder. Make a new backup, and a new copy of the key folder.
    """
    check_installation()
    files = health.rotate_keys(project=projects.project_named(name))
    click.echo(f"{name}: new keys; {files} files encrypted anew, the old keys destroyed.")
    click.echo("Keep a new copy of the key folder in a safe place.")
