"""Folders and files for their owner alone, safe on the disk: they survive a power cut."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it."""
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
