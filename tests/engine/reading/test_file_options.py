"""How a file is read is told, and can be said otherwise."""

from __future__ import annotations

from pathlib import Path

import pytest
import xlsxwriter

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.file_options import ENCODINGS, FileOptions, FileReading
from mindfirl.engine.reading.open_source import open_table, read_table, reading_of

GERMAN = "Vorname;Ort\nJürgen;Köln, Süd\nÄnne;Graz\n"
PEOPLE = [{"Vorname": "Jürgen", "Ort": "Köln, Süd"}, {"Vorname": "Änne", "Ort": "Graz"}]


def written(folder: Path, content: bytes, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def workbook(path: Path, **sheets: list[list[str]]) -> Path:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                sheet.write_row(place, 0, row)
    return path


@pytest.mark.parametrize(
    ("codec", "name"), [("utf-8", "utf-8"), ("utf-16", "utf-16"), ("cp1252", "windows-1252")]
)
def test_what_was_detected_is_told(tmp_path: Path, codec: str, name: str) -> None:
    source = open_table(str(written(tmp_path, GERMAN.encode(codec))))
    assert source.read_as == FileReading("text", encoding=name, delimiter="semicolon")
    assert source.whole().to_pylist() == PEOPLE


@pytest.mark.parametrize(("name", "codec"), ENCODINGS.items())
def test_every_encoding_can_be_said(tmp_path: Path, name: str, codec: str) -> None:
    text = "name\nAnna\n"
    path = written(tmp_path, text.encode(codec))
    source = open_table(str(path), options=FileOptions(encoding=name))
    assert source.read_as is not None
    assert source.read_as.encoding == name
    assert source.whole().to_pylist() == [{"name": "Anna"}]


def test_an_encoding_that_is_said_holds_against_the_detected_one(tmp_path: Path) -> None:
    path = written(tmp_path, "name\nDvořák\nŁuczak\n".encode("cp1250"))
    options = FileOptions(encoding="windows-1250")
    for table in (open_table(str(path), options=options).whole(), read_table(path, options)):
        assert table.column("name").to_pylist() == ["Dvořák", "Łuczak"]
    assert open_table(str(path), options=options).remarks == ("read as windows-1250",)
    assert open_table(str(path)).whole().column("name").to_pylist() != ["Dvořák", "Łuczak"]


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le"])
def test_utf_16_can_be_said_with_and_without_its_mark(tmp_path: Path, codec: str) -> None:
    path = written(tmp_path, GERMAN.replace(";", "\t").encode(codec), "people.tsv")
    source = open_table(str(path), options=FileOptions(encoding="utf-16"))
    assert source.whole().to_pylist() == PEOPLE


@pytest.mark.parametrize(
    ("said", "content", "rule"),
    [
        ("utf-8", GERMAN.encode("cp1252"), "row 1, column 1 of 2: the text is not UTF-8"),
        (
            "windows-1253",
            b"name\nSecr\xd2t\n",
            "row 1, column 1 of 1: the text is not windows-1253",
        ),
        ("utf-16", b"name\nSecret\n\xff", "the text is not UTF-16"),
    ],
)
def test_a_wrong_encoding_is_refused_with_its_place(
    tmp_path: Path, said: str, content: bytes, rule: str
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(DataError, match=rule) as caught:
        open_table(str(path), options=FileOptions(encoding=said)).whole()
    assert "Secr" not in str(caught.value)


def test_a_delimiter_that_is_said_holds_against_the_detected_one(tmp_path: Path) -> None:
    path = written(tmp_path, b"name;a,b\nAnna;1,2\n")
    assert open_table(str(path), options=FileOptions(delimiter="semicolon")).columns == (
        "name",
        "a,b",
    )
    assert open_table(str(path), options=FileOptions(delimiter="comma")).columns == ("name;a", "b")


def test_mixed_delimiters_are_refused_with_their_row(tmp_path: Path) -> None:
    path = written(tmp_path, b"name;town;zip\nAnna;Graz;8010\nSecret,Wien,1010\n")
    with pytest.raises(DataError, match="row 2: the number of cells is 1, in the header 3") as told:
        open_table(str(path), options=FileOptions(delimiter="semicolon")).whole()
    assert "Secret" not in str(told.value)


def test_an_unknown_option_is_refused_without_repeating_it() -> None:
    for options in ({"encoding": "Secret"}, {"delimiter": "Secret"}):
        with pytest.raises(DataError, match="is not known") as caught:
            FileOptions(**options)
        assert "Secret" not in str(caught.value)


def test_the_sheets_of_a_workbook_are_told(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", Notes=[["a"]], People=[["name"], ["Anna"]], Old=[["b"]])
    sheets = ("Notes", "People", "Old")
    source = open_table(str(path), options=FileOptions(sheet="People"))
    assert source.read_as == FileReading("workbook", sheet="People", sheets=sheets)
    first = open_table(str(path)).read_as
    assert first == FileReading("workbook", sheet="Notes", sheets=sheets)


def test_the_sheets_of_a_workbook_are_told_where_its_first_is_no_table(tmp_path: Path) -> None:
    path = workbook(tmp_path / "book.xlsx", Notes=[], People=[["name"], ["Anna"]])
    with pytest.raises(DataError, match="it is empty"):
        open_table(str(path))
    assert reading_of(path, name="book.xlsx").sheets == ("Notes", "People")


def test_little_is_told_of_what_is_no_workbook(tmp_path: Path) -> None:
    path = written(tmp_path, b"Secret", "book.xlsx")
    assert reading_of(path, name="book.xlsx") == FileReading("workbook")
    assert reading_of(path, name="book.csv") == FileReading("text")
    assert reading_of(path, name="book.parquet") == FileReading("parquet")


@pytest.mark.parametrize("options", [FileOptions(encoding="utf-8"), FileOptions(delimiter="tab")])
def test_options_of_text_are_refused_for_other_files(tmp_path: Path, options: FileOptions) -> None:
    path = workbook(tmp_path / "book.xlsx", People=[["name"], ["Anna"]])
    with pytest.raises(DataError, match="belongs to a text file"):
        open_table(str(path), options=options)


def test_options_fill_up_what_others_leave_open() -> None:
    said = FileOptions(encoding="utf-8").over(FileOptions("windows-1252", "tab", "People"))
    assert said == FileOptions("utf-8", "tab", "People")
