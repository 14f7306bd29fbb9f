"""Choices about dates of several columns, and about columns that contain others."""

from __future__ import annotations

from typing import Any

import pytest

from mindfirl.core.errors import FieldErrors
from mindfirl.engine.schema.choice_building import schema_from_choices
from mindfirl.engine.schema.choices import ColumnChoices, offered_choices
from mindfirl.engine.schema.profile import profile_table
from mindfirl.engine.schema.proposal import matched, propose_schema
from mindfirl.engine.schema.schema_file import SensitiveColumn
from tests.support.column_choices import changed, only
from tests.support.repeating_columns import repeating

REPEATING = matched(profile_table(repeating(), "file"))
COMPOSED = propose_schema(REPEATING, latest_year=2026)
PLACES = {each.column: place for place, each in enumerate(REPEATING)}


def of_repeating(column: str, **changes: Any) -> ColumnChoices:
    return changed(offered_choices(REPEATING, COMPOSED), PLACES[column], **changes)


def refused(choices: ColumnChoices) -> dict[str, str]:
    with pytest.raises(FieldErrors) as caught:
        schema_from_choices(choices, base=COMPOSED)
    return caught.value.fields


def test_parts_of_a_date_and_rests_are_offered_as_they_are_in_the_schema() -> None:
    choices = offered_choices(REPEATING, COMPOSED)
    kinds = [choices.columns[PLACES[each]].kind for each in PLACES if each.startswith("Geburts")]
    assert kinds == ["year", "month", "day"]
    assert choices.columns[PLACES["whole address"]].without == ("street", "zip")
    assert choices.columns[PLACES["full name"]].role == "ignored"
    assert schema_from_choices(choices, base=COMPOSED) == COMPOSED
    as_profiled = offered_choices(REPEATING, None)
    assert as_profiled.columns[PLACES["Geburtstag"]].kind == "day"
    assert schema_from_choices(as_profiled).columns == COMPOSED.columns
    assert schema_from_choices(as_profiled).without == COMPOSED.without


def test_a_person_composes_a_date_or_takes_it_apart() -> None:
    apart = of_repeating("Geburtstag", role="ignored")
    assert schema_from_choices(apart, base=COMPOSED).columns["birth_date"] == (
        *("Geburtsjahr", "Geburtsmonat"),
    )
    schema = schema_from_choices(apart, base=COMPOSED)
    again = offered_choices(REPEATING, schema).columns[PLACES["Geburtstag"]]
    assert (again.role, again.name, again.kind) == ("ignored", "birth_date", "day")
    alone = of_repeating("Geburtstag", name="day", kind="fixed")
    assert schema_from_choices(alone, base=COMPOSED).columns["day"] == "Geburtstag"


def test_words_of_a_column_that_is_not_compared_any_more_stay() -> None:
    without_zip = of_repeating("zip", role="ignored")
    assert schema_from_choices(without_zip, base=COMPOSED).without == {"whole_address": ("street",)}
    renamed = of_repeating("zip", name="post")
    assert schema_from_choices(renamed, base=COMPOSED).without == (
        {"whole_address": ("street", "post")}
    )
    whole = of_repeating("whole address", without=())
    assert schema_from_choices(whole, base=COMPOSED).without == {}
    category = of_repeating("whole address", kind="category")
    assert schema_from_choices(category, base=COMPOSED).without == {}


@pytest.mark.parametrize(
    ("column", "changes", "field", "says"),
    [
        ("Geburtsjahr", {"role": "ignored"}, "Geburtstag", "No column has the year of birth_date"),
        (
            "Geburtsmonat",
            {"role": "ignored"},
            "Geburtstag",
            "No column has the month of birth_date",
        ),
        ("Geburtstag", {"kind": "month"}, "Geburtstag", None),
        ("Geburtstag", {"kind": "date"}, "Geburtstag", None),
        ("Geburtstag", {"role": "identifier"}, "Geburtstag", "Use one role."),
        ("Geburtsmonat", {"keeps": "year"}, "Geburtsmonat", "Only dates can be kept in part"),
    ],
)
def test_a_date_that_cannot_be_composed_is_told_at_its_field(
    column: str, changes: dict[str, str], field: str, says: str | None
) -> None:
    found = refused(of_repeating(column, **changes))
    told = " ".join(found[key] for key in found if key.startswith(f"{PLACES[field]}-"))
    assert (says or "already") in told


def test_words_that_two_attributes_would_lose_to_each_other_are_told() -> None:
    assert (
        "each other's words"
        in refused(of_repeating("street", without=("whole address",)))["columns"]
    )


def test_the_year_of_a_composed_date_goes_into_the_linked_data() -> None:
    schema = schema_from_choices(of_repeating("Geburtsjahr", keeps="decade"), base=COMPOSED)
    assert SensitiveColumn("birth_date_decade", "Geburtsjahr", "decade") in schema.sensitive


def test_databases_leave_out_the_same_words() -> None:
    two = matched([*profile_table(repeating(), "a"), *profile_table(repeating(), "b")])
    schema = propose_schema(two, latest_year=2026)
    choices = changed(offered_choices(two, schema), PLACES["whole address"], without=())
    with pytest.raises(FieldErrors) as caught:
        schema_from_choices(choices, base=schema)
    assert list(caught.value.fields) == [f"{len(REPEATING) + PLACES['whole address']}-without"]
    with pytest.raises(FieldErrors) as caught:
        schema_from_choices(only(choices, "a"), base=schema, kept=("b",))
    assert (
        "was imported with another choice"
        in caught.value.fields[f"{PLACES['whole address']}-without"]
    )
    as_before = only(offered_choices(two, schema), "a")
    assert schema_from_choices(as_before, base=schema, kept=("b",)) == schema
