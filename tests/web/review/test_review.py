"""The review screen: what leaves the server is what is open; every refusal has its sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html.parser import HTMLParser
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.review.decisions import VERDICTS
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.services.dispatch import assignments
from mindfirl.services.review.decisions import decisions_of
from mindfirl.services.review.disclosure.opening import assignment_of, meters_of, show_pairs
from mindfirl.store.models import Assignment, Comment
from mindfirl.web.review.screen_page import column_widths
from mindfirl.workspace.open_version import population_of
from tests.support.cast import Answer, person, signed_in, text
from tests.support.reviews import PRIVATE_NAMES, Study, make_study

HTMX = {"HX-Request": "true"}
CONFLICT = 409


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    """A project whose names are private-use characters, which no page holds by itself."""
    assert home.exists()
    return make_study(tmp_path, names=PRIVATE_NAMES)


@dataclass
class Desk:
    """A worker at their assignment."""

    study: Study
    assignment: Assignment
    client: Client

    @property
    def address(self) -> str:
        return f"/assignments/{self.assignment.pk}"

    def now(self) -> Assignment:
        return assignment_of(account=self.assignment.account, assignment=self.assignment.pk)

    def pairs(self) -> list[ShownPair]:
        mine = self.now()
        return show_pairs(assignment=mine, numbers=range(1, mine.size + 1))

    def page(self, query: str = "") -> str:
        answer = self.client.get(f"{self.address}{query}")
        assert answer.status_code == 200
        return text(answer)

    def everything(self) -> str:
        """All pages of the assignment."""
        pages = -(-self.assignment.size // 50)
        return "".join(self.page(f"?size=50&page={page}") for page in range(1, pages + 1))

    def post(self, what: str, *, plainly: bool = False, **typed: str) -> Answer:
        headers = {} if plainly else HTMX
        return self.client.post(f"{self.address}/{what}", typed, headers=headers)

    def open(self, pair: ShownPair, step: str, **typed: str) -> Answer:
        sent = {"pair": pair.token, "seen": str(pair.state), "step": step, **typed}
        return self.post("open", plainly=bool(sent.pop("plainly", "")), **sent)

    def decide(self, pair: ShownPair, decision: str) -> Answer:
        return self.post("decide", pair=pair.token, decision=decision)


def given(study: Study, **changes: object) -> Desk:
    study.plan(**{"budget": "100", **changes})  # type: ignore[arg-type]  # of a plan
    study.dispatched()
    assignment = Assignment.objects.get(account=study.workers[0])
    return Desk(study, assignment, signed_in(study.workers[0]))


class _Signs(HTMLParser):
    """Reads the signs of all cells of a page, and nothing else of it."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.signs: list[str] = []

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        if tag == "bdi":
            self.depth += 1

    def handle_endtag(self, tag: str) -> None:
        if tag == "bdi":
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.depth and data != "missing":
            self.signs.append(data)


def signs(page: str) -> str:
    parser = _Signs()
    parser.feed(page)
    return "".join(parser.signs)


def traced(page: str) -> list[str]:
    return re.findall("[\ue000-\uf8ff]", page)


def a_step(desk: Desk, attribute: str, level: str) -> ShownPair:
    """Return a pair of which a cell can be opened to a level."""
    return next(
        pair
        for pair in desk.pairs()
        for cell in pair.cells
        if cell.attribute == attribute and any(step.level == level for step in cell.steps)
    )


def test_a_masked_page_holds_no_character_of_any_record(study: Study) -> None:
    page = given(study).everything()
    assert traced(page) == []
    assert set(signs(page)) == set("*@&/")
    assert "anonymous" not in page


def test_after_an_opening_exactly_the_opened_characters_are_there(study: Study) -> None:
    desk = given(study)
    for attribute, level in (("first", "partial"), ("last", "full"), ("born", "partial")):
        pair = a_step(desk, attribute, level)
        answer = text(desk.open(pair, f"{level}:{attribute}"))
        shown = show_pairs(assignment=desk.now(), numbers=[pair.number])[0]
        drawn = [sign for cell in shown.cells for row in cell.rows for sign in row]
        assert signs(answer) == "".join(sign.text for sign in drawn)
        visible = [sign.text for sign in drawn if sign.shown and sign.text > "\ue000"]
        assert sorted(set(traced(answer))) == sorted(set(visible))
    opened = [sign for pair in desk.pairs() for c in pair.cells for row in c.rows for sign in row]
    assert signs(desk.everything()) == "".join(sign.text for sign in opened)
    assert meters_of(assignment=desk.now()).shown == sum(sign.shown for sign in opened) > 0


