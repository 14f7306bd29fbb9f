"""One work on a thing at a time; a lock ends with the process that holds it."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO
from uuid import UUID

from django.conf import settings

from mindfirl.core.errors import Busy
from mindfirl.store.disk.private_files import make_folder


@contextmanager
def locked(project: UUID) -> Iterator[None]:
    """Hold a project for work that writes to its vault; refuse where another process has it."""
    folder = Path(settings.MINDFIRL_HOME) / "locks"
    make_folder(folder)
    with (folder / f"{project}.lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy from None
        yield


@contextmanager
def in_turn(name: str) -> Iterator[None]:
    """Wait until nobody else, in this process or another, holds a name; then hold it."""
    folder = Path(settings.MINDFIRL_HOME) / "locks"
    make_folder(folder)
    with (folder / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def hold(file: IO[bytes]) -> None:
    """Hold an open file until it is closed: it is no leftover."""
    fcntl.flock(file, fcntl.LOCK_EX)


def is_held(path: Path) -> bool:
    """Say whether a process still writes a file."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
