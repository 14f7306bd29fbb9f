"""A hospital and a registry that come again every year, about people to whom things happen.

People are born and die, move, marry, and have wrong entries corrected. A record keeps its ID as
long as its person is there. Sensitive values are others every year.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

import numpy as np
import pyarrow as pa

from mindfirl.synthetic.individuals import LAST_ENDINGS, Row, draw_people, make_names, with_mishaps

NAMES: Final = ("hospital", "registry")
_SHARES: Final = {"hospital": 0.7, "registry": 0.6}
_MISHAPS: Final = {"hospital": 0.1, "registry": 0.4}
_BORN: Final = 0.015
_DIED: Final = 0.01
_TOLD: Final = 0.8
"""The chance that a database hears of what happened to somebody."""
_STATES: Final = ("seen", "called", "moved on", "unknown")


@dataclass(frozen=True, slots=True)
class RegistryYear:
    """Both databases of a year; ``same`` has the IDs of the records that are of one person."""

    hospital: pa.Table
    registry: pa.Table
    same: frozenset[tuple[str, str]]


def registry_years(persons: int, years: int, *, seed: int) -> Iterator[RegistryYear]:
    """Write down what two databases hold in each of some years."""
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    born = round(persons * _BORN)
    drawn = draw_people(persons + born * (years - 1), np.random.default_rng(seed), dice)
    everyone: list[Row] = drawn.to_pylist()
    world = _World(everyone, make_names(dice, 2_000, LAST_ENDINGS), dice)
    world.admit(range(persons))
    yield world.written()
    for year in range(1, years):
        world.pass_a_year()
        first = persons + born * (year - 1)
        world.admit(range(first, first + born))
        yield world.written()


@dataclass(slots=True)
class _World:
    """Who people are, and what the databases hold of them, by the number of the person."""

    people: list[Row]
    surnames: Sequence[str]
    dice: Random
    records: dict[str, dict[int, Row]] = field(default_factory=lambda: {name: {} for name in NAMES})

    def admit(self, persons: Sequence[int]) -> None:
        for person in persons:
            for name in NAMES:
                if self.dice.random() < _SHARES[name]:
                    self.records[name][person] = self._written(name, person)

    def pass_a_year(self) -> None:
        known = sorted({person for each in self.records.values() for person in each})
        for person in known:
            if self.dice.random() < _DIED:
                for name in NAMES:
                    self.records[name].pop(person, None)
            for happens, chance in _HAPPENINGS.items():
                if self.dice.random() < chance:
                    happens(self, person)

    def written(self) -> RegistryYear:
        hospital, registry = (self._table(name) for name in NAMES)
        both = self.records["hospital"].keys() & self.records["registry"].keys()
        same = frozenset((_id("hospital", each), _id("registry", each)) for each in both)
        return RegistryYear(hospital, registry, same)

    def move(self, person: int) -> None:
        self._tell(person, "zip", f"{self.dice.randrange(100_000):05}")

    def marry(self, person: int) -> None:
        self._tell(person, "last_name", self.dice.choice(self.surnames))

    def correct(self, person: int) -> None:
        """Let a database write down what is right."""
        for name in NAMES:
            if person in self.records[name] and self.dice.random() < _TOLD:
                self.records[name][person] = dict(self.people[person])

    def _tell(self, person: int, column: str, value: str) -> None:
        self.people[person][column] = value
        for name in NAMES:
            if person in self.records[name] and self.dice.random() < _TOLD:
                self.records[name][person][column] = value

    def _written(self, name: str, person: int) -> Row:
        row = dict(self.people[person])
        return with_mishaps(self.dice, row) if self.dice.random() < _MISHAPS[name] else row

    def _table(self, name: str) -> pa.Table:
        """Write a database down, in another order every year."""
        persons = sorted(self.records[name])
        self.dice.shuffle(persons)
        columns = {key: [self.records[name][each][key] for each in persons] for key in _COLUMNS}
        state = [self.dice.choice(_STATES) for _ in persons]
        return pa.table(
            {"record_no": [_id(name, each) for each in persons], **columns, "state": state}
        )


_COLUMNS: Final = ("first_name", "last_name", "birth_date", "number", "zip", "sex", "race")

_HAPPENINGS: Final[dict[Callable[[_World, int], None], float]] = {
    _World.move: 0.03,
    _World.marry: 0.01,
    _World.correct: 0.01,
}


def _id(database: str, person: int) -> str:
    return f"{database[0]}{person + 1:07}"
