"""What columns hold, without a value; and the schema proposed from it."""

from __future__ import annotations

import random
import tomllib
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.headings import MEANINGS, Meaning, meaning
from mindfirl.engine.profile import ColumnProfile, matched, profile_column, profile_table, shape
from mindfirl.engine.proposal import propose_schema
from mindfirl.engine.schemas import read_schema
from mindfirl.engine.synthetic.databases import databases


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("Mary", "Aaaa"),
        ("Elisabeth", "Aaaa"),
        ("08/09/1964", "99/99/9999"),
        ("O'Brien-SMITH", "A'Aaaa-AAAA"),
        ("Zoe\u0301 Ünal", "Aaaa Aaaa"),
        ("123456789012345", "9…9"),
        ("x" * 200, "aaa"),
        ("a1" * 200, "a9" * 20 + "…"),
        ("李小龙", "aaa"),
    ],
)
def test_shapes(value: str, seen: str) -> None:
    assert shape(value) == seen


@given(st.text())
def test_a_shape_holds_no_letter_and_no_digit_of_the_value(value: str) -> None:
    assert not [each for each in shape(value) if each.isalnum() and each not in "Aa9"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("given_name", Meaning("identifier", "first_name", "string")),
        (" Last Name ", Meaning("identifier", "last_name", "string")),
        ("dateOfBirth", Meaning("quasi-identifier", "birth_date", "date")),
        ("Patient DOB", Meaning("quasi-identifier", "birth_date", "date")),
        ("rec_id", Meaning("record id")),
        ("primary_diagnosis", Meaning("sensitive")),
        ("house number", Meaning("identifier", "street_number", "string")),
        ("whatever", None),
    ],
)
def test_headings(heading: str, expected: Meaning | None) -> None:
    assert meaning(heading) == expected


def test_every_known_heading_is_written_as_it_is_looked_up() -> None:
    for word, known in MEANINGS.items():
        assert meaning(word) == known


def column(name: str, cells: list[str]) -> ColumnProfile:
    return profile_column(cells, "file", name)


def test_kinds_and_roles_by_content() -> None:
    dice = random.Random(1)
    numbers = [str(dice.randrange(10**8, 10**9)) for _ in range(200)]
    assert column("id", numbers).role == "record id"
    assert column("id", ["1"] * 200).role == "ignored"
    assert column("ssn", numbers).kind == "fixed"
    assert column("unheard of", numbers).role == "sensitive"
    assert column("unheard of", numbers).kind is None
    assert column("sex", ["F", "M"] * 100).kind == "category"
    assert column("state", [f"place {at}" for at in range(200)]).kind == "string"
    assert column("first name", [""] * 5).role == "ignored"
    dates = [
        f"{dice.randint(13, 28)}.{dice.randint(1, 12):02}.19{dice.randint(30, 99)}"
        for _ in range(99)
    ]
    born = column("unheard of", dates)
    assert (born.role, born.kind, born.date_order) == ("quasi-identifier", "date", "dmy")
    packed = column("dob", ["19391110", "19640231", "19649931"] * 40)
    assert (packed.kind, packed.date_order) == ("date", "ymd")
    assert column("dob", ["long ago", "19391110", "never"] * 40).kind == "string"


def test_warnings() -> None:
    assert column("sex", ["F"] * 20).warnings == ("constant: it tells nobody apart",)
    assert column("zip", [f"{at:05}" for at in range(99)]).warnings == (
        "nearly unique: it identifies rather than describes",
    )
    dates = ["01/31/1970"] * 95 + ["31/31/1970"] * 5
    assert "5 values are no possible date in this order" in column("dob", dates).warnings
    assert column("notes", ["many words " * 9] * 2 + ["few"]).warnings == (
        "free text: it may name people",
    )
    assert column("zip", ["", ""]).warnings == ("empty",)


def test_rare_shapes_are_not_shown() -> None:
    cells = ["Mary"] * 50 + ["X-77 secret"] * 3
    assert column("name", cells).shapes == ("Aaaa",)


def test_profiles_hold_no_value() -> None:
    made = databases(500, seed=4)
    values = {
        value
        for row in made.hospital.to_pylist()
        for value in row.values()
        if value and len(value) > 3
    }
    text = repr(profile_table(made.hospital, "hospital"))
    assert not [value for value in values if value in text]


def test_columns_of_two_databases_are_matched_and_make_a_schema(tmp_path: Path) -> None:
    made = databases(3_000, seed=4)
    profiles = matched(
        [*profile_table(made.hospital, "hospital"), *profile_table(made.registry, "registry")]
    )
    path = tmp_path / "schema.toml"
    path.write_text(propose_schema(profiles), encoding="utf-8")
    read = read_schema(path)
    assert read.schema.names == (
        *("first_name", "last_name", "birth_date", "number", "zip", "sex", "race"),
    )
    assert [attribute.kind for attribute in read.schema.attributes] == (
        ["string", "string", "date", "fixed", "fixed", "category", "category"]
    )
    assert read.schema.swap_groups == (("first_name", "last_name"),)
    assert read.column("birth_date", "registry") == "dob"
    assert read.id_column("registry") == "record_no"
    hidden = {each.column for each in profiles if each.role == "sensitive"}
    assert hidden == {"admitted", "diagnosis", "notes", "site", "stage", "income"}


def test_what_one_database_lacks_is_not_displayed() -> None:
    first = pa.table({"name": ["Ann", "Bea"], "city": ["X", "Y"], "town": ["X", "Z"]})
    second = pa.table({"full_name": ["Ann", "Cid"]})
    profiles = matched([*profile_table(first, "a"), *profile_table(second, "b")])
    assert [each.attribute for each in profiles] == ["name", "", "", "name"]
    assert profiles[1].warnings[-1] == "another database has no such column"
    alone = matched(profile_table(first, "a"))
    assert [each.attribute for each in alone] == ["name", "city", "town"]


def test_proposals_of_one_file_and_of_odd_headings(tmp_path: Path) -> None:
    dates = [f"{year}0{month}28" for year in range(1950, 1990) for month in (1, 2)]
    table = pa.table(
        {
            'dob "of" birth': dates,
            "last_name": [f"N{at}" for at in range(80)],
            "id": [str(at) for at in range(80)],
        }
    )
    text = propose_schema(matched(profile_table(table, "only one")))
    assert tomllib.loads(text)["date_order"] == "ymd"
    path = tmp_path / "schema.toml"
    path.write_text(text, encoding="utf-8")
    read = read_schema(path)
    assert read.column("birth_date", "only one") == 'dob "of" birth'
    assert read.column("last_name", "only one") == "last_name"
    assert read.record_id == "id"


def test_kinds_that_differ_between_databases_are_strings() -> None:
    few = pa.table({"state": ["N", "S"] * 20})
    many = pa.table({"state": [f"place {at}" for at in range(40)]})
    text = propose_schema(matched([*profile_table(few, "a"), *profile_table(many, "b")]))
    assert tomllib.loads(text)["attribute"] == [{"name": "state", "kind": "string"}]


def test_a_database_has_one_record_id() -> None:
    ids = [str(at) for at in range(20)]
    table = pa.table({"id": ids, "mrn": ids, "number": ids, "last_name": ids})
    profiles = matched(profile_table(table, "a"))
    assert [each.role for each in profiles] == ["record id", "ignored", "identifier", "identifier"]
    assert profiles[1].warnings == ("a second record id",)
    assert tomllib.loads(propose_schema(profiles))["record_id"] == "id"
