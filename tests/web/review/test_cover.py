"""The cover: what nobody is at is refused by every route until the password is given again."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db.models import F
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.projects import create_project
from mindfirl.services.review.decisions import decisions_of
from mindfirl.store.models import Assignment, OpenSession, Project
from mindfirl.web.routes import ROUTES
from tests.support.cast import Answer, signed_in, text
from tests.support.people import PASSWORD
from tests.support.reviews import PRIVATE_NAMES, Study, make_study
from tests.web.review.test_review import HTMX, Desk, a_step, given, signs, traced

BY_ITSELF = {"X-Mindfirl-Polling": "1"}


@pytest.fixture
def desk(home: Path, tmp_path: Path) -> Desk:
    """A worker with a password, who has opened a cell."""
    assert home.exists()
    made = make_study(tmp_path, people=20, pairs=30, workers=2, names=PRIVATE_NAMES)
    return with_a_cell_open(made)


def with_a_cell_open(study: Study) -> Desk:
    worker = study.workers[0]
    worker.set_password(PASSWORD)
    worker.save()
    desk = given(study)
    assert traced(text(desk.open(a_step(desk, "first", "full"), "full:first")))
    return desk


def wait(**passed: float) -> None:
    """Let time pass in all sessions."""
    gone = timedelta(**passed)
    OpenSession.objects.update(seen=F("seen") - gone, reviewed=F("reviewed") - gone)


def give(desk: Desk, password: str = PASSWORD, **typed: str) -> Answer:
    return desk.client.post(f"{desk.address}/uncover", {"password": password, **typed})


def is_covered(answer: Answer) -> bool:
    """Say whether an answer leads to the cover, and holds nothing else."""
    there = answer.headers.get("Location") or answer.headers.get("HX-Redirect", "")
    assert not answer.content
    return "/uncover?next=" in there


def routes() -> Iterator[tuple[str, str]]:
    """Every route to an assignment of one's own, by every method that it takes."""
    for pattern in get_resolver().url_patterns:
        assert isinstance(pattern, URLPattern)
        name = pattern.name or ""
        if set(pattern.pattern.converters) == {"assignment"} and name != "review-uncover":
            yield from ((name, method) for method in ROUTES[name])


def test_every_route_to_an_assignment_is_refused_when_nobody_was_there(desk: Desk) -> None:
    pair = desk.pairs()[0]
    before = desk.now().spent
    wait(minutes=5)
    tried = 0
    for name, method in routes():
        for headers in ({}, HTMX, BY_ITSELF):
            typed = {"pair": pair.token, "seen": "0", "step": "full:last", "level": "full"}
            typed |= {"decision": "surely the same", "ago": "0", "keys": "on", "text": "hello"}
            send = desk.client.post if method == "POST" else desk.client.get
            answer = send(reverse(name, args=[desk.assignment.pk]), typed, headers=headers)
            assert is_covered(answer), (name, method, headers)
            tried += 1
    assert tried >= 24
    cover = desk.client.get(f"{desk.address}/uncover")
    assert cover.status_code == 200
    assert traced(text(cover)) == []
    assert signs(text(cover)) == ""
    assert not any(each.token in text(cover) for each in desk.pairs())
    assert (desk.now().spent, decisions_of(desk.now())) == (before, {})


def test_somebody_who_is_there_is_not_asked(desk: Desk) -> None:
    for _ in range(4):
        wait(minutes=4, seconds=55)
        assert traced(desk.page())
    wait(minutes=5)
    assert is_covered(desk.client.get(desk.address))


def test_the_password_brings_one_back_to_the_pair(desk: Desk) -> None:
    token = desk.pairs()[7].token
    opened = desk.page(f"?pair={token}&size=10")
    wait(minutes=6)
    asked = desk.client.get(f"{desk.address}?pair={token}&size=10")
    there = f"{desk.address}?pair={token}&size=10"
    assert asked.headers["Location"] == f"{desk.address}/uncover?next={quote(there, safe='')}"
    cover = text(desk.client.get(asked.headers["Location"]))
    assert f'name="next" value="{there.replace("&", "&amp;")}"' in cover
    assert "after 5 minutes" in cover
    back = give(desk, next=there)
    assert (back.status_code, back.headers["Location"]) == (302, f"{there}#pair-{token}")
    again = desk.page(f"?pair={token}&size=10")
    assert signs(again) == signs(opened)
    assert f'class="pair focus" id="pair-{token}"' in again
    left = desk.client.get(f"{desk.address}/uncover?next={quote(there, safe='')}")
    assert left.headers["Location"] == f"{there}#pair-{token}"


