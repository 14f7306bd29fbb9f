"""Dates of several columns, and columns that repeat others, from the upload to the import."""

from __future__ import annotations

from typing import Any

import pytest

from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD
from mindfirl.store import vault
from mindfirl.store.models import ColumnsDraft, Version
from tests.support.bringing import Stage, stage, text, work
from tests.support.repeating_columns import repeating, written
from tests.web.columns.test_columns import form

pytestmark = pytest.mark.usefixtures("home")

PLACES = {name: place for place, name in enumerate(repeating().column_names)}
ADDRESS = PLACES["whole address"]


@pytest.fixture
def on() -> Stage:
    found = stage()
    found.send_form(("people.csv", written(repeating()).decode()))
    work()
    return found


def page_of(on: Stage) -> str:
    return text(on.browser.get(on.address("columns")))


def schema() -> SchemaFile:
    return parse_schema(ColumnsDraft.objects.get().schema, "")


def save(on: Stage, **changes: Any) -> int:
    sent = form(page_of(on)) | changes
    return on.browser.post(on.address("columns"), sent).status_code


def test_the_page_says_what_is_proposed_and_why(on: Stage) -> None:
    page = page_of(on)
    assert "left out: it repeats first_name and surname, and would count twice" in page
    assert "contains street and zip: compared without their words" in page
    assert "composed of Geburtsjahr, Geburtsmonat and Geburtstag" in page
    filled = form(page)
    assert [filled[f"{PLACES[each]}-kind"] for each in PLACES if each.startswith("Geburts")] == (
        ["year", "month", "day"]
    )
    assert filled[f"{PLACES['full name']}-role"] == "ignored"
    assert filled[f"{ADDRESS}-without"] == '["street", "zip"]'
    for value in ("Ann1", "Bérg", "Elm1", "1950", "10007"):
        assert value not in page


def test_saving_what_is_proposed_changes_nothing(on: Stage) -> None:
    before = schema()
    assert save(on) == 302
    assert schema() == before


def test_a_manager_decides_otherwise(on: Stage) -> None:
    changes: dict[str, Any] = {
        f"{ADDRESS}-without": "",
        f"{PLACES['full name']}-role": "identifier",
        f"{PLACES['Geburtstag']}-role": "ignored",
    }
    assert save(on, **changes) == 302
    assert schema().without == {}
    assert schema().columns["birth_date"] == ("Geburtsjahr", "Geburtsmonat")
    assert "full_name" in schema().schema.names
    assert "rest, without street and zip" in page_of(on)


@pytest.mark.parametrize("sent", ["[", "7", "[7]", "[" * 5000])
def test_a_form_that_is_not_whole_is_refused(on: Stage, sent: str) -> None:
    before = schema()
    assert save(on, **{f"{ADDRESS}-without": sent}) == 400
    assert schema() == before


def test_it_is_imported_as_it_was_proposed(on: Stage) -> None:
    on.browser.post(on.address("data/import"), form(page_of(on)))
    assert work().state == "done"
    database = Version.objects.get().databases.get()
    identity = {row[RECORD]: row for row in vault.unseal(database.identity).to_pylist()}
    names = ("first_name", "last_name", "birth_date", "street", "zip", "whole_address")
    assert set(identity["r0"]) == {PSEUDONYM, RECORD, *names}
    assert identity["r0"]["birth_date"] == "1950-01"
    assert identity["r1"]["birth_date"] == "1951-02-02"
    assert identity["r1"]["whole_address"] == "ATTIC FLAT"
    sensitive = vault.unseal(database.sensitive)
    assert sensitive.column_names == [PSEUDONYM, "diagnosis"]
    assert database.report["not_imported"] == ["full name"]
    page = page_of(on)
    assert "Geburtsjahr + Geburtsmonat + Geburtstag" in page
    assert "without the words of street and zip" in page
    assert "Ann1" not in page
