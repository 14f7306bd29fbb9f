"""Codes of an authenticator and recovery codes: none is taken twice, none beyond the limit."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import RequestFactory

from mindfirl.core.errors import AccountError, FieldErrors, SettingError
from mindfirl.services.accounts.second_factor import (
    begin_second_factor,
    check_code,
    confirm_second_factor,
    end_second_factor,
    has_second_factor,
    new_recovery_codes,
    pending_second_factor,
    recovery_codes_left,
    set_up_second_factor,
)
from mindfirl.services.accounts.sign_in import check_password, open_session
from mindfirl.store.models import Account, OpenSession, RecoveryCode, SecondFactor
from tests.support.people import PASSWORD, code_of, posted, signed_up

pytestmark = pytest.mark.usefixtures("home")

NOW = datetime(2026, 3, 1, 12, 0, 10, tzinfo=UTC)
STEP = timedelta(seconds=30)


def given(account: Account, code: str, now: datetime = NOW) -> bool:
    return check_code(request=posted(), account=account, code=code, now=now)


def enrolled(account: Account) -> tuple[str, list[str]]:
    """Set up a second factor, a day ago; return its secret and the recovery codes."""
    secret = begin_second_factor(account=account).secret
    then = NOW - timedelta(days=1)
    return secret, confirm_second_factor(account=account, code=code_of(secret, then), now=then)


def test_a_second_factor_counts_once_a_code_of_it_was_given() -> None:
    ann = signed_up("ann")
    assert pending_second_factor(ann) is None
    begun = begin_second_factor(account=ann)
    assert pending_second_factor(ann) == begun
    assert begun.uri.startswith("otpauth://totp/MINDFIRL:ann?")
    assert f"secret={begun.secret}" in begun.uri
    assert not has_second_factor(ann)
    with pytest.raises(FieldErrors) as caught:
        confirm_second_factor(account=ann, code="nonsense", now=NOW)
    assert caught.value.fields.keys() == {"code"}
    assert not given(ann, code_of(begun.secret, NOW))
    codes = confirm_second_factor(account=ann, code=code_of(begun.secret, NOW), now=NOW)
    assert has_second_factor(ann)
    assert pending_second_factor(ann) is None
    assert len(set(codes)) == recovery_codes_left(ann) == 10
    with pytest.raises(AccountError, match="already"):
        begin_second_factor(account=ann)
    with pytest.raises(FieldErrors):
        confirm_second_factor(account=ann, code=code_of(begun.secret, NOW + STEP), now=NOW + STEP)


def test_the_secret_is_sealed_for_its_account_under_a_key_for_its_owner_alone() -> None:
    ann, bob = signed_up("ann"), signed_up("bob")
    begun = begin_second_factor(account=ann)
    key = Path(settings.MINDFIRL_KEYS) / "secrets.key"
    assert key.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in key.parent.iterdir()] == ["secrets.key"]
    factor = SecondFactor.objects.get()
    assert begun.secret.encode() not in bytes(factor.sealed_secret)
    SecondFactor.objects.update(account=bob)
    with pytest.raises(SettingError, match=r"secrets\.key"):
        pending_second_factor(bob)
    SecondFactor.objects.update(account=ann)
    assert pending_second_factor(ann) == begun
    key.unlink()
    with pytest.raises(SettingError, match="Restore it"):
        pending_second_factor(ann)
    assert not key.exists()


def test_codes_of_one_step_before_and_after_are_taken_and_no_others() -> None:
    for off in (-3, -2, 2, 3):
        ann = signed_up(f"ann{off}")
        secret, _codes = enrolled(ann)
        assert not given(ann, code_of(secret, NOW + off * STEP)), off
    for off in (-1, 0, 1):
        ann = signed_up(f"ann{off}")
        secret, _codes = enrolled(ann)
        code = code_of(secret, NOW + off * STEP)
        assert given(ann, f" {code[:3]} {code[3:]} "), off


def test_no_code_is_taken_twice_nor_an_older_one_after_a_newer() -> None:
    ann = signed_up("ann")
    secret, _codes = enrolled(ann)
    code, before, after = (code_of(secret, NOW + off * STEP) for off in (0, -1, 1))
    assert given(ann, code)
    assert not given(ann, code)
    assert not given(ann, before)
    assert given(ann, after)


def test_the_code_that_confirmed_is_not_taken_again() -> None:
    ann = signed_up("ann")
    code = code_of(begin_second_factor(account=ann).secret, NOW)
    confirm_second_factor(account=ann, code=code, now=NOW)
    assert not given(ann, code)


@pytest.mark.django_db(transaction=True)
def test_one_of_many_at_a_time_is_taken() -> None:
    ann = signed_up("ann")
    secret, codes = enrolled(ann)

    def attempt(code: str) -> bool:
        try:
            return given(ann, code)
        finally:
            connection.close()

    for code in (code_of(secret, NOW), codes[0]):
        with ThreadPoolExecutor(4) as pool:
            assert sum(pool.map(attempt, [code] * 4)) == 1


def test_a_recovery_code_works_once_and_only_for_its_account() -> None:
    ann, bob = signed_up("ann"), signed_up("bob")
    _secret, codes = enrolled(ann)
    enrolled(bob)
    kept = repr(list(RecoveryCode.objects.values()))
    assert not any(code in kept or code.replace("-", "") in kept for code in codes)
    assert not given(bob, codes[0])
    assert given(ann, codes[0].upper().replace("-", " "))
    assert not given(ann, codes[0])
    assert given(ann, codes[1])
    assert recovery_codes_left(ann) == 8


def test_wrong_codes_count_and_beyond_the_limit_the_right_one_is_not_evaluated() -> None:
    ann = signed_up("ann")
    secret, codes = enrolled(ann)
    wrong = [f"{number:06}" for number in range(6) if f"{number:06}" != code_of(secret, NOW)]
    for place, code in enumerate(wrong[:5]):
        elsewhere = RequestFactory().post("/sign-in/code", REMOTE_ADDR=f"10.0.0.{place}")
        assert not check_code(request=elsewhere, account=ann, code=code, now=NOW)
    request = posted()
    right = code_of(secret, NOW)
    assert not check_code(request=request, account=ann, code=right, now=NOW)
    assert request.axes_locked_out  # type: ignore[attr-defined]  # what its middleware reads
    assert not given(ann, codes[0])
    assert recovery_codes_left(ann) == 10
    assert check_password(request=posted(), username="ann", password=PASSWORD) == ann


def test_a_right_code_forgets_the_wrong_ones() -> None:
    ann = signed_up("ann")
    _secret, codes = enrolled(ann)
    for right in codes[:3]:
        for _guess in range(4):
            assert not given(ann, "no-such-code")
        assert given(ann, right)


def test_setting_up_a_second_factor_asks_for_the_password() -> None:
    ann = signed_up("ann")
    with pytest.raises(FieldErrors) as caught:
        set_up_second_factor(request=posted(), account=ann, password="wrong")
    assert caught.value.fields.keys() == {"password"}
    assert pending_second_factor(ann) is None
    set_up_second_factor(request=posted(), account=ann, password=PASSWORD)
    assert pending_second_factor(ann) is not None


@pytest.mark.parametrize("code", ["", " ", "12345", "1234567", "٣٣٣٣٣٣", "\udcff" * 6, "x" * 9999])
def test_codes_that_make_no_sense_are_wrong(code: str) -> None:
    ann = signed_up("ann")
    enrolled(ann)
    assert not given(ann, code)


def test_recovery_codes_are_replaced_for_who_knows_the_password() -> None:
    ann = signed_up("ann")
    with pytest.raises(AccountError, match="no second factor"):
        new_recovery_codes(request=posted(), account=ann, password=PASSWORD)
    _secret, old = enrolled(ann)
    with pytest.raises(FieldErrors) as caught:
        new_recovery_codes(request=posted(), account=ann, password="wrong")
    assert caught.value.fields.keys() == {"password"}
    new = new_recovery_codes(request=posted(), account=ann, password=PASSWORD)
    assert not given(ann, old[0])
    assert given(ann, new[0])


def test_the_second_factor_is_ended_by_who_knows_the_password() -> None:
    ann = signed_up("ann")
    secret, codes = enrolled(ann)
    open_session(account=ann, session_key="k", browser="", second_factor=True, now=NOW)
    with pytest.raises(FieldErrors):
        end_second_factor(request=posted(), account=ann, password="wrong")
    assert has_second_factor(ann)
    end_second_factor(request=posted(), account=ann, password=PASSWORD)
    assert not has_second_factor(ann)
    assert not given(ann, code_of(secret, NOW))
    assert not given(ann, codes[0])
    assert not OpenSession.objects.get().second_factor
    assert begin_second_factor(account=ann).secret != secret
