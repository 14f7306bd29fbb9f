"""Run as a program, ``mindfirl`` that forks the parts of its server and the processes of its jobs.

They are processes of their own as for users, but do not import the product again, which takes
longer than most jobs. That they start and end as real programs is shown by ``test_serve.py`` and
``test_loop.py``; tracers in a browser and a whole project are tried with the real ones.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Final, NoReturn

import axes.conf
from django.db import connections

from mindfirl.cli import main
from mindfirl.cli.upkeep import serve
from mindfirl.runner import loop
from tests.support import processes

_END_WITH_PARENT: Final = 1
_LOOK: Final = 0.02


class Forked:
    """A process that a program of ours started: what ``subprocess.Popen`` is to it."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        pass_fds: Sequence[int] = (),
        preexec_fn: Callable[[], object] = bool,
        stdout: int | None = None,
        **_others: object,
    ) -> None:
        words = [each for each in command[1:] if each != "-P"]
        connections.close_all()  # a child would take our locks in SQLite for its own
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _be(words, env, pass_fds, preexec_fn, silent=stdout == subprocess.DEVNULL)

    def poll(self) -> int | None:
        if self.returncode is None:
            number, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if number else None
        return self.returncode

    def wait(self, timeout: float = float("inf")) -> int:
        until = time.monotonic() + timeout
        while (status := self.poll()) is None:
            if time.monotonic() > until:
                raise subprocess.TimeoutExpired("a forked process", timeout)
            time.sleep(_LOOK)
        return status

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


def _be(
    words: Sequence[str],
    environment: Mapping[str, str],
    kept: Sequence[int],
    before: Callable[[], object],
    *,
    silent: bool,
) -> NoReturn:
    """Be another program, as if it had been executed: with these files and signals alone."""
    os.setsid()
    before()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if silent:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for each in range(3):
            os.dup2(nowhere, each)
    for first, after in zip((2, *kept), (*kept, os.sysconf("SC_OPEN_MAX")), strict=True):
        os.closerange(first + 1, after)
    for each in kept:
        os.set_inheritable(each, True)  # noqa: FBT003  # its only argument
    processes.live_in(environment)
    importlib.reload(axes.conf)  # it adds to the settings when it is imported
    processes.end(processes.status_of(partial(processes.run_words, words)))


def fork_from_now_on() -> None:
    """Let the server start its parts, and the runner its jobs, without new interpreters."""
    forking = SimpleNamespace(
        Popen=Forked, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
    )
    for module in (serve, loop):
        module.subprocess = forking  # type: ignore[attr-defined]  # what they use of it


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGTERM)
    fork_from_now_on()
    sys.exit(main())
