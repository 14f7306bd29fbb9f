"""How good people are together: who agree, who decide a pair more than once, who settle the rest.

Everybody is taken to decide by themselves. What people get wrong alike is not seen in any of this.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import Final

import numpy as np

from mindfirl.core.forecast.human_accuracy import Habits, people_right
from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.terms import Rule

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
