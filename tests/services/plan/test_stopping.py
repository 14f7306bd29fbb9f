"""What stopping now would come to: counted again, pair by pair, from what was said."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from mindfirl.core.errors import NotAllowed
from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.measures import (
    Tally,
    right_by_agreement,
    right_together,
    usually_right,
)
from mindfirl.core.review.agreement import observed_agreement
from mindfirl.core.review.decisions import Decision, resolve
from mindfirl.engine.bands.burden import Bands
from mindfirl.services.pairs import set_bands
from mindfirl.services.plan.stopping import Stopping, if_stopped
from mindfirl.store.models import AssignedPair
from mindfirl.store.queries.access import actor_for
from mindfirl.workspace.open_pairs import open_pairs
from tests.support import conflicts
from tests.support.reviews import Study, bring, make_study
from tests.support.voting import NOON, say, shared

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


def found(study: Study) -> Stopping:
    answer = if_stopped(project=study.project, actor=study.actor)
    assert answer is not None
    return answer


def recounted(study: Study, *, finished: bool) -> Tally:
    """Decide every candidate by what was said of it, one by one."""
    pairs, votes = open_pairs(study.project), defaultdict[tuple[int, int], list[Decision]](list)
    for each in AssignedPair.objects.exclude(verdict="").select_related("assignment"):
        decision = Decision(each.verdict, each.reason or None)  # type: ignore[arg-type]  # as kept
        votes[each.left, each.right].append(decision)
    sides = [
        {str(n): str(each.same) for n, each in enumerate(given) if each.same is not None}
        for given in votes.values()
    ]
    right = right_by_agreement(observed_agreement(sides), usually_right(Habits()))
    together, tally = right_together(right, 2, "unanimous"), Tally()
    sent = pairs.settlement.sent.tolist()
    automatic = (pairs.settlement.linked | pairs.settlement.settled).tolist()
    for number, weight in enumerate(pairs.candidates.weight.tolist()):
        p = 1 / (1 + 2**-weight)
        given = votes[int(pairs.candidates.left[number]), int(pairs.candidates.right[number])]
        outcome = resolve(given, "unanimous").outcome
        if outcome != "open":
            wrong, good = (1 - right) ** len(given), right ** len(given)
            linked = outcome == "link"
            sure = max(good / (good + wrong), p if linked else 1 - p)
            p = sure if linked else 1 - sure
            tally += Tally(1, linked, p * linked, p)
        elif finished and sent[number] and max(p, 1 - p) < together:
            links = p * together + (1 - p) * (1 - together)
            tally += Tally(1, links, p * together, p)
        else:
            linked = p >= 0.5 if sent[number] else automatic[number]
            tally += Tally(1, linked, p * linked, p)
    return tally


def same(one: Tally, other: Tally) -> bool:
    return all(
        getattr(one, name) == pytest.approx(getattr(other, name)) for name in Tally.__slots__
    )


def test_before_pairs_are_given_out_and_after_all_are_settled_there_is_nothing(
    study: Study,
) -> None:
    assert if_stopped(project=study.project, actor=study.actor) is None
    study.plan(quality_sample=5, reviews=1)
    undecided = []
    for pairs in shared(study.dispatched()):
        answer = if_stopped(project=study.project, actor=study.actor)
        undecided.append(answer.undecided if answer else 0)
        say(pairs[0], "surely different")
    assert undecided[0] == 160
    assert undecided == sorted(undecided, reverse=True)
    assert undecided.count(0) <= 5, "pairs of the sample may be decided last"
    assert if_stopped(project=study.project, actor=study.actor) is None


@pytest.mark.parametrize("share", [0.0, 0.2, 0.6])
def test_every_pair_counts_as_it_would_stand(study: Study, share: float) -> None:
    study.plan(quality_sample=10, most_pairs=120, rule="unanimous")
    dice = random.Random(4)
    for pairs in shared(study.dispatched()):
        for pair in pairs:
            if dice.random() < share:
                say(pair, dice.choice(["surely the same", "probably different", "cannot tell"]))
    answer = found(study)
    assert same(answer.now, recounted(study, finished=False))
    assert same(answer.finished, recounted(study, finished=True))
    assert answer.now.pairs == answer.finished.pairs == pytest.approx(200)
    assert answer.now.accuracy < answer.finished.accuracy
    assert (answer.undecided == 160) == (share == 0)


def test_enough_agreement_tells_how_often_people_are_right(study: Study) -> None:
    study.plan()
    given = shared(study.dispatched())
    for pairs in given[:49]:
        for pair in pairs:
            say(pair, "surely the same")
    assert not found(study).measured
    for pair in given[49]:
        say(pair, "surely the same")
    agreed = found(study)
    assert agreed.measured
    assert agreed.right > usually_right(Habits())
    for pairs in given[50:120]:
        say(pairs[0], "surely the same")
        say(pairs[1], "surely different")
    assert found(study).right < agreed.right - 0.2


def test_what_an_adjudicator_settled_counts(study: Study) -> None:
    given = conflicts.give(study, conflicts.adjudicator(study), most_pairs=3)
    for pairs in shared(given):
        say(pairs[0], "surely the same")
        say(pairs[1], "surely different")
    before = found(study)
    assert before.undecided == 160
    for mine in given:
        conflicts.hand_in(mine)
    (settling,) = conflicts.give_conflicts(study)
    conflicts.say(settling, conflicts.SAME)
    after = found(study)
    assert after.undecided == 157
    assert after.now.accuracy > before.now.accuracy


def test_moved_limits_and_other_pairs_are_another_ground(study: Study) -> None:
    study.plan(rule="unanimous")
    for pairs in shared(study.dispatched())[:20]:
        for pair in pairs:
            say(pair, "surely the same")
    before = found(study)
    set_bands(project=study.project, bands=Bands(-1, 1))
    narrow = found(study)
    assert narrow.undecided < before.undecided
    assert same(narrow.now, recounted(study, finished=False))
    bring(study.project, study.folder, pairs=150)
    others = found(study)
    assert others.now.pairs == pytest.approx(150), "what is no candidate any more does not count"
    assert same(others.now, recounted(study, finished=False))


def test_a_closed_project_and_others_get_no_answer(study: Study) -> None:
    study.plan()
    study.dispatched()
    closed = replace(study)
    closed.project.closed = NOON
    assert if_stopped(project=closed.project, actor=study.actor) is None
    with pytest.raises(NotAllowed):
        if_stopped(project=study.project, actor=actor_for(study.workers[0], study.project))
