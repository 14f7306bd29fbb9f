"""How often a person is right, given what the machine reviewer thinks and what is still hidden.

A person decides as the machine reviewer would, but slips now and then, and a slip turns a decision
round. How often depends on how much of a pair is shown. When about as much is shown as people need
(``enough``, a share of the pair's characters), they slip least (``slips``). The less of that is
shown, the more often (up to ``slips_masked`` more when all is masked); and where more is shown,
there is more to read and to stumble over (up to ``slips_reading`` more when nothing is hidden).

The defaults, and what they rest on, are explained in ``planner/people.toml``.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.paths import Floats

_MOST_SLIPS: Final = 0.5
"""Who slips more often than this would do better to say the contrary."""


@dataclass(frozen=True, slots=True)
class Habits:
    """How often people slip, as shares of 1.

    ``slips``
        when ``enough`` is shown.
    ``slips_masked``
        so much more when everything is masked.
    ``slips_reading``
        so much more when everything is shown.
    ``enough``
        the share of a pair's characters that people need; hiding the others does no harm.
    """

    slips: float = 0.125
    slips_masked: float = 0.033
    slips_reading: float = 0.011
    enough: float = 0.3

    def __post_init__(self) -> None:
        for each in fields(self):
            _check_share(each.name, getattr(self, each.name))
        if not 0 < self.enough < 1:
            raise SettingError("enough must be more than 0 and less than 1.")
        for name in ("slips_masked", "slips_reading"):
            if self.slips + getattr(self, name) > _MOST_SLIPS:
                raise SettingError(
                    f"slips and {name} must not be more than {_MOST_SLIPS} together: people who "
                    f"are wrong more often than right are not described by this."
                )


def _check_share(name: str, share: object) -> None:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1:
        raise SettingError(f"{name} must be a number from 0 to 1.")


def people_right(probability: Floats, hidden: Floats, habits: Habits) -> Floats:
    """Return the chance that a person decides each pair rightly.

    It is at least one half, and never more than the machine reviewer's own confidence.

    :param probability: that both records are of one person, as the machine reviewer thinks.
    :param hidden: the share of the pair's characters that is still hidden.
    """
    sure: Floats = np.maximum(probability, 1 - probability)
    right: Floats = 0.5 + (sure - 0.5) * (1 - 2 * slips(hidden, habits))
    return right


def slips(hidden: Floats, habits: Habits) -> Floats:
    """Return how often people slip when so much is hidden."""
    # How far what is shown is from enough: 0 when just that is shown, 1 at either end.
    needless = 1 - habits.enough
    too_little = np.maximum(hidden - needless, 0) / habits.enough
    too_much = np.maximum(needless - hidden, 0) / needless
    often: Floats = (
        habits.slips + habits.slips_masked * too_little + habits.slips_reading * too_much
    )
    return often
