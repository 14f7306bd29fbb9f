"""Files that commands write: always new ones."""

from __future__ import annotations

import os
from pathlib import Path

from mindfirl.core.errors import DataError


def check_new(path: Path) -> None:
    if path.exists():
        raise DataError("the file exists already.", "Give another name.", file=path.name)


def write_text(path: Path, text: str) -> None:
    check_new(path)
    with path.open("x", encoding="utf-8") as file:
        file.write(text)


def write_private(path: Path, content: bytes | memoryview) -> None:
    """Write a new file that only its owner can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
