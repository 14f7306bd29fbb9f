"""People who look like one another: twins, fathers and sons, brothers and sisters, namesakes.

They are as frequent here as among the uncertain pairs of a real linkage, and so are records of one
person that went badly wrong. How a value was written tells them apart as it does in life.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from random import Random
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.synthetic.individuals import (
    FIRST_ENDINGS,
    LAST_ENDINGS,
    Row,
    draw_people,
    draw_skewed,
    make_names,
)
from mindfirl.synthetic.slips import JUNIOR, with_slips

Family = Literal["", "twins", "juniors", "siblings"]

_FAMILIES: Final[dict[Family, float]] = {"twins": 0.08, "juniors": 0.08, "siblings": 0.08}
"""The share of couples of neighbours in the table who are related, and how."""

_FIRST_NAMES: Final = 400
_LAST_NAMES: Final = 3_000
"""How many names there are: so few that many people share theirs with a stranger."""

_SHARE: Final = 0.75
_SLIPS: Final = {"hospital": 0.35, "registry": 0.75}
"""The share of a database's records that were written with slips."""
_NO_NUMBER: Final = 0.35
_STAND_INS: Final = {"hospital": "111111111", "registry": "123456789"}
_STANDS_IN: Final = 0.3
"""The share of those in which another stands, because the form asks for one: each has its own."""

_DEFAULT_DAY: Final = "01/01/1970"
_DEFAULT: Final = {"hospital": 0.0, "registry": 0.03}
"""The share of a database's records in which the computer's first day was left as birth date."""

_TWINS_OF_ONE_SEX: Final = 0.6
_TWINS_NAMED_ALIKE: Final = 0.5
_SIBLINGS_NAMED_ALIKE: Final = 0.3
_WRITTEN_JUNIOR: Final = 0.6
_SIBLINGS_NUMBERED_TOGETHER: Final = 0.5
_TWINS_APART: Final = 9
_SIBLINGS_APART: Final = 99
"""How far the numbers of children are apart who got theirs on one day, at the most."""
_FATHER_OLDER: Final = (18, 40)
_SIBLING_OLDER: Final = (1, 8)
"""In years, and up to half a year more or less."""
_YEAR: Final = 365
_HALF: Final = 180


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LookAlikes:
    """Records of two databases, one below the other; whose each is, and that person's family."""

    records: pa.Table
    hospital: int
    person: NDArray[np.int64]
    family: NDArray[np.str_]

    def identities(self) -> list[pa.Table]:
        """Return the records of each database as they are after cleaning: ready to be compared."""
        cleaned = {name: self.records.column(name) for name in self.records.column_names}
        for name in ("first_name", "last_name"):
            cleaned[name] = pc.utf8_upper(cleaned[name])
        cleaned["birth_date"] = pc.replace_substring_regex(
            cleaned["birth_date"], r"^(\d\d)/(\d\d)/(\d{4})$", r"\3-\1-\2"
        )
        table = pa.table(cleaned)
        return [table.slice(0, self.hospital), table.slice(self.hospital)]


def look_alikes(persons: int, *, seed: int) -> LookAlikes:
    """Write this many persons down in two databases, relatives and namesakes among them."""
    rng = np.random.default_rng(seed)
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    firsts = make_names(dice, _FIRST_NAMES, FIRST_ENDINGS)
    lasts = make_names(dice, _LAST_NAMES, LAST_ENDINGS)
    drawn = draw_people(persons, rng, dice)
    drawn = drawn.set_column(0, "first_name", draw_skewed(rng, persons, firsts, skew=0.9, shift=4))
    drawn = drawn.set_column(1, "last_name", draw_skewed(rng, persons, lasts, skew=0.9, shift=10))
    people: list[Row] = drawn.to_pylist()
    family = _related(people, firsts, dice)
    seen = [sorted(dice.sample(range(persons), round(persons * _SHARE))) for _ in _SLIPS]
    rows = [
        _written(people[number], database, dice)
        for numbers, database in zip(seen, _SLIPS, strict=True)
        for number in numbers
    ]
    person = np.concatenate(seen).astype(np.int64)
    records = pa.Table.from_pylist(rows, schema=drawn.schema)
    return LookAlikes(records, len(seen[0]), person, np.array(family)[person])


