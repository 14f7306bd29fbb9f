"""How long all prices of a pair take: a plain scan, DuckDB, and the population index, in one run.

Synthetic people with seven attributes; pairs of repeated records, each in a state that a reviewer
could have reached. Every engine must return the same counts for the same pairs.
"""

from __future__ import annotations

import gc
import random
import sys
import time
import tracemalloc
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

import duckdb
import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.progress import track
from rich.table import Table

import mindfirl as mf
from mindfirl.core.display.compare import Relation
from mindfirl.core.risk import kapr
from mindfirl.core.values.schema import FULL, PARTIAL, Level, Pair
from mindfirl.synthetic.individuals import SCHEMA, make_people

PAIRS: Final = 400
"""Pairs on which the index is timed; a part of them, by N, on all engines."""

Counts = list[tuple[int, int]]
"""k of the two rows after each step."""

NAMES: Final = SCHEMA.names


@dataclass(frozen=True)
class Job:
    """A pair in a state."""

    pair: Pair
    state: dict[str, Level]


@dataclass(frozen=True)
class Test:
    """One condition on a record: its attribute, and what it asks of the value there."""

    place: int
    value: str | None = None
    length: int | None = None
    letters: tuple[tuple[int, str], ...] = ()

    def as_sql(self) -> str:
        """Write the condition for DuckDB."""
        column = f"c{self.place}"
        if self.value is not None:
            return f"{column} = '{self.value}'"
        if self.length is None:
            return f"s{self.place}"
        tests = [f"length({column}) = {self.length}"]
        tests += [f"{column}[{place + 1}] = '{letter}'" for place, letter in self.letters]
        return " AND ".join(tests)

    def as_function(self, shared: set[str]) -> Callable[[str], bool]:
        """Write the condition for the scan."""
        if self.value is not None:
            return self.value.__eq__
        if self.length is None:
            return shared.__contains__
        length, letters = self.length, self.letters
        if len(letters) == 1:
            (place, letter) = letters[0]
            return lambda value: len(value) == length and value[place] == letter
        return lambda value: (
            len(value) == length and all(value[place] == letter for place, letter in letters)
        )


@dataclass(frozen=True)
class Question:
    """What both rows ask of a record now, and what each step asks in addition."""

    now: tuple[tuple[Test, ...], tuple[Test, ...]]
    steps: list[tuple[tuple[Test, ...], tuple[Test, ...]]]


def question(population: mf.Population, job: Job) -> Question:
    """Spell out the conditions of a pair, straight from the score's definition."""
    index = population.index
    seen = kapr.view_pair(index, job.pair, job.state)
    values = [
        ["".join(value.reveal()) for value in index.record(record)] for record in seen.records
    ]

    def test(row: int, place: int, level: int) -> list[Test]:
        cell = seen.differences[place]
        value = values[row][place]
        if level == FULL:
            return [Test(place, value=value)]
        if level == PARTIAL and cell.relation is Relation.EDITED:
            letters = tuple((at, value[at]) for at in cell.sides[row].edited)
            return [Test(place, length=len(value), letters=letters)]
        identical = cell.relation is Relation.IDENTICAL and cell.kind != "category"
        return [Test(place)] if level == PARTIAL and identical else []

    def asked(row: int, places: Sequence[int], levels: Sequence[int]) -> tuple[Test, ...]:
        return tuple(one for place in places for one in test(row, place, levels[place]))

    look = kapr.next_steps(index, seen, kappa=1, accounting="paper")
    everywhere = range(len(NAMES))
    return Question(
        now=(asked(0, everywhere, seen.levels), asked(1, everywhere, seen.levels)),
        steps=[
            (
                asked(0, opening.places, [opening.level] * len(NAMES)),
                asked(1, opening.places, [opening.level] * len(NAMES)),
            )
            for opening in look.steps.values()
        ],
    )


