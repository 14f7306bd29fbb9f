"""What is open in the pairs of an assignment, and what opening more of them costs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from mindfirl.core.display.cells import disclosed_characters, offered_levels
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import View, row_risks, units, view_pair
from mindfirl.core.values.schema import LEVELS, MASKED, DateSwap, Level, Pair
from mindfirl.engine.schema.files import parse_schema
from mindfirl.engine.separation.index_tables import index_arrays
from mindfirl.store import vault
from mindfirl.store.models import AssignedPair, Assignment, OpenCell
from mindfirl.workspace.index_cache import population


def population_of(mine: Assignment) -> PopulationIndex:
    """Return the index of an assignment's records, as it displays them."""
    date_swap: DateSwap = mine.settings["date_swaps"]
    frequency = mine.settings["frequency_bands"] == "on"

    def opened() -> PopulationIndex:
        schema = parse_schema(mine.version.schema, "the project's schema").schema
        displayed = schema.displayed(date_swap=date_swap, frequency=frequency)
        return restore_index(displayed, index_arrays(vault.unseal(mine.version.index)))

    digest = mine.settings.get("population") or mine.version.index_digest
    return population(digest, date_swap, frequency=frequency, opened=opened)


def seen_of(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Iterable[OpenCell]
) -> View:
    """Return a pair with its cells at the levels to which they are open."""
    state: dict[str, Level] = dict(mine.settings["starting"])
    state |= dict(row.lower)
    for each in opened:
        level = cast("Level", each.level)
        state[each.attribute] = max(
            state.get(each.attribute, LEVELS[MASKED]), level, key=LEVELS.index
        )
    return view_pair(index, Pair(row.left, row.right), state)


def having(seen: View, level: Level) -> list[int]:
    """Return the cells that have a level."""
    return [place for place, each in enumerate(seen.differences) if level in offered_levels(each)]


def charge_of(index: PopulationIndex, mine: Assignment, before: View, after: View) -> int | None:
    """Return what a step costs in units; nothing where κ refuses it."""
    return charge_from(index, mine, units_of(index, mine, before), after)


def charge_from(index: PopulationIndex, mine: Assignment, before: int, after: View) -> int | None:
    """Return the same of a pair that has cost so many units."""
    kappa = mine.settings["kappa"]
    if kappa > 1 and any(risk.k < kappa for risk in row_risks(index, after, "paper")):
        return None
    return units_of(index, mine, after) - before


def units_of(index: PopulationIndex, mine: Assignment, seen: View) -> int:
    """Return what a pair costs as it is shown, in units."""
    return units(row_risks(index, seen, mine.settings["accounting"]), mine.settings["kappa"])


def shown_in(seen: View) -> int:
    """Count the characters that a pair shows."""
    return sum(
        shown
        for difference, level in zip(seen.differences, seen.levels, strict=True)
        for shown, _ in disclosed_characters(difference, level)
    )


def counted(mine: Assignment) -> tuple[int, int]:
    """Count the characters that the pairs of an assignment show, and have."""
    index = population_of(mine)
    shown = characters = 0
    for row in mine.pairs.prefetch_related("open_cells"):
        seen = seen_of(index, mine, row, row.open_cells.all())
        shown += shown_in(seen)
        characters += sum(
            len(side.marks) for difference in seen.differences for side in difference.sides
        )
    return shown, characters
