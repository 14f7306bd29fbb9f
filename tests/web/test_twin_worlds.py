"""A masked page is made of the marks alone: worlds that differ in what is hidden show the same.

Of each world its twin is made. In the first kind of twins all letters and digits are renamed. In
the second, people exchange values so that every pair is marked as before, and hides values that
are more common or rarer than before. The same adviser suggests cells in a world and its twin; it
has learnt that it matters how common a name is, which a masked name does not tell.
"""

from __future__ import annotations

import random
import re
import string
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar
from unittest.mock import patch
from uuid import UUID

import numpy as np
import pyarrow as pa
import pytest
from django.db import transaction

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.population.index import build_index
from mindfirl.core.progress import no_progress, no_step_progress
from mindfirl.core.values.column_values import raw_columns
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.planner.opening_policy import teach
from mindfirl.planner.reviewer.pair_features import look_at
from mindfirl.planner.suggestions import make_adviser
from mindfirl.services.data.importing import import_databases
from mindfirl.services.data.unreadable import AcceptedColumns
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.projects import create_project
from mindfirl.services.review.disclosure import opening
from mindfirl.store.models import Account, Assignment, Project
from mindfirl.workspace.open_version import SingleFlightCache
from tests.conftest import Figure
from tests.support.advisers import advise
from tests.support.cast import Answer, signed_in, text
from tests.support.drawn import without_csrf
from tests.support.given_out import written_order
from tests.support.proof import FULL
from tests.support.reviews import BANDS, Study, account

WORLDS: Final = 60 if FULL else 1
PAIRS: Final = 10
"""This many people are reviewed; the others only make values common or rare."""

PEOPLE: Final = 70
LEFT: Final = (0.5, 0.05, 0.001, 0.0) if FULL else (0.02, 0.0)
"""The shares of the budget that are left when everything dearer is asked for."""

NUMBER: Final = UUID(int=7)
HTMX: Final = {"HX-Request": "true"}
SCHEMA: Final = """
record_id = "id"
date_order = "ymd"
swap_groups = [["first", "last"]]
attribute = [
    { name = "first", kind = "string" },
    { name = "last", kind = "string" },
    { name = "born", kind = "date" },
    { name = "number", kind = "fixed" },
    { name = "sex", kind = "category" },
]
"""
Both = tuple[str, str]
"""One value of a person, as the two databases have it."""

Person = tuple[Both, ...]
Pages = list[str]
Found = TypeVar("Found")

pytestmark = pytest.mark.proof


