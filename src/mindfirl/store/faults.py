"""Named fault points: a test ends the process at one, like a power cut.

``MINDFIRL_FAULT=NAME`` ends it where the point is first reached, ``NAME:3`` at the third time;
``MINDFIRL_FAULT_LOG`` names a file in which every point that is reached leaves its name.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from pathlib import Path
from typing import Final

POINTS: Final = (
    "file begun",
    "file written",
    "file renamed",
    "before commit",
    "after commit",
    "file removed",
    "key written",
    "key destroyed",
    "before answer",
    "upload chunk written",
    "upload renamed",
    "job claimed",
    "job started",
    "before job done",
    "after job done",
)

_reached: Counter[str] = Counter()


def fault_point(point: str) -> None:
    """End the process here, if the environment says so."""
    assert point in POINTS
    _reached[point] += 1
    if log := os.environ.get("MINDFIRL_FAULT_LOG"):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{point}:{_reached[point]}\n")
    name, _, time = os.environ.get("MINDFIRL_FAULT", "").partition(":")
    if point == name and _reached[point] == int(time or 1):
        os.kill(os.getpid(), signal.SIGKILL)
