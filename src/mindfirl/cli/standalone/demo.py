"""``mindfirl demo``: made-up projects in a browser, with an account for each role."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import click

from mindfirl.cli.terminal.setting_up import set_up_django


@click.command()
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep the demonstration in this folder; by default it is gone when it ends.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def demo(home: Path | None, port: int, no_browser: bool) -> None:
    """Show the product on made-up people: three projects, and an account for each role.

    One project is finished; of another, two workers have reviewed half of their pairs, and can go
    on; the third is being set up. The passwords are printed. Only browsers on this machine are
    served.
    """
    with _folder(home) as folder:
        # The demonstration has a database, keys and settings of its own, whatever else is set.
        for name in [name for name in os.environ if name.startswith(("MINDFIRL_", "DATABASE_URL"))]:
            del os.environ[name]
        os.environ["MINDFIRL_HOME"] = str(folder / "home")
        os.environ["MINDFIRL_KEYS"] = str(folder / "keys")
        os.environ["MINDFIRL_LOG"] = "warning"
        set_up_django()
        import_module("mindfirl.cli.standalone.demonstration").show(
            port=port, browser=not no_browser
        )


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    if home is not None:
        yield home.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="mindfirl-demo-") as folder:
        yield Path(folder)
