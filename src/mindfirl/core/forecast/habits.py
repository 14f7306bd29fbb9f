"""How often people are right, given how sure one can be and how much of what differs is hidden.

A person decides as the machine reviewer would, but slips now and then, and a slip turns a decision
round. People slip least when all values that differ can be read, and more often the more of their
characters are hidden; hiding values that are identical does no harm. The defaults, and what they
rest on, are explained in ``planner/people.toml``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Final, NamedTuple

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.paths import Floats

_MOST_SLIPS: Final = 0.5
"""Who slips more often than this would do better to say the contrary."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often people slip, as shares of 1: ``slips`` when all that differs is shown.

    ``slips_masked`` is added when all of it is hidden, and in proportion in between.
    """

    slips: float = 0.134
    slips_masked: float = 0.101

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_share(each.name, getattr(self, each.name))
        if self.slips + self.slips_masked > _MOST_SLIPS:
            raise SettingError(
                f"slips and slips_masked must not be more than {_MOST_SLIPS} together: people who "
                f"are wrong more often than right are not described by this."
            )


def _check_share(name: str, share: object) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise SettingError(f"{name} must be a number from 0 to 1.")


def people_right(probability: Floats, hidden: Floats, habits: Habits) -> Floats:
    """Return the chance that a person decides each pair rightly.

    ``hidden`` is the hidden share of the characters of values that differ. The chance is at least
    one half, and never more than the machine reviewer's own confidence.
    """
    sure: Floats = np.maximum(probability, 1 - probability)
    right: Floats = 0.5 + (sure - 0.5) * (1 - 2 * slips(hidden, habits))
    return right


def slips(hidden: Floats, habits: Habits) -> Floats:
    """Return how often people slip when this share of what differs is hidden."""
    often: Floats = habits.slips + habits.slips_masked * hidden
    return often


def gain_of_reading(probability: float, opened: float, habits: Habits) -> float:
    """Return how much more often people are right once they read this share of what differs."""
    return abs(2 * probability - 1) * habits.slips_masked * opened


class DisplayStudy(NamedTuple):
    """A display that people were tried on: how much it hid, how sure one could be, how many right.

    ``hidden`` is the hidden share of what differs.
    """

    hidden: float
    sure: float
    right: float


def fit_habits(studies: Sequence[DisplayStudy]) -> Habits:
    """Fit both parameters to two or more displays by least squares; hiding is never of use."""
    hidden, sure, right = (np.array(column) for column in zip(*studies, strict=True))
    weight = 2 * sure - 1
    both = np.stack([weight, weight * hidden], axis=1)
    least, more = np.linalg.lstsq(both, sure - right, rcond=None)[0]
    if more < 0:
        least, more = float(weight @ (sure - right) / (weight @ weight)), 0.0
    return Habits(max(float(least), 0.0), float(more))


def predicted_right(study: DisplayStudy, habits: Habits) -> float:
    """Return how many of the pairs of a display people are expected to decide rightly."""
    return float(people_right(np.array([study.sure]), np.array([study.hidden]), habits)[0])


def left_out_errors(studies: Sequence[DisplayStudy]) -> list[float]:
    """Predict each display from the others, and return by how much each prediction is too high."""
    return [
        predicted_right(study, fit_habits([*studies[:place], *studies[place + 1 :]])) - study.right
        for place, study in enumerate(studies)
    ]
