"""Values as they are compared and blocked, never as they are shown: accents, postcodes, numbers."""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal

Content = Literal["text", "full name", "postcode", "phone"]
"""What an attribute holds, as far as its normal form depends on it."""

_UNDIVIDED: Final = str.maketrans(
    {
        "ł": "l",
        "Ł": "L",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "ı": "i",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "þ": "th",
        "Þ": "TH",
        "ß": "ss",
        "ẞ": "SS",
    }
)
"""Letters that no normal form divides into a letter and its accent."""

_WORD: Final = re.compile(r"[^\W_]+")
_NEITHER: Final = re.compile(r"[\W_]+")
_INITIAL: Final = re.compile(r"[^\W\d_]\.")
_TITLES: Final = frozenset(("JR", "SR", "II", "III", "IV", "MD", "PHD", "ESQ"))
"""What may stand behind a comma after a whole name."""

_COUNTRY_OF_POSTCODE: Final = re.compile(r"^[A-Z]{1,3}-(?=[0-9])")
_INTERNATIONAL: Final = re.compile(r"(?:\+|00)")
_COUNTRY_CODE: Final = re.compile(
    r"1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|[2-9][0-9]{2}"
)
_TRUNK: Final = re.compile(r"\(\s*0\s*\)")
_EXTENSION: Final = re.compile(r"(?:ext|x|#).*", re.IGNORECASE | re.DOTALL)
_AMERICAN: Final = re.compile(r"1[2-9][0-9]{9}")
_FEWEST_DIGITS: Final = 5
"""Fewer digits than this are left as they are: nothing can be told from them."""


def comparable(value: str, content: Content) -> str:
    """Return the normal form of a canonical value; what differs in writing alone is equal then."""
    if content == "phone":
        return _phone(value)
    folded = fold_accents(value)
    if content == "postcode":
        return _postcode(folded)
    if content == "full name":
        return _full_name(folded)
    return folded[0] if _INITIAL.fullmatch(folded) else folded


def fold_accents(text: str) -> str:
    """Return a text without accents: ``Łódź`` is ``Lodz``, ``Straße`` is ``Strasse``."""
    if text.isascii():
        return text
    divided = unicodedata.normalize("NFKD", text.translate(_UNDIVIDED))
    kept = "".join(each for each in divided if not unicodedata.combining(each))
    return unicodedata.normalize("NFC", kept)


def word_keys(text: str) -> list[str]:
    """Return the words of a text as they are looked for in another: ``07`` is ``7``."""
    return [word_key(word) for word in _WORD.findall(unicodedata.normalize("NFC", text))]


def word_places(text: str) -> list[tuple[str, int, int]]:
    """Return the words of a composed text, each with where it begins and ends."""
    return [(found[0], found.start(), found.end()) for found in _WORD.finditer(text)]


def word_key(word: str) -> str:
    """Return a word without its accents and capitals, a number without leading zeros."""
    folded = fold_accents(word).casefold()
    return (folded.lstrip("0") or "0") if folded.isdigit() else folded


def _full_name(value: str) -> str:
    """Return a name with the first name first, and without middle initials and commas."""
    last, _, first = value.partition(",")
    turned = bool(first.strip()) and first.strip(" .").upper() not in _TITLES
    words = (f"{first} {last}" if turned else value).replace(",", " ").split()
    middle = [word for word in words[1:-1] if len(word.rstrip(".")) > 1]
    return " ".join([*words[:1], *middle, *words[1:][-1:]])


def _postcode(value: str) -> str:
    return _NEITHER.sub("", _COUNTRY_OF_POSTCODE.sub("", value.upper(), count=1))


def _phone(value: str) -> str:
    """Return the digits of a telephone number as they are dialled within its country."""
    number = _EXTENSION.sub("", _TRUNK.sub("", value)).strip()
    digits = re.sub(r"[^0-9]", "", number)
    if len(digits) < _FEWEST_DIGITS:
        return digits
    if begin := _INTERNATIONAL.match(number):
        return _without_country(digits.removeprefix("00") if begin[0] == "00" else digits)
    return digits[1:] if _AMERICAN.fullmatch(digits) else digits.lstrip("0")


def _without_country(digits: str) -> str:
    code = _COUNTRY_CODE.match(digits)
    return (digits[code.end() :] if code else digits).lstrip("0")
