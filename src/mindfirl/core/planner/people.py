"""How often a person is right, given what the machine reviewer thinks and what is still hidden."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindfirl.core.planner.paths import Floats


@dataclass(frozen=True, slots=True)
class Habits:
    """How people decide: how often they slip when all is shown, and how much more when masked."""

    slips: float = 0.05
    slips_masked: float = 0.05


def people_right(probability: Floats, hidden: Floats, habits: Habits) -> Floats:
    """Return the chance that a person decides each pair rightly."""
    sure: Floats = np.maximum(probability, 1 - probability)
    slips = habits.slips + habits.slips_masked * hidden
    right: Floats = sure * (1 - slips) + (1 - sure) * slips
    return right
