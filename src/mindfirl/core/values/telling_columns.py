"""Columns whose values tell people apart by themselves: serial numbers, codes, free text.

Such a column can be joined to something outside, or say who somebody is, whatever its heading.
Judged by how many records or persons hold each value, and by how the values are written.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

Telling = Literal["nearly unique", "code", "free text"]
TELLING: Final[tuple[Telling, ...]] = get_args(Telling)

FEWEST: Final = 10
"""Of fewer filled cells nothing can be said, and a value of fewer holders is a rare one."""

_NEARLY_ALL: Final = 0.9
_ALL_BUT_FEW: Final = 0.98
"""Amounts that are rounded to hundreds coincide by chance: they must differ even more."""
_HALF: Final = 0.5
_MANY_TEXTS: Final = 1 / 4
_RARE: Final = 0.01
_LONG_TEXT: Final = 40
_MANY_WORDS: Final = 5
_LONG_CODE: Final = 6
_LONG_RUN: Final = 4
_FEW_DIGITS: Final = 3
_ENCODED: Final = 8

_DATE: Final = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}([-/.][0-9]{1,2}([T ].*)?)?|[0-9]{1,2}[-/. ][0-9]{1,2}[-/. ]"
    r"([0-9]{2}|[0-9]{4})( .*)?|(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])"
)
_AMOUNT: Final = re.compile(r"[-+]?[0-9]{1,3}([, ][0-9]{3})+([.][0-9]+)?|[-+]?[0-9]+[.,][0-9]{1,6}")
_NUMBER: Final = re.compile(r"[-+]?[0-9]+([.,][0-9]+)?")
_DIGITS: Final = re.compile(r"[0-9]+")
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/_=.:#-]+")
_HEXADECIMAL: Final = re.compile(r"(?=.*[0-9])[0-9a-fA-F-]+")
_MIXED_CASE: Final = re.compile(r"[a-z0-9+/_-][A-Z]")


@dataclass(frozen=True, slots=True, repr=False)
class ValueCounts:
    """How many cells are filled, how many values differ, and how many hold each of them.

    Where the values are a sample, ``holders`` are still exact, and ``weights`` add up to the cells.
    """

    filled: int
    distinct: int
    values: Sequence[str]
    holders: Sequence[int]
    weights: Sequence[float]


def telling(counts: ValueCounts) -> list[Telling]:
    """Say in which ways a column tells people apart; nothing if it does not."""
    if counts.filled < FEWEST:
        return []
    found: list[Telling] = []
    rounded = mostly(counts, [_is_rounded(value) for value in counts.values])
    if counts.distinct >= (_ALL_BUT_FEW if rounded else _NEARLY_ALL) * counts.filled:
        found.append("nearly unique")
    codes = _share(counts, [_is_code(value) for value in counts.values])
    if codes >= _HALF and counts.distinct >= _HALF * counts.filled:
        found.append("code")
    texts = [is_text(value) for value in counts.values]
    rare = [text and holders < FEWEST for text, holders in zip(texts, counts.holders, strict=True)]
    if _share(counts, texts) > _MANY_TEXTS and _share(counts, rare) > _RARE:
        found.append("free text")
    return found


def is_text(value: str) -> bool:
    """Say whether a value is a sentence rather than a word or a code."""
    return len(value) > _LONG_TEXT or len(value.split()) >= _MANY_WORDS


def is_date(value: str) -> bool:
    """Say whether a value is written like a date, or like a month of a year."""
    return bool(_DATE.fullmatch(value))


def is_number(value: str) -> bool:
    """Say whether a value is a number that can be rounded."""
    return bool(_NUMBER.fullmatch(value))


def _is_rounded(value: str) -> bool:
    return is_number(value) and value.endswith("00") and "." not in value and "," not in value


def mostly(counts: ValueCounts, written: Sequence[bool]) -> bool:
    """Say whether nearly all cells are of a kind, given value by value."""
    return _share(counts, written) >= _NEARLY_ALL


def _share(counts: ValueCounts, chosen: Sequence[bool]) -> float:
    total = sum(weight for each, weight in zip(chosen, counts.weights, strict=True) if each)
    return total / counts.filled


def _is_code(value: str) -> bool:
    """Say whether a value is written like a number or code of one person or thing."""
    if is_date(value) or _AMOUNT.fullmatch(value) or not _TOKEN.fullmatch(value):
        return False
    runs = _DIGITS.findall(value)
    digits = sum(map(len, runs))
    if not any(map(str.isalpha, value)):
        long = max(map(len, runs), default=0) >= _LONG_RUN
        return digits >= _LONG_CODE and long and not value.endswith("00")
    if len(value) >= _LONG_CODE and digits >= _FEW_DIGITS:
        return True
    encoded = bool(_MIXED_CASE.search(value)) or value.endswith("=")
    return len(value) >= _ENCODED and (encoded or bool(_HEXADECIMAL.fullmatch(value)))
