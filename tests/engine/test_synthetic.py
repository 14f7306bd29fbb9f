"""Made-up people."""

from __future__ import annotations

from collections import Counter

import mindfirl as mf
from mindfirl.engine.synthetic import SCHEMA, people


def test_the_same_seed_makes_the_same_people() -> None:
    assert people(2_000, seed=3).records.equals(people(2_000, seed=3).records)
    assert not people(2_000, seed=3).records.equals(people(2_000, seed=4).records)


def test_names_are_skewed_and_numbers_are_not() -> None:
    records = people(20_000, seed=1).records
    last = Counter(records.column("last_name").to_pylist())
    assert last.most_common(1)[0][1] > 50
    assert sum(count == 1 for count in last.values()) > 1_000
    assert len(set(records.column("number").to_pylist())) > 18_000


def test_repeated_records_differ_but_resemble() -> None:
    made = people(4_000, seed=2)
    assert made.records.num_rows == 4_000
    assert len(made.same) == 200
    population = mf.Population(SCHEMA, made.records)
    marks: Counter[str] = Counter()
    for pair in made.same:
        cells = population.differences(population.pair(*pair))
        marks.update(mark for cell in cells.values() for mark in cell.marks)
        assert sum(cell.marks == ("identical",) for cell in cells.values()) >= 2
    expected = {"identical", "missing", "different", "swapped"}
    assert expected | {"substitution", "gap", "transposition", "exchange"} == set(marks)


def test_no_repeats() -> None:
    assert people(100, seed=1, repeated=0).same == ()
