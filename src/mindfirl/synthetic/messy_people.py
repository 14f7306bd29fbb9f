"""Persons of several countries, with addresses and telephones; some are relatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import Any, Final, Literal, TypeVar

from mindfirl.core.traces.normal_form import joined
from mindfirl.synthetic.countries import Country, fill_pattern
from mindfirl.synthetic.individuals import nickname
from mindfirl.synthetic.look_alikes import born_later
from mindfirl.synthetic.tongues import TONGUES, NamePool, Sex, make_pool

T = TypeVar("T")

Person = dict[str, Any]
"""What is true of a person, however it is written down; None where there is nothing."""

_MAIN_TONGUE: Final = 0.6
"""The share of persons whose names are of the country's own language."""
_SEXES: Final[tuple[Sex, ...]] = ("F", "M")

_FIRST_DAY: Final = date(1930, 1, 1)
_DAYS: Final = 80 * 365
_YEAR: Final = 365

_MIDDLE_NAME: Final = 0.3
_PARTICLE: Final = 0.05
_MOVED: Final = 0.25
_MARRIED: Final = 0.15

_SUBSCRIBER: Final = "9" * 9
_TELEPHONE: Final = 0.85
_MAIL: Final = 0.6
_MAIL_BY_NAME: Final = 0.5
_PROVIDERS: Final = ("example.com", "example.net", "example.org")

_PEOPLE_PER_TOWN: Final = 250
_PEOPLE_PER_STREET: Final = 20
_FEWEST_PLACES: Final = 20
_POSTCODES_PER_TOWN: Final = 15
_MOST_HOUSES: Final = 180

Kinship = Literal["none", "twins", "siblings", "parent and child", "namesakes"]
_KINSHIPS: Final[dict[Kinship, float]] = {
    "none": 0.76,
    "twins": 0.03,
    "siblings": 0.1,
    "parent and child": 0.08,
    "namesakes": 0.03,
}
"""The share of persons who have a relative in the database, and which; others may by chance."""
_YEARS_OLDER: Final[dict[Kinship, tuple[int, int]]] = {
    "siblings": (1, 8),
    "parent and child": (20, 40),
    "namesakes": (20, 40),
}
_ONE_TELEPHONE: Final = 0.5
_HOUSEHOLD: Final = ("last_name", "house", "postcode", "town")
_RELATIVES: Final = ("last_name", "postcode", "town")
"""What people share who live together, and what relatives share who do not."""


def draw_common(dice: Random, pool: Sequence[T]) -> T:
    """Draw one of a pool, those in front far more often than those behind."""
    return pool[int(len(pool) * dice.random() ** 2)]


@dataclass(frozen=True, slots=True)
class _Town:
    name: str
    postcodes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Society:
    """The names, towns and streets of a country, common ones first."""

    country: Country
    pools: Mapping[str, NamePool]
    towns: Sequence[_Town]
    streets: Sequence[str]

    def draw_person(self, dice: Random, tongue: str | None = None) -> Person:
        main = self.country.tongue
        tongue = tongue or (main if dice.random() < _MAIN_TONGUE else dice.choice([*TONGUES]))
        pool, sex = self.pools[tongue], dice.choice(_SEXES)
        first = draw_common(dice, pool.first[sex])
        person = {
            "tongue": tongue,
            "sex": sex,
            "first_name": first,
            "middle_name": _sometimes(dice, _MIDDLE_NAME, draw_common(dice, pool.first[sex])),
            "nickname": dice.choice([nickname(first), first[:3], pool.called[first]]),
            "last_name": self._draw_last_name(dice, tongue),
            "birth_date": _written(_FIRST_DAY + timedelta(days=dice.randrange(_DAYS))),
            **self._draw_home(dice),
            "former_home": _sometimes(dice, _MOVED, self._draw_home(dice)),
        }
        chance = _MARRIED if sex == "F" else 0
        person["maiden_name"] = _sometimes(dice, chance, self._draw_last_name(dice, tongue))
        person["email"] = _mail_address(dice, person)
        return person

    def _draw_last_name(self, dice: Random, tongue: str) -> str:
        surnames = TONGUES[tongue].surnames
        name = " ".join(draw_common(dice, self.pools[tongue].last) for _ in range(surnames))
        particles = TONGUES[tongue].particles
        before = dice.choice(particles) if particles and dice.random() < _PARTICLE else ""
        return before + name

    def _draw_home(self, dice: Random) -> Person:
        town = draw_common(dice, self.towns)
        house = {"name": draw_common(dice, self.streets), "number": dice.randint(1, _MOST_HOUSES)}
        number = self.country.trunk + fill_pattern(_SUBSCRIBER, dice)
        return {
            "house": house,
            "postcode": dice.choice(town.postcodes),
            "town": town.name,
            "telephone": _sometimes(dice, _TELEPHONE, number),
        }


