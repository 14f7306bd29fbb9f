"""What is open in the pairs of an assignment, read from what is stored."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.opening import OpenPair, ProjectTotal, Totals
from mindfirl.core.review.shown_pair import characters_in
from mindfirl.core.risk.kapr import view_pair
from mindfirl.core.values.schema import LEVELS, MASKED, Level, Pair
from mindfirl.store.models import AssignedPair, Assignment, OpenCell
from mindfirl.workspace.index_cache import population_of


def open_pair(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Sequence[OpenCell]
) -> OpenPair:
    """Return a pair with its cells at the levels to which they are open."""
    state: dict[str, Level] = dict(mine.terms.starting)
    state |= dict(row.lower)
    for each in opened:
        level = cast("Level", each.level)
        state[each.attribute] = max(
            state.get(each.attribute, LEVELS[MASKED]), level, key=LEVELS.index
        )
    return OpenPair(view_pair(index, Pair(row.left, row.right), state), len(opened))


def totals_of(mine: Assignment, project: ProjectTotal | None = None) -> Totals:
    return Totals(mine.size, mine.budget, mine.limit, mine.spent, project)


def count_characters(mine: Assignment) -> tuple[int, int]:
    index = population_of(mine)
    shown = characters = 0
    for row in mine.pairs.prefetch_related("open_cells"):
        pair = open_pair(index, mine, row, list(row.open_cells.all()))
        counts = characters_in(pair.view)
        shown, characters = shown + counts[0], characters + counts[1]
    return shown, characters
