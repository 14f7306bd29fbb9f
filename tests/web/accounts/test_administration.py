"""Accounts in the administrator's browser."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from mindfirl.services.accounts.sign_in import look_at_link
from mindfirl.store.models import AccessLink, Account
from tests.support.cast import person, signed_in
from tests.support.people import signed_up

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def admin() -> Client:
    """The browser of an administrator."""
    return signed_in(signed_up("boss", administrator=True))


def for_account(route: str, account: Account) -> str:
    return reverse(f"account-{route}", kwargs={"account": account.pk})


def token_on(page: str) -> str:
    found = re.search(r"http://testserver/welcome/([\w-]{43})<", page)
    assert found is not None
    return found[1]


def test_somebody_is_invited_by_a_link_that_is_shown_once(admin: Client) -> None:
    fields = {"username": "Ann@x.org", "full_name": "Ann <b>", "creates_projects": "on"}
    page = admin.post("/accounts", fields).content.decode()
    assert "Give this link to Ann &lt;b&gt;" in page
    link = look_at_link(token_on(page))
    assert link is not None
    ann = link.account
    assert (ann.username, ann.creates_projects, ann.is_administrator) == ("ann@x.org", True, False)
    listed = admin.get("/accounts").content.decode()
    assert "ann@x.org" in listed
    assert "invited" in listed
    assert "/welcome/" not in listed


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "username"),
        ({"username": "a b", "full_name": "Kept Name"}, "username"),
        ({"username": "x" * 151, "full_name": "Kept Name"}, "username"),
        ({"username": "BOSS", "full_name": "Kept Name"}, "username"),
        ({"username": "a\0", "full_name": "Kept Name"}, "username"),
        ({"username": "kept.name", "full_name": "x" * 151}, "full_name"),
        ({"username": "kept.name", "full_name": "x" * 1_001}, "full_name"),
        ({"username": "kept.name", "full_name": "a\u202eb"}, "full_name"),
    ],
)
def test_what_will_not_do_is_said_at_the_field_and_the_rest_is_kept(
    admin: Client, fields: dict[str, str], field: str
) -> None:
    answer = admin.post("/accounts", {**fields, "administrator": "on"})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert f'id="id_{field}_error"' in page
    assert not fields or ("Kept Name" in page or "kept.name" in page)
    assert re.search(r'<input[^>]*name="administrator"[^>]*checked', page)
    assert not AccessLink.objects.filter(used=None).exists()
    assert Account.objects.count() == 1


def test_a_new_link_is_shown_once_and_ends_the_last(admin: Client) -> None:
    ann = signed_up("ann")
    first = token_on(admin.post(for_account("reset", ann)).content.decode())
    second = token_on(admin.post(for_account("reset", ann)).content.decode())
    assert look_at_link(first) is None
    assert look_at_link(second) is not None


def test_somebody_is_disabled_and_enabled(admin: Client) -> None:
    ann = signed_up("ann")
    client = signed_in(ann)
    assert admin.post(for_account("disable", ann))["Location"] == "/accounts"
    assert client.get("/account").status_code == 302
    page = admin.get("/accounts").content.decode()
    assert "ann is disabled" in page
    assert for_account("enable", ann) in page
    assert for_account("disable", ann) not in page
    assert admin.post(for_account("reset", ann))["Location"] == "/accounts"
    assert "Enable it first" in admin.get("/accounts").content.decode()
    admin.post(for_account("enable", ann))
    assert "ann may sign in again" in admin.get("/accounts").content.decode()
    assert Account.objects.get(username="ann").is_active


def test_nobody_disables_themselves(admin: Client) -> None:
    boss = Account.objects.get()
    assert for_account("disable", boss) not in admin.get("/accounts").content.decode()
    admin.post(for_account("disable", boss))
    assert "your own account" in admin.get("/accounts").content.decode()
    assert Account.objects.get().is_active


def test_accounts_that_are_not_there_are_not_found(admin: Client) -> None:
    gone = person()
    address = for_account("disable", gone)
    gone.delete()
    assert admin.post(address).status_code == 404


def test_nobody_but_administrators_gets_near() -> None:
    ann = signed_up("ann")
    client = signed_in(person(creator=True))
    assert client.get("/accounts").status_code == 403
    for route in ("reset", "disable", "enable"):
        assert client.post(for_account(route, ann)).status_code == 403
    assert client.post("/accounts", {"username": "x"}).status_code == 403
    assert Client().get("/accounts").status_code == 302
    assert Account.objects.count() == 2
