"""Which schema an import has, and how one in use is extended to further databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.extension import extend_schema, schema_for
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched
from mindfirl.engine.schema.schema_file import SchemaFile, SensitiveColumn, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.support.repeating_columns import repeating

IN_USE = """
record_id = "id"

[[attribute]]
name = "last_name"
kind = "string"
column = "surname"

[[attribute]]
name = "birth_date"
kind = "date"
column = "dob"

[[sensitive]]
name = "notes"

[[sensitive]]
name = "location"
column = "site"

[[sensitive]]
name = "birth_year"
column = "dob"
coarsen = "year"
"""
NAMES, DATES, SOME = ["Ann", "Bea"], ["1950-12-31", "1960-02-03"], ["x", "y"]
ALIKE = {"id": ["1", "2"], "surname": NAMES, "dob": DATES, "notes": SOME, "site": SOME}
OTHER = {"last": NAMES, "born": DATES, "dx": SOME}

Table = dict[str, list[Any]]


def in_use(text: str = IN_USE) -> SchemaFile:
    return parse_schema(text, "schema.toml")


def look(tables: dict[str, Table], names: Sequence[str]) -> list[ColumnProfile]:
    return [each for name in names for each in profile_table(pa.table(tables[name]), name)]


def extended(text: str = IN_USE, **tables: Table) -> SchemaFile:
    """Extend a schema; what comes out can be written down and read again."""
    found = extend_schema(in_use(text), ["old"], matched(look(tables, list(tables))))
    assert parse_schema(write_schema(found), "again.toml") == found
    return found


def test_a_database_with_the_same_headings_changes_nothing() -> None:
    assert extended(new=ALIKE) == in_use()


def test_other_headings_are_named_by_database() -> None:
    found = extended(new=OTHER)
    assert found.columns["last_name"] == {"old": "surname", "new": "last"}
    assert found.sensitive == (
        SensitiveColumn("notes", "notes"),
        SensitiveColumn("location", "site"),
        SensitiveColumn("birth_year", {"old": "dob", "new": "born"}, "year"),
        SensitiveColumn("dx", {"new": "dx"}),
    )
    assert found.schema == in_use().schema


def test_a_record_id_is_for_all_only_if_all_have_it() -> None:
    without = {name: cells for name, cells in ALIKE.items() if name != "id"}
    for table in (without, ALIKE | {"id": ["1", "1"]}):
        found = extended(new=table)
        assert found.record_id == {"old": "id"}
        assert found.id_column("new") is None
    assert extended(new=ALIKE, second=without).record_id == {"old": "id", "new": "id"}
    assert extended(IN_USE.replace('record_id = "id"', ""), new=without).record_id is None
    assert extended(IN_USE.replace('record_id = "id"', ""), new=ALIKE).record_id == {"new": "id"}


def test_a_heading_in_another_role_is_not_taken_for_sensitive() -> None:
    found = extended(new=ALIKE | {"notes": ["", ""]})
    assert found.sensitive[0] == SensitiveColumn("notes", {"old": "notes"})
    assert "notes" not in found.sensitive_columns("new", list(ALIKE))


def test_a_sensitive_column_of_one_new_database_is_not_asked_of_another() -> None:
    found = extended(new=OTHER, second=ALIKE)
    assert found.sensitive[3:] == (SensitiveColumn("dx", {"new": "dx"}),)
    assert found.sensitive_columns("second", list(ALIKE)) == (
        {"notes": "notes", "location": "site", "birth_year": "dob"}
    )


def test_date_orders_of_new_databases_are_added() -> None:
    days = ["31.12.1950", "01.02.1960"]
    assert extended(new=ALIKE | {"dob": days}).date_orders == {"birth_date": {"new": "dmy"}}
    declared = IN_USE.replace('column = "dob"\n\n', 'column = "dob"\ndate_order = "mdy"\n\n', 1)
    assert extended(declared, new=ALIKE | {"dob": days}).date_orders == (
        {"birth_date": {"old": "mdy", "new": "dmy"}}
    )


def test_two_digit_years_need_a_latest_year() -> None:
    short = ALIKE | {"dob": ["31.12.50", "01.02.60"]}
    with pytest.raises(DataError, match=r"new, column dob: its years have two digits\. Import all"):
        extended(new=short)
    assert extended("latest_year = 2026\n" + IN_USE, new=short).schema.settings.latest_year == 2026


def test_an_attribute_that_is_not_recognised() -> None:
    with pytest.raises(DataError, match="new: no column is recognised as the attribute birth_date"):
        extended(new={"surname": NAMES})


def decided(
    tables: dict[str, Table], there: Sequence[str] = (), **schemas: SchemaFile | None
) -> tuple[SchemaFile, list[str]]:
    """Return the schema of an import, and the databases at whose columns somebody must look."""
    added = [name for name in tables if name not in there]
    schema, profiles = schema_for(
        added,
        there,
        lambda names: look(tables, names),
        given=schemas.get("given"),
        current=schemas.get("current"),
        latest_year=2026,
    )
    return schema, sorted({each.database for each in profiles})


def test_which_schema_an_import_has() -> None:
    other = replace(in_use(), missing=frozenset({"X"}))
    assert decided({"new": ALIKE}, given=other, current=in_use()) == (other, [])
    assert decided({"old": ALIKE}, ["old"], current=in_use()) == (in_use(), [])
    assert decided({"new": ALIKE}, ["old"], current=in_use()) == (in_use(), ["new"])
    proposed, seen = decided({"new": ALIKE, "other": OTHER})
    assert (proposed.schema.names, seen) == (("last_name", "birth_date"), ["new", "other"])


def test_a_replaced_database_does_not_keep_an_added_one_from_being_matched() -> None:
    replaced = {"patient surname x": NAMES}
    assert decided({"old": replaced, "new": ALIKE}, ["old"], current=in_use()) == (
        in_use(),
        ["new"],
    )


def test_a_date_of_several_columns_is_found_for_one_that_is_whole_and_the_other_way() -> None:
    parts: Table = {"last": NAMES, "by": ["1950", "1960"], "bm": ["12", "2"], "bd": ["31", "3"]}
    found = extended(new=parts)
    assert found.columns["birth_date"] == {"old": "dob", "new": ("by", "bm", "bd")}
    assert found.sensitive[-1] == SensitiveColumn("birth_year", {"old": "dob", "new": "by"}, "year")
    composed = IN_USE.replace('column = "dob"\n\n', 'column = ["by", "bm", "bd"]\n\n')
    composed = composed.replace('"dob"\ncoarsen', '"by"\ncoarsen')
    assert extended(composed, new=OTHER).columns["birth_date"] == (
        {"old": ("by", "bm", "bd"), "new": "born"}
    )
    assert extended(composed, new={**parts, "id": SOME, "surname": NAMES}).columns[
        "birth_date"
    ] == ("by", "bm", "bd")


def test_parts_of_a_date_are_not_taken_for_a_text() -> None:
    text = IN_USE.replace('"date"', '"string"').split('[[sensitive]]\nname = "birth_year"')[0]
    parts: Table = {"last": NAMES, "by": ["1950", "1960"], "bm": ["12", "2"], "bd": ["31", "3"]}
    with pytest.raises(DataError, match="no column is recognised as the attribute birth_date"):
        extended(text, new=parts)


def test_an_attribute_in_use_is_not_left_out_of_a_new_database() -> None:
    text = "".join(
        f'[[attribute]]\nname = "{name}"\nkind = "string"\n'
        for name in ("first_name", "last_name", "name")
    )
    table = repeating().select(["first_name", "surname", "full name"])
    schema, profiles = schema_for(
        ["new"],
        ["old"],
        lambda names: [each for name in names for each in profile_table(table, name)],
        given=None,
        current=in_use(text),
        latest_year=2026,
    )
    assert schema.column("name", "new") == "full name"
    assert [each.attribute for each in profiles] == ["first_name", "last_name", "name"]
