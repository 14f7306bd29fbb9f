"""What goes wrong when a person is written down, as fingers, ears, families and clerks do it.

A mishap is any error; a slip can be recognised by who reads the values. That is what makes values
worth reading: the next key or a like sound speaks for one person, any other letter for two.
"""

from __future__ import annotations

from calendar import isleap
from collections.abc import Callable
from random import Random
from typing import Final

from mindfirl.synthetic.individuals import ONSETS, Row, nickname

JUNIOR: Final = " Jr"

_MOST: Final = 3

_KEYS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
_SOUNDS: Final = ("aeiou", "bp", "ckq", "dt", "fv", "gj", "mn", "sz", "iy", "lr", "uw")
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"
_BY_FINGER: Final = 0.5
_BY_EAR: Final = 0.4
"""The shares of wrong characters that are the next key, and that sound alike; others are any."""

_SPELLINGS: Final = (
    ("ai", "ay"), ("c", "k"), ("ck", "k"), ("ea", "ee"), ("er", "ar"), ("ia", "ya"), ("ll", "l"),
    ("man", "mann"), ("nd", "nt"), ("rt", "rd"), ("s", "z"), ("son", "sen"), ("th", "t"),
    ("v", "f"), ("y", "ie"),
)  # fmt: skip
_HEARD: Final = ("first_name", "last_name")
_RESPELT: Final = 2

_TYPED: Final = ("first_name", "first_name", "last_name", "last_name", "number", "zip")
_LOST: Final = ("first_name", "birth_date", "birth_date", "number", "zip", "race")
_NEW_ENDINGS: Final = ("anson", "erley", "ilini", "oberg")

_STEPS: Final = (-1, 1, 10, -10)
_MONTHS: Final = 12
_SAFE_DAY: Final = 28
_NEW_YEAR: Final = ("01", "01")
"""The day that stands for an unknown one."""

_NEARBY: Final = 0.6
"""The share of people who move within their region, which is the first three digits of the ZIP."""
_REGION: Final = 3
_ZIP: Final = 5


def with_slips(dice: Random, row: Row) -> Row:
    for slip in dice.choices(list(_SLIPS), weights=list(_SLIPS.values()), k=dice.randint(1, _MOST)):
        slip(dice, row)
    return row


def _mistype(dice: Random, row: Row) -> None:
    column = dice.choice(_TYPED)
    if row[column]:
        row[column] = mistyped(dice, row[column], of_any_length=column.endswith("name"))


def mistyped(dice: Random, text: str, *, of_any_length: bool) -> str | None:
    """Get one character wrong, exchange two; if length may change, leave one out or double it."""
    place = dice.randrange(len(text))
    before, here, after = text[:place], text[place], text[place + 1 :]
    wrong = [before + _near(dice, here) + after] * 2 + [before + after[:1] + here + after[1:]]
    if of_any_length:
        wrong += [before + after, before + here + here.lower() + after]
    return dice.choice(wrong) or None  # an initial that is left out is no empty text


def _near(dice: Random, character: str) -> str:
    """Return the next key, a letter that sounds alike, or at times any other."""
    low, chance = character.lower(), dice.random()
    if chance < _BY_FINGER:
        pool = _next_keys(low)
    elif low.isdigit():
        pool = _DIGITS
    else:
        pool = _like_sounds(low) if chance < _BY_FINGER + _BY_EAR else _LETTERS
    found = dice.choice(pool or _next_keys(low) or _LETTERS)
    return found.upper() if character.isupper() else found


def _next_keys(character: str) -> str:
    row = next((row for row in _KEYS if character in row), "")
    place = row.find(character)
    return row[max(place - 1, 0) : place] + row[place + 1 : place + 2]


def _like_sounds(letter: str) -> str:
    return "".join(group.replace(letter, "") for group in _SOUNDS if letter in group)


def _hear(dice: Random, row: Row) -> None:
    column = dice.choice(_HEARD)
    if row[column]:
        row[column] = misheard(dice, row[column])


def misheard(dice: Random, name: str) -> str:
    initial, rest = name[0], name[1:]
    ways = [way for way in _SPELLINGS if way[0] in rest]
    for heard, written in dice.sample(ways, min(len(ways), _RESPELT)):
        rest = rest.replace(heard, written)
    return initial + rest


def _misdate(dice: Random, row: Row) -> None:
    if row["birth_date"]:
        row["birth_date"] = misdated(dice, row["birth_date"])


def misdated(dice: Random, born: str) -> str:
    """Exchange month and day, be off by one or ten in day or year, or know the year alone."""
    month, day, year = born.split("/")
    return "/".join(dice.choice(_MISDATED)(dice, month, day, year))


def _exchanged(dice: Random, month: str, day: str, year: str) -> tuple[str, str, str]:
    return (day, month, year) if int(day) <= _MONTHS else _other_day(dice, month, day, year)


def _other_day(dice: Random, month: str, day: str, year: str) -> tuple[str, str, str]:
    return month, f"{max(1, min(_SAFE_DAY, int(day) + dice.choice(_STEPS))):02}", year


def _other_year(dice: Random, month: str, day: str, year: str) -> tuple[str, str, str]:
    other = int(year) + dice.choice(_STEPS)
    leap_day = (month, day) == ("02", "29") and not isleap(other)
    return month, f"{_SAFE_DAY}" if leap_day else day, f"{other}"


def _year_alone(_dice: Random, _month: str, _day: str, year: str) -> tuple[str, str, str]:
    return *_NEW_YEAR, year


_MISDATED: Final = (_exchanged, _other_day, _other_year, _year_alone)


def _lose(dice: Random, row: Row) -> None:
    row[dice.choice(_LOST)] = None


def _marry(dice: Random, row: Row) -> None:
    if row["sex"] == "F" and row["last_name"]:
        other = dice.choice(ONSETS).capitalize() + dice.choice(_NEW_ENDINGS)
        row["last_name"] = dice.choice([other, f"{row['last_name']}-{other}"])


def _move(dice: Random, row: Row) -> None:
    if row["zip"]:
        stays = _REGION if dice.random() < _NEARBY else 0
        row["zip"] = row["zip"][:stays] + "".join(dice.choices(_DIGITS, k=_ZIP - stays))


def _shorten(dice: Random, row: Row) -> None:
    """Use the name that friends use, a stem of it, or the initial."""
    name = row["first_name"]
    if name:
        row["first_name"] = dice.choice([nickname(name), name[:3], name[:1]])


def _swap_names(dice: Random, row: Row) -> None:  # noqa: ARG001  # all slips are called alike
    row["first_name"], row["last_name"] = row["last_name"], row["first_name"]


def _drop_junior(dice: Random, row: Row) -> None:  # noqa: ARG001
    if row["last_name"]:
        row["last_name"] = row["last_name"].removesuffix(JUNIOR)


_SLIPS: Final[dict[Callable[[Random, Row], None], int]] = {
    _mistype: 34,
    _hear: 12,
    _misdate: 16,
    _lose: 12,
    _marry: 8,
    _move: 12,
    _shorten: 18,
    _swap_names: 4,
    _drop_junior: 6,
}
