"""The schema that is proposed from the profiles of all columns."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis.strategies import text

from mindfirl.core.errors import SettingError
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import (
    check_database_name,
    database_name_from,
    matched,
    profile_warnings,
    propose_schema,
)
from mindfirl.engine.schema.schema_file import SchemaFile, SensitiveColumn, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.synthetic.linked_databases import databases


def profiles_of(**tables: dict[str, list[Any]] | pa.Table) -> list[ColumnProfile]:
    return matched(
        [
            profile
            for name, table in tables.items()
            for profile in profile_table(pa.table(table), name)
        ]
    )


def propose(profiles: list[ColumnProfile]) -> SchemaFile:
    """Propose a schema that is the same after it was written down."""
    proposed = propose_schema(profiles, latest_year=2026)
    text = write_schema(proposed, remarks=profile_warnings(profiles))
    assert parse_schema(text, "schema.toml") == proposed
    return proposed


def test_columns_of_two_databases_are_matched() -> None:
    made = databases(3_000, seed=4)
    proposed = propose(profiles_of(hospital=made.hospital, registry=made.registry))
    assert {each.name: each.kind for each in proposed.schema.attributes} == {
        "first_name": "string",
        "last_name": "string",
        "birth_date": "date",
        "number": "fixed",
        "zip": "fixed",
        "sex": "category",
        "race": "category",
    }
    assert [name for name, role in proposed.roles.items() if role == "identifier"] == (
        ["first_name", "last_name", "number"]
    )
    assert proposed.schema.swap_groups == (("first_name", "last_name"),)
    assert proposed.column("birth_date", "registry") == "dob"
    assert proposed.date_orders == {"birth_date": {"hospital": "mdy"}}
    assert proposed.id_column("registry") == "record_no"
    assert {each.name for each in proposed.sensitive} == (
        {"admitted", "diagnosis", "site", "stage", "income"}
    )
    assert {each.name for each in proposed.sensitive if each.coarsen} == {"admitted"}
    assert proposed.schema.settings.latest_year is None


def test_what_one_database_lacks_is_left_out() -> None:
    first = {"name": ["Ann", "Bea"], "city": ["X", "Y"], "town": ["X", "Z"]}
    profiles = profiles_of(a=first, b={"full_name": ["Ann", "Cid"]})
    assert [each.attribute for each in profiles] == ["name", "", "", "name"]
    assert profiles[1].role == "ignored"
    assert profiles[1].warnings[-1] == "another database has no such column"
    assert profile_warnings(profiles)[1:] == [
        "Columns that are left out:",
        '  "city" of "a" (another database has no such column)',
        '  "town" of "a" (another database has no such column)',
    ]
    assert [each.attribute for each in profiles_of(a=first)] == ["name", "city", "town"]


def test_every_column_of_a_database_has_an_attribute_of_its_own() -> None:
    cells = ["X", "Y"]
    profiles = profiles_of(a={"town": cells, "city": cells, "Town": cells, "town ": cells})
    assert [each.attribute for each in profiles] == ["city", "city_2", "town", "town_2"]


def test_odd_headings() -> None:
    dates = [f"{year}0{month}28" for year in range(1950, 1990) for month in (1, 2)]
    rows = [str(at) for at in range(80)]
    odd = {'dob "of"\nbirth': dates, "last_name": rows, "id": rows, "x = 1\n": [""] * 80}
    profiles = profiles_of(**{"only one": odd})
    proposed = propose(profiles)
    assert proposed.schema.settings.date_order == "ymd"
    assert proposed.column("birth_date", "only one") == 'dob "of"\nbirth'
    assert proposed.column("last_name", "only one") == "last_name"
    assert proposed.record_id == "id"


def test_kinds_that_differ_between_databases_are_strings() -> None:
    proposed = propose(
        profiles_of(a={"state": ["N", "S"] * 50}, b={"state": [f"place {at}" for at in range(100)]})
    )
    assert [each.kind for each in proposed.schema.attributes] == ["string"]
    assert proposed.columns == {"state": "state"}


def test_a_database_has_one_record_id() -> None:
    ids = [str(at) for at in range(20)]
    profiles = profiles_of(a={"id": ids, "mrn": ids, "number": ids, "last_name": ids})
    assert [each.role for each in profiles] == ["record id", "ignored", "identifier", "identifier"]
    assert profiles[1].warnings == ("a second record id",)
    assert propose(profiles).record_id == "id"


def test_only_some_databases_have_a_record_id() -> None:
    names = ["Ann", "Bea"]
    proposed = propose(profiles_of(a={"id": ["1", "2"], "name": names}, b={"name": names}))
    assert proposed.record_id == {"a": "id"}
    assert propose(profiles_of(a={"name": names})).record_id is None


def test_sensitive_columns_of_one_heading_are_one() -> None:
    names, some, none = ["Ann", "Bea"], ["x", "y"], ["", ""]
    proposed = propose(
        profiles_of(
            a={"name": names, "Dx": some, "dx ": some, "notes": some, "cost": some},
            b={"name": names, "dx": some, "notes": some, "cost": none},
        )
    )
    assert proposed.sensitive == (
        SensitiveColumn("dx", {"a": "Dx", "b": "dx"}),
        SensitiveColumn("dx_2", "dx "),
        SensitiveColumn("notes", "notes"),
        SensitiveColumn("cost", {"a": "cost"}),
    )


def test_two_digit_years_are_read_by_the_latest_year() -> None:
    proposed = propose(
        profiles_of(a={"dob": ["31/12/70", "1/2/03"]}, b={"dob": ["12/31/1970", "5/5/1980"]})
    )
    assert proposed.schema.settings.latest_year == 2026
    assert proposed.schema.settings.date_order == "dmy"
    assert [proposed.date_order("birth_date", each) for each in "ab"] == ["dmy", "mdy"]


@pytest.mark.parametrize("name", ["", "_x", "-x", "a b", "a/b", "x" * 81, "a\n"])
def test_a_name_that_does_not_fit_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match=r"letter or digit\. Choose another\."):
        check_database_name(name, mend="Choose another.")


@given(text())
def test_any_text_becomes_a_name_that_fits(words: str) -> None:
    check_database_name(database_name_from(words), mend="")