def test_the_price_of_a_cell_is_said_before_it_is_charged(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "first", "full")
    page = desk.page(f"?pair={pair.token}")
    button = re.search(rf'id="cell-{re.escape(pair.token)}-1"[^>]*data-takes="([^"]+)"', page)
    said = re.search(r"takes [\d.]+% of your budget", page)
    assert button
    assert said
    cell = next(each for each in pair.cells if each.attribute == "first")
    desk.open(pair, f"{cell.steps[0].level}:first")
    spent = meters_of(assignment=desk.now()).spent
    assert float(spent) == pytest.approx(float(button.group(1)), abs=1e-9)
    assert "KAPR" not in page


def test_nothing_of_a_review_may_be_kept_by_a_browser(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "first", "full")
    answers = [
        desk.client.get("/assignments"),
        desk.client.get(desk.address),
        desk.client.get(f"{desk.address}/submit"),
        desk.open(pair, "full:first"),
        desk.decide(pair, VERDICTS[0]),
    ]
    assert {answer.headers["Cache-Control"] for answer in answers} == {"no-store"}


def test_assignments_and_pairs_of_others_do_not_exist(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "first", "full")
    typed = {"pair": pair.token, "seen": "0", "step": "full:first", "decision": VERDICTS[0]}
    typed["words"] = "mine?"
    for stranger in (study.workers[1], study.manager, study.auditor, person()):
        client = signed_in(stranger)
        assert client.get(desk.address).status_code == 404
        assert client.get(f"{desk.address}/submit").status_code == 404
        for what in ("open", "open-row", "decide", "comment", "submit", "shortcuts"):
            assert client.post(f"{desk.address}/{what}", typed).status_code == 404
    theirs = Assignment.objects.get(account=study.workers[1])
    other = Desk(study, theirs, signed_in(study.workers[1]))
    assert other.open(pair, "full:first").status_code == 404
    assert other.decide(pair, VERDICTS[0]).status_code == 404
    assert desk.now().spent == other.now().spent == 0


def test_a_paused_assignment_shows_nothing_and_says_so(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "first", "full")
    desk.open(pair, "full:first")
    assignments.pause(assignment=desk.assignment, actor=study.actor)
    for answer in (
        desk.open(pair, "full:last", plainly="yes"),
        desk.post("decide", plainly=True, pair=pair.token, decision=VERDICTS[0]),
        desk.post("submit", plainly=True),
    ):
        assert answer.status_code == CONFLICT
        assert "This assignment is paused" in text(answer)
    assert desk.open(pair, "full:last").headers["HX-Refresh"] == "true"
    page = desk.page()
    assert "paused" in page
    assert traced(page) == []
    assert signs(page) == ""


def test_an_old_page_gets_the_pair_as_it_is_and_opens_nothing(study: Study) -> None:
    desk = given(study)
    pair = next(
        each
        for each in desk.pairs()
        if {"first", "born"} <= {c.attribute for c in each.cells if c.steps}
        and "swapped" not in each.cells[0].marks
    )
    desk.open(pair, "full:born")
    spent = desk.now().spent
    answer = desk.open(pair, "full:first")
    assert answer.status_code == CONFLICT
    assert "changed after your page was loaded" in text(answer)
    assert 'name="seen" value="1"' in text(answer)
    plain = desk.open(pair, "full:first", plainly="yes")
    assert plain.status_code == 302
    assert "changed after your page was loaded" in desk.page(f"?pair={pair.token}")
    assert desk.now().spent == spent


def test_pressed_twice_it_is_charged_once(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "last", "full")
    first = desk.open(pair, "full:last")
    spent = desk.now().spent
    again = desk.open(pair, "full:last")
    assert first.status_code == again.status_code == 200
    assert signs(text(first)) == signs(text(again))
    assert desk.now().spent == spent > 0


