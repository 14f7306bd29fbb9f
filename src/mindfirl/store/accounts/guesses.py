"""Guesses of passwords and codes: wrong ones are counted, those beyond the limit not looked at.

Guesses for one name are taken one after the other, so that many at a time do not get past the
limit. Names are counted by their digest: what stands in the place of a name may be a password.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final

from axes.handlers.proxy import AxesProxyHandler
from django.contrib.auth import authenticate
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from mindfirl.store.disk.locks import in_turn
from mindfirl.store.models import Account

_QUEUES: Final = 2
"""Hexadecimal digits of the digest that names share a queue by."""


def counted_name(_request: HttpRequest | None, credentials: Mapping[str, Any] | None) -> str | None:
    """Return under what the guesses for a name are counted."""
    username = (credentials or {}).get("username")
    return None if username is None else _digest(str(username))


def account_with(request: HttpRequest, *, username: str, password: str) -> Account | None:
    """Return the account of a name and its password, if they are right and may still be tried."""
    with _turn(username):
        found = authenticate(request, username=username, password=password)
    return found if isinstance(found, Account) else None


def right(request: HttpRequest, *, username: str, evaluate: Callable[[], bool]) -> bool:
    """Say whether a guess is right; beyond the limit it is not evaluated, and counts as wrong."""
    credentials = {"username": username}
    with _turn(username):
        if not AxesProxyHandler.is_allowed(request, credentials):
            request.axes_locked_out = True  # type: ignore[attr-defined]  # what its middleware reads
            return False
        if evaluate():
            return True
        user_login_failed.send(sender=__name__, credentials=credentials, request=request)
        return False


def forget(username: str) -> None:
    """Let a name be guessed anew: its owner has proved to be who they are."""
    AxesProxyHandler.reset_attempts(username=_digest(username))


def _turn(username: str) -> AbstractContextManager[None]:
    return in_turn(f"guess-{_digest(username)[:_QUEUES]}")


def _digest(username: str) -> str:
    return salted_hmac("mindfirl.guesses", username, algorithm="sha256").hexdigest()
