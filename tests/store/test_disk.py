"""The runner lives while it gives signs of life."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from pytest_django import Settings

from mindfirl.store.disk import SILENT_AFTER, beat, runner_lives, silent_for


@pytest.fixture
def alive(tmp_path: Path, settings: Settings) -> Path:
    settings.MINDFIRL_HOME = tmp_path
    return tmp_path / "runner.alive"


def test_a_runner_that_never_was_there_is_silent(alive: Path) -> None:
    assert silent_for() is None
    assert not runner_lives()
    assert not alive.exists()


def test_a_runner_lives_from_its_sign_of_life_until_it_is_silent_for_long(alive: Path) -> None:
    beat()
    assert runner_lives()
    then = time.time() - SILENT_AFTER - 1
    os.utime(alive, (then, then))
    assert (silent_for() or 0) > SILENT_AFTER
    assert not runner_lives()
    beat()
    assert runner_lives()
