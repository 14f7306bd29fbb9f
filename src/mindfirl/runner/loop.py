"""Take jobs as they come, watch their processes, clear up after those that are gone.

At the start and once a day, verify the ledgers and sign where they end; every hour, delete the
releases whose term is over, and values of older versions that nothing needs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date
from typing import Final, Protocol

from django.db import DatabaseError, connection
from django.utils import timezone

from mindfirl.services import jobs, ledger
from mindfirl.services.release import release_states
from mindfirl.services.upkeep import health
from mindfirl.store.models import Job
from mindfirl.workspace.commits import nothing
from mindfirl.workspace.superseded_values import delete_all_superseded_values

BEAT_SECONDS: Final = 1.0
_PATIENCE: Final = 5.0
"""How long a process that was asked to end may take."""


class JobProcess:
    def __init__(self, job: Job) -> None:
        self.attempt = jobs.attempt_of(job)
        self._project = job.project
        self._beaten = time.monotonic()
        self._asked: float | None = None
        who = (str(job.id), str(self.attempt.number), str(os.getpid()))
        self._process = subprocess.Popen(  # noqa: S603  # our own interpreter, without a shell
            [sys.executable, "-P", "-m", "mindfirl.runner", *who],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # what a broken process says may hold values
            env={name: os.environ[name] for name in os.environ if name != "MINDFIRL_PART"},
            start_new_session=True,
        )

    def watch(self) -> bool:
        code = self._process.poll()
        if code is not None:
            jobs.give_up(self.attempt)
            self._clear_up(code)
            return False
        now = time.monotonic()
        if self._asked is not None:
            if now - self._asked > _PATIENCE:
                self._signal(signal.SIGKILL)
        elif now - self._beaten >= BEAT_SECONDS:
            if not jobs.beat(self.attempt):
                self._asked = now
                self._signal(signal.SIGTERM)
            self._beaten = now
        return True

    def interrupt(self) -> None:
        self._signal(signal.SIGKILL)
        code = self._process.wait()
        jobs.give_back(self.attempt)
        self._clear_up(code)

    def _clear_up(self, code: int) -> None:
        self._signal(signal.SIGKILL)  # what the process may have started
        if code:
            health.tidy(project=self._project)
        jobs.settle(self.attempt)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)


AT_ONCE: Final = 2
"""This many jobs are done at a time, of different projects."""
_TURN: Final = 0.25
_GRACE: Final = 10.0
_TERMS_EVERY: Final = 3_600.0


class Stop(Protocol):
    """What says that the runner is to stop: an event of threads or of processes."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> object: ...


def run(
    stop: Stop,
    *,
    alive: Callable[[], None] = nothing,
    silent_seconds: float = jobs.SILENT_SECONDS,
    grace: float = _GRACE,
) -> None:
    """Do jobs until told to stop; those that run then get some grace, and wait for the next runner.

    Call it in the main thread: the process of a job ends with the thread that started it. A
    database that cannot be reached is asked again at the next turn. ``alive`` is called every turn.
    """
    at_work: list[JobProcess] = []
    signed: date | None = None
    look_at_terms = look_at_values = 0.0
    while not stop.is_set():
        alive()
        if not at_work and time.monotonic() >= look_at_values:
            _delete_values()  # before work begins: both lock the project
            look_at_values = time.monotonic() + _TERMS_EVERY
        _turn(at_work, silent_seconds, take=True)
        signed = _sign_by_day(signed)
        if time.monotonic() >= look_at_terms:
            _end_terms()
            look_at_terms = time.monotonic() + _TERMS_EVERY
        stop.wait(_TURN)
    until = time.monotonic() + grace
    while at_work and time.monotonic() < until:
        _turn(at_work, silent_seconds, take=False)
        time.sleep(_TURN)
    for process in at_work:
        process.interrupt()


def _turn(at_work: list[JobProcess], silent_seconds: float, *, take: bool) -> None:
    try:
        at_work[:] = [process for process in at_work if process.watch()]
        _clear_up(silent_seconds, [process.attempt for process in at_work])
        if take and len(at_work) < AT_ONCE and (job := jobs.claim()):
            at_work.append(JobProcess(job))
    except DatabaseError:
        connection.close()


def _end_terms() -> None:
    """Delete the releases whose term is over; what does not work now is tried again later."""
    try:
        release_states.delete_expired()
    except DatabaseError:
        connection.close()


def _delete_values() -> None:
    """Delete values of older versions that nothing needs; what fails waits."""
    try:
        delete_all_superseded_values()
    except DatabaseError:
        connection.close()


def _clear_up(silent_seconds: float, own: Sequence[jobs.Attempt]) -> None:
    """Put jobs back whose runner is gone, and remove what their processes left.

    Our own may only look silent: after the machine has slept.
    """
    for job in jobs.silent_jobs(seconds=silent_seconds):
        attempt = jobs.attempt_of(job)
        if attempt in own:
            continue
        jobs.give_up(attempt)
        health.tidy(project=job.project)
        jobs.settle(attempt)


def _sign_by_day(last: date | None) -> date | None:
    """Verify and sign ledgers on the first turn, and then once a day; return the day seen to."""
    today = timezone.now().date()
    if today == last:
        return last
    try:
        ledger.verify_all()
        ledger.sign_day(today=today)
    except DatabaseError:
        connection.close()
        return last
    return today