def _written(person: Row, database: str, dice: Random) -> Row:
    row = dict(person)
    if dice.random() < _NO_NUMBER:
        row["number"] = _STAND_INS[database] if dice.random() < _STANDS_IN else None
    if dice.random() < _DEFAULT[database]:
        row["birth_date"] = _DEFAULT_DAY
    return with_slips(dice, row) if dice.random() < _SLIPS[database] else row


def _related(people: Sequence[Row], firsts: Sequence[str], dice: Random) -> list[Family]:
    kinds: list[Family] = ["", *_FAMILIES]
    weights = [1 - sum(_FAMILIES.values()), *_FAMILIES.values()]
    family: list[Family] = [""] * len(people)
    for at, (one, other) in list(enumerate(pairwise(people)))[::2]:
        kind = dice.choices(kinds, weights)[0]
        if kind:
            _RELATE[kind](one, other, firsts, dice)
            family[at] = family[at + 1] = kind
    return family


def _twins(one: Row, other: Row, firsts: Sequence[str], dice: Random) -> None:
    """Give two people one birth, numbers one after the other, and often names that go together."""
    _inherit(one, other, ("last_name", "birth_date", "zip", "race"))
    if dice.random() < _TWINS_OF_ONE_SEX:
        other["sex"] = one["sex"]
    if dice.random() < _TWINS_NAMED_ALIKE:
        other["first_name"] = _alike(one["first_name"], firsts, dice)
    other["number"] = _number_after(one["number"], _TWINS_APART, dice)


def _juniors(one: Row, other: Row, firsts: Sequence[str], dice: Random) -> None:  # noqa: ARG001  # all are called alike
    """Make a son of his father's name; not everybody writes the Jr."""
    _inherit(one, other, ("first_name", "last_name", "zip", "race", "sex"))
    other["birth_date"] = born_later(one["birth_date"], dice.randint(*_FATHER_OLDER), dice)
    if dice.random() < _WRITTEN_JUNIOR:
        other["last_name"] += JUNIOR


def _siblings(one: Row, other: Row, firsts: Sequence[str], dice: Random) -> None:
    """Make a younger brother or sister, at times with a name that goes with the elder's."""
    _inherit(one, other, ("last_name", "zip", "race"))
    other["birth_date"] = born_later(one["birth_date"], dice.randint(*_SIBLING_OLDER), dice)
    if dice.random() < _SIBLINGS_NAMED_ALIKE:
        other["first_name"] = _alike(one["first_name"], firsts, dice)
    if dice.random() < _SIBLINGS_NUMBERED_TOGETHER:
        other["number"] = _number_after(one["number"], _SIBLINGS_APART, dice)


_RELATE: Final[dict[Family, Callable[[Row, Row, Sequence[str], Random], None]]] = {
    "twins": _twins,
    "juniors": _juniors,
    "siblings": _siblings,
}


def _inherit(one: Row, other: Row, names: Sequence[str]) -> None:
    for name in names:
        other[name] = one[name]


def _alike(name: str, names: Sequence[str], dice: Random) -> str:
    same = [each for each in names if each[:2] == name[:2] and each != name]
    return dice.choice(same or names)


def _number_after(number: str, most: int, dice: Random) -> str:
    return f"{(int(number) + dice.randint(1, most)) % 10**9:09}"


def born_later(born: str, years: int, dice: Random) -> str:
    month, day, year = (int(part) for part in born.split("/"))
    days = timedelta(days=years * _YEAR + dice.randint(-_HALF, _HALF))
    return (date(year, month, day) + days).strftime("%m/%d/%Y")
