"""Which worker gets which pairs: by share, at random, nobody a pair twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from random import Random


def quotas(pairs: int, reviews: int, shares: Sequence[int]) -> list[int]:
    """Return how many pairs each worker gets, in proportion to the shares.

    Nobody gets more than there are: what is beyond that goes to the others.
    """
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
    """Deal pairs, by number, to workers: each to so many different ones, as many as their quotas.

    A pair is the next of ``space`` that are left; who still has to get so many of them gets this
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
    """Deal each pair to one worker who has not taken it already, as evenly as that allows.

    Return the pairs of each, and how many pairs nobody can get.
    """
    return deal_groups([1] * pairs, taken, dice)


def deal_groups(
    sizes: Sequence[int], taken: Sequence[Collection[int]], dice: Random
) -> tuple[list[list[int]], int]:
    """Deal groups of pairs in the same way, each as a whole; return also how many nobody can get.

    Groups are known by their numbers, and so is what everybody has taken.
    """
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
