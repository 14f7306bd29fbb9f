"""Create and find projects."""

from __future__ import annotations

import re
from typing import Any, Final
from uuid import uuid4

from django.db import IntegrityError, transaction
from django.db.models import Sum

from mindfirl.core.errors import SettingError
from mindfirl.store.keys import create_key, destroy, unused_keys
from mindfirl.store.models import Project, Version
from mindfirl.store.queries.projects import current_version

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")


def create_project(*, name: str) -> Project:
    """Create an empty project with an identity key of its own; the other comes with its data."""
    if not _NAME.fullmatch(name):
        raise SettingError(
            "A project's name has 1 to 80 letters, digits, dots, hyphens or underscores, and "
            "begins with a letter or digit."
        )
    number = uuid4()
    if Project.objects.filter(name=name).exists():
        raise _taken()
    key = create_key(number, "identity")
    try:
        with transaction.atomic():
            return Project.objects.create(id=number, name=name, identity_key=key)
    except IntegrityError:
        destroy(unused_keys(number, used=()))
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


def describe(project: Project) -> dict[str, Any]:
    """Describe a project in plain values: its newest version, databases and columns."""
    latest = current_version(project)
    return {
        "name": project.name,
        "created": project.created.isoformat(),
        "version": _described(latest) if latest else None,
    }


def _described(version: Version) -> dict[str, Any]:
    members = version.members.select_related("database")
    return {
        "number": version.number,
        "created": version.created.isoformat(),
        "records": version.records,
        "index_digest": version.index_digest,
        "size": version.project.files.aggregate(size=Sum("size"))["size"],
        "schema": version.schema,
        "databases": [
            {
                "name": member.database.name,
                "records": member.database.records,
                "imported": member.database.imported.isoformat(),
                "without_duplicates": member.database.without_duplicates,
                "report": member.database.report,
            }
            for member in members
        ],
    }


def _taken() -> SettingError:
    return SettingError("There is a project of that name already. Choose another name.")
