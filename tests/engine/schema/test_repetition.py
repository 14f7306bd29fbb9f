"""What is proposed for columns that repeat others, in one database and in several."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, profile_warnings, propose_schema
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.support.repeating_columns import FIRST, LAST, full_names, repeating

Table = Any  # columns by their names, or a table of them


def matched_in(keeping: tuple[str, ...] = (), /, **tables: Table) -> list[ColumnProfile]:
    found = [
        each for name, table in tables.items() for each in profile_table(pa.table(table), name)
    ]
    return matched(found, keeping=keeping)


def proposed(profiles: list[ColumnProfile]) -> SchemaFile:
    schema = propose_schema(profiles, latest_year=2026)
    text = write_schema(schema, remarks=profile_warnings(profiles))
    assert parse_schema(text, "schema.toml") == schema
    return schema


def named(profiles: list[ColumnProfile], column: str) -> ColumnProfile:
    return next(each for each in profiles if each.column == column)


def test_one_database_with_all_of_it() -> None:
    profiles = matched_in(file=repeating())
    schema = proposed(profiles)
    assert schema.schema.names == (
        *("first_name", "last_name", "birth_date", "street", "zip", "whole_address"),
    )
    assert schema.columns["birth_date"] == ("Geburtsjahr", "Geburtsmonat", "Geburtstag")
    assert schema.without == {"whole_address": ("street", "zip")}
    assert [each.name for each in schema.sensitive] == ["diagnosis"]
    assert named(profiles, "full name").warnings[-1] == (
        "left out: it repeats first_name and surname, and would count twice"
    )
    assert named(profiles, "whole address").warnings[-1] == (
        "contains street and zip: compared without their words, which would count twice"
    )


def test_the_reasons_are_comments_of_the_schema() -> None:
    remarks = "\n".join(profile_warnings(matched_in(file=repeating())))
    assert '"full name" of "file" (left out: it repeats first_name and surname' in remarks
    assert '"whole address" of "file" (' in remarks
    assert "composed of Geburtsjahr, Geburtsmonat and Geburtstag" in remarks
    assert "Ann1" not in remarks


def test_one_contained_column_is_told_in_the_singular() -> None:
    whole = [f"{name} of somewhere{place % 60}" for place, name in enumerate(FIRST)]
    found = matched_in(file={"first_name": FIRST, "name": whole})
    assert "contains first_name: compared without its words" in named(found, "name").warnings[-1]


def test_the_only_copy_is_not_left_out_where_another_database_has_no_parts() -> None:
    whole = {"full name": full_names()}
    found = matched_in(a={"first_name": FIRST, "surname": LAST, **whole}, b=whole)
    assert proposed(found).schema.names == ("name",)
    assert proposed(found).without == {}


def test_a_database_with_few_records_follows_the_others() -> None:
    table = repeating().select(["first_name", "surname", "full name"])
    found = matched_in(a=table, b=table.slice(0, 20))
    assert proposed(found).schema.names == ("first_name", "last_name")
    assert "in another database" in found[-1].warnings[-1]


def test_databases_that_disagree_leave_nothing_out() -> None:
    table = repeating().select(["first_name", "surname", "full name"])
    others = table.set_column(2, "full name", [[f"Mx No{n}" for n in range(len(FIRST))]])
    schema = proposed(matched_in(a=table, b=others))
    assert schema.schema.names == ("first_name", "last_name", "name")
    assert schema.without == {"name": ("first_name", "last_name")}


def test_two_attributes_never_lose_their_words_to_each_other() -> None:
    more = [f"{name} x{place}y z{place} u{place}" for place, name in enumerate(FIRST)]
    found = matched_in(
        a={"first_name": FIRST, "surname": more}, b={"first_name": more, "surname": FIRST}
    )
    assert proposed(found).without == {"first_name": ("last_name",)}


def test_attributes_in_use_are_kept_as_they_are() -> None:
    found = matched_in(("name", "whole_address"), file=repeating())
    assert named(found, "full name").attribute == "name"
    assert named(found, "whole address").without == ()


def test_an_unknown_column_that_holds_nothing_but_names_is_not_released() -> None:
    found = matched_in(file={"first_name": FIRST, "surname": LAST, "unheard of": full_names()})
    assert named(found, "unheard of").role == "ignored"
    assert proposed(found).sensitive == ()


def test_a_sensitive_column_that_contains_a_name_is_proposed_as_not_imported() -> None:
    notes = [f"{name} was seen on ward {place} again" for place, name in enumerate(FIRST)]
    found = matched_in(file={"first_name": FIRST, "notes": notes})
    assert named(found, "notes").role == "ignored"
    assert "free text: it may name people" in named(found, "notes").warnings


def test_a_sensitive_column_never_makes_a_displayed_one_dispensable() -> None:
    found = matched_in(file={"diagnosis": full_names(), "full name": full_names()})
    assert named(found, "diagnosis").role == "ignored"
    assert proposed(found).schema.names == ("name",)


def test_dates_in_one_column_and_in_three_are_matched() -> None:
    dates = [f"{1950 + n % 50}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(len(FIRST))]
    parts = repeating().select(["Geburtsjahr", "Geburtsmonat", "Geburtstag"])
    schema = proposed(matched_in(a={"dob": dates}, b=parts))
    assert schema.columns["birth_date"] == {
        "a": "dob",
        "b": ("Geburtsjahr", "Geburtsmonat", "Geburtstag"),
    }
    badly = proposed(matched_in(a={"dob": ["soon", *dates[:1]] * 60}, b=parts))
    assert badly.schema.attributes[0].kind == "date"
    assert schema.column("birth_date", "b") == "Geburtsjahr + Geburtsmonat + Geburtstag"
    assert (schema.date_order("birth_date", "b"), schema.is_composed("birth_date", "a")) == (
        *("ymd", False),
    )
