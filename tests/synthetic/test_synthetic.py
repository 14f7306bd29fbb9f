"""Made-up people."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa

import mindfirl as mf
from mindfirl.core.values.standardise import is_possible
from mindfirl.synthetic.individuals import SCHEMA, make_people
from mindfirl.synthetic.linked_databases import databases, look_alike_databases
from mindfirl.synthetic.look_alikes import look_alikes


def test_the_same_seed_makes_the_same_people() -> None:
    assert make_people(2_000, seed=3).records.equals(make_people(2_000, seed=3).records)
    assert not make_people(2_000, seed=3).records.equals(make_people(2_000, seed=4).records)


def test_names_are_skewed_and_numbers_are_not() -> None:
    records = make_people(20_000, seed=1).records
    last = Counter(records.column("last_name").to_pylist())
    assert last.most_common(1)[0][1] > 50
    assert sum(count == 1 for count in last.values()) > 1_000
    assert len(set(records.column("number").to_pylist())) > 18_000


def test_repeated_records_differ_but_resemble() -> None:
    made = make_people(4_000, seed=2)
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
    assert make_people(100, seed=1, repeated=0).same == ()


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


def test_many_people_look_like_a_relative() -> None:
    made = look_alikes(4_000, seed=2)
    assert (made.hospital, made.records.num_rows) == (3_000, 6_000)
    rows = made.records.to_pylist()
    by_person = dict(zip(made.person.tolist(), rows, strict=True))
    kinds = Counter(made.family.tolist())
    for kind in ("twins", "juniors", "siblings"):
        assert 0.06 < kinds[kind] / 6_000 < 0.1
    shared = Counter(
        (made.family[at], name)
        for at, person in enumerate(made.person.tolist())
        for name in SCHEMA.names
        if person % 2 and (other := by_person.get(person - 1)) and rows[at][name] == other[name]
    )
    assert shared["twins", "birth_date"] > 3 * shared["siblings", "birth_date"]
    assert shared["juniors", "first_name"] > 3 * shared["twins", "first_name"]
    assert shared["siblings", "zip"] > 10 * shared["", "zip"]


def test_look_alikes_are_ready_to_be_compared() -> None:
    made = look_alikes(4_000, seed=2)
    identities = made.identities()
    assert [table.num_rows for table in identities] == [3_000, 3_000]
    records = pa.concat_tables(identities)
    for name in SCHEMA.names:
        values = set(records.column(name).to_pylist()) - {None}
        assert "" not in values
        assert not {value for value in values if value != value.upper()}
    born = set(records.column("birth_date").to_pylist()) - {None}
    assert all(is_possible(value) for value in born)
    assert look_alikes(4_000, seed=2).records.equals(made.records)
    assert not look_alikes(4_000, seed=3).records.equals(made.records)


def test_databases_of_look_alikes_have_the_usual_form() -> None:
    usual, alike = databases(400, seed=1), look_alike_databases(400, seed=1)
    for name in ("hospital", "registry", "truth"):
        assert getattr(alike, name).schema == getattr(usual, name).schema
    assert alike.hospital.num_rows == alike.registry.num_rows == 300
    hospital = {row["patient_id"]: row for row in alike.hospital.to_pylist()}
    registry = {row["record_no"]: row for row in alike.registry.to_pylist()}
    sexes = [
        hospital[pair["left"]]["sex"] == registry[pair["right"]]["gender"]
        for pair in alike.truth.to_pylist()
    ]
    assert len(sexes) > 200
    assert all(sexes)