def make_society(persons: int, country: Country, dice: Random) -> Society:
    """Make up a country with the towns and streets that this many persons need."""
    pools = {name: make_pool(tongue, dice) for name, tongue in TONGUES.items()}
    places = list(pools[country.tongue].last)
    dice.shuffle(places)
    towns = [
        _Town(name, tuple(fill_pattern(country.postcode, dice) for _ in range(_POSTCODES_PER_TOWN)))
        for name in places[: _FEWEST_PLACES + persons // _PEOPLE_PER_TOWN]
    ]
    streets = places[::-1][: _FEWEST_PLACES + persons // _PEOPLE_PER_STREET]
    return Society(country, pools, towns, streets)


def draw_families(size: int, society: Society, dice: Random) -> list[Person]:
    """Draw this many persons, some of whom live with a relative."""
    persons: list[Person] = []
    while len(persons) < size:
        one = society.draw_person(dice)
        kinship = dice.choices(list(_KINSHIPS), list(_KINSHIPS.values()))[0]
        persons += [one] if kinship == "none" else [one, _household(one, kinship, society, dice)]
    return persons[:size]


def _household(one: Person, kinship: Kinship, society: Society, dice: Random) -> Person:
    other = _sharing(one, _HOUSEHOLD, society, dice)
    if kinship == "twins":
        other["birth_date"] = one["birth_date"]
    else:
        years = dice.randint(*_YEARS_OLDER[kinship])
        other["birth_date"] = born_later(one["birth_date"], years, dice)
    if kinship == "namesakes":
        other |= {name: one[name] for name in ("first_name", "nickname", "sex")}
    if dice.random() < _ONE_TELEPHONE:
        other["telephone"] = one["telephone"]
    return other


def draw_relative(one: Person, society: Society, dice: Random) -> Person:
    """Draw somebody who shares surname, postcode, town and year of birth, and nothing else."""
    other = _sharing(one, _RELATIVES, society, dice)
    new_year = date(int(one["birth_date"][-4:]), 1, 1)
    other["birth_date"] = _written(new_year + timedelta(days=dice.randrange(_YEAR)))
    return other


def _sharing(one: Person, shared: Sequence[str], society: Society, dice: Random) -> Person:
    other = society.draw_person(dice, one["tongue"])
    other |= {name: one[name] for name in shared}
    return {**other, "maiden_name": None, "email": _mail_address(dice, other)}


def _mail_address(dice: Random, person: Person) -> str | None:
    by_name = ".".join(joined(person[name]) for name in ("first_name", "last_name"))
    other = f"{joined(person['nickname'])}{dice.randrange(10_000)}"
    name = by_name if dice.random() < _MAIL_BY_NAME else other
    return _sometimes(dice, _MAIL, f"{name}@{dice.choice(_PROVIDERS)}")


def _sometimes(dice: Random, chance: float, value: T) -> T | None:
    return value if dice.random() < chance else None


def _written(day: date) -> str:
    return day.strftime("%m/%d/%Y")
