"""The command line: ``mindfirl``."""

from mindfirl.cli.main import main

__all__ = ["main"]
