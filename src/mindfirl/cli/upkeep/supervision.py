"""Processes that are kept running: started anew when they die, ended together."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from mindfirl.core.errors import SettingError

_LOOK: Final = 0.1
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 60.0
_SETTLED: Final = 60.0
"""Whoever lived as long as this is started anew without much of a pause."""
_GRACE: Final = 15.0
"""So long may processes take to end before they are killed."""
_HOPELESS: Final = 3
"""Dead so often before it was ever ready, a process will not come up."""


@dataclass(slots=True)
class Child:
    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    pass_fds: Sequence[int] = ()
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    began: float = field(default=0.0, init=False)
    due: float = field(default=0.0, init=False)
    pause: float = field(default=_FIRST_PAUSE, init=False)
    deaths: int = field(default=0, init=False)

    def start_if_due(self, now: float) -> None:
        if self.process is not None and self.process.poll() is not None:
            self._note_exit(now)
        if self.process is None and now >= self.due:
            self.began = now
            self.process = subprocess.Popen(  # noqa: S603  # the commands are ours
                self.command,
                env=dict(self.environment),
                pass_fds=tuple(self.pass_fds),
                start_new_session=True,  # a key pressed in the terminal is for us alone
                preexec_fn=_end_with_parent,  # noqa: PLW1509  # there is one thread
            )

    def _note_exit(self, now: float) -> None:
        self.deaths += 1
        self.process = None
        self.pause = _FIRST_PAUSE if now - self.began > _SETTLED else self.pause
        self.due = now + self.pause
        self.pause = min(self.pause * 2, _LONGEST_PAUSE)


def keep_running(
    children: Sequence[Child], *, ready: Callable[[], bool], when_ready: Callable[[], None]
) -> None:
    """Keep processes running until this one is told to end; say once when they are ready."""
    said = False
    with _end_requested() as ending:
        try:
            while not ending():
                for child in children:
                    child.start_if_due(time.monotonic())
                if not said and ready():
                    said = True
                    when_ready()
                if not said and any(child.deaths >= _HOPELESS for child in children):
                    raise SettingError(
                        "A part of the server does not start. What it said is above; "
                        "mindfirl doctor may say more."
                    )
                time.sleep(_LOOK)
        finally:
            _end(children)


def _end(children: Sequence[Child]) -> None:
    """Ask all processes to end; kill those that do not."""
    running = [each.process for each in children if each.process is not None]
    for process in running:
        process.terminate()
    until = time.monotonic() + _GRACE
    for process in running:
        try:
            process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextmanager
def _end_requested() -> Iterator[Callable[[], bool]]:
    """Tell whether somebody pressed Ctrl-C or asked the process to end."""
    told = False

    def tell(_signal: int, _frame: FrameType | None) -> None:
        nonlocal told
        told = True

    before = {each: signal.signal(each, tell) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: told
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _end_with_parent() -> None:
    """Let the system end this process when its parent dies, where the system can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
