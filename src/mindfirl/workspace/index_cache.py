"""The population indexes of assignments under way: opened once, shared by all threads."""

from __future__ import annotations

from itertools import product
from typing import Final

from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import DATE_SWAPS
from mindfirl.store.models import Assignment, Version
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.single_flight import SingleFlightCache

_indexes: Final = SingleFlightCache[PopulationIndex](size=4)
_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def population_of(assignment: Assignment) -> PopulationIndex:
    """Return the index of an assignment's records, as its terms display them."""
    terms, version = assignment.terms, assignment.version
    digest = assignment.population or version.index_digest
    key = (digest, terms.date_swaps, terms.frequency_bands)
    return _indexes.get(key, (), lambda: open_version(version).index(terms))


def forget_indexes(version: Version) -> None:
    """Drop the indexes of a version, once none of its assignments is under way."""
    if version.assignments.filter(state__in=_UNDER_WAY).exists():
        return
    for date_swap, frequency in product(DATE_SWAPS, (False, True)):
        _indexes.forget((version.index_digest, date_swap, frequency))
