"""Pairs are covered where nobody was for the idle time, until the password is given again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.services.accounts.sign_in import open_session, touch_session
from mindfirl.services.projects import create_project
from mindfirl.services.review.presence import idle_time, is_covered, note_presence, uncover
from mindfirl.store.models import OpenSession, Project
from tests.support.people import signed_up

NOW = datetime(2026, 3, 4, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def session(home: Path) -> OpenSession:  # noqa: ARG001  # a database
    return open_session(
        account=signed_up("ann"), session_key="key", browser="", second_factor=False, now=NOW
    )


@pytest.fixture
def project(home: Path) -> Project:  # noqa: ARG001  # the keys of projects go there
    return project_of(5)


def project_of(minutes: int) -> Project:
    made = create_project(name=f"after-{minutes}", actor=COMMAND_LINE, synthetic=True)
    made.idle_minutes = minutes
    return made


def asked(now: datetime, *, counts: bool = True) -> OpenSession:
    """Make a request to some page."""
    found = touch_session(session_key="key", now=now, counts=counts)
    assert found is not None
    return found


def reviewed(project: Project, now: datetime) -> bool:
    """Make a request to a pair; say whether it was answered."""
    session = asked(now)
    if is_covered(session=session, project=project, now=now):
        return False
    note_presence(session=session, project=project, at=now)
    return True


@pytest.mark.usefixtures("session")
def test_the_idle_time_is_neither_cut_nor_stretched(project: Project) -> None:
    now = NOW
    for gap in (7 * SECOND, 5 * MINUTE - 3 * SECOND, SECOND, SECOND, 5 * MINUTE - 3 * SECOND):
        now += gap
        assert reviewed(project, now)
    assert not reviewed(project, now + 5 * MINUTE)


@pytest.mark.usefixtures("session")
def test_who_signs_in_and_goes_on_is_not_asked_again_who_waits_is(project: Project) -> None:
    for minute in range(1, 20):
        asked(NOW + minute * MINUTE)
    assert reviewed(project, NOW + 20 * MINUTE)


@pytest.mark.usefixtures("session")
def test_looking_at_another_page_first_does_not_take_the_cover_away(project: Project) -> None:
    late = NOW + 6 * MINUTE
    asked(late)
    assert not reviewed(project, late + SECOND)
    assert not reviewed(project, late + 10 * SECOND)


@pytest.mark.usefixtures("session")
def test_other_pages_are_not_the_pairs(project: Project) -> None:
    assert reviewed(project, NOW)
    for minute in range(1, 5):
        asked(NOW + minute * MINUTE)
    assert not reviewed(project, NOW + 5 * MINUTE)


@pytest.mark.usefixtures("session")
def test_a_project_that_waits_longer_does_not_open_one_that_does_not(project: Project) -> None:
    patient = project_of(20)
    assert reviewed(project, NOW)
    for minute in range(1, 6):
        asked(NOW + minute * MINUTE)
    assert reviewed(patient, NOW + 6 * MINUTE)
    assert reviewed(patient, NOW + 7 * MINUTE)
    assert not reviewed(project, NOW + 7 * MINUTE)
    uncover(session=asked(NOW + 8 * MINUTE), now=NOW + 8 * MINUTE)
    assert reviewed(project, NOW + 8 * MINUTE)
    assert reviewed(project, NOW + 12 * MINUTE)


@pytest.mark.usefixtures("session")
def test_what_a_page_does_by_itself_keeps_nothing_open(project: Project) -> None:
    assert reviewed(project, NOW)
    for second in range(0, 300, 10):
        at = NOW + second * SECOND
        assert not is_covered(session=asked(at, counts=False), project=project, now=at)
    at = NOW + 5 * MINUTE
    assert is_covered(session=asked(at, counts=False), project=project, now=at)


def test_an_older_request_does_not_undo_the_password(
    session: OpenSession, project: Project
) -> None:
    late = NOW + 6 * MINUTE
    older = asked(late)
    uncover(session=session, now=late + SECOND)
    note_presence(session=older, project=project, at=late + 3 * SECOND)
    assert reviewed(project, late + 4 * SECOND)


def test_nobody_can_claim_to_have_been_there_later(session: OpenSession, project: Project) -> None:
    assert reviewed(project, NOW + MINUTE)
    note_presence(session=OpenSession.objects.get(), project=project, at=NOW)
    session.refresh_from_db()
    assert session.reviewed == NOW + MINUTE
    assert session.seen == NOW + MINUTE


@pytest.mark.parametrize(("minutes", "idle"), [(1, 1), (30, 30), (60, 30)])
@pytest.mark.usefixtures("home")
def test_pairs_are_covered_at_the_latest_when_the_session_ends(minutes: int, idle: int) -> None:
    assert idle_time(project_of(minutes)) == idle * MINUTE
