"""What stands in the form before anybody has chosen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mindfirl.core.errors import FieldErrors
from mindfirl.engine.schema.choice_building import schema_from_choices
from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices, offered_choices
from mindfirl.engine.schema.schema_file import SensitiveColumn
from tests.support.column_choices import (
    BORN,
    DIAGNOSIS,
    DOB,
    FIRST,
    GIVEN,
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


def wrong(choices: ColumnChoices, *, kept: tuple[str, ...] = ()) -> dict[str, str]:
    with pytest.raises(FieldErrors) as caught:
        schema_from_choices(choices, base=proposed(), kept=kept)
    return caught.value.fields


@pytest.mark.parametrize(
    ("place", "changes", "field", "says"),
    [
        (FIRST, {"role": "boss"}, "role", "one of the roles"),
        (FIRST, {"role": ""}, "role", "one of the roles"),
        (FIRST, {"kind": ""}, "kind", "Choose the kind"),
        (FIRST, {"kind": "number"}, "kind", "Choose the kind"),
        (FIRST, {"name": ""}, "name", "Enter a name"),
        (DIAGNOSIS, {"name": ""}, "name", "Enter a name"),
        (FIRST, {"name": "x" * 81}, "name", "81 characters"),
        (FIRST, {"name": "#id"}, "name", "cannot begin with #"),
        (FIRST, {"name": "a\nb"}, "name", "one line"),
        (DOB, {"date_order": "ydm"}, "date_order", "one of the orders"),
        (DOB, {"keeps": "century"}, "keeps", "one of the options"),
        (DOB, {"keeps": "0"}, "keeps", "one of the options"),
        (DOB, {"keeps": "21"}, "keeps", "one of the options"),
        (FIRST, {"keeps": "year"}, "keeps", "Only dates can be kept in part"),
        (LAST, {"role": "record id"}, "role", "id is already the record ID"),
        (LAST, {"name": "first_name"}, "name", "already called first_name"),
        (
            GIVEN,
            {"kind": "fixed"},
            "kind",
            "first_name is text in hospital and fixed text here. Use one kind.",
        ),
        (
            GIVEN,
            {"role": "quasi-identifier"},
            "role",
            "in hospital and a quasi-identifier here. Use one role.",
        ),
        (WARD, {"name": "diagnosis", "keeps": "1"}, "keeps", "is kept differently in hospital"),
        (BORN, {"role": "sensitive", "name": "ward"}, "name", None),
    ],
)
def test_a_wrong_choice_is_told_at_its_field(
    place: int, changes: dict[str, str], field: str, says: str | None
) -> None:
    found = wrong(changed(offered(), place, **changes))
    assert says is None or says in found[f"{place}-{field}"]


def test_an_attribute_that_a_database_lacks_is_told_at_its_columns() -> None:
    found = wrong(changed(offered(), SURNAME, name="family"))
    assert "No column of registry" in found[f"{LAST}-name"]
    assert "No column of hospital" in found[f"{SURNAME}-name"]
    assert len(found) == 2


def test_a_second_sensitive_column_of_a_name_is_told_at_it() -> None:
    choices = changed(offered(), HOSPITAL_ID, role="sensitive", name="diagnosis")
    assert "sensitive column of this database" in wrong(choices)[f"{DIAGNOSIS}-name"]


def test_choices_without_anything_to_compare_are_refused() -> None:
    choices = offered()
    for place in range(len(choices.columns)):
        choices = changed(choices, place, role="ignored")
    assert "No column is compared" in wrong(choices)["columns"]


def test_everything_wrong_is_told_at_once() -> None:
    choices = changed(changed(offered(), FIRST, kind=""), DIAGNOSIS, name="")
    assert {f"{FIRST}-kind", f"{DIAGNOSIS}-name"} <= wrong(choices).keys()


@pytest.mark.parametrize("year", ["20", "abcd", "20200", "²020", "-999", "0999"])
def test_a_latest_year_is_a_year(year: str) -> None:
    assert wrong(replace(offered(), latest_year=year)).keys() == {"latest_year"}


def test_an_order_of_dates_is_one_of_three() -> None:
    assert wrong(replace(offered(), date_order="")).keys() == {"date_order"}


def test_where_a_database_stays_its_attributes_stay() -> None:
    coming = only(offered(), "registry")
    given, surname = GIVEN - GIVEN, SURNAME - GIVEN
    found = wrong(changed(coming, given, name="name"), kept=("hospital",))
    assert "hospital has no such attribute" in found[f"{given}-name"]
    assert "No column is named first_name" in found["columns"]
    assert (
        "Its kind in hospital is string"
        in (wrong(changed(coming, given, kind="fixed"), kept=("hospital",))[f"{given}-kind"])
    )
    assert (
        "Its role in hospital is identifier"
        in (
            wrong(changed(coming, surname, role="quasi-identifier"), kept=("hospital",))[
                f"{surname}-role"
            ]
        )
    )


def test_where_a_database_stays_the_settings_stay() -> None:
    coming = replace(only(offered(), "registry"), date_order="dmy", latest_year="2001")
    assert wrong(coming, kept=("hospital",)).keys() == {"date_order", "latest_year"}


def test_where_a_database_stays_what_it_keeps_is_kept_alike() -> None:
    coming = changed(only(offered(), "registry"), WARD - GIVEN, name="diagnosis", keeps="2")
    assert wrong(coming, kept=("hospital",)).keys() == {f"{WARD - GIVEN}-keeps"}


def test_what_a_schema_refuses_besides_is_told_above_all_columns() -> None:
    base = replace(
        proposed(),
        sensitive=(
            SensitiveColumn("one", {"hospital": "diagnosis"}, "year"),
            SensitiveColumn("other", {"hospital": "diagnosis"}),
        ),
    )
    with pytest.raises(FieldErrors) as caught:
        schema_from_choices(changed(offered(), DIAGNOSIS, keeps=""), base=base)
    assert caught.value.fields.keys() == {"columns"}
