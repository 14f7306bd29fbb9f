"""What every change of a project begins with: it is held, and it is not closed.

Who closes a project holds all that is held here. So whoever holds any of it, and then finds the
project open, can finish before it is closed; and whoever comes later is refused. Who works on
projects that may be closed (the doctor, say, or who deletes a release) takes the lock by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from mindfirl.core.errors import ProjectClosed
from mindfirl.store.disk.locks import locked
from mindfirl.store.hot_path.sql import IS_CLOSED
from mindfirl.store.hot_path.statements import row
from mindfirl.store.models import Project


def check_open(project: UUID) -> None:
    """Refuse a project that is closed by now."""
    if row(IS_CLOSED, project) is not None:
        raise ProjectClosed


@contextmanager
def working_on(project: UUID) -> Iterator[None]:
    """Hold an open project for work that writes to its vault; refuse where others work on it."""
    with locked(project):
        check_open(project)
        yield


def held_project(project: Project) -> Project:
    """Hold an open project, what it is for, its roles and its uploads, until the commit."""
    found = Project.objects.select_for_update().get(pk=project.pk)
    if found.closed:
        raise ProjectClosed
    return found
