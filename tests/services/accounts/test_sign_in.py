"""Signing in by password, lockout, and the sessions that are opened."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from axes.models import AccessAttempt
from django.contrib.auth import login
from django.contrib.auth.backends import ModelBackend
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection
from django.http import HttpRequest
from django.test import RequestFactory
from django.utils import timezone
from pytest_django import Settings

from mindfirl.services.accounts.sign_in import (
    carry_session,
    check_password,
    end_session,
    open_session,
    sessions_of,
    strengthen_session,
    touch_session,
)
from mindfirl.store.models import Account, OpenSession
from tests.support.people import PASSWORD, posted, signed_up

pytestmark = pytest.mark.usefixtures("home")

NOW = timezone.now()
MINUTE = timedelta(minutes=1)


def opened(account: Account, key: str = "key") -> OpenSession:
    return open_session(
        account=account, session_key=key, browser="Firefox", second_factor=False, now=NOW
    )


def tried(password: str, request: HttpRequest | None = None) -> Account | None:
    return check_password(request=request or posted(), username=" ANN ", password=password)


def test_a_name_in_any_spelling_and_its_password_let_in() -> None:
    ann = signed_up("ann")
    assert tried(PASSWORD) == ann
    assert tried(PASSWORD.upper()) is None
    for username in ("", "nobody", "an n", "ann\0", "x" * 10_000):
        assert check_password(request=posted(), username=username, password=PASSWORD) is None
    Account.objects.update(is_active=False)
    assert tried(PASSWORD) is None


def test_guesses_beyond_the_limit_are_not_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    signed_up("ann")
    evaluated = []
    evaluate = ModelBackend.authenticate

    def watched(self: ModelBackend, *args: object, **words: object) -> object:
        evaluated.append(words["password"])
        return evaluate(self, *args, **words)  # type: ignore[arg-type]  # as it was called

    monkeypatch.setattr(ModelBackend, "authenticate", watched)
    for guess in range(8):
        assert tried(f"guess {guess}") is None
    request = posted()
    assert tried(PASSWORD, request) is None
    assert evaluated == [f"guess {guess}" for guess in range(5)]
    assert request.axes_locked_out  # type: ignore[attr-defined]  # what its middleware reads
    another_browser = RequestFactory().post("/", HTTP_USER_AGENT="another")
    assert tried(PASSWORD, another_browser) is None
    other = signed_up("bob")
    assert check_password(request=posted(), username="bob", password=PASSWORD) == other


@pytest.mark.django_db(transaction=True)
def test_many_guesses_at_a_time_do_not_get_past_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    signed_up("ann")
    evaluated = []
    monkeypatch.setattr(
        ModelBackend, "authenticate", lambda *_args, **words: evaluated.append(words["password"])
    )

    def attempt(number: int) -> None:
        assert tried(f"wrong {number}") is None
        connection.close()

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(attempt, range(24)))
    assert len(evaluated) == 5


def guessed_from(address: str, **headers: str) -> HttpRequest:
    return RequestFactory().post("/sign-in", REMOTE_ADDR=address, **headers)  # type: ignore[arg-type]


def test_nobody_is_kept_out_by_guesses_from_elsewhere() -> None:
    root = signed_up("root", administrator=True)
    about = {"username": "root", "password": "wrong"}
    for number in range(50):
        for _guess in range(6):
            attacker = guessed_from(f"10.0.0.{number}")
            assert check_password(request=attacker, **about) is None
    found = check_password(request=guessed_from("192.0.2.7"), username="root", password=PASSWORD)
    assert found == root, "the only administrator can always sign in"
    shut = guessed_from("10.0.0.1")
    assert check_password(request=shut, username="root", password=PASSWORD) is None


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_adds(settings: Settings) -> None:
    settings.TLS = "proxy"
    ann = signed_up("ann")
    for guess in range(6):
        forged = guessed_from("127.0.0.1", HTTP_X_FORWARDED_FOR=f"10.1.1.{guess}, 10.0.0.1")
        tried("wrong", forged)
    assert tried(PASSWORD, guessed_from("127.0.0.1", HTTP_X_FORWARDED_FOR="10.0.0.1")) is None
    assert tried(PASSWORD, guessed_from("127.0.0.1", HTTP_X_FORWARDED_FOR="10.0.0.2")) == ann


def test_without_a_proxy_nobody_chooses_an_address(settings: Settings) -> None:
    assert settings.TLS != "proxy"
    signed_up("ann")
    for guess in range(6):
        tried("wrong", guessed_from("10.0.0.1", HTTP_X_FORWARDED_FOR=f"10.1.1.{guess}"))
    assert tried(PASSWORD, guessed_from("10.0.0.1", HTTP_X_FORWARDED_FOR="10.2.2.2")) is None
    odd = guessed_from("no address")
    assert tried("wrong", odd) is None


def test_a_shut_name_opens_after_a_quarter_of_an_hour_whoever_tries_meanwhile() -> None:
    ann = signed_up("ann")
    for _guess in range(5):
        tried("wrong")
    AccessAttempt.objects.update(attempt_time=timezone.now() - 14 * MINUTE)
    assert tried(PASSWORD) is None
    AccessAttempt.objects.update(attempt_time=timezone.now() - 16 * MINUTE)
    assert tried(PASSWORD) == ann
    for _guess in range(5):
        tried("wrong")
    last = AccessAttempt.objects.get().attempt_time
    tried("wrong during the lockout")
    assert AccessAttempt.objects.get().attempt_time == last


def test_wrong_guesses_are_forgotten_when_somebody_is_wholly_signed_in() -> None:
    signed_up("ann")
    for _round in range(3):
        for _guess in range(4):
            assert tried("wrong") is None
        request = posted()
        account = tried(PASSWORD, request)
        assert account is not None
        request.session = SessionStore()
        login(request, account)
        assert not AccessAttempt.objects.exists()
    for _guess in range(4):
        tried("wrong")
    assert tried(PASSWORD) is not None  # the password alone forgets nothing
    assert tried("wrong") is None
    assert tried(PASSWORD) is None


def test_nothing_that_was_typed_is_kept() -> None:
    fields = {
        "username": "typed-name",
        "password": "typed-1",
        "old_password": "typed-2",
        "new_password": "typed-3",
        "code": "typed-4",
        "csrfmiddlewaretoken": "typed-5",
    }
    request = RequestFactory().post("/sign-in?next=/typed-6", fields)
    check_password(request=request, username="typed-name", password="typed-1")
    (kept,) = AccessAttempt.objects.values()
    assert "typed" not in repr(kept)
    assert kept["failures_since_start"] == 1


def test_a_session_is_found_by_its_key_of_which_only_the_digest_is_kept() -> None:
    session = opened(signed_up("ann"), "the key of the session")
    assert "the key" not in session.digest
    assert touch_session(session_key="the key of the session", now=NOW, counts=True) == session
    assert touch_session(session_key="another", now=NOW, counts=True) is None
    assert touch_session(session_key="", now=NOW, counts=True) is None


def test_a_session_ends_by_idleness() -> None:
    opened(signed_up("ann"))
    later = NOW + 29 * MINUTE
    assert touch_session(session_key="key", now=later, counts=True) is not None
    assert touch_session(session_key="key", now=later + 29 * MINUTE, counts=True) is not None
    assert touch_session(session_key="key", now=later + 59 * MINUTE, counts=True) is None


def test_requests_that_a_page_makes_by_itself_do_not_keep_a_session() -> None:
    opened(signed_up("ann"))
    for minutes in range(1, 30):
        now = NOW + minutes * MINUTE
        assert touch_session(session_key="key", now=now, counts=False) is not None
    assert touch_session(session_key="key", now=NOW + 30 * MINUTE, counts=False) is None


def test_a_session_ends_by_age_however_much_it_is_used() -> None:
    opened(signed_up("ann"))
    for minutes in range(10, 12 * 60, 10):
        now = NOW + minutes * MINUTE
        assert touch_session(session_key="key", now=now, counts=True) is not None
    assert touch_session(session_key="key", now=NOW + timedelta(hours=12), counts=True) is None


def test_being_there_is_noted_every_few_seconds() -> None:
    opened(signed_up("ann"))
    touch_session(session_key="key", now=NOW + timedelta(seconds=4), counts=True)
    assert OpenSession.objects.get().seen == NOW
    touch_session(session_key="key", now=NOW + timedelta(seconds=5), counts=True)
    assert OpenSession.objects.get().seen == NOW + timedelta(seconds=5)


def test_the_longest_time_without_anybody_is_kept() -> None:
    opened(signed_up("ann"))
    for minutes, away in ((2, 2), (9, 7), (10, 7), (17, 7), (25, 8)):
        for counts in (False, True):
            now = NOW + minutes * MINUTE
            session = touch_session(session_key="key", now=now, counts=counts)
            assert session is not None
            assert session.away == away * MINUTE
        assert OpenSession.objects.get().away == away * MINUTE


def test_sessions_are_listed_and_ended_by_their_own_person() -> None:
    ann, bob = signed_up("ann"), signed_up("bob")
    first, second = opened(ann, "a"), opened(ann, "b")
    foreign = opened(bob, "c")
    assert set(sessions_of(ann, now=NOW)) == {first, second}
    assert not end_session(account=ann, session_id=foreign.pk)
    assert end_session(account=ann, session_id=first.pk)
    assert sessions_of(ann, now=NOW) == [second]
    third = opened(ann, "d")
    assert end_session(account=ann, session_id=second.pk)
    assert set(OpenSession.objects.all()) == {third, foreign}
    assert sessions_of(ann, now=NOW + timedelta(days=1)) == []


def test_sessions_that_are_over_go_when_another_is_opened() -> None:
    ann = signed_up("ann")
    opened(ann, "a")
    session = open_session(
        account=ann, session_key="b", browser="x" * 200, second_factor=True, now=NOW + 31 * MINUTE
    )
    assert list(OpenSession.objects.all()) == [session]
    assert len(session.browser) == 80


def test_a_session_whose_key_changes_is_carried_on_and_can_gain_the_second_factor() -> None:
    session = opened(signed_up("ann"), "old")
    carry_session(session=session, session_key="new")
    assert touch_session(session_key="old", now=NOW, counts=True) is None
    assert touch_session(session_key="new", now=NOW, counts=True) == session
    strengthen_session(session=session)
    assert OpenSession.objects.get().second_factor
