"""The population indexes of assignments under way: opened once, shared by all threads, let go."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import product
from typing import Final

from django.conf import settings

from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.schema import DATE_SWAPS, DateSwap
from mindfirl.store.at_hand import AtHand
from mindfirl.store.models import Version

_HELD: Final = AtHand[PopulationIndex](most=4)
_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def population(
    version: int, date_swap: DateSwap, *, frequency: bool, opened: Callable[[], PopulationIndex]
) -> PopulationIndex:
    """Return the index of a version as it is displayed, opening it where that was not done yet."""
    return _HELD.get(_key(version, date_swap, frequency=frequency), (), opened)


def let_go(version: Version) -> None:
    """Hold the indexes of a version no longer, once none of its assignments is under way."""
    if version.assignments.filter(state__in=_UNDER_WAY).exists():
        return
    for date_swap, frequency in product(DATE_SWAPS, (False, True)):
        _HELD.let_go(_key(version.pk, date_swap, frequency=frequency))


def _key(version: int, date_swap: DateSwap, *, frequency: bool) -> Hashable:
    """Return what an index is held by: the same number means another version elsewhere."""
    return settings.MINDFIRL_HOME, version, date_swap, frequency
