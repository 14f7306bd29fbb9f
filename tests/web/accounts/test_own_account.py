"""One's own account in a browser: links, password, sessions, second factor."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.administration import add_account, new_link
from mindfirl.services.accounts.second_factor import has_second_factor, pending_second_factor
from mindfirl.store.models import Account, OpenSession
from tests.support.cast import signed_in
from tests.support.people import OTHER_PASSWORD, PASSWORD, code_of, signed_up

pytestmark = pytest.mark.usefixtures("home")

WRONG = "not the password"


def told(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    return answer.content.decode()


def link_for(token: str) -> str:
    return reverse("access-link", kwargs={"token": token})


def test_looking_at_a_link_does_not_use_it_and_choosing_a_password_does() -> None:
    _account, token = add_account(actor=COMMAND_LINE, username="ann")
    assert link_for(token) == f"/welcome/{token}"
    client = Client()
    for _look in range(3):
        assert 'data-username="ann"' in told(client, link_for(token))
    chosen = client.post(link_for(token), {"password": PASSWORD, "again": PASSWORD})
    assert chosen["Location"] == "/sign-in"
    assert "Password saved" in told(client, "/sign-in")
    assert client.get(link_for(token)).status_code == 404
    again = {"password": OTHER_PASSWORD, "again": OTHER_PASSWORD}
    assert "Ask the administrator" in client.post(link_for(token), again).content.decode()
    assert Account.objects.get().check_password(PASSWORD)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "password"),
        ({"password": PASSWORD}, "again"),
        ({"password": PASSWORD, "again": OTHER_PASSWORD}, "again"),
        ({"password": "short", "again": "short"}, "password"),
        ({"password": "ann.example.org", "again": "ann.example.org"}, "password"),
        ({"password": "x" * 2_000, "again": "x" * 2_000}, "password"),
        ({"password": "\0" * 20, "again": "\0" * 20}, "password"),
    ],
)
def test_a_password_that_will_not_do_is_said_at_its_field(
    fields: dict[str, str], field: str
) -> None:
    account, token = add_account(actor=COMMAND_LINE, username="ann.example.org")
    answer = Client().post(link_for(token), fields)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'id="id_{field}_error"' in page
    shown = re.search(rf'<input[^>]*name="{field}"[^>]*>', page)
    assert shown is not None
    assert f"id_{field}_error" in shown[0]
    assert 'aria-invalid="true"' in shown[0]
    assert "value=" not in shown[0]
    assert not Account.objects.get(pk=account.pk).has_usable_password()


def test_a_link_signs_out_whoever_else_was_signed_in_here() -> None:
    bob = signed_up("bob")
    client = signed_in(bob)
    _account, token = add_account(actor=COMMAND_LINE, username="ann")
    client.post(link_for(token), {"password": PASSWORD, "again": PASSWORD})
    assert client.get("/account").status_code == 302
    assert not OpenSession.objects.exists()


def test_the_account_page_tells_one_about_oneself_and_nobody_else() -> None:
    ann, bob = signed_up("ann"), signed_up("bob")
    client, _other = signed_in(ann), signed_in(bob)
    OpenSession.objects.filter(account=bob).update(browser="Bobs browser")
    page = told(client, "/account")
    assert "ann" in page
    assert "Bobs browser" not in page
    assert page.count("this session") == 1


def test_a_session_elsewhere_is_ended_but_nobody_elses() -> None:
    ann, bob = signed_up("ann"), signed_up("bob")
    here, there, foreign = signed_in(ann), signed_in(ann), signed_in(bob)
    (address,) = re.findall(r'action="(/account/sessions/[^"]+)"', told(here, "/account"))
    assert foreign.post(address).status_code == 404
    assert there.get("/account").status_code == 200
    assert here.get(address).status_code == 405
    assert here.post(address)["Location"] == "/account"
    assert "Session ended" in told(here, "/account")
    assert there.get("/account").status_code == 302
    assert here.post(address).status_code == 404
    assert foreign.get("/account").status_code == 200


def test_changing_the_password_keeps_this_session_and_ends_the_others() -> None:
    ann = signed_up("ann")
    here, there = signed_in(ann), signed_in(ann)
    token = new_link(actor=COMMAND_LINE, account=ann)
    before = here.session.session_key
    fields = {"old_password": PASSWORD, "new_password": OTHER_PASSWORD, "again": OTHER_PASSWORD}
    assert here.post("/account/password", fields)["Location"] == "/account"
    assert "Password changed" in told(here, "/account")
    assert here.session.session_key != before
    assert there.get("/account").status_code == 302
    assert Account.objects.get().check_password(OTHER_PASSWORD)
    assert Client().get(link_for(token)).status_code == 404


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"old_password": ""}, "old_password"),
        ({"old_password": WRONG}, "old_password"),
        ({"new_password": ""}, "new_password"),
        ({"new_password": "short", "again": "short"}, "new_password"),
        ({"again": WRONG}, "again"),
    ],
)
def test_a_change_of_password_that_will_not_do_changes_nothing(
    change: dict[str, str], field: str
) -> None:
    ann = signed_up("ann")
    here, there = signed_in(ann), signed_in(ann)
    fields = {"old_password": PASSWORD, "new_password": OTHER_PASSWORD, "again": OTHER_PASSWORD}
    answer = here.post("/account/password", {**fields, **change})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'id="id_{field}_error"' in page
    assert PASSWORD not in page
    assert Account.objects.get().check_password(PASSWORD)
    assert there.get("/account").status_code == 200


def test_an_old_password_cannot_be_guessed_from_an_open_session() -> None:
    client = signed_in(signed_up("ann"))
    fields = {"new_password": OTHER_PASSWORD, "again": OTHER_PASSWORD}
    answers = [
        client.post("/account/password", {"old_password": old, **fields}).status_code
        for old in [*[WRONG] * 5, PASSWORD]
    ]
    assert answers == [422, 422, 422, 422, 429, 429]
    assert Account.objects.get().check_password(PASSWORD)


def test_a_second_factor_is_set_up_step_by_step() -> None:
    ann = signed_up("ann")
    client = signed_in(ann)
    assert client.get("/account/second-factor/qr")["Location"] == "/account/second-factor"
    assert "Set up a second factor" in told(client, "/account/second-factor")
    for password in ("", "wrong"):
        refused = client.post("/account/second-factor", {"begin": "1", "password": password})
        assert refused.status_code == 422
        assert 'id="begin_password_error"' in refused.content.decode()
    assert pending_second_factor(ann) is None
    client.post("/account/second-factor", {"begin": "1", "password": PASSWORD})
    pending = pending_second_factor(ann)
    assert pending is not None
    assert pending.secret in told(client, "/account/second-factor").replace(" ", "")
    picture = client.get("/account/second-factor/qr")
    assert picture["Content-Type"] == "image/svg+xml"
    assert picture["Cache-Control"] == "no-store"
    assert picture.content.startswith(b"<svg")
    assert pending_second_factor(ann) == pending
    for code in ("", "12345", "\0", "x" * 99):
        answer = client.post("/account/second-factor", {"code": code})
        assert answer.status_code == 422
        assert 'id="id_code_error"' in answer.content.decode()
    assert not has_second_factor(ann)
    code = code_of(pending.secret, timezone.now())
    page = client.post("/account/second-factor", {"code": code}).content.decode()
    codes = re.findall(r"<li>((?:[a-z2-7]{4}-){3}[a-z2-7]{4})</li>", page)
    assert len(set(codes)) == 10
    assert OpenSession.objects.get().second_factor
    page = told(client, "/account/second-factor")
    assert "Second factor is on" in page
    assert not any(each in page.replace(" ", "") for each in (*codes, pending.secret))
    reloaded = client.post("/account/second-factor", {"code": code})
    assert reloaded["Location"] == "/account/second-factor"
    assert client.get("/account/second-factor/qr").status_code == 302
    assert (
        client.post("/account/second-factor", {"begin": "1", "password": PASSWORD}).status_code
        == 400
    )
    assert has_second_factor(ann)
    assert "10 recovery codes left" in told(client, "/account")


@pytest.fixture
def enrolled() -> tuple[Account, str, Client]:
    """Somebody with a second factor, set up in this browser a while ago."""
    ann = signed_up("ann")
    client = signed_in(ann)
    client.post("/account/second-factor", {"begin": "1", "password": PASSWORD})
    pending = pending_second_factor(ann)
    assert pending is not None
    code = code_of(pending.secret, timezone.now() - timedelta(seconds=30))
    assert client.post("/account/second-factor", {"code": code}).status_code == 200
    return ann, pending.secret, client


def test_a_session_opened_without_the_code_is_given_it_later(
    enrolled: tuple[Account, str, Client],
) -> None:
    ann, secret, _client = enrolled
    client = signed_in(ann)
    assert "signed in with your password only" in told(client, "/account/second-factor")
    assert client.post("/account/second-factor", {"code": "no-such-code"}).status_code == 422
    code = code_of(secret, timezone.now())
    assert client.post("/account/second-factor", {"code": code}).status_code == 302
    assert "Second factor is on" in told(client, "/account/second-factor")
    assert OpenSession.objects.filter(second_factor=True).count() == 2


def test_recovery_codes_are_replaced_after_the_password_was_given(
    enrolled: tuple[Account, str, Client],
) -> None:
    ann, _secret, client = enrolled
    before = set(ann.recovery_codes.values_list("digest", flat=True))
    for password in ("", WRONG):
        answer = client.post("/account/recovery-codes", {"password": password})
        assert answer.status_code == 422
        assert 'id="codes_password_error"' in answer.content.decode()
        assert 'id="end_password_error"' not in answer.content.decode()
    assert set(ann.recovery_codes.values_list("digest", flat=True)) == before
    page = client.post("/account/recovery-codes", {"password": PASSWORD}).content.decode()
    assert page.count("<li>") == 10
    assert not before & set(ann.recovery_codes.values_list("digest", flat=True))


def test_the_second_factor_is_ended_after_the_password_was_given(
    enrolled: tuple[Account, str, Client],
) -> None:
    ann, _secret, client = enrolled
    for password in ("", WRONG):
        answer = client.post("/account/second-factor/end", {"password": password})
        assert answer.status_code == 422
        assert 'id="end_password_error"' in answer.content.decode()
    assert has_second_factor(ann)
    ended = client.post("/account/second-factor/end", {"password": PASSWORD})
    assert ended["Location"] == "/account"
    assert "password only" in told(client, "/account")
    assert not has_second_factor(ann)


def test_a_session_without_the_code_neither_ends_the_second_factor_nor_gets_recovery_codes(
    enrolled: tuple[Account, str, Client],
) -> None:
    ann, _secret, _client = enrolled
    before = set(ann.recovery_codes.values_list("digest", flat=True))
    older = signed_in(ann)
    for address in ("/account/recovery-codes", "/account/second-factor/end"):
        answer = older.post(address, {"password": PASSWORD})
        assert (answer.status_code, answer["Location"]) == (302, "/account/second-factor")
    assert has_second_factor(ann)
    assert set(ann.recovery_codes.values_list("digest", flat=True)) == before
    assert "Turn off the second factor" not in told(older, "/account/second-factor")
