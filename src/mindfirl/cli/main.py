"""The command ``mindfirl``: its commands, loaded when they are asked for, and how errors end."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Final

import click

from mindfirl.cli.terminal.setting_up import set_up_django
from mindfirl.core.errors import MindfirlError

_COMMANDS: Final = {
    "audit": ("stages.ledger", "audit"),
    "backup": ("upkeep.backup", "backup"),
    "bands": ("stages.bands", "bands"),
    "demo": ("standalone.demo", "demo"),
    "doctor": ("upkeep.doctor", "doctor"),
    "evaluate": ("stages.evaluate", "evaluate"),
    "example": ("standalone.example", "example"),
    "export": ("stages.release", "export"),
    "import": ("stages.data", "intake"),
    "init": ("upkeep.init", "init"),
    "keys": ("upkeep.keys", "keys"),
    "link": ("stages.link", "link"),
    "pairs": ("stages.pairs", "pairs"),
    "plan": ("stages.plan", "plan"),
    "profile": ("stages.columns", "profile"),
    "project": ("upkeep.project", "project"),
    "report": ("stages.report", "report"),
    "resolve": ("stages.resolve", "resolve"),
    "restore": ("upkeep.restore", "restore"),
    "score": ("standalone.score", "score"),
    "serve": ("upkeep.serve", "serve"),
    "show": ("terminal.show", "show"),
    "synthetic": ("standalone.synthetic", "synthetic"),
    "user": ("upkeep.user", "user"),
}
"""The module of each command, and the name that it has there."""

_INSTALLED: Final = (
    *(
        "backup",
        "bands",
        "doctor",
        "evaluate",
        "export",
        "import",
        "init",
        "keys",
        "link",
        "pairs",
        "plan",
        "project",
    ),
    *("report", "resolve", "restore", "serve", "user"),
)
"""The commands that work on an installation, and so need Django."""


class _Commands(click.Group):
    """A group whose commands end with a sentence and exit code 2 on a mendable error."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        if name in _INSTALLED:
            set_up_django()
        place, attribute = _COMMANDS[name]
        command: click.Command = getattr(import_module(f"mindfirl.cli.{place}"), attribute)
        return command

    def invoke(self, context: click.Context) -> object:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")  # a narrow encoding shows ? for what it lacks
        try:
            return super().invoke(context)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except Exception as error:  # noqa: BLE001  # what a library says may hold a value
            sentence, code = _ending(error)
        click.echo(f"Error: {sentence}", err=True)
        sys.exit(code)


def _ending(error: Exception) -> tuple[str, int]:
    """Say how a command ends; the words of other libraries may hold a value, and are not said."""
    if isinstance(error, MindfirlError):
        return str(error), 2
    if isinstance(error, OSError) and error.errno:
        return f"a file cannot be read or written: {os.strerror(error.errno)}.", 2
    if any(each.__module__ == "django.db.utils" for each in type(error).__mro__):
        return "the database cannot be reached, or is locked. Try again; see mindfirl doctor.", 2
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    return f"this should not have happened ({type(error).__name__} in {place}). Report it.", 3


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mindfirl")
def main() -> None:
    """Decide uncertain pairs of records while seeing as little as possible.

    \b
    Start here:
      mindfirl demo            made-up projects in a browser, with an account for each role
      mindfirl example         the privacy risk score on four records, state by state
      mindfirl synthetic made  two databases of made-up people, to try things on
      mindfirl init            make the data folder, the key folder and the database
      mindfirl user --help     invite people, and give them new links
      mindfirl project --help  create a project, and see what is in it
      mindfirl import --help   databases in, identities and sensitive values apart
      mindfirl pairs --help    find the pairs that need a person, and weigh them
      mindfirl plan --help     what budgets buy: how well pairs can be decided, for how much
      mindfirl export --help   linked data out, without identities
      mindfirl serve           the pages for a browser, and the work behind them
      mindfirl backup --help   everything but the keys in one encrypted file
      mindfirl audit --help    check a ledger, take a receipt of it
    \b
    Without an installation, on files alone:
      mindfirl profile FILE    what a file of records holds, and a schema to begin with
      mindfirl show --help     pairs as a worker sees them, with the price of each cell
      mindfirl score --help    the privacy risk of a display of pairs
      mindfirl audit verify --file FILE    a ledger that was downloaded
    """
