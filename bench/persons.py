"""Benchmark: join a million links to persons, against a plain union-find over a dictionary.

Both in one run, by turns; ratios of the medians. The plain one only finds out who belongs together.
The other also numbers persons, says how each record was linked, and counts contradictions; what
their paths take is told apart.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from statistics import median
from time import perf_counter
from typing import Final

import numpy as np
from rich.console import Console
from rich.table import Table

from mindfirl.core.persons import Links, PairPositions, Persons, find_persons

TURNS: Final = 3
PATHS: Final = 1000
EVERY: Final = 100
"""Of this many links, one is said to be none."""


def main(links: int) -> None:
    """Make links up among twice as many records, then let both take turns."""
    records = 2 * links
    random = np.random.default_rng(1)
    left = random.integers(0, records, links)
    right = (left + random.integers(1, records, links)) % records
    made = Links(left, right, random.integers(0, 3, links))
    databases = np.arange(records) // links
    ends = list(zip(left.tolist(), right.tolist(), strict=True))

    def ours() -> Persons:
        nonlinks = PairPositions(left[::EVERY], right[::EVERY])
        return find_persons(records, made, nonlinks, databases=databases, without_duplicates={0, 1})

    turns = [(_seconds(lambda: _plain(ends)), _seconds(ours)) for _ in range(TURNS)]
    found, roots = ours(), _plain(ends)
    joined = len({roots[record] for record in roots}) + records - len(roots)
    if joined != found.count:
        raise RuntimeError(f"{joined} persons by one, {found.count} by the other")
    paths = _seconds(lambda: list(islice(found.contradictions, PATHS)))
    _print(links, found, turns, paths)


def _plain(ends: list[tuple[int, int]]) -> dict[int, int]:
    """Return the root of every record that has a link, by union-find with halved paths."""
    parent: dict[int, int] = {}

    def root(record: int) -> int:
        parent.setdefault(record, record)
        while parent[record] != record:
            parent[record] = record = parent[parent[record]]
        return record

    for left, right in ends:
        one, other = root(left), root(right)
        parent[max(one, other)] = min(one, other)
    return {record: root(record) for record in parent}


def _seconds(work: Callable[[], object]) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


def _print(links: int, found: Persons, turns: list[tuple[float, float]], paths: float) -> None:
    table = Table(title=f"{links:,} links, {found.count:,} persons")
    for heading in ("", "seconds", "ratio"):
        table.add_column(heading, justify="right" if heading else "left")
    base, ours = (median(turn[place] for turn in turns) for place in range(2))
    rows = (
        ("union-find over a dictionary", base),
        ("persons", ours),
        (f"  paths of {PATHS:,} of {len(found.contradictions):,} contradictions", paths),
    )
    for words, seconds in rows:
        table.add_row(words, f"{seconds:.2f}", f"{seconds / base:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
