"""A value to its shape: ``Mary`` is ``Aaaa``, ``08/09/1964`` is ``99/99/9999``."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_SHAPE: Final = 40

_LONG_RUNS: Final = re.compile(r"A{5,}|a{4,}|9{12,}")
_CUT: Final = {"A": "AAAA", "a": "aaa", "9": "9…9"}
_SHOWN: Final = "PSZ"
"""Punctuation, symbols and spaces stand for themselves; all else is a letter or a digit."""


class _Signs(dict[int, str]):
    """The sign of each character, found when it is first met."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        category = unicodedata.category(character)
        sign = {"N": "9", "Lu": "A"}.get(category if category == "Lu" else category[0], "a")
        self[point] = character if category[0] in _SHOWN else sign
        return self[point]


_SIGNS: Final = _Signs()


def shape(value: str) -> str:
    """Return the shape of a value: its letters and digits by their class, long runs cut."""
    signs = value.translate(_SIGNS)
    cut = _LONG_RUNS.sub(lambda run: _CUT[run[0][0]], signs)
    return cut if len(cut) <= LONGEST_SHAPE else f"{cut[:LONGEST_SHAPE]}…"
