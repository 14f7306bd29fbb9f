"""Passwords chosen by a link that works once, and changed by who knows the old one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from mindfirl.core.errors import AccessLinkExpired, FieldErrors
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.administration import add_account, new_link
from mindfirl.services.accounts.second_factor import (
    begin_second_factor,
    confirm_second_factor,
    has_second_factor,
)
from mindfirl.services.accounts.sign_in import (
    change_password,
    check_password,
    look_at_link,
    open_session,
    sessions_of,
    use_link,
)
from mindfirl.store.models import AccessLink, Account
from tests.support.people import OTHER_PASSWORD, PASSWORD, code_of, posted, signed_up

pytestmark = pytest.mark.usefixtures("home")


@pytest.mark.real_passwords
def test_a_link_lets_in_once() -> None:
    account, token = add_account(actor=COMMAND_LINE, username="ann")
    assert use_link(token=token, password=PASSWORD) == account
    stored = Account.objects.get()
    assert stored.check_password(PASSWORD)
    assert stored.password.startswith("argon2$argon2id$v=19$m=102400,t=2,p=8$")
    assert look_at_link(token) is None
    with pytest.raises(AccessLinkExpired):
        use_link(token=token, password=OTHER_PASSWORD)
    assert Account.objects.get().check_password(PASSWORD)


@pytest.mark.django_db(transaction=True)
def test_a_link_lets_in_once_even_if_many_use_it_at_a_time() -> None:
    def attempt(number: int) -> int | None:
        try:
            use_link(token=token, password=f"{PASSWORD} {number}")
        except AccessLinkExpired:
            return None
        finally:
            connection.close()
        return number

    account, token = add_account(actor=COMMAND_LINE, username="ann")
    with ThreadPoolExecutor(8) as pool:
        (winner,) = (each for each in pool.map(attempt, range(8)) if each is not None)
    assert Account.objects.get().check_password(f"{PASSWORD} {winner}")
    assert account.links.exclude(used=None).count() == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda: AccessLink.objects.update(expires=timezone.now() - timedelta(seconds=1)),
        lambda: Account.objects.update(is_active=False),
        lambda: AccessLink.objects.update(used=timezone.now()),
        lambda: AccessLink.objects.all().delete(),
    ],
    ids=["too old", "account disabled", "used", "replaced"],
)
def test_a_link_that_is_over_lets_nobody_in(change: object) -> None:
    _account, token = add_account(actor=COMMAND_LINE, username="ann")
    assert callable(change)
    change()
    assert look_at_link(token) is None
    with pytest.raises(AccessLinkExpired, match="new one"):
        use_link(token=token, password=PASSWORD)
    for wrong in ("", token[:-1], token.swapcase(), "\udcff"):
        assert look_at_link(wrong) is None


@pytest.mark.parametrize("password", ["", "short", "password1234", "873465873465", "ann.example.x"])
def test_a_weak_password_is_refused_and_the_link_stays(password: str) -> None:
    _account, token = add_account(actor=COMMAND_LINE, username="ann.example.x1")
    with pytest.raises(FieldErrors) as caught:
        use_link(token=token, password=password)
    assert caught.value.fields.keys() == {"password"}
    use_link(token=token, password=PASSWORD)


def test_a_reset_ends_sessions_and_keeps_the_second_factor() -> None:
    ann, now = signed_up("ann"), timezone.now()
    secret = begin_second_factor(account=ann).secret
    confirm_second_factor(account=ann, code=code_of(secret, now), now=now)
    open_session(account=ann, session_key="k", browser="", second_factor=True, now=now)
    token = new_link(actor=COMMAND_LINE, account=ann)
    assert sessions_of(ann, now=now) != []
    use_link(token=token, password=OTHER_PASSWORD)
    assert sessions_of(ann, now=now) == []
    assert has_second_factor(ann)


def test_a_link_opens_a_name_that_was_shut_after_wrong_guesses() -> None:
    ann = signed_up("ann")
    for _guess in range(6):
        check_password(request=posted(), username="ann", password="wrong")
    assert check_password(request=posted(), username="ann", password=PASSWORD) is None
    use_link(token=new_link(actor=COMMAND_LINE, account=ann), password=OTHER_PASSWORD)
    assert check_password(request=posted(), username="ann", password=OTHER_PASSWORD) == ann


def test_a_password_is_changed_by_who_knows_the_old_one() -> None:
    ann, now = signed_up("ann"), timezone.now()
    here, _there = (
        open_session(account=ann, session_key=key, browser="", second_factor=False, now=now)
        for key in "kl"
    )
    token = new_link(actor=COMMAND_LINE, account=ann)
    with pytest.raises(FieldErrors) as caught:
        change_password(request=posted(), account=ann, old="wrong", new="short", keep=here.pk)
    assert caught.value.fields.keys() == {"old_password", "new_password"}
    with pytest.raises(FieldErrors) as caught:
        change_password(request=posted(), account=ann, old="no", new=OTHER_PASSWORD, keep=here.pk)
    assert caught.value.fields.keys() == {"old_password"}
    assert len(sessions_of(ann, now=now)) == 2
    change_password(request=posted(), account=ann, old=PASSWORD, new=OTHER_PASSWORD, keep=here.pk)
    assert Account.objects.get().check_password(OTHER_PASSWORD)
    assert sessions_of(ann, now=now) == [here]
    assert look_at_link(token) is None


def test_old_passwords_cannot_be_guessed_beyond_the_limit() -> None:
    ann, now = signed_up("ann"), timezone.now()
    here = open_session(account=ann, session_key="k", browser="", second_factor=False, now=now)
    for old in [*["wrong"] * 5, PASSWORD]:
        with pytest.raises(FieldErrors):
            change_password(
                request=posted(), account=ann, old=old, new=OTHER_PASSWORD, keep=here.pk
            )
    assert Account.objects.get().check_password(PASSWORD)
