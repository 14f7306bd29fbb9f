"""Keyboard shortcuts: chosen on a page of one's own, and printed on the controls."""

from __future__ import annotations

import pytest
from django.test import Client

from mindfirl.core.review.decisions import USUAL
from mindfirl.store.models import Account
from tests.support.cast import person, signed_in, text

pytestmark = pytest.mark.usefixtures("home")
PAGE = "/account/shortcuts"


@pytest.fixture
def account() -> Account:
    return person()


@pytest.fixture
def browser(account: Account) -> Client:
    return signed_in(account)


def typed(**changes: str) -> dict[str, str]:
    keys = {f"key-{action.replace(' ', '-')}": key for action, key in USUAL.items()}
    return {**keys, "single_keys": "on", **{f"key-{name}": key for name, key in changes.items()}}


def test_the_page_shows_the_usual_keys(browser: Client) -> None:
    page = text(browser.get(PAGE))
    for action, key in USUAL.items():
        assert f'name="key-{action.replace(" ", "-")}" value="{key}"' in page
    assert "usually" not in page


def test_other_keys_stay_with_the_account(browser: Client, account: Account) -> None:
    assert browser.post(PAGE, typed(undo="z")).headers["Location"] == PAGE
    account.refresh_from_db()
    assert account.review_keys == {"undo": "z"}
    page = text(signed_in(account).get(PAGE))
    assert 'name="key-undo" value="z"' in page
    assert "default u" in page


def test_single_keys_are_switched_off_and_on(browser: Client, account: Account) -> None:
    off = typed()
    del off["single_keys"]
    browser.post(PAGE, off)
    account.refresh_from_db()
    assert not account.single_keys
    browser.post(PAGE, typed())
    account.refresh_from_db()
    assert account.single_keys


@pytest.mark.parametrize("key", ["", "zz", "n", "\u0301"])
def test_a_key_that_cannot_be_is_refused_and_what_was_typed_stays(
    browser: Client, account: Account, key: str
) -> None:
    answer = browser.post(PAGE, typed(undo=key, legend="y"))
    assert answer.status_code == 422
    page = text(answer)
    assert 'name="key-legend" value="y"' in page
    assert f'name="key-undo" value="{key}"' in page
    assert 'aria-describedby="key-undo-error" autofocus' in page
    account.refresh_from_db()
    assert account.review_keys == {}


def test_the_usual_keys_come_back(browser: Client, account: Account) -> None:
    browser.post(PAGE, typed(undo="z"))
    browser.post(PAGE, {"usual": "yes"})
    account.refresh_from_db()
    assert account.review_keys == {}


def test_when_the_screen_moves_on_and_asks_is_chosen(browser: Client, account: Account) -> None:
    assert account.advances
    assert browser.post(PAGE, {"pace": "yes", "asks_above": "12 %"}).headers["Location"] == PAGE
    account.refresh_from_db()
    assert (account.advances, account.asks_above) == (False, 12)
    for typed_share in ("", "101", "much"):
        answer = browser.post(PAGE, {"pace": "yes", "asks_above": typed_share})
        assert answer.status_code == 422
        assert "a number from 0 to 100" in text(answer)
    account.refresh_from_db()
    assert account.asks_above == 12
