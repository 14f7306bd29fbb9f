"""Passwords, chosen by a link that works once or changed; signing in, and the sessions it opens."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.models import Session
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone

from mindfirl.core.errors import AccessLinkExpired, AccountError, FieldErrors
from mindfirl.store import accounts
from mindfirl.store.accounts import open_link, use_up
from mindfirl.store.crypto.sealing import digest
from mindfirl.store.models import AccessLink, Account, OpenSession


def look_at_link(token: str) -> AccessLink | None:
    """Find the link of a token, if it can still be used; looking does not use it."""
    return open_link(token, now=timezone.now())


def use_link(*, token: str, password: str) -> Account:
    """Choose a password by a link, once; whoever was signed in to the account no longer is."""
    now = timezone.now()
    link = open_link(token, now=now)
    if link is None:
        raise AccessLinkExpired
    _refuse({"password": _weakness(password, link.account)})
    hashed = make_password(password)
    with transaction.atomic():
        account = Account.objects.select_for_update().get(pk=link.account_id)
        if not (account.is_active and use_up(link, now=now)):
            raise AccessLinkExpired
        account.password = hashed
        account.save(update_fields=["password"])
        account.links.filter(used=None).delete()
        account.sessions.all().delete()
    accounts.forget_guesses(account.username)
    return account


def change_password(
    *, request: HttpRequest, account: Account, old: str, new: str, keep: UUID
) -> None:
    """Change a password; all sessions but the one to keep end."""
    known = accounts.knows_password(request, account, old)
    wrong = "" if known else accounts.wrong_password()
    _refuse({"old_password": wrong, "new_password": _weakness(new, account)})
    account.set_password(new)
    with transaction.atomic():
        account.save(update_fields=["password"])
        account.links.filter(used=None).delete()
        account.sessions.exclude(pk=keep).delete()


def _weakness(password: str, account: Account) -> str:
    try:
        validate_password(password, account)
    except ValidationError as error:
        return " ".join(error.messages)
    return ""


def _refuse(fields: dict[str, str]) -> None:
    if wrong := {name: sentence for name, sentence in fields.items() if sentence}:
        raise FieldErrors(wrong)


_SEEN_EVERY: Final = timedelta(seconds=5)
_LONGEST_BROWSER: Final = 80


def check_password(*, request: HttpRequest, username: str, password: str) -> Account | None:
    name = accounts.canonical_username(username)
    if not accounts.is_username(name):
        return None
    return accounts.account_with(request, username=name, password=password)


def open_session(
    *, account: Account, session_key: str, browser: str, second_factor: bool, now: datetime
) -> OpenSession:
    with transaction.atomic():
        if not Account.objects.select_for_update().get(pk=account.pk).is_active:
            raise AccountError("This account was disabled. Ask the administrator.")
        OpenSession.objects.filter(_too_old(now)).delete()
        Session.objects.filter(expire_date__lt=now).delete()
        return OpenSession.objects.create(
            account=account,
            digest=digest(session_key),
            started=now,
            seen=now,
            second_factor=second_factor,
            browser=browser[:_LONGEST_BROWSER],
        )


def touch_session(*, session_key: str, now: datetime, counts: bool) -> OpenSession | None:
    """Find an open session that is not over; note that somebody was there, where it counts.

    How long nobody was there before is kept, if it is the longest since the password was given.
    """
    found = OpenSession.objects.select_related("account").filter(digest=digest(session_key))
    session = found.exclude(_too_old(now)).filter(account__is_active=True).first()
    if session is None:
        return None
    before = session.seen
    session.away = max(session.away, now - before)
    if counts and now - before >= _SEEN_EVERY:
        session.seen = now
        unchanged = OpenSession.objects.filter(pk=session.pk, seen=before)
        unchanged.update(seen=now, away=session.away)
    return session


def carry_session(*, session: OpenSession, session_key: str) -> None:
    """Keep a session open whose key was changed."""
    OpenSession.objects.filter(pk=session.pk).update(digest=digest(session_key))


def strengthen_session(*, session: OpenSession) -> None:
    OpenSession.objects.filter(pk=session.pk).update(second_factor=True)


def end_session(*, account: Account, session_id: UUID) -> bool:
    return bool(account.sessions.filter(pk=session_id).delete()[0])


def sessions_of(account: Account, *, now: datetime) -> list[OpenSession]:
    return list(account.sessions.exclude(_too_old(now)).order_by("-seen", "-started"))


def _too_old(now: datetime) -> Q:
    idle = now - timedelta(minutes=settings.SESSION_IDLE_MINUTES)
    age = now - timedelta(hours=settings.SESSION_HOURS)
    return Q(seen__lte=idle) | Q(started__lte=age)
