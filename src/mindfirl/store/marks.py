"""Marks on the data folder: files that say by being there what kind of installation it is."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from django.conf import settings

from mindfirl.store.disk import sync_folder

Mark = Literal["demo", "restoring"]

DEMO: Final[Mark] = "demo"
"""Made-up people only: never to be reached from elsewhere."""
RESTORING: Final[Mark] = "restoring"
"""A backup is being put back, or was until it was cut off."""


def set_mark(mark: Mark) -> None:
    """Mark the data folder, safe on the disk."""
    _path(mark).touch(mode=0o600)
    sync_folder(_path(mark).parent)


def is_marked(mark: Mark) -> bool:
    """Say whether the data folder has a mark."""
    return _path(mark).exists()


def take_mark(mark: Mark) -> None:
    """Take a mark away, where there is one."""
    if is_marked(mark):
        _path(mark).unlink(missing_ok=True)
        sync_folder(_path(mark).parent)


def _path(mark: Mark) -> Path:
    return Path(settings.MINDFIRL_HOME) / mark
