"""Comments held against everything that is open to their writer in the assignment.

They are compared when they are written and again whenever they are read, so that it does not matter
what was opened first. An opening never waits for that, and is never refused because of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mindfirl.core.display.cells import Sign, cell
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import view_pair
from mindfirl.core.traces.normal_form import ELSEWHERE
from mindfirl.core.traces.repeats import Traces, comment_traces, merge, repeated
from mindfirl.core.values.schema import LEVELS, Level, Pair
from mindfirl.store.models import AssignedPair, Assignment
from mindfirl.workspace.open_version import SingleFlightCache, frozen_rows, population_of

_Levels = tuple[tuple[str, Level], ...]
_Known = dict[int, tuple[_Levels, Traces]]
"""For each pair its open levels, and the traces of what they show."""

_known: Final[SingleFlightCache[_Known]] = SingleFlightCache(size=16)


def shown_rows(
    index: PopulationIndex, row: AssignedPair, state: Mapping[str, Level]
) -> list[tuple[Sign, ...]]:
    """Return both rows of each cell of a pair, as they are shown at these levels."""
    view = view_pair(index, Pair(row.left, row.right), dict(state))
    return [
        signs
        for difference, level in zip(view.differences, view.levels, strict=True)
        for signs in cell(difference, LEVELS[level]).rows
    ]


def open_traces(mine: Assignment) -> Traces:
    """Return the traces of everything that is open in an assignment."""
    known = _known.get(mine.pk, (), dict)
    index = population_of(mine)
    found = []
    for row in mine.pairs.prefetch_related("open_cells"):
        state = mine.open_levels(row, row.open_cells.all())
        levels = tuple(sorted(state.items()))
        if not levels:
            continue
        if known.get(row.number, ((), None))[0] != levels:
            traces = comment_traces(shown_rows(index, row, state), ELSEWHERE)
            known[row.number] = (levels, traces)
        found.append(known[row.number][1])
    return merge(found)


def comments_set_aside(mine: Assignment, comments: Mapping[int, str]) -> set[int]:
    """Return the numbers of the pairs whose comments repeat what is open to their writer now."""
    said = {number: words for number, words in comments.items() if words}
    if not said:
        return set()
    if (frozen := frozen_rows(mine.version)) is not None:
        return set(said) & frozen.set_aside.get(str(mine.pk), frozenset())
    index, elsewhere = population_of(mine), open_traces(mine)
    rows = mine.pairs.filter(number__in=said).prefetch_related("open_cells")
    return {
        row.number
        for row in rows
        if repeated(
            said[row.number],
            shown_rows(index, row, mine.open_levels(row, row.open_cells.all())),
            elsewhere,
        )
    }
