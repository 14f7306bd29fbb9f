"""Text as it is compared: small letters without accents, digits, and three separators.

Everything between letters and digits becomes a space where it ends a number, a point, or a hyphen
where it can be inside a number.
"""

from __future__ import annotations

import re
from typing import Final
from unicodedata import category, decimal, normalize

_END_NUMBERS: Final = ",;:|"
_PRIVATE_USE: Final = "Co"
_INVISIBLE: Final = "Cf"
_LETTERS: Final = ("L", "N")
_OTHER_LETTERS: Final = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŧ": "t"}
)
"""Letters that Unicode does not decompose into a letter and an accent."""

_SPELLED_OUT: Final = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Ø": "Oe", "Å": "Aa"}
)
"""Letters that people also write as two."""

_PIECE: Final = re.compile("[0-9]+|[^0-9 .-]+")
_RUN: Final = re.compile("[^ .-]+")


def spellings(text: str) -> tuple[str, ...]:
    """Return the normal forms of a text: the usual one first, then others that people may mean.

    The others write ü as ue, and separate words at invisible characters.
    """
    if text.isascii():
        return (text.lower().translate(_NORMAL),)
    forms = [text, normalize("NFC", text).translate(_SPELLED_OUT)]
    if any(category(each) == _INVISIBLE for each in text):
        forms += ["".join(" " if category(c) == _INVISIBLE else c for c in form) for form in forms]
    return tuple(dict.fromkeys(map(_normal, forms)))


def pieces(normal: str) -> list[str]:
    """Return the letters that are together, and the digits that are, one after the other."""
    return _PIECE.findall(normal)


def runs(normal: str) -> list[str]:
    """Return the letters and digits that no separator divides."""
    return _RUN.findall(normal)


def joined(text: str) -> str:
    """Return the letters and digits of a text alone."""
    return "".join(runs(spellings(text)[0]))


def _normal(text: str) -> str:
    folded = normalize("NFKD", normalize("NFKD", text).casefold()).translate(_OTHER_LETTERS)
    return normalize("NFC", folded.translate(_NORMAL))


class _NormalCharacters(dict[int, str]):
    """The normal form of each character, computed when it first comes up."""

    def __missing__(self, code: int) -> str:
        self[code] = found = _normal_character(chr(code))
        return found


def _normal_character(character: str) -> str:
    kind = category(character)
    if kind[0] == "M" or kind == _INVISIBLE:
        return ""
    if (value := decimal(character, None)) is not None:
        return str(value)
    if kind[0] in _LETTERS or kind == _PRIVATE_USE or character == ".":
        return character
    return " " if character.isspace() or character in _END_NUMBERS else "-"


_NORMAL: Final = _NormalCharacters()
