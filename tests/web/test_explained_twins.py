"""An explained weight tells no relation between values that the screen does not show.

In a world, a quarter of the pairs have one name in the column of the other, beside a name that is
another altogether; in its twin that name is just another one. Both are shown as too different.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from django.db import transaction
from django.test import Client

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.services.data.importing import import_databases
from mindfirl.services.pairs import find_pairs, plan_pairs, set_bands
from mindfirl.services.projects import create_project
from mindfirl.services.review.disclosure import explaining
from mindfirl.store.models import AssignedPair, Assignment, Project
from tests.conftest import Figure
from tests.support.cast import signed_in, text
from tests.support.conflicts import DIFFERENT, SAME, adjudicator, give, give_conflicts, hand_in, say
from tests.support.drawn import without_csrf
from tests.support.given_out import written_order
from tests.support.proof import FULL
from tests.support.reviews import Study, account
from tests.web.test_twin_worlds import HTMX, SCHEMA, Person

pytestmark = pytest.mark.proof

WORLDS: Final = 20 if FULL else 1
PEOPLE: Final = 70
OPENED: Final = ("sex", "number")
"""What is opened before the last look: nothing of the names."""
NUMBER: Final = re.compile(r"[-−+–]?\d+(?:\.\d+)?")
EXPLAINED: Final = re.compile(r'<div class="weighed".*?</div>', re.DOTALL)


def test_an_explained_weight_tells_no_relation_that_the_screen_does_not_show(
    home: Path, tmp_path: Path, figure: Figure, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert home.exists()
    explained = 0
    for seed in range(WORLDS):
        dice = random.Random(seed)
        people = [made(dice, crossed=number % 4 == 0) for number in range(PEOPLE)]
        twins = [uncrossed(person, dice) for person in people]
        one, other = (drawn(tmp_path, each) for each in (people, twins))
        assert one == other
        explained += len(one)
        assert any("Number: " in each for each in one)
        monkeypatch.setattr(explaining, "told_apart", lambda *_: {"first", "last", *OPENED})
        assert drawn(tmp_path, people) != drawn(tmp_path, twins), "the weights know the relation"
        monkeypatch.undo()
    assert explained > WORLDS * 100
    figure(
        f"twin worlds with explanations: {explained:,} explained weights, 0 tell a relation beyond "
        "what is shown; if hidden names were itemised, every world would"
    )


def made(dice: random.Random, *, crossed: bool) -> Person:
    """Make a person, with names that are altogether different in the two databases if crossed."""
    letters = dice.sample(string.ascii_uppercase, 15)
    first, last, other = ("".join(letters[at : at + 5]) for at in range(0, 15, 5))
    number = "".join(dice.choice(string.digits[1:]) for _ in range(5))
    born = f"{dice.randrange(1930, 1999)}-{dice.randint(1, 12):02}-{dice.randint(10, 28)}"
    sex = dice.choice("FM")
    same = (born, born), (number, number), (sex, sex)
    names = ((first, last), (last, other)) if crossed else ((first, first), (last, last))
    return *names, *same


def uncrossed(person: Person, dice: random.Random) -> Person:
    """Let nobody have the one name in the column of the other."""
    (first, second), lasts, *rest = person
    used = {*first, *second, *lasts[0], *lasts[1]}
    unused = sorted(set(string.ascii_uppercase) - used)
    another = "".join(dice.sample(unused, 5))
    return ((first, another if second == lasts[0] else second), lasts, *rest)


def drawn(folder: Path, people: list[Person]) -> list[str]:
    """Make a world, let an adjudicator ask for all weights in it, and undo it."""
    with transaction.atomic():
        mine, names = _given(folder, people)
        answers = list(_explained(signed_in(mine.account), mine, names))
        transaction.set_rollback(True)
    return answers


def _given(folder: Path, people: list[Person]) -> tuple[Assignment, list[str]]:
    """Score a world, and let reviewers disagree on all pairs; return those of one person."""
    manager = account("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    _import(project, folder, people)
    plan = plan_pairs(project=project)
    find_pairs(project=project, blocked=plan, engine=DuckDBEngine(), seed=1, progress=no_progress)
    set_bands(project=project, bands=Bands(-100, 100))
    workers = tuple(account(f"w{n}", project=project, role="worker") for n in range(2))
    study = Study(project, folder, manager, manager, workers)
    for place, each in enumerate(give(study, adjudicator(study), reviews=2)):
        say(each, SAME if place else DIFFERENT)
        hand_in(each)
    (mine,) = give_conflicts(study)
    return Assignment.objects.select_related("account").get(pk=mine.pk), _fixed(mine, len(people))


def _import(project: Project, folder: Path, people: list[Person]) -> None:
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
    import_databases(project=project, sources=sources, schema=parse_schema(SCHEMA, "schema.toml"))


def _fixed(mine: Assignment, people: int) -> list[str]:
    """Give the pairs of one person tokens that are always the same; return these in order."""
    order, names = written_order(mine.project, people), dict[int, str]()
    for each in mine.pairs.all():
        person = order[each.left]
        if person == order[each.right] - people:
            names[person] = f"fixed-token-{person:010}"
            AssignedPair.objects.filter(pk=each.pk).update(token=names[person])
    return [names[person] for person in sorted(names)]


def _explained(client: Client, mine: Assignment, names: list[str]) -> Iterator[str]:
    """Ask for the weights, with nothing open and with something; leave out all numbers."""
    there = f"/assignments/{mine.pk}"
    assert len(names) > PEOPLE * 0.9
    for opened in ((), OPENED):
        for name in names:
            typed = {"pair": name}
            for seen, attribute in enumerate(opened):
                step = {"seen": str(seen), "step": f"full:{attribute}"}
                client.post(f"{there}/open", {**typed, **step}, headers=HTMX)
            answer = client.post(f"{there}/explain", typed, headers=HTMX)
            assert answer.status_code == 200
            page = without_csrf(text(answer)).replace(str(mine.pk), "")
            (weighed,) = EXPLAINED.findall(page)
            yield NUMBER.sub("#", weighed)
