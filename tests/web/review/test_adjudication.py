"""The screen of an adjudicator: votes without names, contradictions, weights on asking, reasons."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from mindfirl.core.ledger.events import Explained
from mindfirl.core.ledger.replay import read
from mindfirl.services.review.disclosure import explaining
from mindfirl.services.review.disclosure.explaining import Explanation
from mindfirl.services.review.disclosure.opening import show_pairs
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Account, AssignedPair, Assignment
from tests.support.cast import Answer, signed_in, text
from tests.support.conflicts import (
    SAME,
    adjudicator,
    at,
    conflicting,
    disagree,
    give_conflicts,
    give_reason,
    hand_in,
    ring,
    say,
)
from tests.support.ledgers import verify_project
from tests.support.reviews import PRIVATE_NAMES, Study

HTMX = {"HX-Request": "true"}


@pytest.fixture
def study(home: Path, tmp_path: Path) -> Study:
    """A project whose names are private-use characters, which no page holds by itself."""
    assert home.exists()
    return conflicting(tmp_path, names=PRIVATE_NAMES)


@pytest.fixture
def judge(study: Study) -> Account:
    return adjudicator(study)


@pytest.fixture
def mine(study: Study, judge: Account) -> Assignment:
    """An adjudication of ten pairs, on each of which one of three said otherwise."""
    disagree(study, judge)
    (given,) = give_conflicts(study)
    return given


def screen(mine: Assignment, query: str = "") -> str:
    answer = signed_in(mine.account).get(f"/assignments/{mine.pk}{query}")
    assert answer.status_code == 200
    return text(answer)


def beside(page: str, pair: AssignedPair) -> str:
    """Return what stands beside a pair, as text."""
    found = re.search(
        rf'<div class="beside hearing" id="beside-{pair.token}".*?<div class="told', page, re.DOTALL
    )
    assert found
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found.group())).split())


def post(
    client: Client, mine: Assignment, what: str, *, plainly: bool = False, **typed: str
) -> Answer:
    headers = {} if plainly else HTMX
    return client.post(f"/assignments/{mine.pk}/{what}", typed, headers=headers)


def asked(study: Study) -> list[Explained]:
    events = (entry.event for entry in read(lines(study.project)))
    return [event for event in events if isinstance(event, Explained)]


def test_votes_stand_beside_each_pair_without_names(study: Study, mine: Assignment) -> None:
    page = screen(mine)
    assert "Settle conflicts" in page
    for pair in mine.pairs.all():
        votes = beside(page, pair)
        assert re.findall("surely different|probably the same", votes) == [
            "surely different",
            "probably the same",
            "probably the same",
        ]
    for worker in study.workers:
        assert worker.username not in page
        assert str(worker.pk) not in page


def test_comments_are_in_an_order_that_does_not_tell_who_wrote_them(
    study: Study, mine: Assignment
) -> None:
    pair = mine.pairs.get(left=at(study, 5, 5)[0])
    said = re.findall("remark .", beside(screen(mine), pair))
    assert said == ["remark x", "remark y", "remark z"]


def test_whoever_reviews_sees_no_vote_of_others(mine: Assignment) -> None:
    assert mine.size == 10
    for each in Assignment.objects.filter(kind="review"):
        Assignment.objects.filter(pk=each.pk).update(state="open")
        page = screen(each)
        assert "beside" not in page
        assert "Votes" not in page
        assert "Explain the weight" not in page
        assert ">Reason<" not in page
        Assignment.objects.filter(pk=each.pk).update(state="submitted")


def test_nothing_hidden_is_in_the_page_whatever_is_asked(study: Study, mine: Assignment) -> None:
    client = signed_in(mine.account)
    tokens = mine.pairs.values_list("token", flat=True)
    asking = [text(post(client, mine, "explain", pair=token)) for token in tokens]
    pages = [*asking, screen(mine)]
    assert not re.findall("[\ue000-\uf8ff]", "".join(pages))
    shown = show_pairs(assignment=mine, numbers=range(1, 11))
    assert not any(
        sign.shown for pair in shown for c in pair.cells for row in c.rows for sign in row
    )
    numbered = 10  # pairs and answers have numbers of their own
    places = (at(study, number, number) for number in range(5, 10))
    left, right = next(each for each in places if min(each) > numbered)
    assert f'"{left}"' not in pages[-1]
    assert f'"{right}"' not in pages[-1]


def test_the_pairs_of_a_contradiction_lead_to_each_other(study: Study, judge: Account) -> None:
    ring(study, judge)
    (given,) = give_conflicts(study)
    assert "2 of them make up 1 contradiction<" in text(signed_in(judge).get("/assignments"))
    page = screen(given)
    first, second = given.pairs.order_by("number")
    for here, there in ((first, second), (second, first)):
        told = beside(page, here)
        assert "Pairs 1 and 2 contradict each other" in told
        found = re.search(rf'id="beside-{here.token}".*?</tr>', page, re.DOTALL)
        assert found
        assert f"?pair={there.token}&amp;size=20#pair-{there.token}" in found.group()
        assert f"?pair={here.token}" not in found.group()
    automatic = given.pairs.get(left=at(study, 0, 0)[0], right=at(study, 0, 0)[1])
    assert "none: this pair was linked by its weight alone" in beside(page, automatic)


def test_a_pair_outside_a_contradiction_says_nothing_of_one(mine: Assignment) -> None:
    assert "contradict" not in screen(mine)


def test_the_weight_is_explained_on_asking_and_the_ledger_notes_it_once(
    study: Study, mine: Assignment
) -> None:
    client = signed_in(mine.account)
    pair = mine.pairs.get(number=2)
    assert "calculated elsewhere" not in screen(mine)
    for _ in range(2):
        answer = post(client, mine, "explain", pair=pair.token)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"
        assert "calculated elsewhere" in beside(text(answer), pair)
        assert "probably the same" in beside(text(answer), pair)
    plainly = post(client, mine, "explain", plainly=True, pair=pair.token)
    assert plainly.status_code == 302
    assert plainly.headers["Location"].endswith(f"#pair-{pair.token}")
    assert asked(study) == [Explained(str(mine.pk), 2)]
    page = screen(mine)
    assert "Weight 0.0" in beside(page, pair)
    assert "Explain the weight" in beside(page, mine.pairs.get(number=1))
    verify_project(study.project)


def test_a_weight_is_shown_by_open_attributes_and_one_line_for_all_else(
    mine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = Explanation(4.3, -2.2, (("born", "identical", 9.4), ("first name", "similar", -9.9)), 7)
    monkeypatch.setattr(explaining, "explanations_of", lambda **_: {1: told})
    shown = beside(screen(mine), mine.pairs.get(number=1))
    assert "Weight +4.3 First name: similar −9.9 Born: identical +9.4 everything else +7" in shown
    assert "not fully open" in shown


def test_an_explained_weight_follows_what_is_opened(
    mine: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, pair = signed_in(mine.account), mine.pairs.get(number=1)

    def opened() -> str:
        return text(post(client, mine, "open", pair=pair.token, seen="0", step="full:sex"))

    silent = opened()
    assert f'id="beside-{pair.token}"' not in silent, "nobody asked for the weight"
    told = Explanation(4.3, -2.2, (("sex", "identical", 0.9),), 6)
    monkeypatch.setattr(explaining, "explanations_of", lambda **_: {1: told})
    assert "Weight +4.3 Sex: identical +0.9 everything else +6" in beside(opened(), pair)


def test_whoever_reviews_cannot_ask(study: Study, mine: Assignment) -> None:
    theirs = Assignment.objects.filter(kind="review").first()
    assert theirs
    Assignment.objects.filter(pk=theirs.pk).update(state="open")
    worker = signed_in(theirs.account)
    own, other = theirs.pairs.get(number=1).token, mine.pairs.get(number=1).token
    assert post(worker, theirs, "explain", pair=own).status_code == 403
    assert post(worker, mine, "explain", pair=other).status_code == 404
    assert signed_in(study.manager).post(f"/assignments/{mine.pk}/explain").status_code == 404
    client = signed_in(mine.account)
    assert post(client, mine, "explain", pair=own).status_code == 404
    assert post(client, mine, "explain").status_code == 400
    assert asked(study) == []


def test_a_decision_asks_for_its_reason(mine: Assignment) -> None:
    client = signed_in(mine.account)
    pair = mine.pairs.get(number=1)
    page = screen(mine)
    assert "Save reason" in page
    assert "Save comment" not in page
    lacks = "Reason missing."
    assert lacks not in page
    answer = text(post(client, mine, "decide", pair=pair.token, decision="probably the same"))
    assert lacks in answer
    assert lacks in screen(mine)
    answer = text(post(client, mine, "comment", pair=pair.token, words="It fits."))
    assert "Reason saved." in answer
    assert lacks not in answer
    assert lacks not in screen(mine)


def test_the_last_page_lists_decisions_without_a_reason(mine: Assignment) -> None:
    client = signed_in(mine.account)
    say(mine, SAME)
    bare = mine.pairs.get(number=3)
    give_reason(mine, bare.token, "")
    address = f"/assignments/{mine.pk}/submit"
    page = text(client.get(address))
    assert "1 decision still needs a reason" in page
    assert page.count("no reason yet") == 1
    assert f"?pair={bare.token}#pair-{bare.token}" in page
    assert ">Submit<" not in page
    refused = client.post(address)
    assert refused.status_code == 422
    assert "1 decisions have no reason." in text(refused)
    give_reason(mine, bare.token)
    assert "Check your decisions" in text(client.get(address))
    assert client.post(address).status_code == 302
    assert Assignment.objects.get(pk=mine.pk).state == "submitted"


def test_assignments_are_named_by_their_kind(study: Study, mine: Assignment) -> None:
    assert "Settle conflicts" in text(signed_in(mine.account).get("/assignments"))
    assert "Settle conflicts" not in text(signed_in(study.workers[0]).get("/assignments"))
    page = text(signed_in(study.manager).get("/projects/study"))
    assert page.count("Settle conflicts") == 1


def test_the_rest_of_an_adjudication_goes_to_adjudicators_alone(
    study: Study, mine: Assignment
) -> None:
    other = adjudicator(study, "other")
    page = text(signed_in(study.manager).get("/projects/study"))
    rest = page.partition(f"assignments/{mine.pk}/reassign")[2].partition("</form>")[0]
    assert f"person-{other.pk}" in rest
    for each in (mine.account, *study.workers):
        assert f"person-{each.pk}" not in rest


def test_what_was_settled_is_shown_no_more(mine: Assignment) -> None:
    say(mine, SAME)
    hand_in(mine)
    assert "Votes" not in screen(mine)
