"""Processes that die are restarted; those that never come up are given up; all end together."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from mindfirl.cli.upkeep import serve
from mindfirl.cli.upkeep.serve import Child, Pulse, keep_running
from mindfirl.core.errors import SettingError

DIES = "raise SystemExit(1)"
LIVES = "import time; time.sleep(600)"
STAYS = (
    "import pathlib, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
)


def child(script: str, *words: str) -> Child:
    return Child("some", [sys.executable, "-c", script, *words], os.environ)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve, "_LONGEST_PAUSE", 0.1)
    monkeypatch.setattr(serve, "_GRACE", 1.0)
    monkeypatch.setattr(serve, "_LOOK", 0.01)


def end_this_process() -> None:
    os.kill(os.getpid(), signal.SIGTERM)


def test_a_process_that_never_comes_up_is_given_up_on_and_the_others_end() -> None:
    dies, lives = child(DIES), child(LIVES)
    with pytest.raises(SettingError, match="Part of the server does not start"):
        keep_running([dies, lives], ready=lambda: False, when_ready=end_this_process)
    assert lives.process
    assert lives.process.returncode == -signal.SIGTERM


def test_a_process_that_dies_later_is_started_again_and_again() -> None:
    dies = child(DIES)
    announced = []

    def end_after_many_deaths() -> None:
        while dies.deaths <= serve._HOPELESS:  # noqa: SLF001  # where it is given up at first
            time.sleep(0.01)
        end_this_process()

    def announce() -> None:
        announced.append(True)
        Thread(target=end_after_many_deaths, daemon=True).start()

    keep_running([dies], ready=lambda: True, when_ready=announce)
    assert dies.deaths > serve._HOPELESS  # noqa: SLF001  # the same
    assert announced == [True]


def test_a_process_that_does_not_want_to_end_is_killed(tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    stays = child(STAYS, str(ready))
    keep_running([stays], ready=ready.exists, when_ready=end_this_process)
    assert stays.process
    assert stays.process.returncode == -signal.SIGKILL


def test_pauses_grow_and_are_forgotten_by_those_who_lived_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "_LONGEST_PAUSE", 60.0)
    dies = child(DIES)
    now, pauses = 0.0, []
    for lived in (1, 1, 1, 1, 1, 1, 1, 1, 1000):
        dies.start_if_due(now)
        assert dies.process
        dies.process.wait()
        now += lived
        dies.start_if_due(now)
        pauses.append(dies.due - now)
        now = dies.due
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 1]


def test_a_web_server_that_no_longer_answers_is_killed_and_started_again() -> None:
    lives, other = child(LIVES), child(LIVES)

    def end_after_a_restart() -> None:
        while not lives.deaths:
            time.sleep(0.01)
        end_this_process()

    def announce() -> None:
        Thread(target=end_after_a_restart, daemon=True).start()

    pulse = Pulse(lambda: False, pause=0.0, patience=0.0)
    keep_running([lives, other], ready=lambda: True, when_ready=announce, pulse=pulse)
    assert lives.deaths >= 1
    assert other.deaths == 0


def test_a_pulse_is_lost_after_a_long_silence_alone() -> None:
    answers = {0: True, 10: True, 20: False, 30: False, 40: True, 50: False, 60: False, 200: False}
    asked: list[float] = []

    def answer() -> bool:
        asked.append(pulse.asked)
        return answers[int(pulse.asked)]

    pulse = Pulse(answer, pause=10.0, patience=120.0)
    lost = [at for at in (10, 15, 20, 30, 40, 50, 60, 200) if pulse.is_lost(float(at))]
    assert lost == [200]
    assert 15.0 not in asked
    pulse.begin_again()
    assert not pulse.is_lost(210.0), "a server that was started again has time to come up"
