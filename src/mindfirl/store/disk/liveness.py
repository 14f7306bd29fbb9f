"""Whether the runner lives: it touches a file in the data folder while it does."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Final

from django.conf import settings

SILENT_AFTER: Final = 30.0
"""So many seconds without a sign of life, and the runner counts as gone."""


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
