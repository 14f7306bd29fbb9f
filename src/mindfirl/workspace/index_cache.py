"""The population indexes of assignments under way: opened once, shared by all threads, let go."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Final

from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import DATE_SWAPS, DateSwap
from mindfirl.store.models import Version
from mindfirl.workspace.single_flight import SingleFlightCache

_indexes: Final = SingleFlightCache[PopulationIndex](size=4)
_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def population(
    digest: str, date_swap: DateSwap, *, frequency: bool, opened: Callable[[], PopulationIndex]
) -> PopulationIndex:
    """Return the index of a digest as it is displayed, opening it where that was not done yet."""
    return _indexes.get((digest, date_swap, frequency), (), opened)


def let_go(version: Version) -> None:
    """Hold the indexes of a version no longer, once none of its assignments is under way."""
    if version.assignments.filter(state__in=_UNDER_WAY).exists():
        return
    for date_swap, frequency in product(DATE_SWAPS, (False, True)):
        _indexes.forget((version.index_digest, date_swap, frequency))
