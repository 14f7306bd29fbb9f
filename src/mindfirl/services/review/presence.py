"""Whether somebody is there who reviews: what they opened is covered when nobody is.

A session knows when somebody was last at its pairs, and the longest time that nobody was, since
the password was given. So whoever finds it after a project's idle time is asked for the password in
that project, whatever they looked at before.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.conf import settings

from mindfirl.store.models import OpenSession, Project

_NOTED_OFTEN: Final = 25
"""How often it is noted, within an idle time, that somebody is there."""


def idle_time(project: Project) -> timedelta:
    """Return after which time without anybody pairs are covered; no session is open for longer."""
    return timedelta(minutes=min(project.idle_minutes, settings.SESSION_IDLE_MINUTES))


def is_covered(*, session: OpenSession, project: Project, now: datetime) -> bool:
    """Say whether the password is needed before anything of a project's pairs is shown."""
    since = now - session.reviewed if session.reviewed else timedelta()
    return max(session.away, since) >= idle_time(project)


def note_presence(*, session: OpenSession, project: Project, at: datetime) -> None:
    """Note that somebody was at the pairs of a session at a time, exact to a little."""
    before = session.reviewed
    if before is not None and at - before < idle_time(project) / _NOTED_OFTEN:
        return
    away = max(session.away, at - before) if before else session.away
    unchanged = OpenSession.objects.filter(pk=session.pk, reviewed=before)
    unchanged.update(reviewed=at, seen=max(session.seen, at), away=away)


def note_practice(*, session: OpenSession, now: datetime) -> None:
    """Note that somebody practises who has seen pairs; how long they were away stays known."""
    before = session.reviewed
    if before is not None:
        away = max(session.away, now - before)
        unchanged = OpenSession.objects.filter(pk=session.pk, reviewed=before)
        unchanged.update(reviewed=now, seen=max(session.seen, now), away=away)


def uncover(*, session: OpenSession, now: datetime) -> None:
    OpenSession.objects.filter(pk=session.pk).update(reviewed=now, seen=now, away=timedelta())