class Scan:
    """A plain Python scan: one pass, each distinct condition once per record."""

    def __init__(self, columns: Sequence[Sequence[str]], shared: Sequence[set[str]]) -> None:
        self.records = list(zip(*columns, strict=True))
        self.shared = shared

    def counts(self, asked: Question) -> Counts:
        """Count the possible records of both rows after each step."""
        distinct: dict[Test, int] = {}
        for tests in (*asked.now, *(row for step in asked.steps for row in step)):
            for test in tests:
                distinct.setdefault(test, len(distinct))
        checks = [(test.place, test.as_function(self.shared[test.place])) for test in distinct]
        now = [[distinct[test] for test in row] for row in asked.now]
        steps = [[[distinct[test] for test in row] for row in step] for step in asked.steps]
        rows = [
            (now[row], [(number, step[row]) for number, step in enumerate(steps)]) for row in (0, 1)
        ]
        found = [[0, 0] for _ in steps]
        for record in self.records:
            flags = [check(record[place]) for place, check in checks]
            for row, (first, then) in enumerate(rows):
                if all([flags[at] for at in first]):  # noqa: C419  # a list is faster here
                    for number, more in then:
                        if all([flags[at] for at in more]):  # noqa: C419  # the same
                            found[number][row] += 1
        return [(first, second) for first, second in found]


class Sql:
    """DuckDB over string columns: one statement, two threads."""

    def __init__(self, columns: Sequence[Sequence[str]], shared: Sequence[set[str]]) -> None:
        self.connection = duckdb.connect(config={"threads": 2})
        data: dict[str, pa.Array] = {}
        for place, column in enumerate(columns):
            data[f"c{place}"] = pa.array(column)
            data[f"s{place}"] = pa.array([value in shared[place] for value in column])
        self.connection.register("arriving", pa.table(data))
        self.connection.execute("CREATE TABLE records AS SELECT * FROM arriving")

    def counts(self, asked: Question) -> Counts:
        """Count the possible records of both rows after each step."""
        terms = [
            f"count(*) FILTER (WHERE {' AND '.join(test.as_sql() for test in (*now, *more))})"
            for step in asked.steps
            for now, more in zip(asked.now, step, strict=True)
        ]
        if not terms:
            return []
        row = self.connection.execute(f"SELECT {', '.join(terms)} FROM records").fetchone()
        assert row is not None
        return list(zip(row[::2], row[1::2], strict=True))


def jobs(population: mf.Population, same: Sequence[tuple[int, int]], count: int) -> list[Job]:
    """Choose pairs of repeated records, and open up to five cells of each, step by step."""
    dice = random.Random(1)
    chosen = []
    for left, right in dice.sample(list(same), min(count, len(same))):
        pair = population.pair(left, right)
        state: dict[str, Level] = {}
        for _ in range(dice.randrange(6)):
            steps = list(population.prices(pair, state, pairs=100))
            if steps:
                name, level = dice.choice(steps)
                state[name] = level
        chosen.append(Job(pair, state))
    return chosen


