"""What leaves by a command: written to a new file, for its owner alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services import projects
from mindfirl.services.release import Handed
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.models import Release
from mindfirl.store.queries.releases import release_of

PATH: Final = click.Path(path_type=Path, dir_okay=False)
WHO: Final = COMMAND_LINE


def check_new(path: Path) -> None:
    """Refuse a file that is there, before anything is recorded as handed over."""
    if path.exists():
        raise SettingError("There is a file of this name already. Choose another name.")


def write_new(path: Path, handed: Handed) -> None:
    """Write what was handed over to a file that was not there."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(handed.content.getbuffer())


def found_release(name: str, number: int) -> Release:
    """Find a release of a project."""
    check_installation()
    found = release_of(projects.project_named(name), number)
    if found is None:
        raise SettingError("This project has no release of that number.")
    return found
