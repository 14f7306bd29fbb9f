"""The two keys of a project, in a folder of their own: outside the data folder and its backups.

The identity key opens the identities and the index; the sensitive key opens the sensitive values
and what joins them to the identities. A key is a file of 32 random bytes, known by a random name.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from django.conf import settings

from mindfirl.core.errors import KeyMissing
from mindfirl.store.disk import make_folder, sync_folder
from mindfirl.store.faults import reach

Side = Literal["identity", "sensitive"]
SIDES: Final[tuple[Side, ...]] = ("identity", "sensitive")
_BYTES: Final = 32


def create_key(project: UUID, side: Side) -> str:
    """Make a new random key, safe on the disk, and return its name."""
    folder = _folder(project)
    make_folder(folder)
    name = secrets.token_hex(8)
    descriptor = os.open(_path(project, side, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(_BYTES))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
    reach("key written")
    return name


def read_key(project: UUID, side: Side, name: str) -> bytes:
    """Read a key; a process that was not given it is refused."""
    try:
        key = _path(project, side, name).read_bytes()
    except OSError:
        raise KeyMissing(side) from None
    if len(key) != _BYTES:
        raise KeyMissing(side)
    return key


def unused_keys(project: UUID, used: Collection[str]) -> list[Path]:
    """List the keys of a project that are not among the used ones."""
    found = _folder(project).glob("*.key")
    return sorted(path for path in found if path.stem.partition("-")[2] not in used)


def destroy(keys: Iterable[Path]) -> None:
    """Destroy keys: what they opened cannot be opened again."""
    for path in keys:
        path.unlink(missing_ok=True)
        sync_folder(path.parent)
        reach("key destroyed")


def open_to_others(project: UUID) -> list[Path]:
    """List the key folder and keys of a project that others than their owner may read."""
    folder = _folder(project)
    paths = [Path(settings.MINDFIRL_KEYS), folder, *folder.glob("*.key")]
    return [path for path in paths if path.exists() and path.stat().st_mode & 0o077]


def _folder(project: UUID) -> Path:
    return Path(settings.MINDFIRL_KEYS) / str(project)


def _path(project: UUID, side: Side, name: str) -> Path:
    return _folder(project) / f"{side}-{name}.key"
