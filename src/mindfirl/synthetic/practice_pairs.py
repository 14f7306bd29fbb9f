"""Pairs of made-up people to practise on, whose answers are known, among a crowd of others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Final

from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.review.decisions import Reason
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import Attribute, Level, Schema

SCHEMA: Final = Schema(
    [
        Attribute("first name", "string"),
        Attribute("last name", "string"),
        Attribute("born", "date"),
        Attribute("number", "fixed"),
        Attribute("ZIP", "fixed"),
        Attribute("sex", "category"),
    ],
    swap_groups=[("first name", "last name")],
)

Record = tuple[str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class Example:
    """Two records, whether they are of one person (None: cannot be told), and what is enough.

    ``reason`` is why it cannot be told.
    """

    name: str
    records: tuple[Record, Record]
    same: bool | None
    enough: Mapping[str, Level] = field(default_factory=dict)
    reason: Reason | None = None


EXAMPLES: Final = (
    Example(
        "transposed",
        (
            ("Laura", "Brandt", "03/14/1968", "000417263", "40213", "F"),
            ("Laura", "Barndt", "03/14/1968", "000417263", "40213", "F"),
        ),
        same=True,
    ),
    Example(
        "strangers",
        (
            ("Nora", "Winter", "11/02/1955", "000902214", "33184", "F"),
            ("Helga", "Winter", "06/27/1990", "000133578", "71602", "F"),
        ),
        same=False,
    ),
    Example(
        "exchanged",
        (
            ("Simon", "Keller", "04/07/1981", "000583920", "52070", "M"),
            ("Simon", "Keller", "07/04/1981", "000583920", "52070", "M"),
        ),
        same=True,
    ),
    Example(
        "twins",
        (
            ("Clara", "Vogel", "05/30/1999", "000640187", "10405", "F"),
            ("Emma", "Vogel", "05/30/1999", "000640183", "10405", "F"),
        ),
        same=False,
        enough={"first name": "full"},
    ),
    Example(
        "swapped",
        (
            ("Martin", "Paul", "09/23/1974", "000276015", "60311", "M"),
            ("Paul", "Martin", "09/23/1974", "000276015", "20095", "M"),
        ),
        same=True,
    ),
    Example(
        "junior",
        (
            ("Robert", "Seidel", "08/12/1948", "000330519", "28195", "M"),
            ("Robert", "Seidel Jr", "02/03/1979", "", "28195", "M"),
        ),
        same=False,
        enough={"last name": "partial"},
    ),
    Example(
        "letter",
        (
            ("Erik", "Lindner", "01/19/1986", "", "80331", "M"),
            ("Eric", "Lindner", "01/19/1986", "000218846", "80331", "M"),
        ),
        same=True,
        enough={"first name": "partial"},
    ),
    Example(
        "empty",
        (("", "Weber", "10/05/1962", "", "50667", "M"), ("Peter", "Weber", "", "", "90402", "M")),
        same=None,
        reason="bad data",
    ),
    Example(
        "nickname",
        (
            ("William", "Harris", "12/07/1959", "", "60311", "M"),
            ("Bill", "Harris", "12/07/1959", "000774102", "10405", "M"),
        ),
        same=True,
        enough={"first name": "full"},
    ),
    Example(
        "unnamed twin",
        (
            ("", "Moreno", "02/17/2003", "000518330", "28195", ""),
            ("Anna", "Moreno", "02/17/2003", "000518331", "28195", "F"),
        ),
        same=None,
        enough={"number": "partial"},
        reason="twins",
    ),
    Example(
        "transcribed",
        (
            ("Xiaoming", "Zhang", "06/21/1977", "", "10405", "M"),
            ("Hsiaoming", "Chang", "06/21/1977", "000291644", "10405", "M"),
        ),
        same=None,
        enough={"first name": "full", "last name": "full"},
        reason="needs expert",
    ),
)
"""Nobody has a number that begins with three zeros."""

_CROWD: Final = 200


@cache
def practice_index() -> PopulationIndex:
    """Index the records of the examples, two by two, and the crowd behind them."""
    rows = [record for example in EXAMPLES for record in example.records]
    rows += _crowd(rows)
    return build_index(
        SCHEMA,
        raw_columns(SCHEMA.names, [dict(zip(SCHEMA.names, row, strict=True)) for row in rows]),
    )


def _crowd(known: list[Record]) -> list[Record]:
    """Make people who share names and places with the examples, the same ones every time."""
    dice = Random(8)  # noqa: S311  # made-up people, not secrets
    firsts, lasts, zips = (
        sorted({row[place] for row in known} - {""})
        for place in (SCHEMA.place("first name"), SCHEMA.place("last name"), SCHEMA.place("ZIP"))
    )
    return [
        (
            dice.choice(firsts),
            dice.choice(lasts),
            f"{dice.randint(1, 12):02}/{dice.randint(1, 28):02}/{dice.randint(1940, 2004)}",
            f"000{dice.randrange(10**6):06}",
            dice.choice(zips),
            dice.choice("FM"),
        )
        for _ in range(_CROWD)
    ]
