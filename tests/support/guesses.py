"""Somebody who knows a person but for a number, and brings a database of guesses of it."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Final

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.services.pairs import bring_pairs
from mindfirl.services.projects import create_project
from mindfirl.store.models import Project

SCHEMA: Final = """
record_id = "id"

[[attribute]]
name = "first"
kind = "string"

[[attribute]]
name = "last"
kind = "string"

[[attribute]]
name = "born"
kind = "date"

[[attribute]]
name = "number"
kind = "string"
"""
NAMES: Final = ("Ann", "Bea", "Cora", "Dora", "Ella", "Fay", "Gina", "Hedy", "Ida", "Jane")
TARGET: Final = ("Mona", "Lindqvist", "1961-07-23")
NUMBER: Final = "481516234"

Row = tuple[str, str, str, str]


def digits(dice: random.Random) -> str:
    return f"{dice.randrange(10**8, 10**9)}"


def people(count: int, *, seed: int = 1) -> list[Row]:
    """Return the people of a database; the first is the target, with the number to be guessed."""
    dice = random.Random(seed)
    others = [
        (
            dice.choice(NAMES),
            dice.choice(NAMES) + dice.choice(NAMES).lower(),
            f"19{dice.randrange(40, 80)}-0{dice.randrange(1, 10)}-1{dice.randrange(10)}",
            digits(dice),
        )
        for _ in range(count - 1)
    ]
    return [(*TARGET, NUMBER), *others]


def random_guesses(count: int, right: int, *, seed: int = 2) -> list[str]:
    """Return guesses of the number, of which one is right."""
    dice = random.Random(seed)
    found = [digits(dice) for _ in range(count)]
    found[right] = NUMBER
    return found


def close_guesses(count: int, right: int, *, seed: int = 2) -> list[str]:
    """Return guesses that all differ from the number by one digit, but for the right one."""
    dice = random.Random(seed)
    other = [
        NUMBER[:place] + digit + NUMBER[place + 1 :]
        for place in range(len(NUMBER))
        for digit in "0123456789"
        if digit != NUMBER[place]
    ]
    found = [dice.choice(other) for _ in range(count)]
    found[right] = NUMBER
    return found


@dataclass(frozen=True)
class Guessed:
    """A project with a database of people and one of guesses about the first of them."""

    project: Project
    folder: Path
    guesses: int
    fillers: int

    def bring(self, pairs: list[tuple[int, int, float]]) -> None:
        """Bring pairs of a person, a guess or filler, and a weight."""
        path = self.folder / "pairs.csv"
        lines = [f"p{left},g{right},{weight}" for left, right, weight in pairs]
        path.write_text("\n".join(["left,right,weight", *lines]) + "\n", encoding="utf-8")
        bring_pairs(project=self.project, path=path, mode=None, progress=no_progress)


def make_guessed(
    folder: Path, guesses: list[str], *, persons: int = 300, fillers: int = 60
) -> Guessed:
    """Import both databases, as an administrator who gives a reason would."""
    folder.mkdir(parents=True, exist_ok=True)
    project = create_project(name="study", actor=COMMAND_LINE)
    tables = {"people": people(persons), "guesses": list(_brought(guesses, fillers))}
    sources = {}
    for name, rows in tables.items():
        path = folder / f"{name}.csv"
        lines = [f"{name[0]}{place},{','.join(row)}" for place, row in enumerate(rows)]
        path.write_text("\n".join(["id,first,last,born,number", *lines]) + "\n", encoding="utf-8")
        sources[name] = open_table(str(path))
    import_databases(
        project=project,
        sources=sources,
        schema=parse_schema(SCHEMA, "schema.toml"),
        confirmation="An attack is tried.",
    )
    return Guessed(project, folder, len(guesses), fillers)


def _brought(guesses: list[str], fillers: int) -> Iterator[Row]:
    for number in guesses:
        yield (*TARGET, number)
    yield from people(fillers + 1, seed=9)[1:]


@dataclass
class AdaptiveSearch:
    """Halves guesses by what is told of each half, so that every question follows from answers.

    ``ask`` is told which guesses to ask about, and a number that depends on all answers so far: by
    that it may choose how to ask. It returns a figure, which is lower for a half with the right
    guess if it tells anything, and the whole answer.
    """

    ask: Callable[[int, int, int], tuple[float | Fraction, object]]
    told: list[tuple[int, int, str]] = field(default_factory=list)

    def best_guess(self, guesses: int) -> int:
        first, end = 0, guesses
        while end - first > 1:
            middle = (first + end) // 2
            lower, upper = self._figure(first, middle), self._figure(middle, end)
            first, end = (middle, end) if upper < lower else (first, middle)
        return first

    def _figure(self, first: int, end: int) -> float | Fraction:
        figure, answer = self.ask(first, end, sum(map(ord, repr(self.told))))
        self.told.append((first, end, repr(answer)))
        return figure
