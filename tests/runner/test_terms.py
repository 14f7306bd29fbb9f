"""Releases whose term is over, deleted by the runner."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from mindfirl.runner.loop import run
from mindfirl.store.disk import locked
from mindfirl.store.models import Release
from tests.support.exported import Linked, make_linked, synthetic


class Turns:
    """Stops the runner after this many turns."""

    def __init__(self, turns: int) -> None:
        self.left = turns

    def is_set(self) -> bool:
        return self.left == 0

    def wait(self, timeout: float) -> None:
        assert timeout > 0
        self.left -= 1


@pytest.fixture
def linked(home: Path, tmp_path: Path) -> Linked:
    assert home.exists()
    return make_linked(tmp_path, synthetic(40), automatic=1)


def test_the_runner_deletes_what_is_over_and_waits_for_work_on_it(linked: Linked) -> None:
    over, stays = linked.release(), linked.release()
    Release.objects.filter(pk=over.pk).update(expires=timezone.now() - timedelta(days=2))
    with locked(linked.project.id):
        run(Turns(2))
    assert Release.objects.get(pk=over.pk).state == "ready"
    run(Turns(2))
    assert Release.objects.get(pk=over.pk).state == "deleted"
    assert Release.objects.get(pk=stays.pk).state == "ready"
