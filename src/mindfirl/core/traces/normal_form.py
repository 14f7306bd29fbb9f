"""Text as it is compared, and how little of a value counts as repeating it.

Text becomes small letters without accents, digits, and three separators. Everything between letters
and digits becomes a space where it ends a number, a point, or a hyphen where it can be inside one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    """Return the normal forms of a text: the usual one, with ue for ü, cut where invisible."""
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


LEAST_LETTERS: Final = 3
"""Shorter words (de, la, is) are part of any text."""

LEAST_DIGITS: Final = 4
"""Four digits tell a year or the end of an ID; three are an everyday quantity."""

LONGEST_STANDALONE: Final = 6
"""Whole numbers of up to this many digits must stand alone: amounts contain them by chance."""

# fmt: off
_PARTICLES: Final = frozenset({
    "and", "bin", "das", "del", "den", "der", "des", "dos", "ibn", "las", "los", "ten", "ter",
    "the", "und", "van", "vom", "von", "zum", "zur",
})
# fmt: on


# fmt: off
ORDINARY: Final = frozenset({
    "alley", "apartment", "avenue", "block", "boulevard", "building", "circle", "city", "close",
    "corner", "county", "court", "crescent", "drive", "east", "floor", "gate", "green", "highway",
    "hill", "house", "lane", "lower", "north", "park", "parkway", "place", "road", "room", "south",
    "square", "street", "suite", "terrace", "town", "trail", "unit", "upper", "valley", "view",
    "village", "walk", "west",
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december", "monday", "tuesday", "wednesday", "thursday", "friday",
    "saturday", "sunday",
    "doctor", "junior", "lady", "madam", "miss", "mister", "senior", "sir",
    "female", "male", "unknown",
})
# fmt: on
"""Words of everyday life that are in addresses, dates and titles: alone they name nobody."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Lengths from which on a part of a value counts, for one use.

    Uses differ where the cost of a false alarm differs. A comment is one short text by somebody who
    can rephrase it. A release has millions of cells that nobody can rephrase: a false alarm costs a
    manager's time, and many of them would make real findings invisible.

    A word counts from ``inside`` letters on inside a longer one; from ``in_pieces`` on as
    neighbouring words put together (spelled letter by letter, or with digits, at any length); from
    ``across`` on across the ends of words, None being never; from ``mixed`` characters on with
    digits in it; from ``dense`` on in a script without spaces. ``particles`` of names do not count
    alone. ``fragments`` lets parts count: four digits in a row, the month and day of a date, a
    number as if it were a word, and a whole value however short it is. ``disguises`` looks for
    words that are reversed, have one letter replaced, or are split by another word.
    """

    inside: int
    in_pieces: int
    across: int | None
    mixed: int
    dense: int
    particles: frozenset[str]
    fragments: bool
    disguises: bool = False


COMMENTS: Final = Thresholds(
    inside=4,  # not 3: Sam is in same, Ann in cannot
    in_pieces=1,  # "Ma ry" is somebody's way around the check
    across=6,  # not 5: shorter words arise by chance where two others meet
    mixed=LEAST_LETTERS,
    dense=1,  # each character that is visible may have been paid for
    particles=frozenset(),  # whoever writes sees the particle, and can leave it out
    fragments=True,  # a cell may be open in part, and others have not opened that part
    disguises=True,  # whoever writes may want to pass a name on
)
"""For comments: what is open in the same pair must not be repeated."""

ELSEWHERE: Final = Thresholds(
    inside=5,  # many pairs are open: with 4, every other sentence would have a name inside
    in_pieces=5,
    across=None,
    mixed=4,
    dense=2,
    particles=_PARTICLES,
    fragments=False,  # a year or the end of an ID is open somewhere in most assignments
    disguises=True,
)
"""For comments: what is open in the other pairs of an assignment must not be repeated."""

RELEASES: Final = Thresholds(
    inside=5,  # not 4: Rosa is in rosacea, King in taking
    in_pieces=6,  # not 3: Ina is in "in a"
    across=None,  # Miller is in "mill era"
    mixed=4,  # half a Canadian postcode (K1A) is a district
    dense=2,  # one character of Chinese is a common word, two are a name
    particles=_PARTICLES,  # they are in many names and most texts
    fragments=False,  # amounts, codes and visit dates share parts with every ID and birth date
)
"""What must not be in the rows of a person in a file that leaves."""
