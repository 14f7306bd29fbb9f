"""One database with one to ten records of each person, none of them clean for certain.

Some columns repeat others: the full name, and the address. Which records are of one person is told
beside it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Final

import pyarrow as pa

from mindfirl.core.errors import SettingError
from mindfirl.synthetic.countries import (
    COLUMNS,
    COUNTRIES,
    DATE_PARTS,
    NAMES_AND_BIRTH,
    Country,
    CountryCode,
)
from mindfirl.synthetic.individuals import Row
from mindfirl.synthetic.messy_people import (
    Person,
    draw_families,
    draw_relative,
    make_society,
)
from mindfirl.synthetic.messy_records import ERROR_MODELS, ErrorName, write_record

_CLUSTERS: Final = (0.42, 0.22, 0.14, 0.085, 0.05, 0.03, 0.02, 0.015, 0.01, 0.01)
"""The shares of persons with one record, two, and so on: 2.5 on average."""


@dataclass(frozen=True, slots=True)
class MessyDatabase:
    people: pa.Table
    truth: pa.Table


def messy_database(
    persons: int,
    *,
    seed: int,
    errors: ErrorName = "few",
    country: CountryCode = "gb",
    date_parts: bool = False,
    names_only: bool = False,
    relatives: int | None = None,
) -> MessyDatabase:
    """Write this many persons down, on average two and a half times each.

    Some of them live with relatives. If ``relatives`` is given, that many others replace them,
    with one record each, who share surname, postcode, town and year of birth with a person.
    ``date_parts`` puts the birth date into three columns; with ``names_only`` it, names and sex are
    all that there is.
    """
    dice = Random(seed)  # noqa: S311  # made-up people, not secrets
    everyone, sizes = _draw_clusters(persons, COUNTRIES[country], relatives, dice)
    model = ERROR_MODELS[errors]
    rows = [
        (number, write_record(person, COUNTRIES[country], model, dice))
        for number, (person, size) in enumerate(zip(everyone, sizes, strict=True), start=1)
        for _ in range(size)
    ]
    dice.shuffle(rows)
    columns = NAMES_AND_BIRTH if names_only else COLUMNS
    dates = DATE_PARTS if date_parts else ("birth_date",)
    wanted = [name for each in columns for name in (dates if each == "birth_date" else [each])]
    return _tables(rows, COUNTRIES[country], wanted)


def _draw_clusters(
    persons: int, country: Country, relatives: int | None, dice: Random
) -> tuple[list[Person], list[int]]:
    """Draw persons, and how many records each has."""
    society = make_society(persons, country, dice)
    sizes = _sizes(persons, dice)
    if relatives is None:
        return draw_families(persons, society, dice), sizes
    if relatives > persons:
        raise SettingError("There cannot be more relatives than people.")
    everyone = [society.draw_person(dice) for _ in range(persons)]
    added = [draw_relative(one, society, dice) for one in dice.sample(everyone, relatives)]
    return [*everyone, *added], [*sizes, *[1] * relatives]


def _sizes(persons: int, dice: Random) -> list[int]:
    """Deal numbers of records by their shares exactly, in any order."""
    ends = list(accumulate(_CLUSTERS))[:-1]
    sizes = [1 + bisect(ends, (number + 0.5) / persons) for number in range(persons)]
    dice.shuffle(sizes)
    return sizes


def _tables(rows: list[tuple[int, Row]], country: Country, columns: list[str]) -> MessyDatabase:
    ids = [f"r{place:07}" for place in range(1, len(rows) + 1)]
    cells = [
        dict(_cells({**row, "record_id": record}, country))
        for record, (_, row) in zip(ids, rows, strict=True)
    ]
    values = {name: pa.array([row[name] for row in cells], pa.string()) for name in columns}
    people = [f"p{number:07}" for number, _ in rows]
    return MessyDatabase(
        pa.table({country.heading(name): column for name, column in values.items()}),
        pa.table({"id": ids, "person": people}),
    )


def _cells(row: Row, country: Country) -> Iterator[tuple[str, str | None]]:
    """Yield all that the columns of a record may hold, some of it repeated."""
    names = (row["first_name"], row["middle_name"], row["last_name"])
    yield from row.items()
    yield "full_name", " ".join(filter(None, names)) or None
    yield "surname", row["last_name"]
    home = {name: row[name] or "" for name in ("street", "postcode", "town")}
    yield "address", " ".join(country.address.format(**home).strip(" ,").split()) or None
    month, day, year = (row["birth_date"] or "//").split("/")
    date = country.date.format(day=day, month=month, year=year)
    yield "birth_date", date if year else None
    for name, part in zip(DATE_PARTS, (year, month, day), strict=True):
        yield name, str(int(part)) if part else None
