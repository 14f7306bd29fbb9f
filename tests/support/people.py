"""People with accounts, for tests: a cast, passwords, requests, and codes of an authenticator."""

from __future__ import annotations

import base64
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from django.http import HttpRequest
from django.test import RequestFactory

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.administration import add_account
from mindfirl.services.accounts.sign_in import use_link
from mindfirl.store.models import Account

PASSWORD = "quiet harbour lantern"
OTHER_PASSWORD = "wooden bridge at noon"


def signed_up(username: str, *, administrator: bool = False) -> Account:
    """Add an account, and choose its password by the link."""
    account, token = add_account(actor=COMMAND_LINE, username=username, administrator=administrator)
    use_link(token=token, password=PASSWORD)
    return Account.objects.get(pk=account.pk)


def posted() -> HttpRequest:
    """Return a request as a form makes it."""
    return RequestFactory().post("/sign-in")


def code_of(secret: str, at: datetime) -> str:
    """Return what an authenticator with this secret shows at a time."""
    totp = TOTP(base64.b32decode(secret), 6, SHA1(), 30)  # noqa: S303  # as authenticators have it
    return totp.generate(int(at.timestamp())).decode()
