"""Links that let somebody choose a password once: made, found, and used up."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings

from mindfirl.store.crypto.tokens import digest, new_token
from mindfirl.store.models import AccessLink, Account


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
