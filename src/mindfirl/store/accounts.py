"""What signing in needs: names in one spelling, links that work once, guesses counted.

Guesses for one name are taken one after the other, so that many at a time do not get past the
limit. Names are counted by their digest: what stands in the place of a name may be a password.

Guesses of a password are counted by name and address, so that nobody can be kept out from another
address. Guesses of a code are counted by name alone: six digits are soon guessed from many
addresses, and only somebody who has the password comes that far.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from datetime import datetime, timedelta
from ipaddress import ip_address
from typing import Any, Final

from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.signals import user_login_failed
from django.http import HttpRequest
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors
from mindfirl.store.crypto.sealing import digest, new_token
from mindfirl.store.disk import in_turn
from mindfirl.store.models import AccessLink, Account

MOST: Final = 150
_USERNAME: Final = re.compile(rf"[\w@.+-]{{1,{MOST}}}")


def canonical_username(typed: str) -> str:
    """Return the one spelling of a name: without outer spaces, composed, in small letters."""
    return unicodedata.normalize("NFKC", typed).strip().lower()


def is_username(username: str) -> bool:
    return _USERNAME.fullmatch(username) is not None


def make_link(account: Account, *, purpose: str, now: datetime) -> str:
    """Make a link and return its token; links that were not used yet end."""
    account.links.filter(used=None).delete()
    token = new_token()
    expires = now + timedelta(days=settings.ACCESS_LINK_DAYS)
    account.links.create(digest=digest(token), purpose=purpose, expires=expires)
    return token


def open_link(token: str, *, now: datetime) -> AccessLink | None:
    links = AccessLink.objects.select_related("account")
    return links.filter(
        digest=digest(token), used=None, expires__gt=now, account__is_active=True
    ).first()


def use_up(link: AccessLink, *, now: datetime) -> bool:
    """Use a link up, and say whether nobody has done so before."""
    unused = AccessLink.objects.filter(pk=link.pk, used=None, expires__gt=now)
    return unused.update(used=now) == 1


_QUEUES: Final = 2
"""Hexadecimal digits of the digest that names share a queue by."""


def counted_name(_request: HttpRequest | None, credentials: Mapping[str, Any] | None) -> str | None:
    username = (credentials or {}).get("username")
    return None if username is None else _digest(str(username))


NO_ADDRESS: Final = "0.0.0.0"  # noqa: S104  # nothing listens here: it stands for every address


def counted_address(request: HttpRequest) -> str:
    """Return where a guess comes from; behind a proxy, what the proxy says last."""
    if getattr(request, "counted_anywhere", False):
        return NO_ADDRESS
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.TLS == "proxy" else ""
    for found in (forwarded.rpartition(",")[2].strip(), request.META.get("REMOTE_ADDR", "")):
        with suppress(ValueError):
            return str(ip_address(found))
    return NO_ADDRESS


def account_with(request: HttpRequest, *, username: str, password: str) -> Account | None:
    """Return the account of a name and its password, if they are right and may still be tried."""
    with _turn(username):
        found = authenticate(request, username=username, password=password)
    return found if isinstance(found, Account) else None


def check_guess(request: HttpRequest, *, username: str, evaluate: Callable[[], bool]) -> bool:
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


def check_code_guess(request: HttpRequest, account: Account, evaluate: Callable[[], bool]) -> bool:
    """Say whether a guess of a code is right, however many addresses guesses come from."""
    name = _code_name(account.username)
    request.counted_anywhere = True  # type: ignore[attr-defined]  # for `counted_address`
    try:
        right = check_guess(request, username=name, evaluate=evaluate)
    finally:
        request.counted_anywhere = False  # type: ignore[attr-defined]
    if right:
        AxesProxyHandler.reset_attempts(username=_digest(name))
    return right


def _code_name(username: str) -> str:
    return f"code of {username}"


def knows_password(request: HttpRequest, account: Account, password: str) -> bool:
    return check_guess(
        request, username=account.username, evaluate=lambda: account.check_password(password)
    )


def check_own_password(request: HttpRequest, account: Account, password: str) -> None:
    """Refuse who does not know the password of the account; wrong ones count as guesses."""
    if not knows_password(request, account, password):
        raise FieldErrors({"password": wrong_password()})


def wrong_password() -> str:
    return _("Wrong password. Enter the password you sign in with.")


def forget_guesses(username: str) -> None:
    """Let a name be guessed again: its owner has proved to be who they are."""
    for name in (username, _code_name(username)):
        AxesProxyHandler.reset_attempts(username=_digest(name))


def _turn(username: str) -> AbstractContextManager[None]:
    return in_turn(f"guess-{_digest(username)[:_QUEUES]}")


def _digest(username: str) -> str:
    return salted_hmac("mindfirl.guesses", username, algorithm="sha256").hexdigest()
