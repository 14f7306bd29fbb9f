"""What an assignment should have spent and shown, worked out again from what is open in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, cast
from uuid import UUID

from mindfirl.core.display.cells import disclosed_characters
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import View, row_risks, units, view_pair
from mindfirl.core.values.schema import LEVELS, Accounting, Level, Pair
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.indexed_databases import index_arrays
from mindfirl.store import vault
from mindfirl.store.models import AssignedPair, Assignment, Version


def levels_of(assignment: Assignment) -> dict[int, dict[str, Level]]:
    """Return the level of every cell, by the rows of the database."""
    rows = assignment.pairs.prefetch_related("open_cells")
    return {row.number: _levels(assignment, row) for row in rows}


def balance_of(assignment: Assignment, levels: dict[int, dict[str, Level]]) -> int:
    """Return what levels cost in units, priced from nothing."""
    kappa, accounting = assignment.terms.kappa, assignment.terms.accounting
    return sum(
        _cost(_index(assignment), *about, kappa, accounting) for about in _about(assignment, levels)
    )


def characters_of(assignment: Assignment, levels: dict[int, dict[str, Level]]) -> dict[int, int]:
    """Count the characters that levels show, by the numbers of the pairs."""
    index = _index(assignment)
    shown = [_shown(index, *about) for about in _about(assignment, levels)]
    return dict(zip(levels, shown, strict=True))


def _about(
    assignment: Assignment, levels: dict[int, dict[str, Level]]
) -> Iterator[tuple[Pair, tuple[tuple[str, Level], ...]]]:
    rows = {row.number: Pair(row.left, row.right) for row in assignment.pairs.all()}
    return ((rows[number], tuple(state.items())) for number, state in levels.items())


def _levels(assignment: Assignment, row: AssignedPair) -> dict[str, Level]:
    found: dict[str, Level] = dict.fromkeys(assignment.attributes, LEVELS[0])
    found |= dict(assignment.terms.starting)
    found |= dict(row.lower)
    for each in row.open_cells.all():
        level = cast("Level", each.level)
        found[each.attribute] = max(found[each.attribute], level, key=LEVELS.index)
    return found


@cache
def _cost(
    index: PopulationIndex,
    pair: Pair,
    state: tuple[tuple[str, Level], ...],
    kappa: int,
    accounting: Accounting,
) -> int:
    return units(row_risks(index, view_pair(index, pair, dict(state)), accounting), kappa)


@cache
def _shown(index: PopulationIndex, pair: Pair, state: tuple[tuple[str, Level], ...]) -> int:
    seen: View = view_pair(index, pair, dict(state))
    cells = zip(seen.differences, seen.levels, strict=True)
    return sum(
        shown for difference, level in cells for shown, _ in disclosed_characters(difference, level)
    )


def _index(assignment: Assignment) -> PopulationIndex:
    shown = (assignment.terms.date_swaps, assignment.terms.frequency_bands)
    return _restored(assignment.version.index.name, *shown)


@cache
def _restored(file: UUID, date_swap: Any, frequency: bool) -> PopulationIndex:  # noqa: FBT001  # a key
    found = Version.objects.get(index__name=file)
    schema = parse_schema(found.schema, "the project's schema").schema
    displayed = schema.displayed(date_swap=date_swap, frequency=frequency)
    return restore_index(displayed, index_arrays(vault.unseal(found.index)))
