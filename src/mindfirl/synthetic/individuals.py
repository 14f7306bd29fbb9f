"""Persons, one row each: their names, and what goes wrong when one is written down again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, Final

import numpy as np
import pyarrow as pa

from mindfirl.core.values.schema import Attribute, Schema

# fmt: off
ONSETS: Final = [
    "b", "br", "c", "ch", "d", "f", "g", "gr", "h", "j", "k", "l", "m", "n", "p", "r", "s", "sh",
    "st", "t", "th", "tr", "v", "w", "z",
]
VOWELS: Final = ["a", "e", "i", "o", "u", "ai", "ea", "ia", "o", "y"]
_CODAS: Final = ["", "", "", "l", "n", "r", "s", "t", "nd", "ll", "m", "ck", "rt", "th"]
# fmt: on
FIRST_ENDINGS: Final = ["", "a", "e", "y", "ie", "o", "an", "el", "in"]
LAST_ENDINGS: Final = ["", "", "son", "er", "man", "ez", "ton", "ley", "ini", "ski", "berg"]


def make_names(
    dice: Random,
    size: int,
    endings: Sequence[str],
    syllable: tuple[Sequence[str], ...] = (ONSETS, VOWELS, _CODAS),
) -> list[str]:
    """Make this many names, each once, the common ones mostly short."""
    names: dict[str, None] = {}
    while len(names) < size:
        syllables = 1 + (dice.random() < 0.3 + len(names) / size)
        parts = [dice.choice(part) for _ in range(syllables) for part in syllable]
        names.setdefault("".join([*parts, dice.choice(endings)]).capitalize())
    return list(names)


def nickname(name: str) -> str:
    return f"{name[:3]}ie"


def draw_skewed(
    rng: np.random.Generator, size: int, pool: Sequence[str], *, skew: float, shift: int
) -> pa.Array:
    """Draw values with a few very common ones and a long tail (Zipf-Mandelbrot)."""
    weights = 1 / (np.arange(len(pool)) + shift) ** skew
    places = rng.choice(len(pool), size=size, p=weights / weights.sum())
    return pa.array(pool).take(pa.array(places))


_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "0123456789"

Row = dict[str, Any]
"""One person: values by column; None where one is missing."""


def with_mishaps(dice: Random, row: Row) -> Row:
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

_FIRST_DAY: Final = date(1925, 1, 1)
_DAYS: Final = 85 * 365
_RACES: Final = {"A": 0.06, "B": 0.13, "H": 0.18, "I": 0.01, "N": 0.005, "O": 0.025, "W": 0.59}
_SEXES: Final = {"F": 0.505, "M": 0.49, "X": 0.005}


@dataclass(frozen=True, slots=True)
class SyntheticPeople:
    records: pa.Table
    same: tuple[tuple[int, int], ...]


def make_people(size: int, *, seed: int, repeated: float = 0.05) -> SyntheticPeople:
    """Make this many records; a share of them repeats an earlier person's record, with errors."""
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    repeats = int(size * repeated)
    originals = draw_people(size - repeats, np.random.default_rng(seed), dice)
    sources = dice.sample(range(size - repeats), repeats)
    rows = originals.take(pa.array(sources, pa.int64())).to_pylist()
    copies = [with_mishaps(dice, row) for row in rows]
    records = pa.concat_tables([originals, pa.Table.from_pylist(copies, schema=originals.schema)])
    same = tuple((source, size - repeats + copy) for copy, source in enumerate(sources))
    return SyntheticPeople(records, same)


def draw_people(size: int, rng: np.random.Generator, dice: Random) -> pa.Table:
    days = [(_FIRST_DAY + timedelta(days=day)).strftime("%m/%d/%Y") for day in range(_DAYS)]
    zips = [f"{number:05}" for number in rng.choice(100_000, size=30_000, replace=False)]
    numbers = rng.integers(0, 10, size=(size, 9), dtype=np.uint8) + ord("0")
    firsts = make_names(dice, 4_000, FIRST_ENDINGS)
    lasts = make_names(dice, 60_000, LAST_ENDINGS)
    return pa.table(
        {
            "first_name": draw_skewed(rng, size, firsts, skew=1.05, shift=8),
            "last_name": draw_skewed(rng, size, lasts, skew=0.9, shift=20),
            "birth_date": pa.array(days).take(pa.array(rng.integers(0, _DAYS, size))),
            "number": pa.array(numbers.view("S9").ravel().astype("U9")),
            "zip": draw_skewed(rng, size, zips, skew=0.5, shift=50),
            "sex": pa.array(rng.choice(list(_SEXES), size=size, p=list(_SEXES.values()))),
            "race": pa.array(rng.choice(list(_RACES), size=size, p=list(_RACES.values()))),
        }
    )
