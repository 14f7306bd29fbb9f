"""The levels at which the cells of a pair start, and what that costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from mindfirl.core.display.compare import Relation
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import View, row_risks, units, view_pair
from mindfirl.core.values.schema import LEVELS, MASKED, Accounting, Level, Pair, level_number


@dataclass(frozen=True, slots=True)
class Start:
    """How a pair starts: its charge in units, and the cells that start lower than is planned."""

    charge: int = 0
    lower: tuple[tuple[str, Level], ...] = ()


def start_of(
    index: PopulationIndex,
    pair: Pair,
    starting: Mapping[str, Level],
    *,
    kappa: int,
    accounting: Accounting,
) -> Start:
    """Put the cells of a pair at their starting levels, as far as κ allows.

    A cell that would leave fewer than κ records on a row stays masked, in the order of the
    attributes. A swapped group starts at the lower of its starting levels.
    """
    masked, names = view_pair(index, pair, {}), index.schema.names
    planned = tuple(level_number(starting.get(name, LEVELS[MASKED])) for name in names)
    kept = _above_floor(index, masked, _with_swaps(index, masked, planned), kappa)
    risks = row_risks(index, replace(masked, levels=kept), accounting)
    lower = tuple(
        (name, LEVELS[level])
        for name, level, wanted in zip(names, kept, planned, strict=True)
        if level < wanted
    )
    return Start(units(risks, kappa), lower)


def _with_swaps(
    index: PopulationIndex, masked: View, planned: tuple[int, ...]
) -> dict[tuple[int, ...], int]:
    groups = [
        group
        for group in index.schema.swaps
        if masked.differences[group[0]].relation is Relation.SWAPPED
    ]
    swapped = {place for group in groups for place in group}
    single = [(place,) for place in range(len(planned)) if place not in swapped]
    return {
        places: min(planned[place] for place in places) for places in sorted([*groups, *single])
    }


def _above_floor(
    index: PopulationIndex, masked: View, wanted: dict[tuple[int, ...], int], kappa: int
) -> tuple[int, ...]:
    """Raise cells to their levels, leaving out those that would break κ (by the published rule)."""
    levels = _raised(masked.levels, wanted)
    if _keeps(index, masked, levels, kappa):  # then it keeps κ on the way there, too: sets nest
        return levels
    levels = masked.levels
    for places, level in wanted.items():
        tried = _raised(levels, {places: level})
        if _keeps(index, masked, tried, kappa):
            levels = tried
    return levels


def _raised(levels: tuple[int, ...], wanted: Mapping[tuple[int, ...], int]) -> tuple[int, ...]:
    given = {place: level for places, level in wanted.items() for place in places}
    return tuple(given.get(place, level) for place, level in enumerate(levels))


def _keeps(index: PopulationIndex, masked: View, levels: tuple[int, ...], kappa: int) -> bool:
    """Say whether levels leave at least κ records on both rows."""
    if kappa == 1:
        return True
    risks = row_risks(index, replace(masked, levels=levels), "paper")
    return all(risk.k >= kappa for risk in risks)
