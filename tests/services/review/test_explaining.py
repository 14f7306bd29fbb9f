"""What a weight is made of: told to adjudicators who ask, once in the ledger, without a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import NotAllowed, NotOpen, NotYours
from mindfirl.core.ledger.events import Explained
from mindfirl.core.ledger.replay import read
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.scoring.blocking import Blocking
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.model import ClassKind, LearntClass, Level, Model
from mindfirl.services.dispatch import assignments
from mindfirl.services.pairs import find_pairs, plan_pairs, set_bands
from mindfirl.services.review.disclosure.explaining import (
    Explanation,
    explain_weight,
    explanation,
    explanations_of,
    told_apart,
)
from mindfirl.store.ledger.marks import mac_key, together_mac
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, LedgerHead, Scoring
from mindfirl.workspace.open_version import open_version
from tests.support.conflicts import (
    DIFFERENT,
    SAME,
    adjudicator,
    conflicting,
    disagree,
    give,
    give_conflicts,
    hand_in,
    say,
)
from tests.support.ledgers import verify_project
from tests.support.reviews import Study, make_study


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return conflicting(tmp_path)


@pytest.fixture
def mine(study: Study) -> Assignment:
    disagree(study, adjudicator(study))
    (given,) = give_conflicts(study)
    return given


def ask(mine: Assignment, number: int = 1, **changes: Any) -> int:
    asked: dict[str, Any] = {
        "account": mine.account,
        "assignment": mine,
        "token": mine.pairs.get(number=number).token,
        "now": timezone.now(),
    }
    return explain_weight(**(asked | changes))


def told(study: Study) -> list[Explained]:
    events = (entry.event for entry in read(lines(study.project)))
    return [event for event in events if isinstance(event, Explained)]


def test_it_is_told_in_the_ledger_once(study: Study, mine: Assignment) -> None:
    assert explanations_of(assignment=mine, numbers=range(1, 11)) == {}
    assert ask(mine, 3) == ask(mine, 3) == 3
    assert told(study) == [Explained(str(mine.pk), 3)]
    assert set(explanations_of(assignment=mine, numbers=range(1, 11))) == {3}
    ask(mine, 4)
    assert len(told(study)) == 2
    verify_project(study.project)


def test_what_all_have_seen_together_stays_known(study: Study, mine: Assignment) -> None:
    head = LedgerHead.objects.get(project=study.project)
    mac = together_mac(mac_key(), study.project.pk, head.digest, 7)
    LedgerHead.objects.filter(pk=head.pk).update(together=7, together_mac=mac)
    ask(mine)
    assert LedgerHead.objects.get(project=study.project).together == 7


def test_a_pair_from_elsewhere_has_a_weight_alone(mine: Assignment) -> None:
    ask(mine)
    explained = explanations_of(assignment=mine, numbers=[1])[1]
    assert (explained.weight, explained.parts) == (0.0, ())


def test_whoever_reviews_is_refused(study: Study, mine: Assignment) -> None:
    review = give_back(study)
    with pytest.raises(NotAllowed):
        ask(review)
    with pytest.raises(NotYours):
        ask(mine, account=review.account)
    with pytest.raises(NotYours):
        ask(mine, token=review.pairs.get(number=1).token)
    with pytest.raises(NotYours):
        ask(mine, token="\0")
    assert told(study) == []


def give_back(study: Study) -> Assignment:
    """Return a review as if it were under way."""
    Assignment.objects.filter(kind="review").update(state="open")
    return Assignment.objects.filter(account=study.workers[0]).get()


def test_nothing_is_explained_while_an_assignment_is_paused(study: Study, mine: Assignment) -> None:
    assignments.pause(assignment=mine, actor=study.actor)
    with pytest.raises(NotOpen):
        ask(mine)
    assert told(study) == []


def test_it_says_what_each_attribute_adds(home: Path, tmp_path: Path) -> None:
    assert home.exists()
    study = make_study(tmp_path)
    plan = plan_pairs(project=study.project)
    find_pairs(
        project=study.project, blocked=plan, engine=DuckDBEngine(), seed=1, progress=no_progress
    )
    set_bands(project=study.project, bands=Bands(-30, 100))
    for place, each in enumerate(give(study, adjudicator(study), reviews=3, most_pairs="60")):
        say(each, SAME if place else DIFFERENT)
        hand_in(each)
    (mine,) = give_conflicts(study)
    model = Model.from_json(Scoring.objects.get().model)
    for number in range(1, mine.size + 1):
        ask(mine, number)
    for opened in ((), ("born",), ("born", "sex"), ("first", "last", "born", "sex")):
        for pair in mine.pairs.all():
            for name in set(opened) - set(pair.open_cells.values_list("attribute", flat=True)):
                pair.open_cells.create(attribute=name, level="full", entry=1)
        found = explanations_of(assignment=mine, numbers=range(1, mine.size + 1))
        assert len(found) == mine.size
        for number, one in found.items():
            assert [name for name, _, _ in one.parts] == list(opened)
            _check_sum(one, mine.pairs.get(number=number).weight)
            for name, level, adds in one.parts:
                assert level in {each.name for each in model.attributes[name]}
                assert adds == round(adds, 1)
        assert len({one.parts for one in found.values()}) > bool(opened)


def _check_sum(one: Explanation, weight: float) -> None:
    assert one.rest is not None
    assert one.weight == pytest.approx(one.prior + sum(adds for *_, adds in one.parts) + one.rest)
    assert abs(one.weight - weight) <= 0.6


_LEVELS: Final = ("missing", "different", "similar", "identical")


@pytest.fixture(scope="module")
def model() -> Model:
    """Three attributes, in classes that depend on each other."""
    tables = {
        "matches": (2e-4, [0.05, 0.1, 0.85]),
        "strangers": (0.9995, [0.97, 0.02, 0.01]),
        "other people": (3e-4, [0.5, 0.1, 0.4]),
    }
    kinds: tuple[ClassKind, ...] = ("matches", "strangers", "other people")
    return Model(
        {name: tuple(Level(level, 0.0) for level in _LEVELS) for name in ("first", "last", "born")},
        -12.0,
        tuple(LearntClass(kind, tables[kind][0], (tuple(tables[kind][1]),) * 3) for kind in kinds),
        1.0,
        Blocking((), ()),
        "link",
        1,
        "none",
    )


@given(
    levels=st.tuples(*(st.integers(0, 3) for _ in range(3))),
    hidden=st.tuples(*(st.integers(0, 3) for _ in range(3))),
    full=st.sets(st.sampled_from(["first", "last", "born"])),
    rarity=st.floats(-5, 15),
)
def test_what_is_not_open_shows_in_whole_bits_of_a_sum_alone(
    model: Model,
    levels: tuple[int, ...],
    hidden: tuple[int, ...],
    full: set[str],
    rarity: float,
) -> None:
    one = dict(zip(model.attributes, levels, strict=True))
    changed = dict(zip(model.attributes, hidden, strict=True))
    other = {name: one[name] if name in full else changed[name] for name in one}
    weight = float(model.weights([np.array([level]) for level in one.values()], rarity)[0])
    told, again = (explanation(model, weight, each, full) for each in (one, other))
    assert told == again, "nothing but the weight depends on what is not open"
    _check_sum(told, weight)
    assert [name for name, _, _ in told.parts] == [name for name in one if name in full]


def test_of_two_attributes_that_may_be_exchanged_one_alone_is_not_told(mine: Assignment) -> None:
    pair = mine.pairs.get(number=1)
    pair.open_cells.all().delete()
    swaps = open_version(mine.version).schema.swap_groups
    assert swaps == (("first", "last"),)
    pair.open_cells.create(attribute="first", level="full", entry=1)
    assert told_apart(mine, pair) == set()
    pair.open_cells.create(attribute="last", level="full", entry=1)
    assert told_apart(mine, pair) == {"first", "last"}
