"""The command line: ``mindfirl``, one file per command."""

from mindfirl.cli.main import main

__all__ = ["main"]
