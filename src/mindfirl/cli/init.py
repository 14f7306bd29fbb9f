"""``mindfirl init``: the data folder, the key folder and the database."""

from __future__ import annotations

import click

from mindfirl.services.installation import initialise


@click.command()
def init() -> None:
    """Make the data folder, the key folder and the database, or bring them up to date.

    The data folder is MINDFIRL_HOME (by default .local/share/mindfirl in your home), the key folder
    MINDFIRL_KEYS (by default .config/mindfirl/keys), the database SQLite in the data folder or the
    PostgreSQL that DATABASE_URL names. Each can also stand in a file that NAME_FILE names.
    """
    made = initialise()
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
    click.echo("Next: mindfirl project create NAME")


_DATABASES = {"sqlite": "SQLite, in the data folder", "postgresql": "PostgreSQL"}
