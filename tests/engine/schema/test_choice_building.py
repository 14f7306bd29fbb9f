"""Choices to a schema file; what a form does not ask for stays as it was."""

from __future__ import annotations

from dataclasses import replace

from mindfirl.core.values.clean import Placeholders
from mindfirl.core.values.schema import Attribute, Schema
from mindfirl.engine.schema.choice_building import schema_from_choices
from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices, offered_choices
from mindfirl.engine.schema.schema_file import SchemaFile, SensitiveColumn, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.support.column_choices import (
    BORN,
    DIAGNOSIS,
    DOB,
    FIRST,
    HOSPITAL_ID,
    LAST,
    SURNAME,
    WARD,
    changed,
    offered,
    only,
    profiles,
    proposed,
)


def made(
    choices: ColumnChoices, *, base: SchemaFile | None = None, kept: tuple[str, ...] = ()
) -> SchemaFile:
    """Make a schema; what comes out can be written down and read again."""
    schema = schema_from_choices(choices, base=base, kept=kept)
    assert parse_schema(write_schema(schema), "again") == schema
    return schema


def renamed(choices: ColumnChoices, before: str, after: str) -> ColumnChoices:
    for place, each in enumerate(choices.columns):
        if each.name == before:
            choices = changed(choices, place, name=after)
    return choices


def test_a_corrected_column_is_in_the_schema() -> None:
    schema = made(changed(offered(), WARD, role="ignored"), base=proposed())
    assert [each.name for each in schema.sensitive] == ["diagnosis"]
    as_fixed = changed(changed(offered(), LAST, kind="fixed"), SURNAME, kind="fixed")
    assert {each.name: each.kind for each in made(as_fixed).schema.attributes}[
        "last_name"
    ] == "fixed"


def test_columns_of_other_names_are_matched_by_their_attribute() -> None:
    schema = made(offered(), base=proposed())
    assert schema.columns["first_name"] == {"hospital": "first_name", "registry": "given"}
    assert schema.record_id == {"hospital": "id"}


def test_a_column_of_one_name_is_named_once() -> None:
    schema = made(only(offered(), "hospital"))
    assert schema.columns["first_name"] == "first_name"
    assert schema.record_id == "id"


def test_swap_groups_survive() -> None:
    assert made(offered(), base=proposed()).schema.swap_groups == (("first_name", "last_name"),)


def test_swap_groups_survive_a_new_name() -> None:
    schema = made(renamed(offered(), "last_name", "family"), base=proposed())
    assert schema.schema.swap_groups == (("first_name", "family"),)


def test_a_swap_group_goes_with_its_attribute_or_kind() -> None:
    as_category = offered()
    for place in (LAST, SURNAME):
        as_category = changed(as_category, place, kind="category")
    assert made(as_category, base=proposed()).schema.swap_groups == ()
    without = changed(changed(offered(), LAST, role="ignored"), SURNAME, role="ignored")
    assert made(without, base=proposed()).schema.swap_groups == ()


def test_two_names_that_are_newly_both_there_can_be_swapped() -> None:
    without = changed(changed(offered(), LAST, role="ignored"), SURNAME, role="ignored")
    base = made(without, base=proposed())
    assert made(offered(), base=base).schema.swap_groups == (("first_name", "last_name"),)


def test_who_took_the_swap_group_out_is_not_overruled() -> None:
    base = proposed()
    base = replace(base, schema=Schema(base.schema.attributes, case="upper"))
    assert made(offered(), base=base).schema.swap_groups == ()


def test_what_the_form_does_not_ask_for_stays() -> None:
    before = proposed()
    attributes = [
        Attribute(each.name, each.kind, frequency=each.name == "last_name")
        for each in before.schema.attributes
    ]
    base = replace(
        before,
        schema=Schema(attributes, string_limit="1/3", date_swap="fields", date_limit=2),
        missing=frozenset({"N/A"}),
        placeholders={"last_name": Placeholders(frozenset({"NOBODY"}), frozenset())},
    )
    schema = made(renamed(offered(), "last_name", "family"), base=base)
    assert schema.schema.settings == base.schema.settings
    assert schema.missing == {"N/A"}
    assert schema.placeholders == {"family": Placeholders(frozenset({"NOBODY"}), frozenset())}
    assert [each.name for each in schema.schema.attributes if each.frequency] == ["family"]


