"""What stands in the form before anybody has chosen."""

from __future__ import annotations

from dataclasses import replace

from mindfirl.engine.schema.choices.building import schema_from_choices
from mindfirl.engine.schema.choices.choice import ColumnChoice
from mindfirl.engine.schema.choices.offered import offered_choices
from mindfirl.engine.schema.schema_files.schema_file import SensitiveColumn
from tests.support.column_choices import (
    BORN,
    DIAGNOSIS,
    DOB,
    FIRST,
    GIVEN,
    HOSPITAL_ID,
    WARD,
    offered,
    profiles,
    proposed,
)


def test_every_column_is_offered_what_the_schema_says_of_it() -> None:
    columns = offered().columns
    assert [each.role for each in columns] == [
        *("record id", "identifier", "identifier", "quasi-identifier", "sensitive"),
        *("identifier", "identifier", "quasi-identifier", "sensitive"),
    ]
    assert columns[GIVEN].name == columns[FIRST].name == "first_name"
    assert columns[DOB].date_order == "mdy"
    assert columns[BORN].kind == "date"
    assert columns[DIAGNOSIS].name == "diagnosis"


def test_without_a_schema_every_column_is_offered_what_it_looks_like() -> None:
    assert offered_choices(profiles(), None).columns[FIRST] == offered().columns[FIRST]
    assert offered_choices(profiles(), None).columns[HOSPITAL_ID].role == "record id"
    assert offered_choices(profiles(), None).date_order == "mdy"


def test_what_the_schema_does_not_name_is_not_imported_and_has_a_name_to_begin_with() -> None:
    bare = replace(proposed(), sensitive=())
    assert offered_choices(profiles(), bare).columns[WARD] == ColumnChoice(
        "registry", "ward", "ignored", "ward", "string"
    )


def test_what_is_kept_of_a_displayed_column_is_offered_with_it() -> None:
    both = replace(
        proposed(),
        sensitive=(SensitiveColumn("birth_year", {"hospital": "dob", "registry": "born"}, "year"),),
    )
    assert offered_choices(profiles(), both).columns[BORN].keeps == "year"
    characters = replace(proposed(), sensitive=(SensitiveColumn("n", {"registry": "surname"}, 3),))
    assert [each.keeps for each in offered_choices(profiles(), characters).columns].count("3") == 1


def test_databases_declared_free_of_duplicates_are_offered_so() -> None:
    schema = replace(proposed(), without_duplicates=frozenset({"hospital", "elsewhere"}))
    assert offered_choices(profiles(), schema).without_duplicates == {"hospital"}


def test_what_is_offered_makes_the_schema_that_it_was_offered_from() -> None:
    assert schema_from_choices(offered(), base=proposed()) == proposed()
