"""How often people are right, given what the machine reviewer thinks and what is still hidden.

A person decides as the machine reviewer would, but slips now and then, and a slip turns a decision
round. How often depends on how much of a pair is shown. When about as much is shown as people need
(``enough``, a share of the pair's characters), they slip least (``slips``). The less of that is
shown, the more often (up to ``slips_masked`` more when all is masked); and where more is shown,
there is more to read and to stumble over (up to ``slips_reading`` more when nothing is hidden).

The defaults, and what they rest on, are explained in ``planner/people.toml``. Several people are
taken to decide each by themselves: what they get wrong alike is not seen in any of this.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import comb, sqrt
from typing import Final

import numpy as np

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.plan import Rule

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


ENOUGH_AGREED: Final = 50
"""So many pairs must be decided by two people before their agreement says how good they are."""
USUALLY_HIDDEN: Final = 0.7
"""The share of characters that a review leaves hidden, where nothing else is known.

In the published study people decided as well with three tenths of them as with all.
"""


def usually_right(habits: Habits) -> float:
    """Return how often somebody is right in a review of which nothing else is known."""
    sure, hidden = np.ones(1), np.full(1, USUALLY_HIDDEN)
    return float(people_right(sure, hidden, habits)[0])


def right_by_agreement(observed: Agreement, usually: float) -> float:
    """Return how often somebody is right, as far as agreement tells; else what is usual.

    Two who are right with chance a agree with chance a² + (1 - a)². The lower end of the interval
    is taken, since they agree where they are wrong alike, too.
    """
    if observed.low is None or observed.units < ENOUGH_AGREED:
        return usually
    return (1 + sqrt(max(2 * observed.low - 1, 0.0))) / 2


def right_together(right: float, reviews: int, rule: Rule) -> float:
    """Return how often a pair is settled rightly by so many reviews.

    What the rule leaves open, an adjudicator settles, who is right as often as a reviewer. Where
    surer answers weigh more, the majority is taken to be the surer side.
    """
    needed = reviews if rule == "unanimous" else reviews // 2 + 1
    settled, wrong = (_at_least(needed, reviews, chance) for chance in (right, 1 - right))
    return settled + (1 - settled - wrong) * right


def right_given(sure: Floats, together: float) -> Floats:
    """Return how often each pair is settled rightly, where it can be told with a certain chance.

    What cannot be told from a pair, all who review it miss alike: more of them slip less often, and
    know no more.

    :param sure: the chance that what there is to be known of a pair speaks for the truth.
    :param together: how often people settle a pair rightly of which everything is known.
    """
    right: Floats = sure * together + (1 - sure) * (1 - together)
    return right


def right_by_margin(right: float, margin: Ints) -> Floats:
    """Return how often a decision is right that so many more people made than spoke against it."""
    margin_of_all = margin.astype(np.float64)
    good, wrong = np.power(right, margin_of_all), np.power(1 - right, margin_of_all)
    found: Floats = good / (good + wrong)
    return found


def _at_least(needed: int, trials: int, chance: float) -> float:
    return sum(
        comb(trials, number) * chance**number * (1 - chance) ** (trials - number)
        for number in range(needed, trials + 1)
    )