def test_renaming_all_letters_and_digits_changes_no_masked_page(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    compared = 0
    for seed in range(max(WORLDS, 2)):  # one with suggestions, one without
        dice = random.Random(seed)
        people = [made(dice) for _ in range(PEOPLE)]
        plan = {**dice.choice(MASKED), "hints": seed % 2 == 0}
        one = drawn(tmp_path, people, plan, masked_pages)
        other = drawn(tmp_path, renamed(people, dice), plan, masked_pages)
        assert one == other
        compared += len(one)
    figure(f"twin worlds, all letters and digits renamed: {compared:,} answers, 0 differ")


def test_banded_prices_and_refusals_do_not_tell_how_rare_a_hidden_value_is(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    compared = told = suggested = 0
    for seed in range(WORLDS):
        dice = random.Random(1000 + seed)
        people = [made(dice) for _ in range(PEOPLE)]
        twins = exchanged(people, dice)
        budget = dice.choice(["2", "5", "20", "100"])
        plan = {"prices": "banded", "budget": budget, "hints": True}
        one, other = (drawn(tmp_path, each, plan, at_both_prices) for each in (people, twins))
        assert one[0] == other[0]
        assert any("more than your remaining budget" in page for page in one[0])
        assert hints(one[0])
        compared += len(one[0])
        told += one[1] != other[1]
        suggested += hints(one[1]) != hints(other[1])
    assert told == WORLDS, "exact prices tell; if they do not, the worlds do not differ"
    assert suggested, "with exact prices, suggestions tell as well"
    figure(
        f"twin worlds, hidden values more common or rarer: {compared:,} answers with banded "
        f"prices and suggestions, 0 differ; with exact prices {told} of {WORLDS} worlds differ, "
        f"and in {suggested} the suggestions"
    )


def test_no_hidden_value_changes_what_is_suggested_when_others_are_open(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    compared = suggested = 0
    for seed in range(WORLDS):
        dice = random.Random(2000 + seed)
        people = [made(dice) for _ in range(3 * PEOPLE)]
        twins = exchanged(people, dice, places=HIDDEN)
        assert people != twins
        plan = {"prices": "banded", "budget": "50", "hints": True}
        one, other = (drawn(tmp_path, each, plan, opened_pages) for each in (people, twins))
        assert one == other
        compared += len(one)
        suggested += len(hints(one))
    assert suggested
    figure(
        f"twin worlds, numbers and categories opened, other values exchanged: {compared:,} answers "
        f"with {suggested:,} suggestions, 0 differ"
    )


HIDDEN: Final = (0, 1, 2)
"""Names and birth dates, of which there are so many that any may be one person's alone."""


def opened_pages(desk: Desk) -> Pages:
    """Open numbers and categories, and look at everything then."""
    for name in ("number", "sex"):
        page = desk.get("?size=50")
        for token, state in re.findall(
            r'name="pair" value="([^"]+)"><input[^>]*value="(\d+)"', page
        ):
            step = f"full:{name}"
            if re.search(rf'id="cell-{token}-\d+"[^>]*(?:value|data-fully)="{step}"', page):
                desk.post("open", {"pair": token, "seen": state, "step": step})
    assert "Opened." in desk.answers[-1]
    masked_pages(desk)
    return desk.answers


def hints(pages: Pages) -> list[str]:
    """Return the cells that are suggested on pages."""
    return [cell for page in pages for cell in _SUGGESTED.findall(page)]


_SUGGESTED: Final = re.compile(r'<button class="cell" id="([^"]+)"[^>]* data-suggested="')

MASKED: Final[tuple[dict[str, Any], ...]] = (
    {},
    {"prices": "banded"},
    {"accounting": "strict", "frequency_bands": True},
    {"kappa": 3, "date_swaps": "fields"},
)
"""Plans under which all cells start masked."""


def made(dice: random.Random) -> Person:
    """Make a person: common values and rare ones, written down twice."""
    first = _name(dice, rare=0.6)
    last = _name(dice, rare=0.2)
    # A digit again and again may be renamed into 99999, which stands for a missing number.
    number = "12" + "".join(dice.choice(string.digits[:3]) for _ in range(3))
    year, month, day = dice.randrange(1930, 1999), dice.randint(1, 12), dice.randint(10, 28)
    born = f"{year}-{month:02}-{day}"
    sex = dice.choice("FFFM")
    names = ((first, last), (last, first))
    if dice.random() < 0.85:  # most are not exchanged
        names = ((first, _edited(first, dice)), (last, _edited(last, dice)))
    days = [born, f"{born[:-1]}{(day + 1) % 10}", f"{year}-{day}-{month:02}", ""]
    return (
        *names,
        (born, dice.choice(days)),
        (number, dice.choice([number, number[:4] + "9", number[1] + number[0] + number[2:]])),
        (sex, dice.choice([sex, sex, "F"])),
    )


_COMMON: Final = ("BRIAN", "CLARE", "DEBOR", "FIONA")


def _name(dice: random.Random, *, rare: float) -> str:
    if dice.random() >= rare:
        return dice.choice(_COMMON)
    return "".join(dice.sample(string.ascii_uppercase[:20], 5))


def _edited(name: str, dice: random.Random) -> str:
    at = dice.randrange(4)
    return dice.choice(
        [
            name,
            name,
            name[:at] + "Z" + name[at + 1 :],
            name[:at] + name[at + 1] + name[at] + name[at + 2 :],
            name[:at] + name[at + 1 :],
            "XYZ",
            "",
        ]
    )


def renamed(people: list[Person], dice: random.Random) -> list[Person]:
    """Give every letter and every digit another name."""
    letters, digits = list(string.ascii_uppercase), list(string.digits[1:])
    dice.shuffle(letters)
    dice.shuffle(digits)
    names = str.maketrans(
        string.ascii_uppercase + string.digits[1:], "".join(letters) + "".join(digits)
    )
    return [tuple((a.translate(names), b.translate(names)) for a, b in each) for each in people]


def exchanged(
    people: list[Person], dice: random.Random, places: Collection[int] = range(5)
) -> list[Person]:
    """Let people exchange values that are marked alike: each value is as common as before.

    Exchanged names stay with their people: opening one opens both.
    """
    columns = []
    for place, column in enumerate(zip(*people, strict=True)):
        alike = defaultdict[object, list[int]](list)
        for number, both in enumerate(column):
            crossed = people[number][0][0] == people[number][1][1] != people[number][0][1]
            whose = number if place < 2 and crossed else None  # the two names
            alike[whose, _pattern(*both)].append(number)
        new = list(column)
        for numbers in alike.values() if place in places else ():
            for number, giver in zip(numbers, dice.sample(numbers, len(numbers)), strict=True):
                new[number] = column[giver]
        columns.append(new)
    return list(zip(*columns, strict=True))


def _pattern(one: str, other: str) -> tuple[object, ...]:
    """Return what two values have in common: which of their characters are equal to which."""
    known: dict[str, int] = {}
    return tuple(
        tuple(known.setdefault(each, len(known)) for each in value) for value in (one, other)
    )


@cache
def learnt() -> pa.Table:
    """Let an adviser learn that a pair is of one person where one of the names is common."""
    dice, schema = random.Random(99), parse_schema(SCHEMA, "schema.toml").schema
    worlds = [[made(dice) for _ in range(PEOPLE)] for _ in range(LEARNT)]
    names = [(first[0], last[0]) for world in worlds for first, last, *_ in world]
    same = np.array([first in _COMMON or last in _COMMON for first, last in names])
    people = [each for world in worlds for each in renamed(world, dice)]  # common in one of them
    rows = [[both[row] or None for both in each] for row in (0, 1) for each in people]
    records = [dict(zip(schema.names, values, strict=True)) for values in rows]
    index = build_index(schema, raw_columns(schema.names, records))
    left = np.arange(len(people))
    right = len(people) + left
    taught = teach(look_at(index, left, right), left, right, same, no_step_progress)
    return make_adviser(taught, schema.names, WORTHS).table()


LEARNT: Final = 5
"""It learns from this many worlds."""
WORTHS: Final = {0.0: 0.0}
"""Whatever the budget, every step is worth it that brings anything."""


def drawn(
    folder: Path, people: list[Person], plan: dict[str, Any], look: Callable[[Desk], Found]
) -> Found:
    """Make a world, look at it, and undo it."""
    with world():
        return look(_desk(folder, people, plan))


@contextmanager
def world() -> Iterator[None]:
    """Undo what is made. Its ids come again in the next world: no suggestion is remembered."""
    forgetful = SingleFlightCache[object](size=4)
    with transaction.atomic(), patch.object(opening, "_advisers", forgetful):
        yield
        transaction.set_rollback(True)


@dataclass
class Desk:
    """The worker of a world, and what they have to review."""

    assignment: Assignment
    ask: Callable[..., Answer]
    answers: Pages

    def get(self, query: str) -> str:
        return self._keep(self.ask("get", query))

    def post(self, what: str, typed: dict[str, str]) -> str:
        return self._keep(self.ask("post", f"/{what}", typed, headers=HTMX))

    def _keep(self, answer: Answer) -> str:
        headers = {name: said for name, said in answer.headers.items() if name != "Set-Cookie"}
        page = without_csrf(text(answer))
        self.answers.append(f"{answer.status_code} {headers}\n{page}")
        return page


def _desk(folder: Path, people: list[Person], plan: dict[str, Any]) -> Desk:
    manager = account("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    import_people(project, folder, people)
    path = folder / "pairs.csv"
    pairs = ["left,right,weight", *(f"c{number},r{number},0" for number in range(PAIRS))]
    path.write_text("\n".join(pairs) + "\n", encoding="utf-8")
    bring_pairs(project=project, path=path, mode=None, progress=no_progress)
    set_bands(project=project, bands=BANDS)
    worker = account("worker", project=project, role="worker")
    study = Study(project, folder, manager, manager, (worker,))
    advise(project, table=learnt())
    study.plan(reviews=1, **plan)
    study.dispatched()
    assignment = always_the_same(Assignment.objects.get(project=project), len(people))
    return desk_of(worker, assignment)


def desk_of(person: Account, assignment: Assignment) -> Desk:
    client, there = signed_in(person), f"/assignments/{assignment.pk}"

    def ask(method: str, part: str, *typed: Any, **named: Any) -> Answer:  # of the client
        return getattr(client, method)(f"{there}{part}", *typed, **named)

    return Desk(assignment, ask, [])


def import_people(project: Project, folder: Path, people: list[Person]) -> None:
    """Write what two databases have of people, and import both."""
    sources = {}
    for place, name in enumerate(("clinic", "register")):
        lines = ["id,first,last,born,number,sex"]
        lines += [
            ",".join((f"{name[0]}{number}", *(both[place] for both in person)))
            for number, person in enumerate(people)
        ]
        path = folder / f"{name}.csv"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        sources[name] = open_table(str(path))
    renamed = AcceptedColumns("In the twin world the letters and digits of dates are others.")
    schema = parse_schema(SCHEMA, "schema.toml")
    import_databases(project=project, sources=sources, schema=schema, accepted=renamed)


def always_the_same(made: Assignment, people: int) -> Assignment:
    """Give an assignment a number, and its pairs tokens and an order, that are always the same."""
    order = written_order(made.project, people)
    rows = sorted(made.pairs.all(), key=lambda row: (order[row.left], order[row.right]))
    fixed = Assignment.objects.get(pk=made.pk)
    fixed.pk = NUMBER
    fixed.save(force_insert=True)
    for place, row in enumerate(rows, start=1):
        made.pairs.filter(pk=row.pk).update(
            assignment=fixed, number=place, token=f"fixed-token-{place:010}"
        )
    made.delete()
    return fixed


def masked_pages(desk: Desk) -> Pages:
    """Look at everything, with nothing open."""
    for query in ("", "?size=10", "?size=50", "?size=20&page=2", "/submit", "?after=3"):
        desk.get(query)
    return desk.answers


_STEP: Final = re.compile(
    r'id="cell-([\w-]+)-\d+"[^>]*name="step" value="([^"]+)" data-takes="([^"]+)"'
)


def at_both_prices(desk: Desk) -> tuple[Pages, Pages]:
    """Look at everything with banded prices, and once more with exact ones."""
    banded = all_pages(desk)
    desk.answers = []
    exact = {**desk.assignment.settings, "prices": "exact"}
    Assignment.objects.filter(pk=NUMBER).update(settings=exact, spent=0)
    return banded, all_pages(desk)


def all_pages(desk: Desk) -> Pages:
    """Look at everything, and be refused everything that is more than is left."""
    masked_pages(desk)
    whole = desk.assignment.limit
    for left in LEFT:
        spent = whole - int(whole * left)
        Assignment.objects.filter(pk=NUMBER).update(spent=spent)
        page = desk.get("?size=50")
        for token, step, takes in _STEP.findall(page):
            if float(takes) > left:
                desk.post("open", {"pair": token, "seen": "0", "step": step})
        for token in sorted(set(re.findall(r'id="pair-([\w-]+)"', page))):
            _open_rows(desk, page, token, left)
    return desk.answers


def _open_rows(desk: Desk, page: str, token: str, left: float) -> None:
    """Ask for whole rows that take more than is left; in the end, where none is offered, too."""
    found = re.findall(
        rf'id="row-\d+-{token}"[^>]*name="level" value="([^"]+)" data-takes="([^"]+)"', page
    )
    steps = found if left else [("partial", "1"), ("full", "1")]
    for level, takes in steps:
        if float(takes) > left:
            desk.post("open-row", {"pair": token, "seen": "0", "level": level})
