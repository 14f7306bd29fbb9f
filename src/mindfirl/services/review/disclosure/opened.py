"""What is open in the pairs of an assignment."""

from __future__ import annotations

from collections.abc import Sequence

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.opening import OpenPair, ProjectTotal, Totals
from mindfirl.core.review.shown_pair import characters_in
from mindfirl.store.models import AssignedPair, Assignment, OpenCell
from mindfirl.workspace.open_version import frozen_rows, open_view, population_of


def open_pair(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Sequence[OpenCell]
) -> OpenPair:
    return OpenPair(open_view(index, mine, row, opened), len(opened))


def totals_of(mine: Assignment, project: ProjectTotal | None = None) -> Totals:
    return Totals(mine.size, mine.budget, mine.limit, mine.spent, project)


def count_characters(mine: Assignment) -> tuple[int, int]:
    """Count the characters that an assignment shows, and those that its pairs have."""
    if (frozen := frozen_rows(mine.version)) is not None:
        rows = [each for each in frozen.rows if each.assignment == str(mine.pk)]
        counts = ((sum(map(len, each.shown)), sum(each.lengths)) for each in rows)
        first, second = zip((0, 0), *counts, strict=True)
        return sum(first), sum(second)
    index = population_of(mine)
    shown = characters = 0
    for row in mine.pairs.prefetch_related("open_cells"):
        pair = open_pair(index, mine, row, list(row.open_cells.all()))
        counted = characters_in(pair.view)
        shown, characters = shown + counted[0], characters + counted[1]
    return shown, characters
