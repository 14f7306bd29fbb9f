"""Amounts of review: what is offered, and what F1 to expect of each."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mindfirl.core.errors import NotAllowed
from mindfirl.core.policy import actor
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.services.plan import amounts
from mindfirl.services.plan.amounts import offered_amounts
from mindfirl.web.plan.estimates import amount_rows
from mindfirl.workspace.outcomes.linkage_errors import current_errors
from tests.support.cast import signed_in, text
from tests.support.reviews import Study, make_study

PLAN = ReviewPlan()


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    assert home.exists()
    return make_study(tmp_path)


def test_nothing_all_and_ones_own_amount_are_offered(study: Study) -> None:
    project, who = study.project, study.actor
    nothing, everything = offered_amounts(project=project, actor=who, plan=PLAN)
    assert (nothing.pairs, nothing.decisions) == (0, 0)
    assert (everything.pairs, everything.decisions) == (160, 320)
    stated = current_errors(study.project).f1
    assert nothing.low == pytest.approx(stated.low)
    assert nothing.high == pytest.approx(stated.high)
    assert everything.low >= nothing.low
    fewer = replace(PLAN, most_pairs=50, reviews=1)
    own = offered_amounts(project=project, actor=who, plan=fewer)
    assert [(each.pairs, each.decisions) for each in own] == [(0, 0), (50, 50), (160, 160)]
    assert all(0 <= each.low <= each.high <= 1 for each in own)
    with pytest.raises(NotAllowed):
        offered_amounts(project=study.project, actor=actor("somebody"), plan=PLAN)


def test_no_f1_is_named_where_the_model_cannot_tell(
    study: Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    stated = replace(current_errors(study.project), tell=False)
    monkeypatch.setattr(amounts, "current_errors", lambda _project: stated)
    found = offered_amounts(project=study.project, actor=study.actor, plan=PLAN)
    assert [(each.low, each.high) for each in found] == [(0, 1), (0, 1)]
    assert [each.f1 for each in amount_rows(found, PLAN)] == ["not known"] * 2


def test_an_amount_is_chosen_on_the_page(study: Study) -> None:
    study.plan(reviews=2, most_pairs=50)
    client = signed_in(study.manager)
    page = text(client.get("/projects/study/plan"))
    assert "None: link by weights alone" in page
    assert "All: 160 pairs" in page
    assert "?pairs=0#plan" in page
    chosen = text(client.get("/projects/study/plan?pairs=70"))
    assert 'name="most_pairs" value="70"' in chosen
    everything = text(client.get("/projects/study/plan?pairs=0"))
    assert 'name="most_pairs" value=' not in everything
