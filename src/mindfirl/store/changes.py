"""How every change begins: in line with other writers, the project locked, refused if it is closed.

Closing a project takes all of these locks. A change that holds one of them and finds the project
open can finish before it is closed; a change that comes later is refused. Work on projects that may
be closed (the doctor, deleting a release) takes the file lock alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from mindfirl.core.errors import ProjectClosed
from mindfirl.store.disk import in_turn, locked
from mindfirl.store.hot_path import IS_CLOSED, row
from mindfirl.store.models import Project

_THREADS: Final = Lock()


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, which is safe on the disk when this ends."""
    alone = connection.vendor == "sqlite"
    with _THREADS if alone else nullcontext(), in_turn("writers") if alone else nullcontext():  # noqa: SIM117  # in this order
        with transaction.atomic(durable=not connection.in_atomic_block):
            yield


def check_open(project: UUID) -> None:
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
