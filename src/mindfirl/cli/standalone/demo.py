"""``mindfirl demo``: made-up projects in a browser, with an account for each role."""

from __future__ import annotations

import os
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.table import Table

from mindfirl.cli.terminal.progress_bars import stage_bars
from mindfirl.cli.terminal.setting_up import set_up_django
from mindfirl.cli.terminal.show import output_console


@click.command()
@click.option(
    "--home",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Keep the demonstration in this folder. By default it is deleted when it ends.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8000, show_default=True)
@click.option("--no-browser", is_flag=True, help="Do not open the browser.")
def demo(home: Path | None, port: int, no_browser: bool) -> None:
    """Run a demonstration with made-up people: four projects and an account for each role.

    One project is finished. In another, two workers have reviewed half of their pairs and can
    continue. In a third, conflicts wait for the adjudicator. The fourth is being set up. The
    passwords are printed and written to the file passwords.txt; a kept demonstration keeps them.
    Only browsers on this machine are served.
    """
    with _folder(home) as folder:
        # The demonstration has a database, keys and settings of its own, whatever else is set.
        for name in [name for name in os.environ if name.startswith(("MINDFIRL_", "DATABASE_URL"))]:
            del os.environ[name]
        os.environ["MINDFIRL_HOME"] = str(folder / "home")
        os.environ["MINDFIRL_KEYS"] = str(folder / "keys")
        os.environ["MINDFIRL_LOG"] = "warning"
        set_up_django()
        _serve(port, folder / "passwords.txt", browser=not no_browser)


def _serve(port: int, file: Path, *, browser: bool) -> None:
    from mindfirl.cli.upkeep.serve import Listening, run_server  # noqa: PLC0415  # after Django is set up
    from mindfirl.demo import demo_projects  # noqa: PLC0415  # the same
    from mindfirl.services.upkeep.installation import begin_demo  # noqa: PLC0415  # the same

    if begin_demo():
        with stage_bars() as progress:
            demo_projects.create_demo(progress)
    passwords = demo_projects.passwords_in(file)
    listening = Listening(port=port)

    def ready() -> None:
        _print_accounts(demo_projects.PEOPLE, passwords, listening.address)
        click.echo(f"The passwords are also in {file}")
        if browser:
            webbrowser.open(listening.address)

    run_server(listening, when_ready=ready)


def _print_accounts(people: dict[str, str], passwords: dict[str, str], address: str) -> None:
    table = Table(title=f"{address}  (press Ctrl-C to stop)", title_justify="left")
    for heading in ("sign in as", "password", "who"):
        table.add_column(heading)
    for name, password in passwords.items():
        table.add_row(name, password, people[name])
    output_console().print(table)
    click.echo("All data are made up, and only browsers on this machine can reach it.")


@contextmanager
def _folder(home: Path | None) -> Iterator[Path]:
    if home is not None:
        yield home.absolute()
        return
    with tempfile.TemporaryDirectory(prefix="mindfirl-demo-") as folder:
        yield Path(folder)
