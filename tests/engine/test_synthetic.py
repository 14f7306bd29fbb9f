"""Made-up people."""

from __future__ import annotations

from collections import Counter

import mindfirl as mf
from mindfirl.engine.synthetic.databases import databases
from mindfirl.engine.synthetic.people import SCHEMA, people


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


def test_two_databases_share_people_but_no_heading_and_no_key() -> None:
    made = databases(2_000, seed=5)
    hospital, registry, truth = made.hospital, made.registry, made.truth
    assert (hospital.num_rows, registry.num_rows) == (1_400, 1_200)
    assert not set(hospital.column_names) & set(registry.column_names)
    assert 700 < truth.num_rows < 1_000
    ids = [set(table.column(0).to_pylist()) for table in (hospital, registry)]
    assert [len(each) for each in ids] == [1_400, 1_200]
    assert not ids[0] & ids[1]
    assert set(truth.column("left").to_pylist()) <= ids[0]
    assert set(truth.column("right").to_pylist()) <= ids[1]


def test_the_truth_joins_people_who_resemble() -> None:
    made = databases(2_000, seed=5)
    hospital = {row["patient_id"]: row for row in made.hospital.to_pylist()}
    registry = {row["record_no"]: row for row in made.registry.to_pylist()}
    agree = sum(
        hospital[pair["left"]]["ssn"] == registry[pair["right"]]["social_security"]
        for pair in made.truth.to_pylist()
    )
    assert 0.8 < agree / made.truth.num_rows < 1
    places = [int(pair["left"][1:]) < int(pair["right"][1:]) for pair in made.truth.to_pylist()]
    assert 0.2 < sum(places) / len(places) < 0.8


def test_families_and_free_text_that_names_its_person() -> None:
    rows = databases(4_000, seed=6).hospital.to_pylist()
    juniors = [row for row in rows if (row["last_name"] or "").endswith(" JR")]
    assert juniors
    twins = Counter((row["last_name"], row["birth_date"], row["zip"]) for row in rows)
    assert max(twins.values()) > 1
    named = [row for row in rows if row["last_name"] and row["last_name"].title() in row["notes"]]
    assert named


def test_the_same_seed_makes_the_same_databases() -> None:
    first, second = databases(300, seed=1), databases(300, seed=1)
    for name in ("hospital", "registry", "truth"):
        assert getattr(first, name).equals(getattr(second, name))
