"""Signing in and out in a browser."""

from __future__ import annotations

import re
from datetime import timedelta
from urllib.parse import quote

import pytest
from django.test import Client
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.administration import disable, new_link
from mindfirl.services.accounts.second_factor import begin_second_factor, confirm_second_factor
from mindfirl.services.accounts.sign_in import use_link
from mindfirl.store.models import Account, OpenSession
from tests.support.people import OTHER_PASSWORD, PASSWORD, code_of, signed_up

pytestmark = pytest.mark.usefixtures("home")

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/139.0 Safari/537.36"


def entered(client: Client, username: str = "ann", password: str = PASSWORD, then: str = "") -> str:
    """Fill in the form, and return where it leads."""
    fields = {"username": username, "password": password, "next": then}
    answer = client.post("/sign-in", fields)
    assert answer.status_code == 302, answer.status_code
    return str(answer["Location"])


def enrolled(account: Account) -> tuple[str, list[str]]:
    secret = begin_second_factor(account=account).secret
    then = timezone.now() - timedelta(days=1)
    return secret, confirm_second_factor(account=account, code=code_of(secret, then), now=then)


def test_name_and_password_let_in_under_a_new_key() -> None:
    ann, client = signed_up("ann"), Client(headers={"User-Agent": FIREFOX})
    session = client.session  # as somebody may have planted it
    session["planted"] = True
    session.save()
    before = session.session_key
    assert entered(client, " Ann ") == "/"
    assert client.session.session_key != before
    assert client.get("/account").status_code == 200
    (opened,) = OpenSession.objects.all()
    assert (opened.account, opened.browser, opened.second_factor) == (ann, "Firefox, Linux", False)
    planted = Client()
    planted.cookies["sessionid"] = before or ""
    assert planted.get("/account").status_code == 302


@pytest.mark.parametrize(
    ("agent", "name"),
    [(CHROME, "Chrome, Windows"), ("curl/8", "Another browser"), ("", "Another browser")],
)
def test_a_session_says_in_which_browser_it_is(agent: str, name: str) -> None:
    signed_up("ann")
    entered(Client(headers={"User-Agent": agent}))
    assert OpenSession.objects.get().browser == name


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"username": "ann"},
        {"password": PASSWORD},
        {"username": "ann", "password": "wrong"},
        {"username": "nobody <b>", "password": PASSWORD},
        {"username": "ann\0", "password": PASSWORD},
        {"username": "ann", "password": PASSWORD + "\0"},
        {"username": "ann", "password": "x" * 5_000},
        {"username": "y" * 5_000, "password": PASSWORD},
    ],
)
def test_what_does_not_fit_is_said_at_the_field_and_the_name_is_kept(
    fields: dict[str, str],
) -> None:
    signed_up("ann")
    client = Client()
    answer = client.post("/sign-in", fields)
    assert answer.status_code == 422
    page = answer.content.decode()
    (begun,) = re.findall(r"<input[^>]* autofocus[^>]*>", page)
    assert 'aria-invalid="true"' in begun
    assert re.search(r'aria-describedby="id_(username|password)_error"', begun)
    assert fields.get("username") != "ann" or 'value="ann"' in page
    assert PASSWORD not in page
    assert "<b>" not in page
    assert client.get("/account").status_code == 302
    assert not OpenSession.objects.exists()


def test_the_page_asked_for_is_returned_to_if_it_is_here() -> None:
    signed_up("ann")
    asked = Client().get("/account?x=1")
    assert asked["Location"] == "/sign-in?next=%2Faccount%3Fx%3D1"
    client = Client()
    assert 'name="next" value="/account?x=1"' in client.get(asked["Location"]).content.decode()
    assert entered(client, then="/account?x=1") == "/account?x=1"
    assert client.get("/sign-in")["Location"] == "/"


@pytest.mark.parametrize(
    "there",
    [
        "https://elsewhere.example/",
        "//elsewhere.example/",
        "/\\elsewhere.example",
        "javascript:alert(1)",
        "account",
        "http:///elsewhere.example",
        "\n//elsewhere.example",
    ],
)
def test_nobody_is_led_elsewhere(there: str) -> None:
    signed_up("ann")
    assert "elsewhere" not in Client().get(f"/sign-in?next={quote(there)}").content.decode()
    assert entered(Client(), then=there) == "/"


