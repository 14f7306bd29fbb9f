"""The process of a job, as the runner sees it: started, watched, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Final

from mindfirl.services import jobs, upkeep
from mindfirl.store.models import Job

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
        """Look after the process, and say whether it is still there."""
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
            upkeep.tidy(project=self._project)
        jobs.settle(self.attempt)

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
