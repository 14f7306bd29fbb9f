"""The command ``mindfirl``: its commands, and how errors end."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import click

from mindfirl.cli.demo import demo
from mindfirl.cli.profile import profile
from mindfirl.cli.score import score
from mindfirl.cli.show import show
from mindfirl.cli.synthetic import synthetic
from mindfirl.core.errors import MindfirlError


class _Commands(click.Group):
    """A group whose commands end with a sentence and exit code 2 on a mendable error."""

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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mindfirl")
def main() -> None:
    """Decide uncertain pairs of records while seeing as little as possible.

    \b
    Start here:
      mindfirl demo          the privacy risk score on four records, state by state
      mindfirl profile FILE  what a file of records holds, and a schema to begin with
      mindfirl show --help   pairs as a worker sees them, with the price of each cell
      mindfirl score --help  the privacy risk of a display of pairs
      mindfirl synthetic d   two databases of made-up people, to try things on
    """


main.add_command(demo)
main.add_command(profile)
main.add_command(score)
main.add_command(show)
main.add_command(synthetic)
