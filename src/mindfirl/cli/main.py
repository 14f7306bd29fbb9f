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
    "assignments": ("stages.assignments", "assignments"),
    "backup": ("upkeep.backup", "backup"),
    "columns": ("stages.columns", "columns"),
    "data": ("stages.data", "data"),
    "demo": ("standalone.demo", "demo"),
    "dispatch": ("stages.dispatch", "dispatch"),
    "doctor": ("upkeep.init", "doctor"),
    "evaluate": ("stages.evaluate", "evaluate"),
    "example": ("standalone.score", "example"),
    "health": ("upkeep.health", "health"),
    "init": ("upkeep.init", "init"),
    "jobs": ("upkeep.jobs", "jobs"),
    "keys": ("upkeep.project", "keys"),
    "labels": ("stages.labels", "labels"),
    "ledger": ("stages.ledger", "ledger"),
    "link": ("stages.resolve", "link"),
    "members": ("upkeep.members", "members"),
    "pairs": ("stages.pairs", "pairs"),
    "papers": ("stages.papers", "papers"),
    "plan": ("stages.plan", "plan"),
    "project": ("upkeep.project", "project"),
    "release": ("stages.release", "release"),
    "report": ("stages.report", "report"),
    "resolve": ("stages.resolve", "resolve"),
    "restore": ("upkeep.backup", "restore"),
    "score": ("standalone.score", "score"),
    "serve": ("upkeep.serve", "serve"),
    "show": ("terminal.show", "show"),
    "synthetic": ("standalone.synthetic", "synthetic"),
    "user": ("upkeep.user", "user"),
}
"""The module of each command, and its name there."""

_WITHOUT_DJANGO: Final = {"columns", "demo", "example", "ledger", "score", "show", "synthetic"}
"""Commands that work on files alone, or set Django up themselves."""


class _Commands(click.Group):
    """A group whose commands end with a sentence and exit code 2 on a mendable error."""

    def list_commands(self, _context: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, _context: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        if name not in _WITHOUT_DJANGO:
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
        return "the database cannot be reached or is locked. Try again, or run mindfirl doctor.", 2
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(last.filename).name}, line {last.lineno}"
    return f"unexpected error ({type(error).__name__} in {place}). Please report it.", 3


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mindfirl")
def main() -> None:
    """Decide uncertain pairs of records while seeing as little as possible.

    \b
    Start here:
      mindfirl demo            made-up projects in a browser, with an account for each role
      mindfirl example         the privacy risk score of four records, step by step
      mindfirl synthetic made  two databases of made-up people for trying things out
      mindfirl init            create the data folder, the key folder and the database
      mindfirl user --help     invite people and create new links for them
      mindfirl project --help  create, show and close projects
      mindfirl data --help     import databases; identities and sensitive values are kept apart
      mindfirl pairs --help    score candidate pairs and set the two thresholds
      mindfirl members --help  give people roles in a project
      mindfirl plan --help     forecast accuracy and risk for different budgets; plan the review
      mindfirl dispatch --help assign pairs to people
      mindfirl papers --help   drafts for ethics boards, data protection officers and partners
      mindfirl release --help  release linked data without identities
      mindfirl serve           start the web server and the background runner
      mindfirl backup --help   back up everything except the keys to one encrypted file
      mindfirl ledger --help   verify a ledger and sign a receipt
    \b
    Without an installation, on files alone:
      mindfirl columns propose FILE   describe a file's columns and propose a schema
      mindfirl show --help     pairs as a worker sees them, with the price of each cell
      mindfirl score --help    the privacy risk of a display of pairs
      mindfirl ledger verify --file FILE   verify a downloaded ledger
    """
