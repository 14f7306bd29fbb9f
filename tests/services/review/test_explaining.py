"""What a weight is made of: told to adjudicators who ask, once in the ledger, without a value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from mindfirl.core.errors import NotAllowed, NotOpen, NotYours
from mindfirl.core.ledger.events import Explained
from mindfirl.core.ledger.replay import read
from mindfirl.core.progress import no_progress
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.model import Model
from mindfirl.services.dispatch import assignments
from mindfirl.services.pairs import find_pairs, plan_pairs, set_bands
from mindfirl.services.review.disclosure.explaining import explain_weight, explanations_of
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment, LedgerHead, Scoring
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
    LedgerHead.objects.filter(project=study.project).update(together=7)
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
    set_bands(project=study.project, bands=Bands(-30, 100), progress=no_progress)
    for place, each in enumerate(give(study, adjudicator(study), reviews=3, most_pairs="60")):
        say(each, SAME if place else DIFFERENT)
        hand_in(each)
    (mine,) = give_conflicts(study)
    model = Model.from_json(Scoring.objects.get().model)
    for number in range(1, mine.size + 1):
        ask(mine, number)
    found = explanations_of(assignment=mine, numbers=range(1, mine.size + 1))
    assert len(found) == mine.size
    for one in found.values():
        assert [name for name, _, _ in one.parts] == ["first", "last", "born", "sex"]
        assert one.weight == pytest.approx(one.prior + sum(adds for *_, adds in one.parts))
        for name, level, adds in one.parts:
            assert level in {each.name for each in model.attributes[name]}
            assert adds == round(adds, 1)
    assert len({one.parts for one in found.values()}) > 1
