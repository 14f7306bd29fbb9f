"""Accounts and their open sessions."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta

from django.conf import settings

from mindfirl.store.models import OpenSession


def touch_session(*, session_key: str, now: datetime, counts: bool = True) -> OpenSession | None:
    """Return the open session of a cookie, unless it has ended; note that somebody is there."""
    digest = hashlib.sha256(session_key.encode()).hexdigest()
    found = OpenSession.objects.select_related("account").filter(digest=digest).first()
    if found is None:
        return None
    idle = now - found.seen > timedelta(minutes=settings.SESSION_IDLE_MINUTES)
    old = now - found.started > timedelta(hours=settings.SESSION_HOURS)
    if idle or old or not found.account.is_active:
        found.delete()
        return None
    if counts and now - found.seen > timedelta(minutes=1):
        OpenSession.objects.filter(pk=found.pk).update(seen=now)
    return found
