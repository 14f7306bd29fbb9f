"""Accounts in the administrator's browser."""

from __future__ import annotations

import html
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.sign_in import look_at_link
from mindfirl.services.projects import add_member, create_project, remove_member
from mindfirl.store.models import AccessLink, Account
from tests.support.cast import person, signed_in
from tests.support.people import PASSWORD, signed_up

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
    assert "Pass this link on to Ann &lt;b&gt;" in page
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


def test_a_link_comes_with_a_text_to_send(admin: Client) -> None:
    page = html.unescape(admin.post("/accounts", {"username": "ann"}).content.decode())
    text = page.partition('class="card copy text">')[2].partition("</p>")[0]
    assert "Your user name is ann." in text
    assert f"http://testserver/welcome/{token_on(page)}" in text
    assert page.count(f'data-copy="{text}"') == 1


def test_rights_are_changed_and_shown(admin: Client) -> None:
    ann = signed_up("ann")
    page = admin.get(for_account("change", ann)).content.decode()
    assert "has never signed in" in page
    assert "checked" not in page
    fields = {"full_name": "Ann Sample", "creates_projects": "on", "administrator": "on"}
    assert admin.post(for_account("change", ann), fields)["Location"] == "/accounts"
    listed = admin.get("/accounts").content.decode()
    assert "Account saved." in listed
    assert "Ann Sample" in listed
    assert "manage accounts, create projects" in listed.partition("Ann Sample")[2]
    assert signed_in(ann).get("/accounts").status_code == 200


def test_nobody_takes_the_right_from_themselves(admin: Client) -> None:
    boss = Account.objects.get()
    answer = admin.post(for_account("change", boss), {"full_name": "Boss"})
    assert answer.status_code == 422
    assert "Ask another administrator" in answer.content.decode()
    assert Account.objects.get().is_administrator


def test_accounts_are_searched_by_name(admin: Client) -> None:
    Account.objects.filter(pk=signed_up("ann").pk).update(full_name="Ann Sample")
    signed_up("bert")
    page = admin.get("/accounts", {"find": "SAMPLE"}).content.decode()
    assert "Ann Sample" in page
    assert "bert" not in page
    page = admin.get("/accounts", {"find": "<nobody>"}).content.decode()
    assert "No account has “&lt;nobody&gt;” in its name." in page


def test_the_last_sign_in_is_told(admin: Client) -> None:
    ann = signed_up("ann")
    fields = {"username": "ann", "password": PASSWORD}
    assert Client().post("/sign-in", fields).status_code == 302
    today = timezone.localdate().isoformat()
    assert today in admin.get("/accounts").content.decode().partition(">ann<")[2]
    assert today in admin.get(for_account("change", ann)).content.decode()


def test_an_account_that_was_in_no_project_is_deleted(admin: Client) -> None:
    ann = signed_up("ann")
    assert for_account("delete", ann) in admin.get(for_account("change", ann)).content.decode()
    assert admin.post(for_account("delete", ann))["Location"] == "/accounts"
    assert "Account of ann deleted." in admin.get("/accounts").content.decode()
    assert not Account.objects.filter(username="ann").exists()


def test_an_account_that_a_ledger_refers_to_stays(admin: Client) -> None:
    project = create_project(name="study", actor=COMMAND_LINE)
    ann = signed_up("ann")
    add_member(project=project, actor=COMMAND_LINE, account=ann, role="worker")
    remove_member(project=project, actor=COMMAND_LINE, account=ann, role="worker")
    page = admin.get(for_account("change", ann)).content.decode()
    assert for_account("delete", ann) not in page
    assert "cannot be deleted" in page
    admin.post(for_account("delete", ann))
    assert "Disable the account instead." in admin.get("/accounts").content.decode()
    assert Account.objects.filter(username="ann").exists()


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
    assert "ann is disabled" in admin.get("/accounts").content.decode()
    page = admin.get(for_account("change", ann)).content.decode()
    assert for_account("enable", ann) in page
    assert for_account("disable", ann) not in page
    assert admin.post(for_account("reset", ann))["Location"] == "/accounts"
    assert "Enable it first" in admin.get("/accounts").content.decode()
    admin.post(for_account("enable", ann))
    assert "ann can sign in again" in admin.get("/accounts").content.decode()
    assert Account.objects.get(username="ann").is_active


def test_nobody_disables_themselves(admin: Client) -> None:
    boss = Account.objects.get()
    assert (
        for_account("disable", boss) not in admin.get(for_account("change", boss)).content.decode()
    )
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
    for route in ("change", "delete", "reset", "disable", "enable"):
        assert client.post(for_account(route, ann)).status_code == 403
    assert client.post("/accounts", {"username": "x"}).status_code == 403
    assert Client().get("/accounts").status_code == 302
    assert Account.objects.count() == 2
