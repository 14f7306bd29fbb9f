"""Releases as commands name them: by project and number."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from mindfirl.core.errors import SettingError
from mindfirl.services import projects
from mindfirl.services.upkeep.installation import check_installation
from mindfirl.store.models import Release
from mindfirl.store.queries.projects import release_of

PATH: Final = click.Path(path_type=Path, dir_okay=False)


def release_numbered(name: str, number: int) -> Release:
    check_installation()
    found = release_of(projects.project_named(name), number)
    if found is None:
        raise SettingError("This project has no release of that number.")
    return found
