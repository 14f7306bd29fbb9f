"""How every change of a project begins: lock the project; refuse if it is closed.

Closing a project takes all of these locks. A change that holds one of them and finds the project
open can finish before it is closed; a change that comes later is refused. Work on projects that may
be closed (the doctor, deleting a release) takes the file lock alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from mindfirl.core.errors import ProjectClosed
from mindfirl.store.disk.locks import locked
from mindfirl.store.hot_path.hand_written_sql import IS_CLOSED
from mindfirl.store.hot_path.statements import row
from mindfirl.store.models import Project


def check_open(project: UUID) -> None:
    """Refuse a closed project."""
    if row(IS_CLOSED, project) is not None:
        raise ProjectClosed


@contextmanager
def working_on(project: UUID) -> Iterator[None]:
    """Lock an open project for work that writes to its vault; refuse if other work holds it."""
    with locked(project):
        check_open(project)
        yield


def held_project(project: Project) -> Project:
    """Lock an open project with its settings, roles and uploads until the commit."""
    found = Project.objects.select_for_update().get(pk=project.pk)
    if found.closed:
        raise ProjectClosed
    return found
