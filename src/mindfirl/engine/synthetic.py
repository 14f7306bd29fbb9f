"""Made-up people with known truth: names with realistic skew, and records that repeat with errors.

Everything comes from one seed. No name is taken from anywhere: they are put together from
syllables, so that they look like names and belong to nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mindfirl.core.schema import Attribute, Schema

SCHEMA: Final = Schema(
    [
        Attribute("first_name", "string"),
        Attribute("last_name", "string"),
        Attribute("birth_date", "date"),
        Attribute("number", "fixed"),
        Attribute("zip", "fixed"),
        Attribute("sex", "category"),
        Attribute("race", "category"),
    ],
    swap_groups=[("first_name", "last_name")],
)

# fmt: off
_ONSETS: Final = [
    "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "sh",
    "st", "t", "th", "tr", "v", "w", "z",
]
_VOWELS: Final = ["a", "e", "i", "o", "u", "ai", "ea", "ia", "o", "y"]
_CODAS: Final = ["", "", "", "l", "n", "r", "s", "t", "nd", "ll", "m", "ck", "rt", "th"]
# fmt: on
_FIRST_ENDINGS: Final = ["", "a", "e", "y", "ie", "o", "an", "el", "in"]
_LAST_ENDINGS: Final = ["", "", "son", "er", "man", "ez", "ton", "ley", "ini", "ski", "berg"]
_FIRST_DAY: Final = date(1925, 1, 1)
_DAYS: Final = 85 * 365
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"

_Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class People:
    """Synthetic records, and which of them are two records of one person."""

    records: pa.Table
    same: tuple[tuple[int, int], ...]


def people(size: int, *, seed: int, repeated: float = 0.05) -> People:
    """Make so many records; a share of them repeats an earlier person's record, with errors."""
    rng = np.random.default_rng(seed)
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    repeats = int(size * repeated)
    originals = _originals(rng, dice, size - repeats)
    sources = dice.sample(range(size - repeats), repeats)
    rows = originals.take(pa.array(sources, pa.int64())).to_pylist()
    copies = [_with_errors(dice, row) for row in rows]
    records = pa.concat_tables([originals, pa.Table.from_pylist(copies, schema=originals.schema)])
    same = tuple((source, size - repeats + copy) for copy, source in enumerate(sources))
    return People(records, same)


def _originals(rng: np.random.Generator, dice: Random, size: int) -> pa.Table:
    """Draw the people themselves."""
    days = [(_FIRST_DAY + timedelta(days=day)).strftime("%m/%d/%Y") for day in range(_DAYS)]
    zips = [f"{number:05}" for number in rng.choice(100_000, size=30_000, replace=False)]
    numbers = rng.integers(0, 10, size=(size, 9), dtype=np.uint8) + ord("0")
    return pa.table(
        {
            "first_name": _drawn(
                rng, size, _names(dice, 4_000, _FIRST_ENDINGS), skew=1.05, shift=8
            ),
            "last_name": _drawn(rng, size, _names(dice, 60_000, _LAST_ENDINGS), skew=0.9, shift=20),
            "birth_date": pa.array(days).take(pa.array(rng.integers(0, _DAYS, size))),
            "number": pa.array(numbers.view("S9").ravel().astype("U9")),
            "zip": _drawn(rng, size, zips, skew=0.5, shift=50),
            "sex": pa.array(rng.choice(["F", "M", "X"], size=size, p=[0.505, 0.49, 0.005])),
            "race": pa.array(
                rng.choice(
                    list("ABHINOW"), size=size, p=[0.06, 0.13, 0.18, 0.01, 0.005, 0.025, 0.59]
                )
            ),
        }
    )


def _drawn(
    rng: np.random.Generator, size: int, pool: list[str], *, skew: float, shift: int
) -> pa.Array:
    """Draw values with a few very common ones and a long tail (Zipf-Mandelbrot)."""
    weights = 1 / (np.arange(len(pool)) + shift) ** skew
    return pa.array(pool).take(
        pa.array(rng.choice(len(pool), size=size, p=weights / weights.sum()))
    )


def _names(dice: Random, size: int, endings: Sequence[str]) -> list[str]:
    """Put names together from syllables, each once, the common ones mostly short."""
    names: dict[str, None] = {}
    while len(names) < size:
        syllables = 1 + (dice.random() < 0.3 + len(names) / size)
        parts = [dice.choice(part) for _ in range(syllables) for part in (_ONSETS, _VOWELS, _CODAS)]
        names.setdefault("".join([*parts, dice.choice(endings)]).capitalize())
    return list(names)


def _with_errors(dice: Random, row: _Row) -> _Row:
    """Repeat a record with one to three errors."""
    for error in dice.choices(list(_ERRORS), weights=list(_ERRORS.values()), k=dice.randint(1, 3)):
        error(dice, row)
    return row


def _mistype(dice: Random, row: _Row) -> None:
    """Change one character of a name or number: another one, one less, one more, two exchanged."""
    column = dice.choice(["first_name", "last_name", "last_name", "number", "zip"])
    text = row[column] or ""
    place = dice.randrange(len(text)) if text else 0
    extra = dice.choice(_DIGITS if column in ("number", "zip") else _LETTERS)
    row[column] = dice.choice(
        [
            text[:place] + extra + text[place + 1 :],
            text[:place]
            + text[place + 1 : place + 2]
            + text[place : place + 1]
            + text[place + 2 :],
            *(
                [text[:place] + text[place + 1 :], text[:place] + extra + text[place:]]
                if column.endswith("name")
                else []
            ),
        ]
    )


def _misdate(dice: Random, row: _Row) -> None:
    """Exchange month and day, or change one digit of the year."""
    if row["birth_date"]:
        month, day, year = row["birth_date"].split("/")
        wrong = [f"{day}/{month}/{year}", f"{month}/{day}/{year[:3]}{dice.choice(_DIGITS)}"]
        row["birth_date"] = dice.choice(wrong)


def _lose(dice: Random, row: _Row) -> None:
    row[dice.choice(["first_name", "birth_date", "number", "zip", "race"])] = None


def _rename(dice: Random, row: _Row) -> None:
    row["last_name"] = dice.choice(_ONSETS).capitalize() + dice.choice(_VOWELS) + "son"


def _move(dice: Random, row: _Row) -> None:
    row["zip"] = "".join(dice.choices(_DIGITS, k=5))


def _swap_names(dice: Random, row: _Row) -> None:  # noqa: ARG001  # all errors are called alike
    row["first_name"], row["last_name"] = row["last_name"], row["first_name"]


_ERRORS: Final[dict[Callable[[Random, _Row], None], int]] = {
    _mistype: 50,
    _misdate: 15,
    _lose: 15,
    _rename: 5,
    _move: 10,
    _swap_names: 5,
}
"""What can go wrong with a record, and how often."""
