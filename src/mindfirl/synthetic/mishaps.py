"""What goes wrong when a person is written down a second time."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Final

from mindfirl.synthetic.syllable_names import ONSETS, VOWELS, nickname

_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"

Row = dict[str, Any]
"""One person: values by column; None where one is missing."""


def with_mishaps(dice: Random, row: Row) -> Row:
    """Repeat a record with one to three errors."""
    for mishap in dice.choices(
        list(_MISHAPS), weights=list(_MISHAPS.values()), k=dice.randint(1, 3)
    ):
        mishap(dice, row)
    return row


def _mistype(dice: Random, row: Row) -> None:
    """Change one character of a name or number: another one, one less, one more, two exchanged."""
    column = dice.choice(["first_name", "last_name", "last_name", "number", "zip"])
    text = row[column] or ""
    place = dice.randrange(len(text)) if text else 0
    before, here, after = text[:place], text[place : place + 1], text[place + 1 :]
    extra = dice.choice(_DIGITS if column in ("number", "zip") else _LETTERS)
    wrong = [before + extra + after, before + after[:1] + here + after[1:]]
    if column.endswith("name"):
        wrong += [before + after, before + extra + here + after]
    row[column] = dice.choice(wrong)


def _misdate(dice: Random, row: Row) -> None:
    """Exchange month and day, or change one digit of the year."""
    if row["birth_date"]:
        month, day, year = row["birth_date"].split("/")
        wrong = [f"{day}/{month}/{year}", f"{month}/{day}/{year[:3]}{dice.choice(_DIGITS)}"]
        row["birth_date"] = dice.choice(wrong)


def _lose(dice: Random, row: Row) -> None:
    row[dice.choice(["first_name", "birth_date", "number", "zip", "race"])] = None


def _rename(dice: Random, row: Row) -> None:
    row["last_name"] = dice.choice(ONSETS).capitalize() + dice.choice(VOWELS) + "son"


def _move(dice: Random, row: Row) -> None:
    row["zip"] = "".join(dice.choices(_DIGITS, k=5))


def _shorten(dice: Random, row: Row) -> None:  # noqa: ARG001  # all mishaps are called alike
    if row["first_name"]:
        row["first_name"] = nickname(row["first_name"])


def _swap_names(dice: Random, row: Row) -> None:  # noqa: ARG001
    row["first_name"], row["last_name"] = row["last_name"], row["first_name"]


_MISHAPS: Final[dict[Callable[[Random, Row], None], int]] = {
    _mistype: 46,
    _misdate: 15,
    _lose: 14,
    _rename: 5,
    _move: 10,
    _shorten: 5,
    _swap_names: 5,
}
"""What can go wrong with a record, and how often."""