def test_beyond_the_budget_it_says_why_and_what_else(study: Study) -> None:
    desk = given(study, budget="0.0000001")
    pair = a_step(desk, "first", "full")
    answer = desk.open(pair, "full:first")
    assert answer.status_code == CONFLICT
    assert "more than your remaining budget" in text(answer)
    assert "Nothing else in this pair can be opened" in text(answer)
    assert traced(text(answer)) == []
    assert desk.now().spent == 0


def test_what_is_left_of_the_budget_is_said_when_it_does_not_do(study: Study) -> None:
    desk = given(study, budget="0.05")
    pair = next(
        each
        for each in desk.pairs()
        if {step.affordable for cell in each.cells for step in cell.steps} == {True, False}
    )
    cell, step = next(
        (cell, step) for cell in pair.cells for step in cell.steps if not step.affordable
    )
    answer = text(desk.open(pair, f"{step.level}:{cell.attribute}"))
    assert "In this pair you can still open" in answer


def test_the_floor_refuses_and_no_button_offers_what_it_refuses(study: Study) -> None:
    desk = given(study, kappa=study.project.versions.get().records)
    pair = a_step(desk, "first", "full")
    assert "data-takes" not in desk.page()
    answer = desk.open(pair, "full:first")
    assert answer.status_code == CONFLICT
    assert "does not allow it for this cell" in text(answer)
    assert traced(text(answer)) == []


def test_where_prices_tell_nothing_of_the_floor_its_refusal_is_remembered(study: Study) -> None:
    desk = given(study, prices="banded", kappa=study.project.versions.get().records)
    pair = a_step(desk, "first", "full")
    offered = 'value="full:first" data-takes'
    address = f"?pair={pair.token}"
    before = desk.page(address).count("not available")
    answer = desk.open(pair, "full:first")
    assert answer.status_code == CONFLICT
    assert "not available" in text(answer)
    assert offered not in text(answer)
    assert desk.page(address).count("not available") > before
    assert desk.now().spent == 0


def test_a_decision_does_not_overwrite_one_that_its_page_did_not_show(study: Study) -> None:
    desk = given(study)
    pair = desk.pairs()[0]

    def decide(verdict: str) -> Answer:
        return desk.post("decide", pair=pair.token, revision="0", decision=verdict)

    assert decide(VERDICTS[0]).status_code == 200
    assert decide(VERDICTS[0]).status_code == 200, "asked again"
    answer = decide(VERDICTS[5])
    assert answer.status_code == CONFLICT
    assert "Not saved" in text(answer)
    assert f'data-decided="{VERDICTS[0]}"' in text(answer)
    assert decisions_of(desk.now())[pair.number].decision.verdict == VERDICTS[0]
    assert (
        desk.post(
            "decide", plainly=True, pair=pair.token, revision="0", decision=VERDICTS[5]
        ).status_code
        == 302
    )
    assert "Not saved" in desk.page()


def test_pairs_are_flagged_listed_and_jumped_to(study: Study) -> None:
    desk = given(study)
    one, other = desk.pairs()[1], desk.pairs()[3]
    assert "Flagged." in text(desk.post("flag", pair=one.token, flag="on"))
    assert desk.post("flag", plainly=True, pair=other.token, flag="on").status_code == 302
    assert desk.page("?show=flagged").count('class="pair') == 2 + 1  # and the table of them
    desk.post("flag", pair=other.token, flag="off")
    assert f'id="pair-{one.token}"' in desk.page("?show=flagged")
    assert f'id="pair-{other.token}"' not in desk.page("?show=flagged")
    there = desk.client.get(f"{desk.address}?number=4").headers["Location"]
    assert f"pair={other.token}" in there
    theirs = signed_in(study.workers[1]).post(f"{desk.address}/flag", {"pair": one.token})
    assert theirs.status_code == 404


def test_a_whole_row_is_opened_for_the_price_that_was_shown(study: Study) -> None:
    desk = given(study)
    pair = next(each for each in desk.pairs() if any(s.level == "full" for s in each.steps))
    step = next(each for each in pair.steps if each.level == "full")
    answer = desk.post("open-row", pair=pair.token, seen="0", level="full")
    assert answer.status_code == 200
    assert meters_of(assignment=desk.now()).spent == step.takes
    assert "data-takes" not in text(answer)


