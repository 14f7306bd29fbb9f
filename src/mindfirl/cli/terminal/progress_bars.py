"""Bars on the terminal: what is being done, how far it is, how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from math import ceil

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskProgressColumn,
    TextColumn,
)
from rich.text import Text


class _TimeLeft(ProgressColumn):
    """How long a stage will still take if it goes on as it went so far.

    Rich's own estimate forgets what is older than half a minute: a stage of few long steps, or one
    that corrects the number of its steps, would never get any.
    """

    def render(self, task: Task) -> Text:
        whole: float | None = task.fields.get("whole")
        if whole is None or task.finished:
            return Text("")
        left = max(0.0, whole - (task.elapsed or 0.0))
        return Text(f"about {timedelta(seconds=ceil(left))} left", style="progress.remaining")


@contextmanager
def stage_bars(
    console: Console | None = None, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[str, int, int], None]]:
    """Show on the terminal what is being done, stage by stage; nothing where there is none."""
    screen = console or Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        _TimeLeft(),
    )
    with Progress(
        *columns, console=screen, transient=True, disable=not screen.is_terminal, get_time=clock
    ) as bars:
        bars.add_task("", total=None)
        (task,) = bars.tasks

        def show(what: str, done: int, steps: int) -> None:
            if what != task.description:
                bars.reset(task.id, description=what, whole=None)
            whole = (task.elapsed or 0.0) * steps / done if done else None
            bars.update(task.id, completed=done, total=steps, whole=whole)

        yield show


@contextmanager
def progress_bar(label: str) -> Iterator[Callable[[int, int], None]]:
    """Show one bar while work goes on; nothing where there is no terminal."""
    with stage_bars() as show:
        yield partial(show, label)
