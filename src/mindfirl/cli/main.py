"""The command ``mindfirl``: its commands, loaded when they are asked for, and how errors end."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Final

import click

from mindfirl.core.errors import MindfirlError

_COMMANDS: Final = {
    "demo": "demo",
    "doctor": "doctor",
    "import": "intake",
    "init": "init",
    "keys": "keys",
    "profile": "profile",
    "project": "project",
    "score": "score",
    "show": "show",
    "synthetic": "synthetic",
}
"""The module of each command, in which the command has the module's name."""

_INSTALLED: Final = ("doctor", "import", "init", "keys", "project")
"""The commands that work on an installation, and so need Django."""


class _Commands(click.Group):
    """A group whose commands end with a sentence and exit code 2 on a mendable error."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        if name in _INSTALLED:
            _set_up_django()
        module = import_module(f"mindfirl.cli.{_COMMANDS[name]}")
        command: click.Command = getattr(module, _COMMANDS[name])
        return command

    def invoke(self, context: click.Context) -> object:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # a narrow encoding shows ? for what it lacks
        try:
            return super().invoke(context)
        except MindfirlError as error:
            click.echo(f"Error: {error}", err=True)
        except BrokenPipeError:
            raise
        except OSError:
            click.echo("Error: the output cannot be written. Is the disk full?", err=True)
        sys.exit(2)


def _set_up_django() -> None:
    import django  # noqa: PLC0415  # other commands, and Python's users, never load it

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")
    django.setup()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mindfirl")
def main() -> None:
    """Decide uncertain pairs of records while seeing as little as possible.

    \b
    Start here:
      mindfirl demo            the privacy risk score on four records, state by state
      mindfirl synthetic made  two databases of made-up people, to try things on
      mindfirl init            make the data folder, the key folder and the database
      mindfirl project --help  create a project, and see what is in it
      mindfirl import --help   databases in, identities and sensitive values apart
    \b
    Without an installation, on files alone:
      mindfirl profile FILE    what a file of records holds, and a schema to begin with
      mindfirl show --help     pairs as a worker sees them, with the price of each cell
      mindfirl score --help    the privacy risk of a display of pairs
    """
