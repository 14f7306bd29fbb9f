"""Which modules of the product a piece of work passes: those in which a function runs meanwhile.

What is kept in memory does not run again, so callers do the same work once before they count.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Final

import mindfirl

_SOURCE: Final = Path(mindfirl.__file__).parent


def modules_passed(work: Callable[[], object]) -> list[str]:
    files: set[str] = set()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    own = [Path(file) for file in files if Path(file).is_relative_to(_SOURCE)]
    return sorted(str(file.relative_to(_SOURCE)) for file in own)
