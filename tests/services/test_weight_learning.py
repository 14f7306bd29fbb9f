"""Weights moved as decisions say: proposed, applied, undone; and when nothing is proposed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindfirl.core.errors import ChangedMeanwhile, NotAllowed, SettingError
from mindfirl.core.policy import Actor
from mindfirl.services import weight_learning as learning
from mindfirl.services.weight_learning import LearntProposal
from mindfirl.store.models import Scoring
from mindfirl.store.queries.plans import scoring_of, state_of
from mindfirl.workspace.open_pairs import open_pairs
from tests.support import conflicts
from tests.support.reviews import Study, make_study
from tests.support.voting import say, shared

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


def decide(study: Study, *, above: float = 2.5, sample: int = 20) -> None:
    """Let two people call every pair the same whose weight is above another than 0."""
    some = {"most_pairs": 110, "priority": "sample"}
    given = conflicts.give(study, rule="evidence", quality_sample=sample, **some)
    for pairs in shared(given):
        for pair in pairs:
            say(pair, "surely the same" if pair.weight > above else "surely different")
    for mine in given:
        mine.refresh_from_db()
        conflicts.hand_in(mine)


def proposal(study: Study) -> LearntProposal:
    found = learning.proposal_of(project=study.project, actor=study.actor)
    assert found is not None
    return found


def seen(study: Study) -> str:
    return state_of(scoring_of(study.project))


def weights(study: Study) -> dict[tuple[int, int], float]:
    found = open_pairs(study.project).candidates
    ends = zip(found.left.tolist(), found.right.tolist(), strict=True)
    return dict(zip(ends, found.weight.tolist(), strict=True))


def test_nothing_is_said_before_anybody_decides(study: Study) -> None:
    assert learning.proposal_of(project=study.project, actor=study.actor) is None


def test_a_shift_is_applied_and_undone(study: Study) -> None:
    decide(study)
    found, before = proposal(study), weights(study)
    assert found.learnt.obstacle is None
    assert found.learnt.shift.offset == pytest.approx(-2.5, abs=1)
    assert found.changes
    assert not found.applied
    assert found.lost > 0
    learning.apply_proposal(project=study.project, actor=study.actor, seen=seen(study))
    opened, after = open_pairs(study.project), weights(study)
    assert set(after) == set(before)
    moved = [after[pair] - before[pair] for pair in before]
    assert np.mean(moved) == pytest.approx(found.learnt.shift.offset, abs=0.3)
    assert (np.diff(opened.candidates.weight) <= 0).all(), "heaviest first"
    assert "Match weights were moved by -" in opened.scoring.remarks[-1]
    again = proposal(study)
    assert again.applied
    assert not again.changes, "the model's weights are what is learnt about"
    learning.undo(project=study.project, actor=study.actor, seen=seen(study))
    assert weights(study) == before
    assert not any("were moved" in each for each in Scoring.objects.get().remarks)
    with pytest.raises(SettingError, match="nothing to undo"):
        learning.undo(project=study.project, actor=study.actor, seen=seen(study))


def test_what_was_seen_must_still_be_so_and_only_managers_change_it(study: Study) -> None:
    decide(study)
    with pytest.raises(ChangedMeanwhile):
        learning.apply_proposal(project=study.project, actor=study.actor, seen="another")
    nobody = Actor("somebody", frozenset({"worker"}))
    with pytest.raises(NotAllowed):
        learning.apply_proposal(project=study.project, actor=nobody, seen=seen(study))
    with pytest.raises(NotAllowed):
        learning.proposal_of(project=study.project, actor=nobody)


def test_the_band_alone_teaches_nothing(study: Study) -> None:
    decide(study, sample=0)
    assert proposal(study).learnt.obstacle == "only the band"
    with pytest.raises(SettingError, match="no longer support"):
        learning.apply_proposal(project=study.project, actor=study.actor, seen=seen(study))
