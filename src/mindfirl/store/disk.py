"""Files beside the vault: for their owner alone, safe on the disk; locks, marks, a sign of life."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, Literal
from uuid import UUID

from django.conf import settings

from mindfirl.core.errors import Busy


def make_folder(folder: Path) -> None:
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder safe on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_new_file(path: Path, content: bytes) -> None:
    """Write a file that must not exist yet; the caller syncs its folder."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        path.unlink()
        raise


def place_file(path: Path, content: bytes) -> None:
    """Put a whole file where there is none; of several processes, the first one wins."""
    if path.exists():
        return
    make_folder(path.parent)
    passing = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
    write_new_file(passing, content)
    with suppress(FileExistsError):
        path.hardlink_to(passing)
    passing.unlink()
    sync_folder(path.parent)


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
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


SILENT_AFTER: Final = 30.0
"""This many seconds without a sign of life, and the runner counts as gone."""


def beat() -> None:
    _sign().touch(mode=0o600)


def silent_for() -> float | None:
    """Say for how many seconds the runner gave no sign of life; nothing if it never did."""
    try:
        return max(0.0, time.time() - _sign().stat().st_mtime)
    except OSError:
        return None


def runner_lives() -> bool:
    silence = silent_for()
    return silence is not None and silence < SILENT_AFTER


def _sign() -> Path:
    return Path(settings.MINDFIRL_HOME) / "runner.alive"


Mark = Literal["demo", "restoring"]

DEMO: Final[Mark] = "demo"
"""Made-up people only: never to be reached from elsewhere."""
RESTORING: Final[Mark] = "restoring"
"""A backup is being put back, or was until it was cut off."""


def set_mark(mark: Mark) -> None:
    _mark_path(mark).touch(mode=0o600)
    sync_folder(_mark_path(mark).parent)


def is_marked(mark: Mark) -> bool:
    return _mark_path(mark).exists()


def take_mark(mark: Mark) -> None:
    if is_marked(mark):
        _mark_path(mark).unlink(missing_ok=True)
        sync_folder(_mark_path(mark).parent)


def _mark_path(mark: Mark) -> Path:
    return Path(settings.MINDFIRL_HOME) / mark
