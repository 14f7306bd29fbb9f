"""Passwords: chosen by a link that works once, or changed by who knows the old one."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccessLinkExpired, FieldErrors
from mindfirl.store import accounts
from mindfirl.store.accounts import open_link, use_up
from mindfirl.store.models import AccessLink, Account


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
    known = accounts.check_guess(
        request, username=account.username, evaluate=lambda: account.check_password(old)
    )
    wrong = "" if known else _("This is not your password. Type the one you sign in with.")
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
