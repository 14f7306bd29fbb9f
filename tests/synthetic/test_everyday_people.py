"""People as one meets them: their names, homes, families, and what is written of them."""

from __future__ import annotations

from collections import Counter
from random import Random

from mindfirl.core.values.standardise import is_possible
from mindfirl.synthetic.everyday_names import SPELLINGS, abbreviated
from mindfirl.synthetic.everyday_people import COLUMNS, draw_everyday_people, written_down
from mindfirl.synthetic.linked_databases import everyday_databases


def test_names_are_as_common_as_in_life_and_nobody_has_the_telephone_numbers() -> None:
    people = draw_everyday_people(3_000, Random(1))
    assert len(people) == 3_000
    last = Counter(person["last_name"] for person in people)
    assert last["Smith"] > 20
    assert len(last) > 500
    assert all(person["phone"][3:8] == "-555-" for person in people)
    years = {int(person["birth_date"][-4:]) for person in people}
    assert 1923 <= min(years) <= max(years) <= 2025
    homes = Counter((person["last_name"], person["street"]) for person in people)
    assert 300 < sum(count > 1 for count in homes.values()) < 900


def test_what_is_written_otherwise_can_be_recognised() -> None:
    dice = Random(2)
    people = draw_everyday_people(2_000, dice)
    written = [written_down(person, 3, dice) for person in people]
    pairs = list(zip(people, written, strict=True))
    assert all(tuple(row) == COLUMNS for row in written)
    assert any(
        row["first_name"] in SPELLINGS.get(person["first_name"], ()) for person, row in pairs
    )
    called = {row["first_name"] for person, row in pairs if person["first_name"] == "James"}
    assert called & {"Jamie", "Jim", "Jimmy", "Jem"}
    born = [row["birth_date"] for row in written if row["birth_date"]]
    assert sum(is_possible(f"{each[-4:]}-{each[:2]}-{each[3:5]}") for each in born) > 0.9 * len(
        born
    )
    same = [sum(person[name] == row[name] for name in COLUMNS) for person, row in pairs]
    assert 4 < sum(same) / len(same) < 7
    untouched = written_down(people[0], 0, dice)
    assert untouched == {name: people[0][name] for name in COLUMNS}
    assert abbreviated("12 Oak Avenue") == "12 Oak Ave"


def test_two_databases_of_everyday_people_know_some_twice_and_all_are_in_the_truth() -> None:
    made = everyday_databases(400, seed=3)
    assert made.truth.equals(everyday_databases(400, seed=3).truth)
    assert (made.hospital.num_rows, made.registry.num_rows) == (300, 268)
    assert not set(made.hospital.column_names) & set(made.registry.column_names)
    hospital = {row["patient_id"]: row for row in made.hospital.to_pylist()}
    registry = {row["record_no"]: row for row in made.registry.to_pylist()}
    pairs = [(hospital[row["left"]], registry[row["right"]]) for row in made.truth.to_pylist()]
    assert sum(one["sex"] == other["gender"] for one, other in pairs) == len(pairs)
    known = Counter(row["left"] for row in made.truth.to_pylist())
    assert max(known.values()) == 2
