"""Marks on the data folder: files that say by being there what kind of installation it is."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

from django.conf import settings

from mindfirl.store.disk.private_files import sync_folder

Mark = Literal["demo", "restoring"]

DEMO: Final[Mark] = "demo"
"""Made-up people only: never to be reached from elsewhere."""
RESTORING: Final[Mark] = "restoring"
"""A backup is being put back, or was until it was cut off."""


def set_mark(mark: Mark) -> None:
    _path(mark).touch(mode=0o600)
    sync_folder(_path(mark).parent)


def is_marked(mark: Mark) -> bool:
    return _path(mark).exists()


def take_mark(mark: Mark) -> None:
    if is_marked(mark):
        _path(mark).unlink(missing_ok=True)
        sync_folder(_path(mark).parent)


def _path(mark: Mark) -> Path:
    return Path(settings.MINDFIRL_HOME) / mark