def test_a_renamed_attribute_does_not_inherit_from_one_that_is_still_there() -> None:
    base = replace(
        proposed(), placeholders={"first_name": Placeholders(frozenset({"X"}), frozenset())}
    )
    choices = changed(changed(offered(), FIRST, name="last_name"), LAST, name="first_name")
    assert set(made(choices, base=base).placeholders) == {"first_name"}


def test_without_a_schema_the_choices_alone_make_one() -> None:
    schema = made(offered_choices(profiles(), None))
    assert schema.schema == proposed().schema
    assert schema.columns == proposed().columns


def test_settings_that_are_asked_for_are_taken() -> None:
    choices = replace(
        offered(), date_order="ymd", latest_year="2001", without_duplicates=frozenset({"registry"})
    )
    schema = made(choices, base=proposed())
    assert schema.schema.settings.date_order == "ymd"
    assert schema.schema.settings.latest_year == 2001
    assert schema.without_duplicates == {"registry"}


def test_the_order_of_dates_is_by_database_and_only_of_dates() -> None:
    choices = changed(offered(), BORN, date_order="ymd")
    assert made(choices).date_orders == {"birth_date": {"hospital": "mdy", "registry": "ymd"}}
    for place in (DOB, BORN):
        choices = changed(choices, place, kind="fixed")
    assert made(choices).date_orders == {}


def test_a_part_of_a_displayed_column_goes_into_the_linked_data() -> None:
    choices = offered()
    for place in (DOB, BORN):
        choices = changed(choices, place, keeps="year")
    choices = changed(choices, LAST, keeps="2")
    assert made(choices, base=proposed()).sensitive[:2] == (
        SensitiveColumn("last_name_first_2", "last_name", 2),
        SensitiveColumn("birth_date_year", {"hospital": "dob", "registry": "born"}, "year"),
    )


def test_a_part_that_has_a_name_keeps_it() -> None:
    kept = SensitiveColumn("birth_year", "dob", "year")
    base = replace(proposed(), sensitive=(kept,))
    schema = made(offered_choices(profiles(), base), base=base)
    assert schema.sensitive == (kept,)


def test_a_column_that_is_kept_in_two_ways_stays_so() -> None:
    both = (
        SensitiveColumn("birth_year", "dob", "year"),
        SensitiveColumn("birth_decade", "dob", "decade"),
    )
    base = replace(proposed(), sensitive=both)
    assert made(offered_choices(profiles(), base), base=base).sensitive == both


def test_a_name_that_is_taken_in_the_linked_data_gets_a_number() -> None:
    choices = changed(changed(offered(), DOB, keeps="year"), DIAGNOSIS, name="birth_date_year")
    names = [each.name for each in made(choices).sensitive]
    assert names == ["birth_date_year", "birth_date_year_2", "ward"]


def test_a_sensitive_column_is_named_for_all_where_all_that_have_its_heading_mean_it() -> None:
    assert made(offered()).sensitive[0].column == "diagnosis"
    otherwise = ColumnChoices(
        (*offered().columns, ColumnChoice("registry", "diagnosis", "ignored")),
    )
    assert made(otherwise).sensitive[0].column == {"hospital": "diagnosis"}


def test_of_a_database_that_stays_everything_stays() -> None:
    base = replace(
        made(only(offered(), "hospital")),
        without_duplicates=frozenset({"hospital"}),
        date_orders={"birth_date": "mdy"},
    )
    coming = replace(only(offered(), "registry"), without_duplicates=frozenset({"registry"}))
    schema = made(coming, base=base, kept=("hospital",))
    assert schema.schema == base.schema
    assert schema.columns["birth_date"] == {"registry": "born", "hospital": "dob"}
    assert schema.record_id == {"hospital": "id"}
    assert schema.date_orders == {"birth_date": {"hospital": "mdy"}}
    assert schema.without_duplicates == {"hospital", "registry"}
    assert schema.sensitive == (
        SensitiveColumn("diagnosis", "diagnosis"),
        SensitiveColumn("ward", {"registry": "ward"}),
    )


def test_a_record_id_can_be_another_column() -> None:
    choices = changed(offered(), HOSPITAL_ID, role="ignored")
    assert made(choices).record_id is None
    assert made(changed(choices, DIAGNOSIS, role="record id")).record_id == {
        "hospital": "diagnosis"
    }