def test_where_prices_are_banded_a_whole_row_never_costs_more_than_was_shown(study: Study) -> None:
    desk = given(study, prices="banded")
    pair = next(each for each in desk.pairs() if any(s.level == "full" for s in each.steps))
    step = next(each for each in pair.steps if each.level == "full")
    answer = desk.post("open-row", pair=pair.token, seen="0", level="full")
    assert answer.status_code == 200
    assert step.takes is not None
    assert 0 < meters_of(assignment=desk.now()).spent <= step.takes


def test_what_all_have_seen_together_is_a_limit_for_everybody(study: Study) -> None:
    desk = given(study, project_limit="0.0000001")
    pair = a_step(desk, "first", "full")
    answer = desk.open(pair, "full:first")
    assert answer.status_code == CONFLICT
    assert "together have already seen as much of these people as the project" in text(answer)
    assert traced(text(answer)) == []
    assert desk.now().spent == 0


@pytest.mark.parametrize(
    ("what", "typed"),
    [
        ("open", {}),
        ("open", {"step": "full"}),
        ("open", {"step": "everything:first"}),
        ("open", {"step": "full:diagnosis"}),
        ("open", {"step": "partial:sex"}),
        ("open", {"step": "full:first", "seen": "-1"}),
        ("open", {"step": "full:first", "seen": "9" * 30}),
        ("open-row", {}),
        ("open-row", {"level": "masked"}),
        ("decide", {}),
        ("decide", {"decision": "no idea"}),
        ("decide", {"decision": "cannot tell"}),
        ("decide", {"decision": "surely the same:twins"}),
        ("comment", {}),
    ],
)
def test_what_makes_no_sense_is_refused(study: Study, what: str, typed: dict[str, str]) -> None:
    desk = given(study)
    pair = desk.pairs()[0]
    sent: Any = {"pair": pair.token, "seen": "0", **typed}
    answer = desk.post(what, **sent)
    assert answer.status_code == 400
    assert desk.now().spent == 0
    assert decisions_of(desk.now()) == {}


def test_a_decision_is_saved_changed_and_taken_back(study: Study) -> None:
    desk = given(study)
    pair = desk.pairs()[0]
    for said in (*VERDICTS[:-1], "cannot tell:twins"):
        answer = text(desk.decide(pair, said))
        assert f'data-decided="{said}"' in answer
        assert "1 decided" in answer
        page = desk.page()
        assert re.search(rf'value="{said}"[^>]*aria-pressed="true"', page)
        assert page.count('aria-pressed="true"') == 1
    back = text(desk.decide(pair, ""))
    assert "data-decided" not in back
    assert "0 decided" in back
    assert 'aria-pressed="true"' not in desk.page()
    assert decisions_of(desk.now()) == {}


def test_without_scripts_everything_goes_back_to_its_pair(study: Study) -> None:
    desk = given(study)
    pair = desk.pairs()[-1]
    for answer in (
        desk.post("decide", plainly=True, pair=pair.token, decision=VERDICTS[2]),
        desk.post("shortcuts", plainly=True, pair=pair.token),
    ):
        assert answer.status_code == 302
        assert answer.headers["Location"].endswith(f"#pair-{pair.token}")
    page = desk.page(f"?pair={pair.token}")
    assert f'class="pair focus" id="pair-{pair.token}"' in page
    assert 'data-keys="off"' in page
    assert text(desk.client.get(f"/assignments/{desk.assignment.pk}")).count('class="pair ') == 1


def test_one_comes_back_to_the_first_undecided_pair(study: Study) -> None:
    desk = given(study)
    pairs = desk.pairs()
    for pair in pairs[:25]:
        desk.decide(pair, VERDICTS[0])
    assert f'class="pair focus" id="pair-{pairs[25].token}"' in desk.page()
    there = desk.client.get(f"{desk.address}?after={pairs[-1].number}").headers["Location"]
    assert f"pair={pairs[25].token}" in there
    assert desk.page("?page=999999999&size=7")


