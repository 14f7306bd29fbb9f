"""The page of the data: facts that are saved once, files that come in sealed, or not at all."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import Client
from pytest_django import Settings

from mindfirl.store.models import Job, Project, Upload
from mindfirl.store.vault.sealed_uploads import opened
from tests.support.bringing import HOSPITAL, REGISTRY, Stage, stage, text, work
from tests.support.cast import member, person, signed_in

pytestmark = pytest.mark.usefixtures("home")

FACTS = {
    "title": "Stroke and registry",
    "purpose": "Outcomes",
    "legal_basis": "Consent",
    "approval": "E-17",
    "ends": "2090-12-31",
    "second_person": "on",
    "idle_minutes": "12",
    "fewest_records": "50",
    "least_persons": "20",
    "pass_mark": "9",
    "revision": "0",
}


@pytest.fixture
def on() -> Stage:
    return stage()


def vault_files(home: Path) -> list[Path]:
    return [path for path in (home / "vault").rglob("*") if path.is_file()]


def saved(project: Project) -> Project:
    return Project.objects.get(pk=project.pk)


def test_a_manager_says_what_the_project_is_for(on: Stage) -> None:
    answer = on.browser.post(on.address("settings"), FACTS)
    assert answer.status_code == 302
    project = saved(on.project)
    assert (project.purpose, project.legal_basis, project.approval) == (
        *("Outcomes", "Consent", "E-17"),
    )
    assert str(project.ends) == "2090-12-31"
    assert project.second_person
    assert not project.second_factor
    assert project.idle_minutes == 12
    assert project.least_persons == 20
    assert project.pass_mark == 9
    assert "Saved." in text(on.browser.get(on.address("settings")))


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("title", "", "Enter a title."),
        ("title", "x" * 121, "120"),
        ("purpose", "x" * 4001, "4,001 characters"),
        ("legal_basis", "x" * 4001, "4,001 characters"),
        ("approval", "x" * 121, "120"),
        ("ends", "soon", "year-month-day"),
        ("ends", "2001-01-01", "This day is in the past"),
        ("ends", "2090-02-30", "year-month-day"),
        *(
            ("idle_minutes", typed, "from 1 to 60")
            for typed in ("", "0", "61", "-5", "2.5", "soon")
        ),
    ],
)
def test_a_wrong_fact_is_told_at_its_field_and_everything_typed_is_kept(
    on: Stage, field: str, value: str, says: str
) -> None:
    answer = on.browser.post(on.address("settings"), {**FACTS, field: value})
    page = text(answer)
    assert answer.status_code == 422
    assert says in page.split(f'id="id_{field}_error"')[1][:200]
    assert f'aria-describedby="id_{field}_helptext id_{field}_error"' in page
    assert (
        "autofocus"
        in page.split(f'id="id_{field}"')[0].rsplit("<", 1)[1]
        + (page.split(f'id="id_{field}"')[1].split(">")[0])
    )
    for name, typed in FACTS.items():
        assert name in (field, "second_person") or typed in page
    assert saved(on.project).purpose == ""


def test_who_saves_an_older_page_is_told_and_can_save_again(on: Stage) -> None:
    on.browser.post(on.address("settings"), FACTS)
    answer = on.browser.post(on.address("settings"), {**FACTS, "purpose": "Mine"})
    page = text(answer)
    assert answer.status_code == 409
    assert "another person changed this" in page
    assert "Mine" in page
    assert 'name="revision" value="1"' in page
    assert saved(on.project).purpose == "Outcomes"
    assert (
        on.browser.post(
            on.address("settings"), {**FACTS, "purpose": "Mine", "revision": "1"}
        ).status_code
        == 302
    )
    assert saved(on.project).purpose == "Mine"


def test_a_script_sends_a_file_which_only_the_import_can_read(on: Stage, home: Path) -> None:
    answer = on.send("Hospital 2024.csv", HOSPITAL)
    assert answer.status_code == 201
    upload = Upload.objects.get()
    assert (upload.database, upload.file_name) == ("Hospital-2024", "Hospital 2024.csv")
    assert upload.size == len(HOSPITAL)
    with opened(upload) as location:
        assert Path(location).read_text() == HOSPITAL
    assert all(b"diagnosis" not in path.read_bytes() for path in vault_files(home))


def test_a_script_names_the_database(on: Stage) -> None:
    on.send("päckchen.csv", HOSPITAL, called="Spital-Süd")
    assert Upload.objects.get().database == "Spital-Süd"
    assert Upload.objects.get().file_name == "päckchen.csv"


@pytest.mark.parametrize(
    ("name", "content", "called", "says"),
    [
        ("letters.docx", "x", "", "this kind of file cannot be read"),
        ("empty.csv", "", "", "the file is empty"),
        ("a.csv", "x", "../etc", "A database's name"),
        ("a.csv", "x" * 2000, "", "limit of 1,000 bytes"),
    ],
)
def test_a_file_that_cannot_be_taken_is_refused_with_a_sentence(
    on: Stage,
    settings: Settings,
    home: Path,
    *,
    name: str,
    content: str,
    called: str,
    says: str,
) -> None:
    settings.UPLOAD_LIMIT = 1000
    answer = on.send(name, content, called=called)
    assert answer.status_code == 422
    assert says in text(answer)
    assert not Upload.objects.exists()
    assert vault_files(home) == []


def test_a_second_file_for_one_database_is_refused(on: Stage) -> None:
    on.send("a.csv", HOSPITAL)
    answer = on.send("a.csv", REGISTRY)
    assert answer.status_code == 422
    assert "already" in text(answer)


class BrokenOff(BytesIO):
    """A stream whose other side goes away."""

    def read(self, *size: int | None) -> bytes:
        found = super().read(*size)
        if not found:
            raise ConnectionResetError
        return found


@pytest.mark.parametrize("stream", [BytesIO, BrokenOff])
def test_a_file_whose_connection_breaks_off_leaves_nothing(
    on: Stage, home: Path, stream: type[BytesIO]
) -> None:
    passed: dict[str, Any] = {
        "CONTENT_TYPE": "application/octet-stream",
        "CONTENT_LENGTH": "2000",
        "wsgi.input": stream(b"id,name\n1,"),
    }
    answer = on.browser.post(
        on.address("data/uploads"), headers={"X-Mindfirl-File": "a.csv"}, **passed
    )
    assert answer.status_code == 422
    assert "the connection was lost" in text(answer)
    assert not Upload.objects.exists()
    assert vault_files(home) == []


def test_a_plain_form_sends_several_files_and_has_their_columns_looked_at(on: Stage) -> None:
    answer = on.send_form(("hospital.csv", HOSPITAL), ("registry.csv", REGISTRY))
    assert answer.status_code == 302
    assert answer["Location"] == on.address("columns")
    assert {each.database for each in Upload.objects.all()} == {"hospital", "registry"}
    job = work()
    assert (job.kind, job.state) == ("columns propose", "done")


def test_a_plain_form_keeps_what_is_right_and_says_what_is_not(on: Stage) -> None:
    on.send_form(("letters.docx", "x"), ("hospital.csv", HOSPITAL), ("none.csv", ""))
    page = text(on.browser.get(on.address("data")))
    assert "this kind of file cannot be read" in page
    assert "the file is empty" in page
    assert [each.database for each in Upload.objects.all()] == ["hospital"]


def test_a_plain_form_that_is_cut_off_leaves_nothing(on: Stage, home: Path) -> None:
    on.send_form(("hospital.csv", HOSPITAL), complete=False)
    assert not Upload.objects.exists()
    assert not Job.objects.exists()
    assert vault_files(home) == []
    assert "the connection was lost" in text(on.browser.get(on.address("data")))


def test_a_plain_form_with_a_file_that_is_too_large_leaves_nothing_of_it(
    on: Stage, settings: Settings, home: Path
) -> None:
    settings.UPLOAD_LIMIT = 100
    on.send_form(("hospital.csv", HOSPITAL))
    assert vault_files(home) == []
    assert "limit of 100 bytes" in text(on.browser.get(on.address("data")))


def test_a_form_without_a_file_says_so(on: Stage) -> None:
    on.browser.post(on.address("data/uploads"), {"complete": "1"})
    assert "No file was selected. Choose a file first." in text(on.browser.get(on.address("data")))


@pytest.mark.parametrize("scripted", [True, False])
def test_files_without_the_token_of_the_page_are_refused(
    on: Stage, home: Path, *, scripted: bool
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = on.browser.cookies
    careful = Stage(on.project, on.manager, strict)
    sent = careful.send("a.csv", HOSPITAL) if scripted else careful.send_form(("a.csv", HOSPITAL))
    assert sent.status_code == 403
    assert not Upload.objects.exists()
    assert vault_files(home) == []


def test_the_token_of_a_script_is_checked_before_a_byte_is_read(
    on: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = on.browser.cookies
    read: list[int] = []

    def reading(_request: WSGIRequest, *_: int) -> bytes:
        read.append(1)
        return BytesIO().read()

    monkeypatch.setattr(WSGIRequest, "read", reading)
    assert Stage(on.project, on.manager, strict).send("a.csv", HOSPITAL).status_code == 403
    assert read == []


def test_a_form_with_the_token_of_the_page_is_taken(on: Stage) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = on.browser.cookies
    page = text(strict.get(on.address("data")))
    token = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    answer = strict.post(
        on.address("data/uploads"),
        data=HOSPITAL.encode(),
        content_type="application/octet-stream",
        headers={"X-Mindfirl-File": "a.csv", "X-CSRFToken": token},
    )
    assert answer.status_code == 201


def test_no_file_is_spooled(on: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def spooled(*_: object, **__: object) -> None:
        raise AssertionError("a file was spooled")

    monkeypatch.setattr("tempfile.NamedTemporaryFile", spooled)
    monkeypatch.setattr("django.core.files.uploadhandler.MemoryFileUploadHandler.new_file", spooled)
    on.send_form(("hospital.csv", HOSPITAL + "x" * (3 << 20)))
    assert Upload.objects.get().size > 3 << 20


def test_an_uploaded_file_is_listed_and_removed(on: Stage, home: Path) -> None:
    on.brought()
    page = text(on.browser.get(on.address("data")))
    assert "hospital.csv" in page
    assert "2 files are" in page
    upload = Upload.objects.get(database="hospital")
    answer = on.browser.post(on.address("data/uploads", str(upload.id), "remove"))
    assert answer.status_code == 302
    assert [each.database for each in Upload.objects.all()] == ["registry"]
    assert len(vault_files(home)) == 1
    assert work().state == "done"


def test_files_are_not_removed_while_work_reads_them(on: Stage) -> None:
    on.send_form(("hospital.csv", HOSPITAL))
    upload = Upload.objects.get()
    answer = on.browser.post(on.address("data/uploads", str(upload.id), "remove"), follow=True)
    assert answer.redirect_chain == [(on.address("data"), 302)]
    assert "Other work on this project is running" in text(answer)
    assert Upload.objects.exists()


def test_a_file_that_comes_while_work_goes_on_is_looked_at_later(on: Stage) -> None:
    on.send_form(("hospital.csv", HOSPITAL))
    on.send_form(("registry.csv", REGISTRY))
    assert "when the current work has finished" in text(on.browser.get(on.address("columns")))
    assert Job.objects.count() == 1


def test_what_is_imported_is_listed(on: Stage) -> None:
    on.brought()
    on.browser.post(on.address("data/import"), {"as_saved": "1"})
    assert work().state == "done"
    page = text(on.browser.get(on.address("data")))
    assert "2 databases with 80 records are imported" in page
    on.send("hospital.csv", HOSPITAL)
    assert "will be replaced" in text(on.browser.get(on.address("data")))


def test_others_cannot_change_the_data(on: Stage) -> None:
    elsewhere = stage("elsewhere")
    upload_id = "00000000-0000-4000-8000-000000000000"
    for browser, status in (
        (signed_in(member(on.project, "auditor")), 403),
        (signed_in(member(on.project, "worker")), 403),
        (elsewhere.browser, 404),
        (signed_in(person(creator=True)), 404),
    ):
        there = Stage(on.project, on.manager, browser)
        assert there.send("a.csv", HOSPITAL).status_code == status
        assert there.send_form(("a.csv", HOSPITAL)).status_code == status
        assert browser.post(on.address("settings"), FACTS).status_code == status
        assert browser.post(on.address("data/uploads", upload_id, "remove")).status_code == status
    assert not Upload.objects.exists()


def test_an_auditor_sees_the_data_without_anything_to_press(on: Stage) -> None:
    auditor = signed_in(member(on.project, "auditor"))
    assert 'type="file"' not in text(auditor.get(on.address("data")))
    page = text(auditor.get(on.address("settings"))).partition("<main")[2]
    assert "Save" not in page
    assert "Archive" not in page
    assert "disabled" in page


def test_a_file_of_another_project_is_not_removed(on: Stage) -> None:
    elsewhere = stage("elsewhere")
    elsewhere.send("a.csv", HOSPITAL)
    upload = Upload.objects.get()
    on.browser.post(on.address("data/uploads", str(upload.id), "remove"))
    assert Upload.objects.exists()
    with opened(upload) as location:
        assert Path(location).exists()
