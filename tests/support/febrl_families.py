"""FEBRL's people with relatives, who are not in its files: plain FEBRL has no uncertain pairs.

For a share of the persons a twin, a brother or sister, or a junior is derived from their record and
written into both files, the second time with errors of FEBRL's kinds, or under a short name. As in
life, many records have no number, in both files.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np

from tests.engine.test_febrl import FOLDER
from tests.support.planned import Uncertain, uncertain
from tests.support.scoring_populations import febrl

NAMES: Final = ("dataset4a", "dataset4b")
RELATED: Final = 0.6
"""The share of persons who get a relative."""
NO_NUMBER: Final = 0.4
"""The share of records, in both files, whose number is not known."""
KINDS: Final = ("twins", "siblings", "juniors")
PARENTS: Final = "1970"
"""Who was born before can have a junior."""
FIRST: Final = 10_000
"""Relatives are numbered from here on; FEBRL's own are below."""
ERRORS: Final = (1, 2, 2, 3, 3, 4)
CALLED: Final = 0.25
"""The share of relatives who are called by a short name in the second file."""
ENDINGS: Final = ("", "ie", "y")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
EXCHANGED: Final = (("given_name", "surname"), ("address_1", "address_2"))

Row = dict[str, str]


def uncertain_families(*, seed: int = 1) -> Uncertain:
    """Return the uncertain pairs of FEBRL 4 with families, and the family of each."""
    with TemporaryDirectory() as folder:
        kinds = write_families(Path(folder), seed=seed)
        known = febrl(*NAMES, folder=Path(folder))
    family = np.array([kinds.get(person, "") for person in known.persons.tolist()])
    return uncertain(known, family)


def write_families(folder: Path, *, seed: int) -> dict[int, str]:
    """Write both files with relatives added; return the family of each person who has one."""
    dice = Random(seed)
    files = [_read(FOLDER / f"{name}.csv") for name in NAMES]
    people = {_person(row): row for row in files[0]}
    chosen = dice.sample(sorted(people), round(len(people) * RELATED))
    family: dict[int, str] = {}
    for number, person in enumerate(chosen, start=FIRST):
        fits = KINDS if people[person]["date_of_birth"] < PARENTS else KINDS[:2]
        kind = dice.choice(fits)
        family[person] = family[number] = kind
        relative = _RELATE[kind](dice, people[person], files[0])
        files[0].append(relative | {"rec_id": f"rec-{number}-org"})
        files[1].append(_with_errors(dice, relative, files[0]) | {"rec_id": f"rec-{number}-dup-0"})
    for name, rows in zip(NAMES, files, strict=True):
        for row in rows:
            row["soc_sec_id"] = "" if dice.random() < NO_NUMBER else row["soc_sec_id"]
        dice.shuffle(rows)
        _write(folder / f"{name}.csv", rows)
    return family


def _read(path: Path) -> list[Row]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, skipinitialspace=True))


def _write(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _person(row: Row) -> int:
    return int(row["rec_id"].split("-")[1])


def _twin(dice: Random, row: Row, others: list[Row]) -> Row:
    return _at_home(dice, row, others) | {
        "date_of_birth": row["date_of_birth"],
        "soc_sec_id": _after(dice, row["soc_sec_id"], 9),
    }


def _sibling(dice: Random, row: Row, others: list[Row]) -> Row:
    return _at_home(dice, row, others) | {
        "date_of_birth": _later(dice, row["date_of_birth"], (1, 8)),
        "soc_sec_id": _after(dice, row["soc_sec_id"], 99),
    }


def _junior(dice: Random, row: Row, others: list[Row]) -> Row:
    return _at_home(dice, row, others) | {
        "given_name": row["given_name"],
        "surname": row["surname"] + (" jr" if row["surname"] and dice.random() < 0.6 else ""),
        "date_of_birth": _later(dice, row["date_of_birth"], (18, 40)),
        "soc_sec_id": f"{dice.randrange(10**6, 10**7)}",
    }


_RELATE: Final[dict[str, Callable[[Random, Row, list[Row]], Row]]] = {
    "twins": _twin,
    "siblings": _sibling,
    "juniors": _junior,
}


def _at_home(dice: Random, row: Row, others: list[Row]) -> Row:
    """Return somebody who lives with another, with somebody else's given name."""
    return row | {"given_name": dice.choice(others)["given_name"]}


def _after(dice: Random, number: str, most: int) -> str:
    return f"{(int(number) + dice.randint(1, most)) % 10**7:07}" if number else ""


def _later(dice: Random, born: str, years: tuple[int, int]) -> str:
    if not re.fullmatch(r"\d{8}", born):
        return born
    days = timedelta(days=dice.randint(*years) * 365 + dice.randint(-180, 180))
    first = date(int(born[:4]), int(born[4:6]), int(born[6:]))
    return (first + days).strftime("%Y%m%d")


def _with_errors(dice: Random, row: Row, others: list[Row]) -> Row:
    """Write a record as FEBRL writes duplicates: wrong in one field or several."""
    wrong = dict(row)
    if dice.random() < CALLED:
        wrong["given_name"] = row["given_name"][:3] + dice.choice(ENDINGS)
    fields = [name for name, value in row.items() if value and name != "rec_id"]
    for name in dice.sample(fields, dice.choice(ERRORS)):
        error = dice.choices(("typed", "lost", "other", "exchanged"), (70, 12, 8, 10))[0]
        if error == "typed":
            wrong[name] = _mistyped(dice, wrong[name])
        elif error == "lost":
            wrong[name] = ""
        elif error == "other":
            wrong[name] = dice.choice(others)[name]
        else:
            one, other = dice.choice(EXCHANGED)
            wrong[one], wrong[other] = wrong[other], wrong[one]
    return wrong


def _mistyped(dice: Random, text: str) -> str:
    """Insert, leave out, replace or exchange characters."""
    place = dice.randrange(len(text)) if text else 0
    before, here, after = text[:place], text[place : place + 1], text[place + 1 :]
    extra = dice.choice("0123456789" if text.isdecimal() else LETTERS)
    wrong = [before + extra + after, before + after[:1] + here + after[1:]]
    if not text.isdecimal():
        wrong += [before + after, before + extra + here + after, f"{before} {here}{after}"]
    return dice.choice(wrong)
