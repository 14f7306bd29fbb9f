"""Accounts as their administrator manages them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from mindfirl.core.errors import AccountError, FieldErrors, NotAllowed
from mindfirl.core.policy import COMMAND_LINE, Actor, actor
from mindfirl.services.accounts.administration import (
    account_named,
    add_account,
    add_first_administrator,
    all_accounts,
    disable,
    enable,
    new_link,
    remove_second_factor,
)
from mindfirl.services.accounts.second_factor import begin_second_factor, confirm_second_factor
from mindfirl.services.accounts.sign_in import look_at_link, open_session, touch_session
from mindfirl.store.models import AccessLink, Account, SecondFactor
from tests.support.people import code_of, signed_up

pytestmark = pytest.mark.usefixtures("home")


def as_administrator(account: Account) -> Actor:
    return actor(str(account.pk), administrator=True)


def test_an_account_is_invited_by_a_link_of_which_only_the_digest_is_kept() -> None:
    account, token = add_account(
        actor=COMMAND_LINE, username="  ＡNN@Example.org ", full_name=" Ann \n Example "
    )
    assert (account.username, account.full_name) == ("ann@example.org", "Ann Example")
    assert not account.has_usable_password()
    assert len(token) >= 43
    link = AccessLink.objects.get()
    assert token not in {link.digest, link.purpose}
    assert link.purpose == "invitation"
    lasts = link.expires - timezone.now()
    assert abs(lasts - timedelta(days=settings.ACCESS_LINK_DAYS)) < timedelta(minutes=1)
    found = look_at_link(token)
    assert found is not None
    assert found.account == account


@pytest.mark.parametrize("username", ["", " ", "a b", "a/b", "a\0b", "x" * 151, "a\nb", "<a>"])
def test_a_name_that_cannot_be_signed_in_with_is_refused(username: str) -> None:
    with pytest.raises(FieldErrors) as caught:
        add_account(actor=COMMAND_LINE, username=username, full_name="y" * 151)
    assert caught.value.fields.keys() == {"username", "full_name"}
    assert not Account.objects.exists()


def test_a_name_that_is_taken_in_any_spelling_is_refused() -> None:
    add_account(actor=COMMAND_LINE, username="ann")
    with pytest.raises(FieldErrors, match="already") as caught:
        add_account(actor=COMMAND_LINE, username="ANN ")
    assert caught.value.fields.keys() == {"username"}


def test_only_administrators_manage_accounts() -> None:
    ann = signed_up("ann")
    nobody_special = actor("x", creator=True, roles=("manager", "auditor"))
    with pytest.raises(NotAllowed):
        add_account(actor=nobody_special, username="bob")
    with pytest.raises(NotAllowed):
        add_first_administrator(actor=nobody_special, username="bob")
    for act in (new_link, disable, enable, remove_second_factor):
        with pytest.raises(NotAllowed):
            act(actor=nobody_special, account=ann)
    with pytest.raises(NotAllowed):
        all_accounts(actor=nobody_special)


def test_a_new_link_ends_the_earlier_ones_that_were_not_used() -> None:
    account, first = add_account(actor=COMMAND_LINE, username="ann")
    second = new_link(actor=COMMAND_LINE, account=account)
    assert look_at_link(first) is None
    found = look_at_link(second)
    assert found is not None
    assert found.purpose == "invitation"
    third = new_link(actor=COMMAND_LINE, account=signed_up("bob"))
    found = look_at_link(third)
    assert found is not None
    assert found.purpose == "reset"
    assert look_at_link(second) is not None


def test_a_disabled_account_is_out_at_once_until_it_is_enabled() -> None:
    ann, now = signed_up("ann"), timezone.now()
    open_session(account=ann, session_key="k", browser="", second_factor=False, now=now)
    token = new_link(actor=COMMAND_LINE, account=ann)
    disable(actor=COMMAND_LINE, account=ann)
    assert touch_session(session_key="k", now=now, counts=True) is None
    assert look_at_link(token) is None
    with pytest.raises(AccountError, match="disabled"):
        new_link(actor=COMMAND_LINE, account=ann)
    with pytest.raises(AccountError, match="disabled"):
        open_session(account=ann, session_key="l", browser="", second_factor=False, now=now)
    enable(actor=COMMAND_LINE, account=ann)
    assert touch_session(session_key="k", now=now, counts=True) is None
    assert look_at_link(token) is None
    open_session(account=ann, session_key="l", browser="", second_factor=False, now=now)


def test_nobody_disables_themselves_or_the_last_administrator() -> None:
    ann, bob = (signed_up(name, administrator=True) for name in ("ann", "bob"))
    with pytest.raises(AccountError, match="your own"):
        disable(actor=as_administrator(ann), account=ann)
    disable(actor=as_administrator(ann), account=bob)
    with pytest.raises(AccountError, match="last administrator"):
        disable(actor=COMMAND_LINE, account=ann)
    enable(actor=as_administrator(ann), account=bob)
    disable(actor=COMMAND_LINE, account=ann)
    disable(actor=as_administrator(bob), account=signed_up("carl"))
    assert [each.account.is_active for each in all_accounts(actor=COMMAND_LINE)] == [
        False,
        True,
        False,
    ]


@pytest.mark.django_db(transaction=True)
def test_administrators_who_disable_each_other_at_once_leave_one() -> None:
    both = [signed_up(name, administrator=True) for name in ("ann", "bob")]

    def attempt(account: Account) -> bool:
        try:
            disable(actor=COMMAND_LINE, account=account)
        except AccountError:
            return False
        finally:
            connection.close()
        return True

    for _again in range(5):
        Account.objects.update(is_active=True)
        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(attempt, both)) == [False, True]
        assert Account.objects.filter(is_active=True).count() == 1


def test_the_first_administrator_is_added_once() -> None:
    first = add_first_administrator(actor=COMMAND_LINE, username="boss")
    assert first is not None
    assert first[0].is_administrator
    assert look_at_link(first[1]) is not None
    assert add_first_administrator(actor=COMMAND_LINE, username="other") is None
    assert account_named("BOSS") == first[0]
    with pytest.raises(AccountError, match="mindfirl user list"):
        account_named("other")


def test_a_lost_second_factor_is_taken_away() -> None:
    ann, now = signed_up("ann"), timezone.now()
    secret = begin_second_factor(account=ann).secret
    confirm_second_factor(account=ann, code=code_of(secret, now), now=now)
    assert [each.second_factor for each in all_accounts(actor=COMMAND_LINE)] == [True]
    remove_second_factor(actor=COMMAND_LINE, account=ann)
    assert [each.second_factor for each in all_accounts(actor=COMMAND_LINE)] == [False]
    assert not SecondFactor.objects.exists()
    assert not ann.recovery_codes.exists()