def test_too_many_wrong_passwords_shut_the_name_and_nothing_is_said_about_the_right_one() -> None:
    signed_up("ann")
    client = Client()
    for _guess in range(4):
        wrong = client.post("/sign-in", {"username": "ann", "password": "wrong"})
        assert wrong.status_code == 422
    for password in ("wrong", "wrong", PASSWORD):
        answer = client.post("/sign-in", {"username": "ANN", "password": password})
        assert answer.status_code == 429
        assert "Wait 15 minutes" in answer.content.decode()
    assert not OpenSession.objects.exists()


def test_with_a_second_factor_the_password_alone_opens_nothing() -> None:
    ann = signed_up("ann")
    secret, codes = enrolled(ann)
    client = Client()
    assert client.get("/sign-in/code")["Location"] == "/sign-in"
    assert client.post("/sign-in/code", {"code": codes[0]})["Location"] == "/sign-in"
    assert entered(client, then="/account") == "/sign-in/code"
    assert client.get("/account").status_code == 302
    assert not OpenSession.objects.exists()
    assert client.get("/sign-in/code").status_code == 200
    for code in ("", "12345", "x" * 99):
        answer = client.post("/sign-in/code", {"code": code})
        assert answer.status_code == 422
        assert 'aria-invalid="true"' in answer.content.decode()
    before = client.session.session_key
    answer = client.post("/sign-in/code", {"code": code_of(secret, timezone.now())})
    assert answer["Location"] == "/account"
    assert client.session.session_key != before
    assert client.get("/account").status_code == 200
    assert OpenSession.objects.get().second_factor
    again = Client()
    entered(again)
    assert again.post("/sign-in/code", {"code": codes[0]})["Location"] == "/"


def test_wrong_codes_shut_the_name_even_if_the_password_is_given_anew_each_time() -> None:
    secret, codes = enrolled(signed_up("ann"))
    for _guess in range(4):
        client = Client()
        entered(client)
        assert client.post("/sign-in/code", {"code": "no-such-code"}).status_code == 422
    client = Client()
    entered(client)
    for code in ("no-such-code", codes[0], code_of(secret, timezone.now())):
        assert client.post("/sign-in/code", {"code": code}).status_code == 429
    assert not OpenSession.objects.exists()


@pytest.mark.parametrize("what", ["too late", "password changed", "disabled"])
def test_a_password_that_no_longer_counts_lets_no_code_in(what: str) -> None:
    ann = signed_up("ann")
    _secret, codes = enrolled(ann)
    client = Client()
    entered(client)
    if what == "too late":
        session = client.session
        session["password given"] = {**session["password given"], "at": 0}
        session.save()
    elif what == "password changed":
        token = new_link(actor=COMMAND_LINE, account=ann)
        use_link(token=token, password=OTHER_PASSWORD)
    else:
        disable(actor=COMMAND_LINE, account=ann)
    assert client.post("/sign-in/code", {"code": codes[0]})["Location"] == "/sign-in"
    assert ann.recovery_codes.filter(used=None).count() == 10


def test_signing_out_ends_the_session_and_clears_the_browser() -> None:
    signed_up("ann")
    client = Client()
    entered(client)
    copied = Client()
    copied.cookies["sessionid"] = client.cookies["sessionid"].value
    assert copied.get("/account").status_code == 200
    assert client.get("/sign-out").status_code == 405
    answer = client.post("/sign-out")
    assert answer["Location"] == "/sign-in"
    assert answer["Clear-Site-Data"] == '"cache", "cookies", "storage"'
    assert answer["Cache-Control"] == "no-store"
    assert not OpenSession.objects.exists()
    assert copied.get("/account").status_code == 302
    assert Client().post("/sign-out").status_code == 302


def test_a_disabled_account_is_refused_at_its_next_request() -> None:
    ann, client = signed_up("ann"), Client()
    entered(client)
    assert client.get("/account").status_code == 200
    disable(actor=COMMAND_LINE, account=ann)
    assert client.get("/account").status_code == 302
    answer = client.post("/sign-in", {"username": "ann", "password": PASSWORD})
    assert answer.status_code == 422


def test_sessions_end_by_idleness_and_by_age() -> None:
    signed_up("ann")
    for change in (
        {"seen": timezone.now() - timedelta(minutes=31)},
        {"started": timezone.now() - timedelta(hours=13)},
    ):
        client = Client()
        entered(client)
        assert client.get("/account").status_code == 200
        OpenSession.objects.update(**change)
        assert client.get("/account").status_code == 302


def test_forms_without_their_token_are_refused() -> None:
    signed_up("ann")
    client = Client(enforce_csrf_checks=True)
    fields = {"username": "ann", "password": PASSWORD}
    assert client.post("/sign-in", fields).status_code == 403
