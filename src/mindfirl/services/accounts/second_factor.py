"""The second factor: six digits of an authenticator, or one of ten recovery codes.

Codes change every 30 seconds; one step more or less is allowed for clocks that differ. No code is
taken twice.
"""

from __future__ import annotations

import base64
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cryptography.hazmat.primitives.constant_time import bytes_eq
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccountError, FieldErrors
from mindfirl.store import accounts
from mindfirl.store.crypto.keys import seal_account_secret, unseal_account_secret
from mindfirl.store.crypto.sealing import digest, new_code
from mindfirl.store.models import Account, RecoveryCode, SecondFactor

_SECRET_BYTES: Final = 20
_DIGITS: Final = 6
_SECONDS: Final = 30
_STEPS_OFF: Final = (0, -1, 1)
_RECOVERY_CODES: Final = 10


@dataclass(frozen=True, slots=True)
class Enrolment:
    secret: str
    uri: str


def set_up_second_factor(*, request: HttpRequest, account: Account, password: str) -> Enrolment:
    """Begin with a second factor; somebody at an open session of another cannot."""
    accounts.check_own_password(request, account, password)
    return begin_second_factor(account=account)


def begin_second_factor(*, account: Account) -> Enrolment:
    """Make a secret for an authenticator; it counts once a code of it was given."""
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)  # one page of several at a time
        if has_second_factor(account):
            raise AccountError(
                _("You already have a second factor. Turn it off to set up another.")
            )
        sealed = seal_account_secret(secrets.token_bytes(_SECRET_BYTES), account.pk)
        factor, _made = SecondFactor.objects.update_or_create(
            account=account, defaults={"sealed_secret": sealed, "last_step": 0}
        )
    return _enrolment(factor)


def pending_second_factor(account: Account) -> Enrolment | None:
    factor = _factors(account).filter(confirmed=None).first()
    return None if factor is None else _enrolment(factor)


def has_second_factor(account: Account) -> bool:
    return _factors(account).exclude(confirmed=None).exists()


def recovery_codes_left(account: Account) -> int:
    return account.recovery_codes.filter(used=None).count()


def confirm_second_factor(*, account: Account, code: str, now: datetime) -> list[str]:
    """Take the first code, from which on the factor counts; return recovery codes, shown once."""
    with transaction.atomic():
        factor = _factors(account).select_for_update().filter(confirmed=None).first()
        if factor is None or not _take_code(factor, code, now):
            raise FieldErrors({"code": wrong_code()})
        _factors(account).filter(confirmed=None).update(confirmed=now)
        return _replace_recovery_codes(account)


def check_code(*, request: HttpRequest, account: Account, code: str, now: datetime) -> bool:
    """Say whether a code of the authenticator, or a recovery code, is right; it is used up."""
    return accounts.check_code_guess(request, account, lambda: _use_code(account, code, now))


def new_recovery_codes(*, request: HttpRequest, account: Account, password: str) -> list[str]:
    accounts.check_own_password(request, account, password)
    with transaction.atomic():
        if not _factors(account).select_for_update().exclude(confirmed=None).exists():
            raise AccountError(_("You have no second factor. Set one up first."))
        return _replace_recovery_codes(account)


def end_second_factor(*, request: HttpRequest, account: Account, password: str) -> None:
    accounts.check_own_password(request, account, password)
    with transaction.atomic():
        _factors(account).delete()
        account.recovery_codes.all().delete()
        account.sessions.update(second_factor=False)


def wrong_code() -> str:
    return _(
        "This code is wrong or was already used. Wait for the next code, and check that the clock "
        "of your phone is right."
    )


def _factors(account: Account) -> QuerySet[SecondFactor]:
    return SecondFactor.objects.filter(account=account)


def _enrolment(factor: SecondFactor) -> Enrolment:
    secret = unseal_account_secret(bytes(factor.sealed_secret), factor.account_id)
    uri = _totp(secret).get_provisioning_uri(factor.account.username, "MINDFIRL")
    return Enrolment(base64.b32encode(secret).decode("ascii"), uri)


def _totp(secret: bytes) -> TOTP:
    # SHA-1 and 30 seconds are what every authenticator can do.
    return TOTP(secret, _DIGITS, SHA1(), _SECONDS)  # noqa: S303  # as a MAC it is sound


def _use_code(account: Account, code: str, now: datetime) -> bool:
    typed = code.replace(" ", "").replace("-", "").lower()
    if len(typed) != _DIGITS:
        return _take_recovery_code(account, typed, now)
    factor = _factors(account).exclude(confirmed=None).first()
    return factor is not None and _take_code(factor, typed, now)


def _take_code(factor: SecondFactor, code: str, now: datetime) -> bool:
    """Take a code of an authenticator, if it is right and newer than the last that was taken."""
    step = _step_of(
        unseal_account_secret(bytes(factor.sealed_secret), factor.account_id), code, now
    )
    if step is None:
        return False
    older = SecondFactor.objects.filter(pk=factor.pk, last_step__lt=step)
    return older.update(last_step=step) == 1


def _step_of(secret: bytes, code: str, now: datetime) -> int | None:
    totp, typed = _totp(secret), code.replace(" ", "").encode("utf-8", "replace")
    here = int(now.timestamp()) // _SECONDS
    for step in (here + off for off in _STEPS_OFF):
        if bytes_eq(totp.generate(step * _SECONDS), typed):
            return step
    return None


def _take_recovery_code(account: Account, typed: str, now: datetime) -> bool:
    unused = account.recovery_codes.filter(digest=digest(typed), used=None)
    return unused.update(used=now) == 1


def _replace_recovery_codes(account: Account) -> list[str]:
    codes = [new_code() for _number in range(_RECOVERY_CODES)]
    account.recovery_codes.all().delete()
    RecoveryCode.objects.bulk_create(
        RecoveryCode(account=account, digest=digest(code.replace("-", ""))) for code in codes
    )
    return codes
