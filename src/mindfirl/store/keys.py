"""The two keys of a project, in a folder of their own: outside the data folder and its backups.

The identity key opens the identities and the index; the sensitive key opens the sensitive values
and what joins them to the identities. A key is a file of 32 random bytes, known by a random name.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final, Literal
from uuid import UUID

from django.conf import settings

from mindfirl.core.errors import KeyMissing

Side = Literal["identity", "sensitive"]
SIDES: Final[tuple[Side, ...]] = ("identity", "sensitive")
_BYTES: Final = 32


def create_key(project: UUID, side: Side) -> str:
    """Make a new random key, safe on the disk, and return its name."""
    folder = _folder(project)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(8)
    descriptor = os.open(_path(project, side, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(secrets.token_bytes(_BYTES))
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
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


def remove_other_keys(project: UUID, side: Side, name: str) -> int:
    """Destroy all keys of one side but one; say how many there were."""
    kept = _path(project, side, name)
    others = [path for path in _folder(project).glob(f"{side}-*.key") if path != kept]
    for path in others:
        path.unlink()
    sync_folder(_folder(project))
    return len(others)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder safe on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _folder(project: UUID) -> Path:
    return Path(settings.MINDFIRL_KEYS) / str(project)


def _path(project: UUID, side: Side, name: str) -> Path:
    return _folder(project) / f"{side}-{name}.key"
