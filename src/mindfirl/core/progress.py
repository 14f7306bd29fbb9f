"""How long work says how far it is: one signature for every layer."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Called with the stage of the work, the steps done and the steps of that stage."""


def no_progress(_stage: str, _done: int, _steps: int) -> None:
    """Report nothing."""


StepProgress = Callable[[int, int], None]
"""Called with the steps done and all steps, by work that is one stage of something longer."""


def no_step_progress(_done: int, _steps: int) -> None:
    """Report nothing."""
