"""Shares of the score as people write them: percent to whole 10⁻⁹, and back."""

from __future__ import annotations

import math
import re
from typing import Final

WHOLE: Final = 10**9
"""100 percent, in 10⁻⁹."""

_PERCENT: Final = re.compile(r"([0-9]{1,3})(?:[.,]([0-9]{1,7}))?\s*%?", re.ASCII)


def read_percent(text: str) -> int | None:
    """Read a percentage with up to 7 decimals as whole 10⁻⁹; nothing where it is none."""
    found = _PERCENT.fullmatch(text.strip())
    if found is None:
        return None
    return int(found[1]) * (WHOLE // 100) + int((found[2] or "").ljust(7, "0"))


def round_up_share(share: float) -> int:
    """Return a share of 1 in whole 10⁻⁹, rounded up to two digits."""
    needed = max(math.ceil(share * WHOLE), 1)
    step = int("1" + "0" * max(len(str(needed)) - 2, 0))
    return min(-(-needed // step) * step, WHOLE)


def sufficient_share(needed: int) -> int:
    """Round whole 10⁻⁹ up to 1, 2 or 5 times a power of ten: it suffices, and tells little."""
    power = int("1" + "0" * (len(str(max(needed, 1))) - 1))
    return min(next(each for each in (1, 2, 5, 10) if each * power >= needed) * power, WHOLE)


def write_percent(share: int) -> str:
    """Write whole 10⁻⁹ as a percentage, with as few decimals as there are, without its sign."""
    whole, rest = divmod(share, WHOLE // 100)
    return f"{whole}.{rest:07}".rstrip("0").rstrip(".")
