"""What stored columns can become without their files, and what is said where they cannot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mindfirl.core.errors import FieldErrors
from mindfirl.engine.schema.corrections import (
    StoredColumnChoices,
    StoredColumns,
    corrected_schema,
    stored_columns,
)
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema

SCHEMA = """
record_id = "id"
without_duplicates = ["clinic"]
swap_groups = [["first", "last"]]

[[attribute]]
name = "first"
kind = "string"

[[attribute]]
name = "last"
kind = "string"
column = { clinic = "last", register = "family" }
frequency = true
missing = ["n/a"]

[[attribute]]
name = "address"
kind = "string"
without = ["town"]

[[attribute]]
name = "town"
kind = "category"

[[attribute]]
name = "born"
kind = "date"
role = "quasi-identifier"
date_order = { clinic = "dmy" }

[[sensitive]]
name = "ward"
column = { clinic = "ward" }

[[sensitive]]
name = "born_year"
column = "born"
coarsen = "year"
"""
FIRST, LAST, ADDRESS, TOWN, BORN, WARD, YEAR = range(7)
SENSITIVE = {"clinic": ["ward", "born_year"], "register": ["born_year"]}


@pytest.fixture
def stored() -> StoredColumns:
    return stored_columns(parse_schema(SCHEMA, "schema.toml"), SENSITIVE, version=3)


def choosing(stored: StoredColumns, *changes: tuple[int, dict[str, str]]) -> StoredColumnChoices:
    chosen = list(stored.unchanged.columns)
    for place, change in changes:
        chosen[place] = replace(chosen[place], **change)
    return replace(stored.unchanged, columns=tuple(chosen))


def corrected(stored: StoredColumns, *changes: tuple[int, dict[str, str]]) -> SchemaFile:
    """Correct, and read back what is written."""
    schema = corrected_schema(stored, choosing(stored, *changes))
    assert parse_schema(write_schema(schema), "schema.toml") == schema
    return schema


def faults(stored: StoredColumns, *changes: tuple[int, dict[str, str]]) -> dict[str, str]:
    with pytest.raises(FieldErrors) as refused:
        corrected_schema(stored, choosing(stored, *changes))
    return refused.value.fields


def test_every_column_is_listed_with_its_databases(stored: StoredColumns) -> None:
    assert [each.name for each in stored.columns] == [
        *("first", "last", "address", "town", "born", "ward", "born_year")
    ]
    assert stored.columns[LAST].columns == {"clinic": "last", "register": "family"}
    assert stored.columns[WARD].columns == {"clinic": "ward"}
    assert stored.columns[WARD].again == "clinic"
    assert stored.columns[BORN].roles == ("identifier", "quasi-identifier", "ignored")
    assert stored.columns[WARD].roles == ("sensitive", "ignored")
    assert stored.columns[FIRST].kinds == ("string", "category")
    assert stored.columns[BORN].kinds == ("date",)
    assert stored.columns[WARD].kinds == ()


def test_what_is_chosen_as_it_is_makes_the_same_schema(stored: StoredColumns) -> None:
    assert corrected(stored) == parse_schema(SCHEMA, "schema.toml")


def test_a_new_name_is_taken_over_everywhere(stored: StoredColumns) -> None:
    schema = corrected(
        stored,
        (LAST, {"name": "surname"}),
        (TOWN, {"name": "city"}),
        (BORN, {"name": "birth"}),
        (YEAR, {"name": "year"}),
    )
    assert schema.schema.swap_groups == (("first", "surname"),)
    assert schema.source("surname", "register") == "family"
    assert schema.source("city", "register") == "town"
    assert schema.missing_of("surname").added == {"N/A"}
    assert schema.without == {"address": ("city",)}
    assert schema.date_order("birth", "clinic") == "dmy"
    assert [each.name for each in schema.sensitive] == ["ward", "year"]
    assert schema.schema.attributes[LAST].frequency


def test_roles_kinds_and_marks_change(stored: StoredColumns) -> None:
    chosen = choosing(
        stored, (FIRST, {"kind": "category"}), (BORN, {"role": "identifier", "name": "born"})
    )
    schema = corrected_schema(stored, replace(chosen, without_duplicates=frozenset({"register"})))
    assert schema.schema.attributes[FIRST].kind == "category"
    assert schema.schema.swap_groups == ()
    assert schema.roles["born"] == "identifier"
    assert schema.without_duplicates == {"register"}


def test_columns_are_left_out(stored: StoredColumns) -> None:
    schema = corrected(
        stored,
        (FIRST, {"role": "ignored", "name": ""}),
        (ADDRESS, {"role": "ignored"}),
        (TOWN, {"role": "ignored"}),
        (WARD, {"role": "ignored"}),
    )
    assert schema.schema.names == ("last", "born")
    assert schema.schema.swap_groups == ()
    assert schema.without == {}
    assert [each.name for each in schema.sensitive] == ["born_year"]


@pytest.mark.parametrize(
    ("place", "change", "field", "says"),
    [
        (LAST, {"role": "sensitive"}, "1-role", "Upload clinic and register again"),
        (WARD, {"role": "identifier"}, "5-role", "Upload clinic again"),
        (FIRST, {"kind": "date"}, "0-kind", "Upload clinic and register again"),
        (BORN, {"kind": "string"}, "4-kind", "Upload clinic and register again"),
        (TOWN, {"role": "ignored"}, "3-role", "address is stored without the words of town"),
        (FIRST, {"role": "boss"}, "0-role", "Choose one of the roles"),
        (FIRST, {"name": ""}, "0-name", "Enter a name"),
        (FIRST, {"name": "last"}, "1-name", "Another one is called last"),
        (YEAR, {"name": "ward"}, "6-name", "Another one is called ward"),
    ],
)
def test_what_cannot_be_is_told_at_its_field(
    stored: StoredColumns, *, place: int, change: dict[str, str], field: str, says: str
) -> None:
    found = faults(stored, (place, change))
    assert says in found[field]
    assert len(found) == 1


def test_something_is_compared(stored: StoredColumns) -> None:
    everything = tuple((place, {"role": "ignored"}) for place in range(TOWN + 2))
    assert "Keep at least one" in faults(stored, *everything)["columns"]