def milliseconds(work: Callable[[], object]) -> float:
    """Time one call."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


@dataclass(frozen=True)
class Result:
    """One line of the table: times in milliseconds, of the same pairs first."""

    size: int
    build: float
    bytes_per_record: float
    compared: int
    index: list[float]
    scan: list[float]
    sql: list[float]

    @property
    def faster(self) -> tuple[float, float]:
        """How many times faster the index is than the scan and than DuckDB, by p50."""
        same = median(self.index[: self.compared])
        return median(self.scan) / same, median(self.sql) / same


def measure(size: int) -> Result:
    """Build a population of a size, and time all engines on the same pairs."""
    made = make_people(size, seed=1)
    gc.collect()
    build = milliseconds(lambda: mf.Population(SCHEMA, made.records)) / 1e3
    tracemalloc.start()
    population = mf.Population(SCHEMA, made.records)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    chosen = jobs(population, made.same, PAIRS)
    compared = min(len(chosen), max(5, min(40, 25_000_000 // size)))
    index = [milliseconds(partial(all_prices, population, job)) for job in chosen]
    columns = _texts(population)
    shared = [
        {value for value, count in Counter(column).items() if value and count > 1}
        for column in columns
    ]
    engines: list[Scan | Sql] = [Scan(columns, shared), Sql(columns, shared)]
    times: list[list[float]] = [[], []]
    console = Console(stderr=True)
    for job in track(chosen[:compared], f"{size:,} records", console=console, transient=True):
        asked = question(population, job)
        expected = index_counts(population, job)
        for engine, found in zip(engines, times, strict=True):
            start = time.perf_counter()
            counts = engine.counts(asked)
            found.append((time.perf_counter() - start) * 1e3)
            if counts != expected:
                sys.exit(f"{type(engine).__name__} counts otherwise at {size:,} records.")
    return Result(size, build, held / size, compared, index, *times)


def all_prices(population: mf.Population, job: Job) -> object:
    """Do what a page with the pair needs: compare its records, then price every step."""
    return population.prices(job.pair, job.state, pairs=100)


def index_counts(population: mf.Population, job: Job) -> Counts:
    """Return the counts behind the prices of the index."""
    seen = kapr.view_pair(population.index, job.pair, job.state)
    look = kapr.next_steps(population.index, seen, kappa=1, accounting="paper")
    return [(first.k, second.k) for first, second in (each.risks for each in look.steps.values())]


def _texts(population: mf.Population) -> list[list[str]]:
    """Return the canonical values of all records, column by column."""
    texts = []
    for column in population.index.columns:
        known = ["".join(column.values.characters(code)) for code in range(column.values.size)]
        texts.append([known[code] for code in column.codes.tolist()])
    return texts


def report(results: Sequence[Result]) -> None:
    """Print the table, and the targets it is held against."""
    table = Table(title="All prices of a pair, 7 attributes: milliseconds, p50 / p99")
    for heading in ("records", "build s", "bytes a record", "index", "scan", "DuckDB"):
        table.add_column(heading, justify="right")
    table.add_column("scan ÷ index", justify="right")
    table.add_column("DuckDB ÷ index", justify="right")
    for each in results:
        over_scan, over_sql = each.faster
        table.add_row(
            f"{each.size:,}",
            f"{each.build:.1f}",
            f"{each.bytes_per_record:.1f}",
            *(_percentiles(times) for times in (each.index, each.scan, each.sql)),
            f"{over_scan:,.0f}",
            f"{over_sql:,.0f}",
        )
    console = Console(width=120)
    console.print(table)
    console.print(
        f"index: {PAIRS} pairs; ratios: p50 of the same "
        f"{', '.join(str(each.compared) for each in results)} pairs; all counts equal"
    )
    by_size = {each.size: each for each in results}
    if large := by_size.get(1_000_000):
        over_scan, over_sql = large.faster
        _target("faster than the scan", over_scan, 3_000, at_least=True)
        _target("faster than DuckDB", over_sql, 100, at_least=True)
        _target("bytes a record", large.bytes_per_record, 120, at_least=False)
        if small := by_size.get(100_000):
            growth = median(large.index) / median(small.index)
            _target("growth of p50 from 100,000 to 1,000,000", growth, 10, at_least=False)


def _percentiles(times: Sequence[float]) -> str:
    middle, high = np.percentile(times, [50, 99])
    return f"{middle:,.2f} / {high:,.2f}"


def _target(what: str, value: float, target: float, *, at_least: bool) -> None:
    met = value >= target if at_least else value <= target
    sign = "≥" if at_least else "≤"
    verdict = "met" if met else "MISSED"
    line = f"at 1,000,000: {what}: {value:,.1f} (target {sign} {target:,}) {verdict}"
    Console(width=120).print(line)


if __name__ == "__main__":
    report([measure(int(word)) for word in sys.argv[1:]])
