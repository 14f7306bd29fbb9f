"""The runner, or with a job and the number of the attempt, the process that does it."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from threading import Event
from typing import Final
from uuid import UUID

import django

from mindfirl.web.http.logs import log_uncaught

_SET_PARENT_DEATH_SIGNAL: Final = 1


def main(words: list[str]) -> None:
    os.umask(0o077)  # whatever is written is for its owner alone
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mindfirl.settings")
    django.setup()
    log_uncaught()
    if words:
        job, attempt, parent = words
        _do(UUID(job), int(attempt), int(parent))
    else:
        _run()


def _run() -> None:
    from mindfirl.runner.loop import run  # noqa: PLC0415  # after Django is set up
    from mindfirl.store.disk import beat  # noqa: PLC0415  # the same

    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    run(stop, alive=beat)


def _do(job: UUID, attempt: int, parent: int) -> None:
    from mindfirl.runner.work import do  # noqa: PLC0415  # after Django is set up
    from mindfirl.services.jobs import Attempt  # noqa: PLC0415  # the same

    _end_with(parent)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no image of the memory on the disk
    do(Attempt(job, attempt))


def _end_with(parent: int) -> None:
    """Let the system end this process when its runner is gone."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
