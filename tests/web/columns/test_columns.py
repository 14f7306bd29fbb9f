"""The page of the columns: what is proposed, corrected, refused at its field, and imported."""

from __future__ import annotations

import json
import re
from html import unescape
from typing import Any

import pytest

from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.store.models import ColumnsDraft, Job, Upload, Version
from tests.support.bringing import HOSPITAL, Stage, stage, text, work
from tests.support.cast import member, person, signed_in

pytestmark = pytest.mark.usefixtures("home")

HOSPITAL_ID, FIRST, LAST, DOB, DIAGNOSIS, REGISTRY_ID, GIVEN, SURNAME, BORN, WARD = range(10)


@pytest.fixture
def on() -> Stage:
    return stage().brought()


def form(page: str) -> dict[str, Any]:
    """Fill in the form as it stands on a page."""
    within = page.split('id="columns"')[1].split("</form>", maxsplit=1)[0]
    filled: dict[str, Any] = {
        "column": [unescape(each) for each in re.findall(r'name="column" value="(.*?)"', within)]
    }
    for name, rest in re.findall(r'<select name="(.*?)"(.*?)</select>', within, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', rest)
        filled[name] = unescape(chosen[1]) if chosen else ""
    for name, value in re.findall(r'<input name="(.*?)" id=".*?" value="(.*?)"', within):
        filled[name] = unescape(value)
    filled["latest_year"] = re.search(r'name="latest_year".*?value="(.*?)"', within)[1]  # type: ignore[index]  # it is there
    filled["revision"] = re.search(r'name="revision" value="(\d+)"', within)[1]  # type: ignore[index]  # it is there
    alone = re.findall(r'name="without_duplicates" value="(.*?)" id="[^"]*" checked', within)
    return filled | ({"without_duplicates": alone} if alone else {})


def shown(on: Stage) -> dict[str, Any]:
    return form(text(on.browser.get(on.address("columns"))))


def schema() -> SchemaFile:
    return parse_schema(ColumnsDraft.objects.get().schema, "")


def test_the_columns_are_shown_with_what_is_proposed_and_no_value(on: Stage) -> None:
    page = text(on.browser.get(on.address("columns")))
    assert "Aaaa9" in page
    assert "99/99/9999" in page
    assert "Berg1" not in page
    assert "1950" not in page
    filled = form(page)
    assert [filled[f"{place}-role"] for place in (HOSPITAL_ID, FIRST, DOB, DIAGNOSIS)] == [
        *("record id", "identifier", "quasi-identifier", "sensitive"),
    ]
    assert filled[f"{GIVEN}-name"] == "first_name"


def test_saving_what_is_proposed_changes_nothing(on: Stage) -> None:
    before = schema()
    answer = on.browser.post(on.address("columns"), shown(on))
    assert answer.status_code == 302
    assert schema() == before
    assert schema().schema.swap_groups == (("first_name", "last_name"),)


def test_a_corrected_column_is_saved_and_stands_there_again(on: Stage) -> None:
    changed = shown(on) | {f"{WARD}-role": "ignored", "without_duplicates": ["registry"]}
    assert on.browser.post(on.address("columns"), changed).status_code == 302
    assert [each.name for each in schema().sensitive] == ["diagnosis"]
    assert schema().without_duplicates == {"registry"}
    again = shown(on)
    assert again[f"{WARD}-role"] == "ignored"
    assert again["without_duplicates"] == ["registry"]


@pytest.mark.parametrize(
    ("changes", "field", "says"),
    [
        ({f"{FIRST}-name": ""}, f"{FIRST}-name", "Enter a name"),
        ({f"{FIRST}-role": "boss"}, f"{FIRST}-role", "one of the roles"),
        ({f"{FIRST}-kind": ""}, f"{FIRST}-kind", "Choose the kind"),
        ({f"{LAST}-role": "record id"}, f"{LAST}-role", "id is already the record ID"),
        ({f"{LAST}-name": "first_name"}, f"{LAST}-name", "already"),
        ({f"{SURNAME}-name": "family"}, f"{LAST}-name", "No column of registry"),
        ({f"{DOB}-date_order": "what"}, f"{DOB}-date_order", "one of the orders"),
        ({f"{FIRST}-keeps": "year"}, f"{FIRST}-keeps", "Only dates can be kept in part"),
        ({"latest_year": "soon"}, "latest_year", "four digits"),
        ({"date_order": ""}, "date_order", "one of the orders"),
    ],
)
@pytest.mark.parametrize("button", ["columns", "data/import"])
def test_a_wrong_choice_is_told_at_its_field_and_everything_typed_is_kept(
    on: Stage, *, changes: dict[str, str], field: str, says: str, button: str
) -> None:
    before = schema()
    sent = shown(on) | {f"{DIAGNOSIS}-name": "typed <here>"} | changes
    answer = on.browser.post(on.address(button), sent)
    page = text(answer)
    assert answer.status_code == 422
    assert says in page.split(f'id="e-{field}"')[1].split("</p>")[0]
    assert f'e-{field}"' in page.split(f'id="f-{field}"')[1].split(">")[0]
    assert page.count("autofocus") == 1
    assert form(page) == sent
    assert schema() == before
    assert Job.objects.filter(kind="data import").count() == 0


def test_nothing_to_compare_is_told_above_the_columns(on: Stage) -> None:
    sent = shown(on)
    sent |= {name: "ignored" for name in sent if name.endswith("-role")}
    answer = on.browser.post(on.address("columns"), sent)
    assert answer.status_code == 422
    assert "No column is compared" in text(answer)


def test_who_saves_an_older_page_is_told_and_can_save_again(on: Stage) -> None:
    mine = shown(on) | {f"{WARD}-name": "station"}
    on.browser.post(on.address("columns"), shown(on))
    answer = on.browser.post(on.address("columns"), mine)
    assert answer.status_code == 409
    assert "another person changed this" in text(answer)
    again = form(text(answer))
    assert again[f"{WARD}-name"] == "station"
    assert on.browser.post(on.address("columns"), again).status_code == 302
    assert "station" in [each.name for each in schema().sensitive]


def test_what_was_typed_for_columns_that_are_gone_is_not_given_to_others(on: Stage) -> None:
    mine = shown(on) | {f"{WARD}-name": "station"}
    upload = Upload.objects.get(database="hospital")
    on.browser.post(on.address("data/uploads", str(upload.id), "remove"))
    work()
    answer = on.browser.post(on.address("columns"), mine)
    again = form(text(answer))
    assert answer.status_code == 409
    assert [json.loads(each)[0] for each in again["column"]] == ["registry"] * 5
    assert again["4-name"] == "station"
    assert again["1-name"] == "first_name"


@pytest.mark.parametrize("column", ["", "nothing", "[1]", '["a", "b", "c"]', "7", "null"])
def test_a_form_that_nobody_was_given_is_refused(on: Stage, column: str) -> None:
    assert on.browser.post(on.address("columns"), {"column": [column]}).status_code == 400
    assert on.browser.post(on.address("columns"), {}).status_code == 409


def test_the_import_saves_and_imports(on: Stage) -> None:
    answer = on.browser.post(on.address("data/import"), shown(on) | {f"{WARD}-role": "ignored"})
    assert answer.status_code == 302
    page = text(on.browser.get(on.address("columns")))
    assert "Importing databases" in page
    assert 'id="columns"' not in page
    job = work()
    assert (job.kind, job.state, job.sentence) == ("data import", "done", "")
    assert [each.name for each in Version.objects.get().databases.all()] == [
        *("hospital", "registry"),
    ]
    assert not Upload.objects.exists()
    page = text(on.browser.get(on.address("columns")))
    assert "The databases were imported like this" in page
    assert "not imported" in page.split(">ward<")[1][:80]


def test_an_import_while_other_work_goes_on_is_refused_and_keeps_what_was_saved(on: Stage) -> None:
    sent = shown(on) | {f"{WARD}-role": "ignored"}
    on.browser.post(on.address("data/import"), sent)
    again = shown_again(sent)
    answer = on.browser.post(on.address("data/import"), again)
    assert answer.status_code == 400
    assert "Other work" in text(answer)
    assert Job.objects.filter(kind="data import").count() == 1


def shown_again(sent: dict[str, Any]) -> dict[str, Any]:
    return sent | {"revision": str(ColumnsDraft.objects.get().revision)}


def test_files_that_changed_are_looked_at_anew_first(on: Stage) -> None:
    sent = shown(on)
    on.send("third.csv", HOSPITAL)
    page = text(on.browser.get(on.address("columns")))
    assert "the files have changed" in page
    assert 'id="columns"' not in page
    answer = on.browser.post(on.address("columns"), sent)
    assert answer.status_code == 400
    assert "analyse the columns again" in text(answer)
    on.browser.post(on.address("data/uploads"))
    work()
    assert len(shown(on)["column"]) == 15


def test_what_an_import_found_is_told_and_no_value(on: Stage) -> None:
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    work()
    page = on.browser.get(on.address("columns")).content.decode()
    assert "Found in the data" in page
    assert "dates read as " in page


def test_nothing_to_import_is_said(on: Stage) -> None:
    ColumnsDraft.objects.all().delete()
    assert on.browser.post(on.address("data/import"), {"as_saved": "1"}).status_code == 400


def test_a_further_database_fits_into_what_is_there(on: Stage) -> None:
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    work()
    on.send_form(("clinic.csv", HOSPITAL.replace("last_name", "q7")))
    job = work()
    assert job.state == "done"
    assert "last_name" in job.sentence
    page = text(on.browser.get(on.address("columns")))
    assert "It keeps hospital, registry unchanged." in page
    sent = form(page)
    assert on.browser.post(on.address("data/import"), sent).status_code == 422
    sent |= {f"{LAST}-role": "identifier", f"{LAST}-name": "last_name", f"{LAST}-kind": "string"}
    assert on.browser.post(on.address("data/import"), sent).status_code == 302
    done = work()
    assert (done.state, done.sentence) == ("done", "")
    assert Version.objects.get().records == 120


def test_before_anything_came_the_page_sends_to_the_data() -> None:
    on = stage("empty")
    page = text(on.browser.get(on.address("columns")))
    assert "No databases yet." in page


def test_an_auditor_sees_the_columns_and_changes_none(on: Stage) -> None:
    sent = shown(on)
    browser = signed_in(member(on.project, "auditor"))
    page = text(browser.get(on.address("columns")))
    assert "diagnosis" in page
    assert "Import</button>" not in page
    assert browser.post(on.address("columns"), sent).status_code == 403
    assert browser.post(on.address("data/import"), sent).status_code == 403


def test_others_have_no_columns_here(on: Stage) -> None:
    for browser, status in (
        (signed_in(member(on.project, "worker")), 403),
        (stage("elsewhere").browser, 404),
        (signed_in(person()), 404),
    ):
        assert browser.get(on.address("columns")).status_code == status
        assert browser.post(on.address("columns"), {}).status_code == status
        assert browser.post(on.address("data/import"), {}).status_code == status


@pytest.mark.parametrize("sent", [{"revision": "9" * 5_000}, {"column": "[" * 100_000}])
def test_a_form_that_makes_no_sense_is_refused(on: Stage, sent: dict[str, str]) -> None:
    answer = on.browser.post(on.address("columns"), shown(on) | sent)
    assert answer.status_code in (400, 409)
