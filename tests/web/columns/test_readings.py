"""How a file was read is told on the page Columns, and corrected without a new upload."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

import pytest
import xlsxwriter
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from mindfirl.store.models import ColumnsDraft, Job, Upload
from tests.support.bringing import REGISTRY, Answer, Stage, stage, text, work

TRACER = "Zweifelhofer"
GERMAN = "Vorname;Nachname;Geburtstag;PLZ\n" + "".join(
    f"Jürgen{number % 5};{TRACER}{number};{number % 28 + 1:02}.12.1980;{10115 + number % 7}\n"
    for number in range(60)
)


@pytest.fixture
def on(home: Path) -> Stage:
    assert home.exists()
    return stage()


def bring(on: Stage, name: str, content: bytes) -> Upload:
    """Upload a file, and have its columns looked at."""
    sent = SimpleUploadedFile(name, content)
    on.browser.post(on.address("data/uploads"), {"files": [sent], "complete": "1"})
    work()
    return Upload.objects.get(file_name=name)


def read_again(on: Stage, upload: Upload, **options: str) -> HttpResponse:
    sent = {"database": upload.database, **options}
    answer = on.browser.post(on.address(f"data/uploads/{upload.pk}/reading"), sent)
    assert isinstance(answer, HttpResponse)
    return answer


def workbook(**sheets: list[list[str]]) -> bytes:
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return file.getvalue()


PEOPLE = [["first_name", "zip"], *([f"{TRACER}{number}", f"{number:05}"] for number in range(40))]


def page(on: Stage) -> str:
    answer: Answer = on.browser.get(on.address("columns"))
    return re.sub(r"\s+", " ", text(answer))


def test_how_a_file_was_read_is_told_without_a_value(on: Stage) -> None:
    bring(on, "klinik.csv", GERMAN.encode("cp1252"))
    drawn = page(on)
    assert "klinik.csv, read as: Windows-1252, Western Europe, semicolons" in drawn
    assert "60 readable as day/month/year" in drawn
    assert "26 could be another date in another order" in drawn
    assert "month/day/year: reads 28" in drawn
    assert TRACER not in drawn


def test_an_encoding_is_corrected_without_a_new_upload(on: Stage, home: Path) -> None:
    content = GERMAN.replace("Jürgen", "Dvořák").encode("cp1250")
    upload = bring(on, "klinik.csv", content)
    sealed = sorted(path.read_bytes() for path in home.rglob("*.upload"))
    assert read_again(on, upload, encoding="windows-1250").status_code == 302
    work()
    assert "read as: Windows-1250, Central Europe, semicolons" in page(on)
    assert sorted(path.read_bytes() for path in home.rglob("*.upload")) == sealed
    assert not any(TRACER.encode() in each for each in sealed)
    assert TRACER not in str(ColumnsDraft.objects.get().profile)


def test_a_delimiter_that_does_not_fit_is_refused_and_corrected(on: Stage, home: Path) -> None:
    upload = bring(on, "klinik.csv", GERMAN.replace("Jürgen0;", "Jürgen,0;").encode())
    read_again(on, upload, delimiter="comma")
    failed = work()
    assert failed.state == "failed"
    assert "the number of cells is" in failed.sentence
    assert TRACER not in failed.sentence
    stored = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert stored
    assert not any(TRACER.encode() in each for each in stored)
    drawn = page(on)
    assert "A file could not be read. Say below how to read it" in drawn
    assert "read as: UTF-8, commas" in drawn
    read_again(on, upload, delimiter="")
    assert work().state == "done"
    assert "Role of Vorname" in page(on)


def test_a_sheet_of_a_workbook_is_chosen(on: Stage) -> None:
    upload = bring(on, "book.xlsx", workbook(Notes=[], People=PEOPLE, Old=[["zip"], ["1"]]))
    assert Job.objects.latest("created").state == "failed"
    drawn = page(on)
    assert all(f"<option>{name}</option>" in drawn for name in ("Notes", "People", "Old"))
    read_again(on, upload, sheet="People")
    assert work().state == "done"
    assert "book.xlsx, read as: sheet “People” of 3" in page(on)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"encoding": TRACER}, "this encoding is not known"),
        ({"delimiter": TRACER}, "this delimiter is not known"),
        ({"sheet": TRACER}, "No sheet of the workbook has that name"),
        ({"database": "../etc"}, "A database&#x27;s name"),
        ({"database": "registry"}, "A file for a database with that name already exists"),
    ],
)
def test_what_no_file_can_be_read_as_is_refused_and_nothing_is_lost(
    on: Stage, options: dict[str, str], words: str
) -> None:
    on.send("registry.csv", REGISTRY)
    upload = bring(on, "klinik.csv", GERMAN.encode())
    answer = read_again(on, upload, **options)
    told = text(on.browser.get(answer["Location"])) if answer.status_code == 302 else text(answer)
    assert words in told
    assert TRACER not in told
    upload.refresh_from_db()
    assert (upload.database, upload.encoding, upload.sheet) == ("klinik", "", "")
    assert "Role of Vorname" in page(on)


def test_a_database_is_named_otherwise(on: Stage) -> None:
    upload = bring(on, "klinik.csv", GERMAN.encode())
    read_again(on, upload, database="Spital-Süd")
    work()
    assert "Role of Vorname" in page(on)
    assert Upload.objects.get().database == "Spital-Süd"


def test_work_on_a_file_is_not_disturbed(on: Stage) -> None:
    upload = bring(on, "klinik.csv", GERMAN.encode())
    read_again(on, upload, encoding="utf-8")
    read_again(on, upload, encoding="windows-1252")
    assert Upload.objects.get().encoding == "utf-8"


def test_a_confirmation_of_what_was_read_before_does_not_hold(on: Stage) -> None:
    upload = bring(on, "klinik.csv", GERMAN.encode())
    Upload.objects.update(confirmed_by=on.manager)
    read_again(on, upload, encoding="windows-1252")
    again = Upload.objects.get()
    assert again.confirmed_by is None
    assert again.received > upload.received
