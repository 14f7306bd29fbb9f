"""Text as it is compared: small letters without accents, digits, and little else.

What stands between letters and digits becomes one of three signs: a space, where it ends a number;
a point; or a hyphen for all that can stand within one.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category, decimal, normalize

_ENDS: Final = ",;:|"
_PRIVATE: Final = "Co"
_INVISIBLE: Final = "Cf"
_LETTERS: Final = ("L", "N")
_OTHER_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŧ": "t"}
)
"""Letters with a stroke and the like, which Unicode does not take for a letter and an accent."""

_SPELT_OUT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa"}
)
"""Letters that people also write as two."""

_PIECE: Final = re.compile("[0-9]+|[^0-9 .-]+")


class _Signs(dict[int, str]):
    """What becomes of each character, found out when it comes up."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _sign(chr(code))
        return found


def spellings(text: str) -> tuple[str, ...]:
    """Return a text as it is compared; a second time with ü as ue, where it has such letters."""
    if text.isascii():
        return (text.lower().translate(_SIGNS),)
    spelt_out = normalize("NFC", text).translate(_SPELT_OUT)
    return tuple(dict.fromkeys([_plain(text), _plain(spelt_out)]))


def pieces(plain: str) -> list[str]:
    """Return the letters that stand together, and the digits that do, one after the other."""
    return _PIECE.findall(plain)


def together(text: str) -> str:
    """Return the letters and digits of a text alone."""
    return "".join(pieces(spellings(text)[0]))


def _plain(text: str) -> str:
    folded = normalize("NFKD", normalize("NFKD", text).casefold()).translate(_OTHER_LETTERS)
    return normalize("NFC", folded.translate(_SIGNS))


def _sign(character: str) -> str:
    """Return a letter as it is, a digit as the usual one, nothing for an accent, or a separator."""
    kind = category(character)
    if kind[0] == "M" or kind == _INVISIBLE:
        return ""
    if (value := decimal(character, None)) is not None:
        return str(value)
    if kind[0] in _LETTERS or kind == _PRIVATE or character == ".":
        return character
    return " " if character.isspace() or character in _ENDS else "-"


_SIGNS: Final = _Signs()
