"""What decisions say about the weights, on the page Pairs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mindfirl.core.review.learnt_offset import NO_SHIFT, Learnt, WeightShift
from mindfirl.services.weight_learning import LearntProposal
from mindfirl.web.pairs import learning_page
from tests.services.test_weight_learning import decide, weights
from tests.support import conflicts
from tests.support.cast import signed_in, text
from tests.support.reviews import Study, make_study

pytestmark = pytest.mark.usefixtures("home")

PAGE = "/projects/study/pairs"
OBSTACLES = ("too few", "only the band", "all alike", "nothing to learn", "does not hold")


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return make_study(tmp_path)


def fields(page: str) -> dict[str, str]:
    """What the form of the proposal holds."""
    form = page.partition('id="learning"')[2].partition("</section>")[0]
    found = re.search(r'name="seen" value="([^"]*)"', form)
    return {"seen": found[1]} if found else {}


def test_a_manager_applies_the_proposal_and_takes_it_back(study: Study) -> None:
    manager, auditor = signed_in(study.manager), signed_in(study.auditor)
    assert "about the weights?" not in text(manager.get(PAGE))
    decide(study)
    page, before = text(manager.get(PAGE)), weights(study)
    assert "decided pairs suggest that all match weights should be" in page
    assert re.search(
        r"If you apply this: \d+ links? (is|are) gained, \d+ links? (is|are) lost", page
    )
    assert "The decisions contradict the match weights." in page
    assert "Adjust all weights" not in text(auditor.get(PAGE))
    stale = text(manager.post(f"{PAGE}/learning", {"seen": "other"}, follow=True))
    assert weights(study) == before
    assert "changed" in stale
    done = text(manager.post(f"{PAGE}/learning", fields(page), follow=True))
    assert "Match weights adjusted." in done
    assert "Match weights were moved by" in done
    assert weights(study) != before
    undo = {**fields(done), "then": "undo"}
    assert "match weights are restored" in text(manager.post(f"{PAGE}/learning", undo, follow=True))
    assert weights(study) == before


@pytest.mark.parametrize("obstacle", OBSTACLES)
def test_every_obstacle_is_told(obstacle: str, monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = Learnt(150, 10, NO_SHIFT, obstacle=obstacle)  # type: ignore[arg-type]  # one of them
    monkeypatch.setattr(
        learning_page, "proposal_of", lambda **_more: LearntProposal(learnt, applied=False)
    )
    words = learning_page.learnt_words(_Request())  # type: ignore[arg-type]  # all it needs
    assert words
    assert "%(" not in words.sentence
    assert (words.change, words.alarm, words.applied) == ("", "", False)


def test_pairs_under_review_are_not_called_undecided(study: Study) -> None:
    first, *others = conflicts.give(study, rule="evidence")
    conflicts.say(first, conflicts.SAME)
    conflicts.hand_in(first)
    under_review = {(each.left, each.right) for mine in others for each in mine.pairs.all()}
    page = text(signed_in(study.manager).get(PAGE))
    assert f"{len(under_review)} pairs are under review: they count here once" in page


def test_a_slope_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    learnt = Learnt(250, 40, WeightShift(1.25, 0.5))
    found = LearntProposal(
        learnt, applied=True, gained=1, lost=0, for_people=5, for_people_now=9, changes=True
    )
    monkeypatch.setattr(learning_page, "proposal_of", lambda **_more: found)
    words = learning_page.learnt_words(_Request())  # type: ignore[arg-type]  # all it needs
    assert words
    assert words.sentence == (
        "250 decided pairs suggest that all match weights should be 1.2 higher. Before that, they "
        "should be multiplied by 0.5."
    )
    assert words.change == (
        "1 link is gained, 0 links are lost, and people get 5 pairs instead of 9."
    )


class _Request:
    project = actor = None
