"""Votes as evidence: what they add to weights, and what becomes of undecided pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.chain import read
from mindfirl.core.ledger.events import Linked
from mindfirl.core.review.decisions import Decision, Resolution
from mindfirl.services.link import link_records
from mindfirl.services.plan.stopping import if_stopped
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Assignment
from mindfirl.store.queries.votes import known_pairs, votes_given_in
from mindfirl.workspace.outcomes.standing import Standing, counts_of, standing_of
from tests.support.conflicts import (
    DIFFERENT,
    SAME,
    UNSURE,
    adjudicator,
    at,
    conflicting,
    give,
    give_conflicts,
    hand_in,
    say,
    weighed,
)
from tests.support.ledgers import verify_project
from tests.support.reviews import Study

EXPERT = Decision("cannot tell", "needs expert")


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    made = conflicting(tmp_path)
    weighed(made, [(0, 0, 20), (1, 1, 4), (2, 2, 1), (3, 3, -1), (4, 4, -4), (5, 5, -20)])
    return made


def standing(study: Study) -> Standing:
    return standing_of(project=study.project, actor=study.actor)


def counts(study: Study) -> dict[str, Any]:
    return counts_of(standing(study))


def reviewed(study: Study, *said: Decision, **changes: Any) -> list[Assignment]:
    """Let each worker say one thing of all pairs, and hand it in."""
    given = give(study, rule="evidence", reviews=len(said), **changes)
    for mine, decision in zip(given, said, strict=True):
        say(mine, decision)
        hand_in(mine)
    return given


def resolution(study: Study, number: int) -> Resolution:
    return standing(study).resolved[at(study, number, number)]


def test_votes_are_evidence_unless_a_project_says_otherwise(study: Study) -> None:
    assert counts(study)["rule"] == "evidence"
    study.plan(rule="majority")
    assert counts(study)["rule"] == "majority"


def test_votes_add_to_the_weight(study: Study) -> None:
    reviewed(study, SAME, SAME, SAME)
    assert resolution(study, 1) == Resolution("link")
    assert resolution(study, 2) == Resolution("link")
    assert resolution(study, 3) == Resolution("open", "against weight")
    assert resolution(study, 4) == Resolution("open", "against weight")
    found = counts(study)
    assert (found["by_rule"], found["conflicts"]["against weight"]) == (2, 2)


def test_what_stays_in_the_band_goes_to_an_adjudicator_who_decides(study: Study) -> None:
    judge = adjudicator(study)
    given = give(study, judge, rule="evidence", reviews=2)
    for mine, decision in zip(given[:2], (SAME, DIFFERENT), strict=True):
        say(mine, decision)
        hand_in(mine)
    for mine in given[2:]:
        say(mine, SAME)
        hand_in(mine)
    open_pairs = sum(counts(study)["conflicts"].values())
    assert open_pairs > 0
    (judged,) = give_conflicts(study)
    assert judged.size == open_pairs
    say(judged, DIFFERENT)
    hand_in(judged)
    found = counts(study)
    assert (found["adjudicated"], found["unsettled"]) == (open_pairs, 0)
    assert sum(found["conflicts"].values()) == 0


@pytest.mark.parametrize(("said", "kind"), [(UNSURE, "cannot tell"), (EXPERT, "expert asked for")])
def test_who_cannot_tell_sends_a_pair_on(study: Study, said: Decision, kind: str) -> None:
    reviewed(study, said, said, SAME)
    assert counts(study)["conflicts"][kind] == 4


def test_undecided_pairs_go_by_their_weights(study: Study) -> None:
    found = counts(study)
    assert (found["unsettled"], found["linked_by_weight"], found["automatic_links"]) == (4, 2, 3)
    made = link_records(project=study.project, actor=study.actor)
    assert made.report["persons"] == made.report["records"] - 3
    (told,) = [each.event for each in read(lines(study.project)) if isinstance(each.event, Linked)]
    assert (told.rule, told.unsettled, told.linked_by_weight) == ("evidence", 4, 2)
    verify_project(study.project)


def test_votes_count_before_anybody_has_settled_the_pair(study: Study) -> None:
    first, *_ = give(study, rule="evidence", reviews=3)
    say(first, SAME)
    hand_in(first)
    assert counts(study)["linked_by_weight"] == 3
    assert counts(study)["links"] == 0


def test_a_weight_joins_nothing_that_a_database_keeps_apart(study: Study) -> None:
    weighed(study, [(0, 0, 20), (0, 1, 3), (2, 2, 3)])
    found = counts(study)
    assert (found["linked_by_weight"], found["contradictions"]) == (1, 0)


def test_by_a_published_rule_undecided_pairs_are_not_linked(study: Study) -> None:
    study.plan(rule="unanimous")
    found = counts(study)
    assert (found["unsettled"], found["linked_by_weight"], found["automatic_links"]) == (4, 0, 1)
    with pytest.raises(SettingError, match="4 pairs for people are not settled"):
        link_records(project=study.project, actor=study.actor)
    made = link_records(project=study.project, actor=study.actor, unsettled=True)
    assert made.report["persons"] == made.report["records"] - 1


def test_what_is_known_of_pairs_is_what_people_said(study: Study) -> None:
    reviewed(study, SAME, SAME, SAME)
    assert known_pairs(votes_given_in(study.project.versions.get())) == {
        at(study, number, number): True for number in range(1, 5)
    }


def test_stopping_counts_votes_and_weights_together(study: Study) -> None:
    first, *_ = give(study, rule="evidence", reviews=3)
    for number, said in ((1, SAME), (4, DIFFERENT)):
        say(first, said, pair=at(study, number, number))
    found = if_stopped(project=study.project, actor=study.actor)
    assert found
    assert found.by_weight
    chances = [1 / (1 + 2.0**-weight) for weight in (20, 4 + 2, 1)]
    assert found.now.linked == 3
    assert found.now.right == pytest.approx(sum(chances))
    assert found.undecided == 2
