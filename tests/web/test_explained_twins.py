"""An explained weight tells no relation between values that the screen does not show.

All answers are held byte for byte, but for the numbers within explanations: what is not open is one
number in whole bits there, and what is open weighs as the model has learnt of all records.

In a world, a quarter of the pairs have one name in the column of the other, beside a name that is
another altogether; in its twin that name is just another one. Both are shown as too different.
"""

from __future__ import annotations

import random
import re
import string
from functools import partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

import pytest

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.services import pairs
from mindfirl.services.pairs import find_pairs, plan_pairs, set_bands
from mindfirl.services.projects import create_project
from mindfirl.services.review.disclosure import explaining
from tests.conftest import Figure
from tests.support.advisers import advise
from tests.support.conflicts import DIFFERENT, SAME, adjudicator, give, give_conflicts, hand_in, say
from tests.support.proof import FULL
from tests.support.reviews import Study, account
from tests.web.test_twin_worlds import (
    Desk,
    Person,
    always_the_same,
    desk_of,
    hints,
    import_people,
    learnt,
    masked_pages,
    world,
)

pytestmark = pytest.mark.proof

WORLDS: Final = 20 if FULL else 1
PEOPLE: Final = 70
OPENED: Final = ("sex", "number")
"""What is opened before the last look: nothing of the names."""
LIGHTER_THAN_ANY: Final = -100.0
NUMBER: Final = re.compile(r"[-−+–]?\d+(?:\.\d+)?")
LENGTH: Final = re.compile("'Content-Length': '[0-9]+', ")
EXPLAINED: Final = re.compile(r'<div class="weighed".*?</div>', re.DOTALL)


def test_an_explained_weight_tells_no_relation_that_the_screen_does_not_show(
    home: Path, tmp_path: Path, figure: Figure
) -> None:
    assert home.exists()
    compared = explained = 0
    for seed in range(WORLDS):
        dice = random.Random(seed)
        people = [made(dice, crossed=number % 4 == 0) for number in range(PEOPLE)]
        twins = [uncrossed(person, dice) for person in people]
        (one, one_itemised), (other, other_itemised) = (
            drawn(tmp_path, each) for each in (people, twins)
        )
        assert one == other
        assert one_itemised != other_itemised, "the weights know the relation"
        compared += len(one)
        explained += sum(map(_weights_in, one))
        assert any("Number: " in each for each in one)
        assert hints(one)
    assert explained >= WORLDS * 2 * PEOPLE
    figure(
        f"twin worlds with explanations, banded prices and suggestions: {compared:,} answers with "
        f"{explained:,} explained weights, 0 differ but in the sums of what is not open; if hidden "
        "names were itemised, every world would"
    )


def _weights_in(answer: str) -> int:
    return len(EXPLAINED.findall(answer))


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


def drawn(folder: Path, people: list[Person]) -> tuple[list[str], list[str]]:
    """Make a world, let an adjudicator ask for all weights in it, and undo it.

    Return the answers, and what pages would be if explanations itemised the names, closed or not.
    """
    with world():
        desk = _desk(folder, people)
        answers = [_comparable(each) for each in _answers(desk)]
        desk.answers = []
        with patch.object(explaining, "told_apart", lambda *_: {"first", "last", *OPENED}):
            return answers, [_comparable(each) for each in masked_pages(desk)]


def _desk(folder: Path, people: list[Person]) -> Desk:
    """Score a world, let reviewers disagree on all pairs, and give them to one person.

    Which pairs are kept, and which of them are for people, depends on their weights, and these know
    of what is hidden. So all are kept here, and all are for people.
    """
    manager = account("manager")
    project = create_project(name="study", actor=COMMAND_LINE, account=manager, synthetic=True)
    import_people(project, folder, people)
    plan = plan_pairs(project=project, source="own", own=["born + number"])
    with patch.object(pairs, "score_pairs", partial(score_pairs, least_weight=LIGHTER_THAN_ANY)):
        find_pairs(
            project=project, blocked=plan, engine=DuckDBEngine(), seed=1, progress=no_progress
        )
    set_bands(project=project, bands=Bands(LIGHTER_THAN_ANY, -LIGHTER_THAN_ANY))
    advise(project, table=learnt())
    workers = tuple(account(f"w{n}", project=project, role="worker") for n in range(2))
    study = Study(project, folder, manager, manager, workers)
    judge = adjudicator(study)
    for place, each in enumerate(give(study, judge, reviews=2, prices="banded", hints=True)):
        say(each, SAME if place else DIFFERENT)
        hand_in(each)
    (mine,) = give_conflicts(study)
    return desk_of(judge, always_the_same(mine, len(people)))


def _answers(desk: Desk) -> list[str]:
    """Look at everything with all weights explained: with nothing open, and with something."""
    tokens = sorted(desk.assignment.pairs.values_list("token", flat=True))
    assert len(tokens) == PEOPLE
    for opened in ((), OPENED):
        for token in tokens:
            for seen, name in enumerate(opened):
                step = {"pair": token, "seen": str(seen), "step": f"full:{name}"}
                assert "Opened." in desk.post("open", step)
            assert EXPLAINED.search(desk.post("explain", {"pair": token}))
        masked_pages(desk)
    return desk.answers


def _comparable(answer: str) -> str:
    """Leave out the numbers within explanations, and how long an answer is by them."""
    same, found = EXPLAINED.subn(lambda weighed: NUMBER.sub("#", weighed.group()), answer)
    return LENGTH.sub("", same) if found else same
