"""Persons and families, one row each; and records that repeat with errors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.synthetic.mishaps import with_mishaps
from mindfirl.synthetic.syllable_names import FIRST_ENDINGS, LAST_ENDINGS, draw_skewed, make_names

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
    """Synthetic records, and which of them are two records of one person."""

    records: pa.Table
    same: tuple[tuple[int, int], ...]


def make_people(size: int, *, seed: int, repeated: float = 0.05) -> SyntheticPeople:
    """Make so many records; a share of them repeats an earlier person's record, with errors."""
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