def test_what_was_sent_under_the_cover_is_said_to_be_lost(desk: Desk) -> None:
    token = desk.pairs()[7].token
    wait(minutes=6)
    answer = desk.client.post(
        f"{desk.address}/decide?size=10", {"pair": token, "decision": "surely the same"}
    )
    assert quote(f"?size=10&pair={token}", safe="") in answer.headers["Location"]
    assert "Your changes were not saved." in text(desk.client.get(answer.headers["Location"]))
    answer = desk.client.post(f"{desk.address}/submit")
    assert quote(f"{desk.address}/submit", safe="") in answer.headers["Location"]
    desk.client.get(answer.headers["Location"])
    desk.client.post(f"{desk.address}/presence", {"ago": "0"}, headers=BY_ITSELF)
    assert "not saved" not in text(desk.client.get(f"{desk.address}/uncover"))
    assert decisions_of(desk.now()) == {}


def test_a_wrong_password_keeps_the_cover_and_too_many_shut_it(desk: Desk) -> None:
    wait(minutes=6)
    for typed in ("", "wrong", PASSWORD + "\0", "x" * 5_000):
        answer = give(desk, typed, next=f"{desk.address}?page=2")
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in text(answer)
        assert f'value="{desk.address}?page=2"' in text(answer)
        assert is_covered(desk.client.get(desk.address))
    answers = [give(desk, "wrong") for _ in range(5)]
    assert answers[-1].status_code == 429
    assert "Too many wrong passwords" in text(answers[-1])
    assert give(desk).status_code == 429
    assert is_covered(desk.client.get(desk.address))
    locked = Client().post("/sign-in", {"username": "worker0", "password": PASSWORD})
    assert locked.status_code == 429


def test_the_password_of_somebody_else_is_wrong(desk: Desk) -> None:
    other = desk.study.workers[1]
    other.set_password("another quiet harbour")
    other.save()
    wait(minutes=6)
    assert give(desk, "another quiet harbour", username=other.username).status_code == 422
    assert is_covered(desk.client.get(desk.address))


@pytest.mark.parametrize(
    "there", ["https://elsewhere.example/", "//elsewhere.example", "/account", "\n//elsewhere", ""]
)
def test_nobody_is_led_elsewhere(desk: Desk, there: str) -> None:
    wait(minutes=6)
    page = text(desk.client.get(f"{desk.address}/uncover?next={quote(there)}"))
    assert f'name="next" value="{desk.address}"' in page
    assert give(desk, next=there).headers["Location"] == desk.address


def test_what_a_page_asks_by_itself_is_nobody(desk: Desk) -> None:
    for _ in range(5):
        wait(seconds=59)
        assert desk.client.get(desk.address, headers=BY_ITSELF).status_code == 200
    wait(seconds=5)
    assert is_covered(desk.client.get(desk.address, headers=BY_ITSELF))
    assert is_covered(desk.client.get(desk.address))


def test_who_reads_is_there_as_long_ago_as_the_page_says(desk: Desk) -> None:
    def here(ago: object) -> Answer:
        return desk.client.post(f"{desk.address}/presence", {"ago": ago}, headers=BY_ITSELF)

    for _ in range(3):
        wait(minutes=4)
        assert here(0).status_code == 204
    wait(minutes=4)
    assert here(60).status_code == 204
    wait(minutes=3, seconds=50)
    assert here(99_999).status_code == 204  # longer ago than was known: it says nothing
    wait(seconds=20)
    assert is_covered(here(0))
    assert give(desk).status_code == 302
    for wrong in ("", "-1", "soon", "1" * 30, "٣"):
        assert here(wrong).status_code == 400


def test_other_pages_and_other_sessions_go_on(desk: Desk) -> None:
    wait(minutes=6)
    other = signed_in(desk.study.workers[0])
    for page in ("/assignments", "/account", "/help"):
        assert desk.client.get(page).status_code == 200
    assert is_covered(desk.client.get(desk.address))
    assert other.get(desk.address).status_code == 200
    assert is_covered(desk.client.get(desk.address))
    assert give(desk).status_code == 302
    assert desk.client.get(desk.address).status_code == 200


def test_each_project_has_its_own_idle_time(desk: Desk) -> None:
    Project.objects.filter(pk=desk.assignment.project_id).update(idle_minutes=20)
    assert 'data-idle="1200"' in desk.page()
    wait(minutes=19)
    assert traced(desk.page())
    Project.objects.filter(pk=desk.assignment.project_id).update(idle_minutes=1)
    assert is_covered(desk.client.get(desk.address))
    assert give(desk).status_code == 302
    assert 'data-idle="60"' in desk.page()
    wait(seconds=61)
    assert is_covered(desk.client.get(desk.address))


def test_only_whose_assignment_it_is_can_uncover_it(desk: Desk) -> None:
    other = signed_in(desk.study.workers[1])
    assert other.get(f"{desk.address}/uncover").status_code == 404
    assert other.post(f"{desk.address}/presence", {"ago": "0"}).status_code == 404
    assert create_project(name="other", actor=COMMAND_LINE, synthetic=True).idle_minutes == 5
    assert Assignment.objects.get(pk=desk.assignment.pk).account != desk.study.workers[1]
