"""What a dispatch gives: pairs to workers, by share and at random; levels to cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random

from mindfirl.core.display.compare import Relation
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import View, row_risks, units, view_pair
from mindfirl.core.values.schema import LEVELS, MASKED, Accounting, Level, Pair, level_number


def quotas(pairs: int, reviews: int, shares: Sequence[int]) -> list[int]:
    """Return how many pairs each worker gets, by share; nobody gets more than there are."""
    assert 1 <= reviews <= len(shares)
    found: dict[int, int] = {}
    while True:
        rest = pairs * (reviews - len(found))
        weight = sum(share for place, share in enumerate(shares) if place not in found)
        exact = {
            place: Fraction(rest * share, weight)
            for place, share in enumerate(shares)
            if place not in found
        }
        full = {place: pairs for place, size in exact.items() if size > pairs}
        if not full:
            return _whole(found, exact, rest)
        found |= full


def deal(pairs: int, reviews: int, shares: Sequence[int], dice: Random) -> list[list[int]]:
    """Deal pairs, by number, to workers: each to this many different ones, as many as their quotas.

    A pair is the next of ``space`` that are left; who still has to get this many of them gets this
    one with the chance of that share. Lying one after the other, what the workers still have to get
    fills ``reviews`` times the space, so marks in the distance of the space hit that many workers.
    """
    left = quotas(pairs, reviews, shares)
    hands: list[list[int]] = [[] for _ in shares]
    order = list(range(len(shares)))
    for pair in range(pairs):
        space = pairs - pair
        dice.shuffle(order)
        mark, passed = dice.randrange(space), 0
        for worker in order:
            passed += left[worker]
            if mark < passed:
                hands[worker].append(pair)
                left[worker] -= 1
                mark += space
    return hands


def deal_rest(
    pairs: int, taken: Sequence[Collection[int]], dice: Random
) -> tuple[list[list[int]], int]:
    """Deal each pair to one worker who has not taken it; also return how many nobody can get."""
    return deal_groups([1] * pairs, taken, dice)


def deal_groups(
    sizes: Sequence[int], taken: Sequence[Collection[int]], dice: Random
) -> tuple[list[list[int]], int]:
    """Deal groups of pairs, by number, each as a whole; also return how many nobody can get."""
    hands: list[list[int]] = [[] for _ in taken]
    held = [0] * len(taken)
    order, nobody = list(range(len(sizes))), 0
    dice.shuffle(order)
    for group in order:
        able = [worker for worker, has in enumerate(taken) if group not in has]
        if not able:
            nobody += 1
            continue
        dice.shuffle(able)
        chosen = min(able, key=held.__getitem__)
        hands[chosen].append(group)
        held[chosen] += sizes[group]
    return hands, nobody


def _whole(found: dict[int, int], exact: dict[int, Fraction], rest: int) -> list[int]:
    """Round to whole pairs that add up to the rest: the largest fractions are rounded up."""
    sizes = {place: int(size) for place, size in exact.items()}
    by_fraction = sorted(exact, key=lambda place: (sizes[place] - exact[place], place))
    for place in by_fraction[: rest - sum(sizes.values())]:
        sizes[place] += 1
    return [size for _, size in sorted((found | sizes).items())]


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
    if kappa == 1:
        return True
    risks = row_risks(index, replace(masked, levels=levels), "paper")
    return all(risk.k >= kappa for risk in risks)
