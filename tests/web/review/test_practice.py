"""The practice: the review screen with made-up pairs, of which only the session knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from mindfirl.services.review.disclosure.practice import PRACTICE, example_of
from mindfirl.store.models import OpenSession
from mindfirl.web.review.practice import answer_words
from tests.support.cast import Answer, person, signed_in, text
from tests.support.reviews import make_given

HTMX = {"HX-Request": "true"}
CONFLICT = 409
RESULT = ("practised", "practice_finished", "practice_right", "practice_pairs")
SAID = {True: "surely the same", False: "surely different", None: "cannot tell:bad data"}
OTHERWISE = {True: "surely different", False: "surely the same", None: "probably the same"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def client() -> Client:
    return signed_in(person())


def token_of(name: str) -> str:
    return next(token for token in PRACTICE if example_of(token).name == name)


def post(client: Client, what: str, *, plainly: bool = False, **typed: str) -> Answer:
    return client.post(f"/practice/{what}", typed, headers={} if plainly else HTMX)


def opening(
    client: Client, name: str, step: str, *, seen: int = 0, plainly: bool = False
) -> Answer:
    sent = {"pair": token_of(name), "seen": str(seen), "step": step}
    return post(client, "open", plainly=plainly, **sent)


def decide_all(client: Client, words: dict[bool | None, str]) -> list[str]:
    return [
        text(post(client, "decide", pair=token, decision=words[example_of(token).same]))
        for token in PRACTICE
    ]


def rows() -> dict[str, list[Any]]:
    """Return all rows of all tables but those of sessions."""
    return {
        model.__name__: list(model._default_manager.order_by("pk").values())  # noqa: SLF001  # public by its documentation
        for model in apps.get_models()
        if model not in (Session, OpenSession)
    }


def test_the_page_says_that_nobody_is_real_and_shows_nothing(client: Client) -> None:
    page = text(client.get("/practice"))
    assert "Made-up people; nothing is charged" in page
    assert page.count('<tbody class="pair') == len(PRACTICE)
    assert "saved" not in page
    assert "feedback" not in page
    for token in PRACTICE:
        for record in example_of(token).records:
            assert not any(f">{value}<" in page for value in record if len(value) > 1)


def test_a_tour_comes_first_and_shows_a_masked_pair_with_its_prices(client: Client) -> None:
    page = text(client.get("/practice/tour"))
    assert "How to read a pair, in one minute" in page
    assert 'class="price">' in page
    assert "Clara" not in page
    assert 'class="button go" href="/practice"' in page
    assert "How to read a pair" in text(client.get("/practice"))


def test_an_opening_shows_the_characters_and_moves_the_meters(client: Client) -> None:
    answer = text(opening(client, "twins", "full:first name"))
    assert "Clara" in answer
    assert "Emma" in answer
    assert "Vogel" not in answer
    spent = re.search(r'data-spent="([\d.]+)"', answer)
    assert spent
    assert 0 < float(spent.group(1)) < 1
    assert spent.group() in text(client.get("/practice"))


def test_the_same_forms_lead_to_the_practice_and_nowhere_else(client: Client) -> None:
    page = text(client.get("/practice"))
    actions = set(re.findall(r'action="(/[^"?]+)', page)) - {"/sign-out"}
    assert actions == {
        f"/practice/{name}" for name in ("open", "open-row", "decide", "shortcuts", "finish")
    }
    assert "/assignments/" not in page


@pytest.mark.parametrize("token", PRACTICE)
def test_every_decision_is_answered_with_why(client: Client, token: str) -> None:
    example = example_of(token)
    answer = text(post(client, "decide", pair=token, decision=SAID[example.same]))
    assert f"Right: {answer_words(example)}." in answer
    assert "✓ right" in answer
    assert "You opened more than needed" not in answer
    assert answer.count("Right:") == 2  # where it is seen, and where it is heard
    answer = text(post(client, "decide", pair=token, decision=OTHERWISE[example.same]))
    assert f"Not quite: {answer_words(example)}." in answer
    assert "✗ not quite" in answer
    assert "✓" not in answer
    back = text(post(client, "decide", pair=token, decision=""))
    assert "Not quite" not in back
    assert "Decision undone." in back


def test_who_opened_more_than_needed_is_told_what(client: Client) -> None:
    opening(client, "twins", "full:first name")
    opening(client, "twins", "partial:number", seen=1)
    token = token_of("twins")
    answer = text(post(client, "decide", pair=token, decision="surely different"))
    assert "You opened more than needed: number." in answer


def test_the_budget_refuses_with_a_sentence(client: Client) -> None:
    for token in list(PRACTICE)[:-1]:
        post(client, "open-row", pair=token, seen="0", level="full")
    sent: Any = {"pair": list(PRACTICE)[-1], "seen": "0", "level": "full"}
    answer = post(client, "open-row", **sent)
    assert answer.status_code == CONFLICT
    assert "more than your remaining budget" in text(answer)
    assert "Zhang" not in text(answer)
    plain = post(client, "open-row", plainly=True, **sent)
    assert plain.status_code == 302
    assert "more than your remaining budget" in text(client.get(plain.headers["Location"]))


def test_an_old_page_opens_nothing(client: Client) -> None:
    opening(client, "twins", "full:first name")
    answer = opening(client, "twins", "partial:number")
    assert answer.status_code == CONFLICT
    assert "changed after your page was loaded" in text(answer)


def test_without_scripts_everything_goes_back_to_its_pair(client: Client) -> None:
    token = token_of("letter")
    for answer in (
        opening(client, "letter", "partial:first name", plainly=True),
        post(client, "decide", plainly=True, pair=token, decision="surely the same"),
        post(client, "shortcuts", plainly=True, pair=token),
    ):
        assert answer.status_code == 302
        assert answer.headers["Location"] == f"/practice?pair={token}#pair-{token}"
    page = text(client.get(f"/practice?pair={token}"))
    assert "Right: the same person." in page
    assert f'class="pair focus" id="pair-{token}"' in page
    assert 'data-keys="off"' in page
    assert post(client, "shortcuts", pair="elsewhere").headers["Location"] == "/practice"


def test_the_next_undecided_pair_is_found_from_the_first_on_again(client: Client) -> None:
    tokens = list(PRACTICE)
    for token in tokens[2:]:
        post(client, "decide", pair=token, decision="surely the same")
    for after, found in (("0", 0), ("1", 1), ("2", 0), ("11", 0), ("nonsense", 0)):
        page = text(client.get(f"/practice?after={after}"))
        assert f'class="pair focus" id="pair-{tokens[found]}"' in page


@pytest.mark.parametrize(
    ("what", "typed"),
    [
        ("open", {}),
        ("open", {"step": "full"}),
        ("open", {"step": "everything:sex"}),
        ("open", {"step": "full:diagnosis"}),
        ("open", {"step": "partial:sex"}),
        ("open", {"step": "full:sex", "seen": "-1"}),
        ("open-row", {}),
        ("open-row", {"level": "masked"}),
        ("decide", {}),
        ("decide", {"decision": "no idea"}),
        ("decide", {"decision": "cannot tell"}),
    ],
)
def test_what_makes_no_sense_is_refused(client: Client, what: str, typed: dict[str, str]) -> None:
    sent: Any = {"pair": token_of("twins"), "seen": "0", **typed}
    assert post(client, what, **sent).status_code == 400
    sent["pair"] = "no-such-pair"
    assert post(client, what, **sent).status_code in (400, 404)
    assert "practice" not in client.session


def test_pairs_that_are_not_there_do_not_exist(client: Client) -> None:
    for what in ("open", "open-row", "decide"):
        sent: Any = {
            "step": "full:sex",
            "level": "full",
            "decision": "surely different",
            "seen": "0",
        }
        assert post(client, what, pair="practice-99", **sent).status_code == 404


def test_only_the_session_knows_of_a_practice_and_the_account_when_it_ended(
    client: Client,
) -> None:
    before = rows()
    opening(client, "twins", "full:first name")
    decide_all(client, SAID)
    client.get("/practice")
    assert rows() == before
    assert post(client, "finish", plainly=True).headers["Location"] == "/practice/finish"
    after = rows()
    for account in after["Account"]:
        assert account["practised"] is not None
        assert (account["practice_right"], account["practice_pairs"]) == (11, 11)
        account.update(dict.fromkeys(RESULT))
    assert after == before
    assert len(str(client.session["practice"])) < 1_000
    assert "Clara" not in str(dict(client.session))


def test_the_summary_counts_what_was_right(client: Client) -> None:
    opening(client, "twins", "full:first name")
    decide_all(client, SAID)
    post(client, "decide", pair=token_of("empty"), decision="surely the same")
    post(client, "decide", pair=token_of("letter"), decision="")
    page = text(client.get("/practice/finish"))
    assert "You decided 9 of 11 made-up pairs correctly." in page
    assert page.count('<span class="tag good">correct</span>') == 9
    assert page.count("not quite") == 1
    assert page.count("not decided") == 1
    assert reverse("assignments") in page


def test_it_can_be_begun_anew(client: Client) -> None:
    decide_all(client, SAID)
    assert "11 decided" in text(client.get("/practice"))
    assert post(client, "again", plainly=True).headers["Location"] == "/practice"
    assert "0 decided" in text(client.get("/practice"))
    assert client.get("/practice/finish").headers["Location"] == "/practice"


def test_practices_of_two_people_are_apart(client: Client) -> None:
    opening(client, "twins", "full:first name")
    assert "Clara" not in text(signed_in(person()).get("/practice"))


def test_practice_is_offered_before_the_first_assignment_until_done_or_skipped(
    home: Path, tmp_path: Path
) -> None:
    assert home.exists()
    study = make_given(tmp_path)
    for end in ("skip", "finish"):
        worker = study.workers[0 if end == "skip" else 1]
        client = signed_in(worker)
        page = text(client.get("/assignments"))
        assert "Practise first: 11 made-up pairs, 5 minutes" in page
        assert re.findall(r'class="button go" href="([^"]+)"', page) == ["/practice/tour"]
        if end == "finish":
            decide_all(client, SAID)
        assert "Practise first" in text(client.get("/assignments"))
        answer = client.post("/practice/finish")
        there = "/assignments" if end == "skip" else "/practice/finish"
        assert answer.headers["Location"] == there
        page = text(client.get("/assignments"))
        assert "Practise first" not in page
        assert "Practise again" in page
        assert 'class="button go" href="/assignments/' in page


def test_who_has_nothing_to_review_is_not_asked_to_practise(client: Client) -> None:
    page = text(client.get("/assignments"))
    assert "Practise first" not in page
    assert "Practise with made-up pairs" in page
