"""Create and find projects."""

from __future__ import annotations

import re
from typing import Final
from uuid import uuid4

from django.db import IntegrityError, transaction

from mindfirl.core.errors import SettingError
from mindfirl.store.keys import SIDES, create_key
from mindfirl.store.models import Project

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def create_project(*, name: str) -> Project:
    """Create an empty project with two keys of its own."""
    if not _NAME.fullmatch(name):
        raise SettingError(
            "A project's name has 1 to 80 letters, digits, dots, hyphens or underscores, and "
            "begins with a letter or digit."
        )
    number = uuid4()
    if Project.objects.filter(name=name).exists():
        raise _taken()
    keys = {f"{side}_key": create_key(number, side) for side in SIDES}
    try:
        with transaction.atomic():
            return Project.objects.create(id=number, name=name, **keys)
    except IntegrityError:
        raise _taken() from None


def project_named(name: str) -> Project:
    """Find a project by its name."""
    found = Project.objects.filter(name=name).first()
    if found is None:
        raise SettingError(
            "There is no project of that name. mindfirl project list names them all; "
            "mindfirl project create NAME makes one."
        )
    return found


def all_projects() -> list[Project]:
    """List all projects by name."""
    return list(Project.objects.order_by("name"))


def _taken() -> SettingError:
    return SettingError("There is a project of that name already. Choose another name.")