def test_an_assignment_is_submitted_when_every_pair_is_decided(study: Study) -> None:
    desk = given(study)
    early = desk.post("submit", plainly=True)
    assert early.status_code == 422
    assert "not decided yet" in text(early)
    for pair in desk.pairs():
        desk.decide(pair, VERDICTS[5])
    page = text(desk.client.get(f"{desk.address}/submit"))
    assert page.count("surely the same") == desk.assignment.size + 1
    assert desk.post("submit", plainly=True).status_code == 302
    assert desk.now().state == "submitted"
    assert desk.open(pair, "full:first").status_code == CONFLICT
    assert desk.post("submit", plainly=True).status_code == CONFLICT
    assert signs(desk.page()) == ""
    assert "Your decisions" in text(desk.client.get(f"{desk.address}/submit"))


def test_a_worker_comes_in_at_their_assignments(study: Study) -> None:
    desk = given(study)
    assert desk.client.get("/").headers["Location"] == "/assignments"
    page = text(desk.client.get("/assignments"))
    assert f"0 of {desk.assignment.size} pairs decided" in page
    assert desk.address in page
    assert str(study.workers[1].pk) not in page
    manager = signed_in(study.manager)
    assert manager.get("/").headers["Location"] == "/projects"
    assert "no assignments yet" in text(manager.get("/assignments"))


def test_the_manager_sees_how_many_are_decided(study: Study) -> None:
    desk = given(study)
    one, other = desk.pairs()[:2]
    desk.decide(one, VERDICTS[0])
    desk.decide(other, VERDICTS[0])
    desk.decide(other, "")
    page = text(signed_in(study.manager).get(f"/projects/{study.project.name}"))
    assert f"1 of {desk.assignment.size} pairs decided" in page


def test_a_project_that_asks_for_a_second_factor_asks_its_reviewers(study: Study) -> None:
    desk = given(study)
    study.project.second_factor = True
    study.project.save()
    assert desk.client.get(desk.address).headers["Location"] == "/account/second-factor"
    answer = signed_in(study.workers[0], second_factor=True).get(desk.address)
    assert answer.status_code == 200


def test_an_assignment_that_is_over_is_marked(study: Study) -> None:
    desk = given(study)
    Assignment.objects.filter(pk=desk.assignment.pk).update(due=timezone.localdate().replace(2020))
    assert "Due 2020" in text(desk.client.get("/assignments"))


def test_a_comment_is_shown_with_its_pair_and_when_looking_back(study: Study) -> None:
    desk = given(study)
    pair = desk.pairs()[0]
    answer = desk.post("comment", pair=pair.token, words="One <b> is shorter.")
    assert answer.status_code == 200
    assert "Comment saved." in text(answer)
    assert text(answer).count("One &lt;b&gt; is shorter.") == 3
    assert "One &lt;b&gt; is shorter." in desk.page()
    assert "One &lt;b&gt; is shorter." in text(desk.client.get(f"{desk.address}/submit"))
    assert "One &lt;b&gt; is shorter." in text(desk.decide(pair, VERDICTS[0]))
    removed = text(desk.post("comment", pair=pair.token, words=" "))
    assert "Comment removed." in removed
    assert "is shorter" not in removed


def test_a_comment_that_repeats_what_is_open_is_refused_with_what_was_typed(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "last", "full")
    desk.open(pair, "full:last")
    shown = show_pairs(assignment=desk.now(), numbers=[pair.number])[0]
    (cell,) = (each for each in shown.cells if each.attribute == "last")
    word = "".join(sign.text for sign in cell.rows[0])
    answer = desk.post("comment", pair=pair.token, words=f"It is {word}")
    assert answer.status_code == 422
    assert "repeats a word or number that you have opened" in text(answer)
    assert f"It is {word}</textarea>" in text(answer)
    plain = desk.post("comment", plainly=True, pair=pair.token, words=f"It is {word}")
    assert plain.status_code == 422
    assert f"It is {word}</textarea>" in text(plain)
    assert f'class="pair focus" id="pair-{pair.token}"' in text(plain)
    assert text(plain).count('aria-invalid="true" autofocus') == 1
    assert not Comment.objects.exists()
    fine = desk.post("comment", plainly=True, pair=pair.token, words="They are alike")
    assert fine.headers["Location"].endswith(f"#pair-{pair.token}")


