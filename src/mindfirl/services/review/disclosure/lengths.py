"""How long the values of an assignment are at most, so that its columns never change their width.

Every pair of an assignment shows the length of its values, masked or not; nothing more is told.
"""

from __future__ import annotations

from typing import Final

from mindfirl.store.models import Assignment
from mindfirl.workspace.open_version import SingleFlightCache, population_of

_known: Final[SingleFlightCache[tuple[int, ...]]] = SingleFlightCache(size=16)


def longest_values(*, assignment: Assignment) -> tuple[int, ...]:
    """Return the length of the longest value of each attribute, over all pairs."""
    return _known.get(assignment.pk, (assignment.size,), lambda: _measure(assignment))


def _measure(assignment: Assignment) -> tuple[int, ...]:
    index = population_of(assignment)
    pairs = assignment.pairs.values_list("left", "right")
    records = {record for pair in pairs for record in pair}
    lengths = [[len(value) for value in index.record(record)] for record in records]
    return tuple(map(max, zip(*lengths, strict=True))) if lengths else ()
