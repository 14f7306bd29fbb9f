"""The runner signs where the ledgers end, once a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from django.db import OperationalError, connection, transaction

from mindfirl.core.ledger.project_events import PlanSaved
from mindfirl.runner import loop
from mindfirl.services import ledger
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Project, SignedHead
from tests.support.ledgers import project_without_entries

NOON = datetime(2030, 5, 5, 12, tzinfo=UTC)


@pytest.fixture
def project(home: Path) -> Project:
    assert home.exists()
    return project_without_entries()


def appended(project: Project, name: str) -> None:
    with transaction.atomic():
        append(project, at=NOON, actor="w1", events=[PlanSaved(1, name)])


class Days:
    """A runner that takes a few turns a day, for some days; something happens on each."""

    def __init__(self, project: Project, days: int) -> None:
        self.project, self.stop, self.turns, self.last = project, Event(), 0, days * 3

    def now(self) -> datetime:
        return NOON + timedelta(days=(self.turns - 1) // 3)

    def alive(self) -> None:
        self.turns += 1
        if self.turns > self.last:
            self.stop.set()
        elif self.turns % 3 != 1:
            appended(self.project, f"a{self.turns}")


def run(days: Days, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the runner go, with a clock of ours and without waiting."""
    monkeypatch.setattr("django.utils.timezone.now", days.now)
    monkeypatch.setattr(loop, "_TURN", 0)
    loop.run(days.stop, alive=days.alive)


def test_heads_that_moved_are_signed_once_a_day(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended(project, "a0")
    run(Days(project, 3), monkeypatch)
    found = list(SignedHead.objects.values_list("entries", "occasion"))
    assert found == [(1, "day"), (3, "day"), (5, "day"), (7, "day")]
    days = SignedHead.objects.values_list("at", flat=True)
    assert [each.date().day for each in days] == [5, 6, 7, 8]


def test_a_runner_that_starts_again_signs_nothing_twice(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        appended(project, f"b{number}")
        run(Days(project, 0), monkeypatch)
    assert SignedHead.objects.count() == 1


def test_a_database_that_cannot_be_reached_is_asked_again(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended(project, "a0")
    sign = ledger.sign_day
    failed: list[object] = []

    def failing(*, today: object) -> int:
        if not failed:
            failed.append(today)
            raise OperationalError
        return sign(today=NOON.date())

    monkeypatch.setattr(ledger, "sign_day", failing)
    monkeypatch.setattr(connection, "close", lambda: None)  # the test goes on with it
    run(Days(project, 1), monkeypatch)
    assert failed
    assert SignedHead.objects.count() == 1