def test_a_comment_that_repeats_what_is_opened_later_is_set_aside(study: Study) -> None:
    desk = given(study)
    pair = a_step(desk, "last", "full")
    other = next(each for each in desk.pairs() if each.token != pair.token)
    index = population_of(desk.assignment)
    left = desk.assignment.pairs.get(token=pair.token).left
    word = "".join(index.record(left)[index.schema.place("last")].reveal())
    assert desk.post("comment", pair=other.token, words=f"It is {word}").status_code == 200
    assert "This comment is hidden from other people" not in desk.page()
    assert desk.open(pair, "full:last").status_code == 200
    assert "This comment is hidden from other people" in desk.page()
    assert desk.post("comment", pair=other.token, words="They are alike").status_code == 200
    assert "This comment is hidden from other people" not in desk.page()


def test_a_comment_on_what_is_paused_is_refused(study: Study) -> None:
    desk = given(study)
    pair = desk.pairs()[0]
    assignments.pause(assignment=desk.assignment, actor=study.actor)
    answer = desk.post("comment", plainly=True, pair=pair.token, words="later")
    assert answer.status_code == CONFLICT


def test_chosen_keys_are_printed_on_the_controls(study: Study) -> None:
    desk = given(study)
    worker = study.workers[0]
    worker.review_keys = {"surely the same": "ß", "comment": "&", "next undecided": "m"}
    worker.save()
    page = desk.page()
    assert re.search(r'value="surely the same" data-key="ß"[^>]*>.*?<kbd[^>]*>ß</kbd>', page)
    assert 'data-key="&amp;">Comment<kbd aria-hidden="true">&amp;</kbd>' in page
    assert 'data-key="m">Next undecided <kbd>m</kbd>' in page
    assert 'data-key="6"' not in page


def test_near_the_limit_it_is_said_what_is_still_affordable(study: Study) -> None:
    desk = given(study, budget="2")
    assert affordable(desk)[0]
    assert left(desk) == ""
    said = set()
    for spent in (91, 95, 98, 99, 100):
        Assignment.objects.filter(pk=desk.assignment.pk).update(
            spent=desk.assignment.limit * spent // 100
        )
        enough, ahead = affordable(desk)
        cells = f"of the {ahead} closed cells on this page"
        some = f"Enough left for about {enough} {cells}, cheapest first."
        assert left(desk) == (some if enough else f"Not enough left for any {cells}.")
        said.add(enough)
    assert len(said) > 1
    assert 0 in said


def test_where_nothing_is_affordable_it_is_said_however_much_is_left(study: Study) -> None:
    desk = given(study, budget="0.0000001")
    assert (
        left(desk)
        == f"Not enough left for any of the {affordable(desk)[1]} closed cells on this page."
    )


def left(desk: Desk) -> str:
    found = re.search(r'id="left"[^>]*>([^<]*)<', desk.page())
    assert found
    return found.group(1)


def affordable(desk: Desk) -> tuple[int, int]:
    """How many cells of the first page can be opened together, of those that can be opened."""
    first = [cell.steps[0] for pair in desk.pairs()[:20] for cell in pair.cells if cell.steps]
    prices = sorted(step.takes for step in first if step.takes is not None)
    left_over = 1 - meters_of(assignment=desk.now()).spent
    return sum(price <= left_over for price in accumulate(prices)), len(first)


def test_a_date_keeps_the_room_for_its_mark_beside_columns_of_rare_long_values() -> None:
    names = ["First name", "Last name", "Birth date", "Sex", "Street", "City", "Phone"]
    widths = {
        name: float(share.removesuffix("%"))
        for name, share in column_widths(names, [13, 22, 10, 1, 24, 13, 12])
    }
    assert sum(widths.values()) == pytest.approx(100, abs=0.1)
    assert widths["Street"] > widths["Last name"] > widths["Phone"] > widths["Birth date"]
    assert widths["Birth date"] > 11
    assert 6 < widths["Sex"] < 8
