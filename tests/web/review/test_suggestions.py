"""Suggestions on the review screen: quiet, in words too, of one pair at a time, told beforehand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.services import report
from mindfirl.services.plan.plans import plan_of
from mindfirl.services.review.disclosure import opening
from mindfirl.services.review.disclosure.practice import PRACTICE
from mindfirl.store.models import Assignment
from mindfirl.web.page.labels import label
from mindfirl.workspace.open_version import SingleFlightCache
from tests.support.advisers import StandIn, advise, stand_in
from tests.support.cast import person, signed_in, text
from tests.support.reviews import Study, make_study
from tests.web.review.test_review import Desk, given

NOTHING = "No further opening is worth its price."


@pytest.fixture
def study(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    assert home.exists()
    stand_in(monkeypatch)
    monkeypatch.setattr(opening, "_advisers", SingleFlightCache[object](size=4))
    return make_study(tmp_path)


def advised(study: Study, *, most: int | None = None, **changes: Any) -> Desk:
    advise(study.project, **({} if most is None else {"most": most}))
    return given(study, hints=True, **changes)


def suggested(page: str) -> dict[str, str]:
    """Return the cells of a page that are marked, with what their control says of it."""
    return dict(
        re.findall(r'<button class="cell" id="(cell-[^"]+)"[^>]*data-suggested="(.*?)"', page)
    )


def at(desk: Desk, pair: ShownPair) -> str:
    """Return where on the page the suggested cell of a pair is."""
    assert pair.hint
    names = desk.assignment.attributes
    return f"cell-{pair.token}-{names.index(pair.hint[0]) + 1}"


def test_the_suggested_cell_of_every_pair_is_marked_with_words(study: Study) -> None:
    desk = advised(study)
    page = desk.page("?size=10&page=1")
    pairs = desk.pairs()[:10]
    assert set(suggested(page)) == {at(desk, pair) for pair in pairs}
    assert set(suggested(page).values()) == {"Suggested next."}
    assert page.count('<span class="unseen">Suggested next.</span>') == 10
    assert page.count('<span aria-hidden="true">◇</span>') == 10, "what is read aloud is words"
    assert NOTHING not in page


def test_a_cell_to_be_opened_whole_says_so(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def dearest(*asked: Any, **_worth: float) -> Any:
        steps = [(price, step) for step, price in asked[3].items() if step[1] == "full"]
        return max(steps)[1]

    monkeypatch.setattr(StandIn, "suggest", dearest)
    page = advised(study).page("?size=50")
    assert set(suggested(page).values()) == {"Suggested next.", "Suggested next: open fully."}
    for name in [at for at, words in suggested(page).items() if "all" in words]:
        assert re.search(rf'id="{name}"[^>]*value="partial:[^>]*data-fully="full:', page)


def test_the_legend_the_keys_and_the_guidance_tell_of_them(study: Study) -> None:
    page = advised(study, guidance="Look twice.").page()
    legend, rest = page.split('id="legend"', 1)[1].split('id="guidance"', 1)
    guidance, keys = rest.split('id="all-keys"', 1)
    assert "◇" in legend
    assert "suggested next" in legend
    assert "Suggestions are on" in guidance
    assert re.search(r"<kbd>s</kbd></dt><dd>go to the suggested cell of the pair", keys)


def test_a_link_leads_to_the_suggested_cell_without_scripts(study: Study) -> None:
    desk = advised(study)
    pair = desk.pairs()[3]
    page = desk.page(f"?pair={pair.token}")
    assert re.search(rf'id="suggested" href="#{at(desk, pair)}" data-key="s"', page)
    first = desk.pairs()[0]
    assert f'href="#{at(desk, first)}"' in desk.page()


def test_somebody_whose_s_does_something_else_keeps_it(study: Study) -> None:
    desk = advised(study)
    desk.assignment.account.review_keys = {"undo": "s"}
    desk.assignment.account.save()
    page = desk.page()
    assert re.search(r'id="suggested" href="[^"]*" data-key=""[^>]*>Suggested cell</a>', page)
    assert re.search(r'id="undo" data-key="s"', page)


def test_where_nothing_is_worth_its_price_the_pair_says_so(study: Study) -> None:
    desk = advised(study, most=-1)
    page = desk.page("?size=10")
    assert suggested(page) == {}
    assert page.count(f'<span class="soft unsuggested">{NOTHING}</span>') == 10
    token = desk.pairs()[0].token
    assert f'href="#pair-{token}"' in desk.page("?page=1")


def test_where_nothing_can_be_paid_it_is_not_said_that_nothing_is_worth_it(study: Study) -> None:
    desk = advised(study)
    Assignment.objects.filter(pk=desk.assignment.pk).update(spent=desk.assignment.limit)
    unpaid = [pair for pair in desk.pairs() if pair.hint is None]
    assert unpaid
    page = desk.everything()
    for pair in unpaid:
        assert not any(step.affordable for cell in pair.cells for step in cell.steps)
        assert f'id="cell-{pair.token}' in page
    assert NOTHING not in page


def test_an_opening_answers_the_next_suggestion_of_its_pair_alone(study: Study) -> None:
    desk = advised(study)
    before = desk.pairs()
    pair = before[0]
    assert pair.hint
    answer = text(desk.open(pair, f"{pair.hint[1]}:{pair.hint[0]}"))
    now = desk.pairs()[0]
    assert now.hint != pair.hint
    assert set(suggested(answer)) == {at(desk, now)}
    assert f"Suggested next: {label(now.hint[0]) if now.hint else ''}." in answer, "for ears"
    assert [each.hint for each in desk.pairs()[1:]] == [each.hint for each in before[1:]]


def test_it_works_without_scripts(study: Study) -> None:
    desk = advised(study)
    pair = desk.pairs()[0]
    assert pair.hint
    answer = desk.open(pair, f"{pair.hint[1]}:{pair.hint[0]}", plainly="yes")
    assert answer.status_code == 302
    now = desk.pairs()[0]
    assert at(desk, now) in suggested(desk.page(f"?pair={pair.token}"))


def test_where_they_are_off_nothing_on_the_page_speaks_of_them(study: Study) -> None:
    advise(study.project)
    desk = given(study)
    page = desk.page("?size=50").lower()
    assert "suggest" not in page
    assert "◇" not in page
    assert NOTHING.lower() not in page


def test_the_practice_has_none(study: Study) -> None:
    advise(study.project)
    page = text(signed_in(study.workers[0]).get("/practice"))
    assert page.count('class="pair') >= len(PRACTICE)
    assert "suggest" not in page.lower()


def test_a_plan_without_a_forecast_is_refused_with_a_sentence(study: Study) -> None:
    study.plan(hints=True)
    manager = signed_in(study.manager)
    page = text(manager.get("/projects/study/dispatch"))
    assert re.search(r"<dt>Suggestions</dt><dd>on: reviewers see which cell", page)
    seen = re.search(r'name="seen" value="([^"]+)"', page)
    assert seen
    answer = manager.post("/projects/study/dispatch", {"seen": seen[1]})
    assert "there is no forecast for the current pairs" in text(answer)
    study.plan()
    page = text(manager.get("/projects/study/dispatch"))
    assert re.search(r"<dt>Suggestions</dt><dd>off</dd>", page)


def test_a_manager_switches_them_on_where_the_advanced_settings_are(study: Study) -> None:
    manager, there = signed_in(study.manager), "/projects/study/plan"
    study.plan(prices="banded")
    page = text(manager.get(there))
    assert re.search(
        r'<input type="checkbox" name="hints"[^>]*aria-describedby="id_hints_helptext"', page
    )
    assert "Requires a forecast. Reviews with suggestions are not independent" in page
    fields = {
        name: value
        for name, value in re.findall(r'<input[^>]*name="([^"]+)" value="([^"]*)"', page)
        if name != "username"
    }
    fields |= {f"person-worker-{worker.pk}": "on" for worker in study.workers}
    chosen = {"rule": "unanimous", "priority": "uncertain", "prices": "banded"}
    fields |= {**chosen, "accounting": "paper", "date_swaps": "digits", "guidance": ""}
    answer = manager.post(there, {**fields, "hints": "on", "then": "plan"})
    assert answer.status_code == 302
    assert plan_of(project=study.project, actor=study.actor)[0].hints
    page = text(manager.get(there))
    assert re.search(r'name="hints"[^>]*checked', page)
    assert "<details open>" in page


def test_everybody_who_reads_of_the_assignment_is_told(study: Study) -> None:
    desk = advised(study)
    assert "suggestions on" in text(desk.client.get("/assignments"))
    manager = signed_in(study.manager)
    assert text(manager.get("/projects/study")).count("with suggestions") == 3
    page = text(signed_in(study.auditor).get("/projects/study/ledger"))
    assert page.count("suggestions on") == 3
    report.make_report(project=study.project, actor=study.actor, group="sex")
    page = text(manager.get("/projects/study/report"))
    assert "suggested to reviewers which cell to open next" in page


def test_nobody_is_told_of_what_is_off(study: Study) -> None:
    desk = given(study)
    assert "suggest" not in text(desk.client.get("/assignments"))
    manager = signed_in(study.manager)
    report.make_report(project=study.project, actor=study.actor, group="sex")
    for page in ("", "/ledger", "/report"):
        assert "suggest" not in text(manager.get(f"/projects/study{page}"))


def test_others_see_none_of_it(study: Study) -> None:
    desk = advised(study)
    assert signed_in(person("stranger")).get(desk.address).status_code == 404
