"""Benchmark: merge pairs to persons by their mean weights, over worlds from usual to worst.

Each world in the same process, one after the other; memory is the most so far.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from mindfirl.core.merging.merge import merge_records
from mindfirl.core.merging.weighing import WeighedPairs
from mindfirl.core.persons import Positions
from peak import peak

MOST_RECORDS: Final = 10
"""A person has from one record to this many, in the usual world."""
LARGE: Final = 20_000
World = tuple[int, WeighedPairs]


def main(pairs: int) -> None:
    """Merge each world once."""
    table = Table(title="Merging")
    for heading in ("world", "records", "pairs", "persons", "largest", "seconds", "peak MB"):
        table.add_column(heading, justify="right" if heading != "world" else "left")
    for name, make in _WORLDS.items():
        records, weighed = make(pairs, np.random.default_rng(1))
        begun = perf_counter()
        person = merge_records(records, weighed, databases=np.full(records, -1))
        seconds = perf_counter() - begun
        counts = (records, len(weighed.left), int(person.max()) + 1, int(np.bincount(person).max()))
        shown = [f"{count:,}" for count in counts]
        table.add_row(name, *shown, f"{seconds:.1f}", f"{peak() / 1e6:,.0f}")
    Console(width=100).print(table)


def _usual(pairs: int, random: np.random.Generator) -> World:
    """Make persons of some records each; as many pairs are of two persons as of one."""
    sizes = random.integers(1, MOST_RECORDS + 1, pairs // 33)
    person = np.repeat(np.arange(len(sizes)), sizes)
    starts = np.cumsum(sizes) - sizes
    left, right = [], []
    for size in range(2, MOST_RECORDS + 1):
        one, other = np.triu_indices(size, 1)
        first = starts[sizes == size][:, None]
        left.append((first + one).ravel())
        right.append((first + other).ravel())
    false = random.integers(0, len(person), (2, sum(map(len, left))))
    ends = _different(
        len(person), np.concatenate([*left, false[0]]), np.concatenate([*right, false[1]])
    )
    same = person[ends[0]] == person[ends[1]]
    size = len(ends[0])
    weight = np.where(same, random.normal(7, 5, size), random.normal(-6, 4, size))
    return len(person), WeighedPairs(*ends, weight)


def _couples(pairs: int, random: np.random.Generator) -> World:
    left = np.arange(0, 2 * pairs, 2)
    return 2 * pairs, WeighedPairs(left, left + 1, random.normal(3, 5, pairs))


def _sparse(pairs: int, random: np.random.Generator) -> World:
    return _any(pairs, 2 * pairs // 3, random)


def _one_component(pairs: int, random: np.random.Generator) -> World:
    return _any(pairs, LARGE, random)


def _any(pairs: int, records: int, random: np.random.Generator) -> World:
    ends = _different(records, *random.integers(0, records, (2, pairs)))
    return records, WeighedPairs(*ends, random.uniform(-4, 12, len(ends[0])))


def _star(pairs: int, random: np.random.Generator) -> World:
    leaves = np.arange(1, pairs + 1)
    return pairs + 1, WeighedPairs(np.zeros_like(leaves), leaves, random.uniform(0, 8, pairs))


def _rising_chain(_: int, __: np.random.Generator) -> World:
    """Only the last two of all groups are each other's best, time and again."""
    places = np.arange(LARGE)
    return LARGE + 1, WeighedPairs(places, places + 1, np.linspace(1, 8, LARGE))


def _different(records: int, one: Positions, other: Positions) -> tuple[Positions, Positions]:
    """Return each pair of two records once."""
    keys = np.sort(np.minimum(one, other) * records + np.maximum(one, other))
    left, right = np.divmod(keys[np.diff(keys, prepend=-1) > 0], records)
    return left[left != right], right[left != right]


_WORLDS: Final[dict[str, Callable[[int, np.random.Generator], World]]] = {
    "couples": _couples,
    "persons of 1 to 10 records": _usual,
    "sparse, by chance": _sparse,
    f"{LARGE:,} records, by chance": _one_component,
    "star": _star,
    f"rising chain of {LARGE:,}": _rising_chain,
}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
