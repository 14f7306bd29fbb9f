"""Workbooks: sheets, dates, numbers, formulas, and what is wrong with them."""

from __future__ import annotations

import signal
import struct
import subprocess
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import xlsxwriter

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.excel import open_excel
from mindfirl.engine.reading.file_options import FileOptions
from mindfirl.engine.reading.open_source import open_table, read_table
from tests.support.bad_files import edited_workbook

HEADER = ["id", "name", "born"]


def workbook(folder: Path, **sheets: list[list[Any]]) -> Path:
    path = folder / "records.xlsx"
    with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd hh:mm"}) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for place, row in enumerate(rows):
                for column, cell in enumerate(row):
                    sheet.write(place, column, cell)
    return path


def rows(path: Path, sheet: str | None = None) -> list[list[str | None]]:
    source = open_table(str(path), options=FileOptions(sheet=sheet or ""))
    return [list(row.values()) for row in source.table(source.columns).to_pylist()]


def test_cells_become_text(tmp_path: Path) -> None:
    path = workbook(
        tmp_path,
        people=[
            [" id ", "name", "born", "weight", "yes"],
            [1, "Zoé", datetime(1964, 8, 9), 60.0, True],
            [],
            [2.0, "007", datetime(1964, 8, 9, 10, 30), 60.25],
            [None, "=1+1", "", 1e-7, False],
        ],
    )
    assert open_table(str(path)).columns == ("id", "name", "born", "weight", "yes")
    assert rows(path) == [
        ["1", "Zoé", "1964-08-09", "60", "True"],
        ["2", "007", "1964-08-09 10:30:00", "60.25", None],
        [None, "0", None, "1e-07", "False"],
    ]
    assert read_table(path).num_rows == 3


def test_a_formula_gives_its_stored_result(tmp_path: Path) -> None:
    path = tmp_path / "records.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_formula(1, 0, "=6*7", None, 42)
        sheet.write_formula(1, 1, "=UPPER(A1)", None, "=cmd")
    assert rows(path) == [["42", "=cmd"]]


def test_the_first_sheet_or_a_named_one(tmp_path: Path) -> None:
    path = workbook(tmp_path, one=[["a"], ["1"]], two=[[], [], ["", "b"], ["", "2"]])
    assert rows(path) == [["1"]]
    assert rows(path, "two") == [["2"]]
    with pytest.raises(DataError, match="none of its 2 sheets"):
        open_table(str(path), options=FileOptions(sheet="Secret"))


def test_many_rows_come_in_batches(tmp_path: Path) -> None:
    path = workbook(tmp_path, one=[HEADER, *([place, "x", None] for place in range(20_000))])
    source = open_table(str(path))
    assert len(list(source.batches(["id"]))) == 2
    assert source.about_rows == 20_000


@pytest.mark.parametrize(
    ("sheet", "rule"),
    [
        ([], "it is empty"),
        ([["a", "", "c"], [1, 2, 3]], "header, column 2 of 3: it has no name"),
        ([["a", "a"], [1, 2]], "header, column 2 of 2: the column has the same name as column 1"),
        ([["a"], [1], [2, "Secret"]], "row 2: a cell is outside the 1 columns of the header"),
        ([[f"c{place}" for place in range(2001)]], "the number of columns is 2,001"),
    ],
)
def test_sheets_that_are_no_table(tmp_path: Path, sheet: list[list[Any]], rule: str) -> None:
    with pytest.raises(DataError, match=rule) as caught:
        rows(workbook(tmp_path, one=sheet))
    assert "Secret" not in str(caught.value)


@pytest.mark.parametrize("rows_above", [0, 1])
def test_a_length_of_time_is_no_value(tmp_path: Path, rows_above: int) -> None:
    path = tmp_path / "records.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "a")
        sheet.write(rows_above, 0, 1.5, book.add_format({"num_format": "[h]:mm"}))
    place = "row 1, column 1 of 1" if rows_above else "header"
    with pytest.raises(DataError, match=rf"records\.xlsx, {place}: a value of type timedelta"):
        rows(path)


def test_a_header_alone_has_no_rows(tmp_path: Path) -> None:
    assert rows(workbook(tmp_path, one=[HEADER])) == []


def test_a_workbook_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path = workbook(tmp_path, one=[["a"], *([place] for place in range(1000))])
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        open_excel(path, most_bytes=1000)


def test_a_sheet_whose_last_cell_is_far_away(tmp_path: Path) -> None:
    path = tmp_path / "records.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "a")
        sheet.write(1_048_575, 16_383, "b")
    with pytest.raises(DataError, match="spans more than 64,000,000 cells"):
        open_table(str(path))


@pytest.mark.parametrize("ending", [".xlsx", ".xls", ".xlsb", ".ods"])
def test_what_is_no_workbook(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"records{ending}"
    for content in (b"", b"Secret", b"PK\x03\x04Secret", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" * 99):
        path.write_bytes(content)
        with pytest.raises(DataError, match="the file is not a workbook, or is damaged") as caught:
            open_table(str(path))
        assert caught.value.__suppress_context__ or caught.value.__context__ is None


def edited(folder: Path, part: str, old: str, new: str) -> Path:
    path = workbook(folder, one=[HEADER, *([place, "Secret", "x"] for place in range(50))])
    content = path.read_bytes()
    path.write_bytes(edited_workbook(content, part, lambda text: text.replace(old, new, 1)))
    return path


@pytest.mark.parametrize(
    ("part", "old", "new"),
    [
        ("xl/worksheets/sheet1", 'r="B9"', "r='XFD1048576'"),
        ("xl/worksheets/sheet1", 'r="B9"', 'r = "XFD1048576"'),
        ("xl/sharedStrings", 'uniqueCount="', 'uniqueCount="99999999999'),
    ],
)
def test_a_workbook_that_ends_its_process(tmp_path: Path, part: str, old: str, new: str) -> None:
    with pytest.raises(DataError) as caught:
        rows(edited(tmp_path, part, old, new))
    assert str(caught.value) == (
        "records.xlsx: the workbook is damaged, or too large to be opened. "
        "Save it again as .xlsx, or as CSV."
    )
    assert caught.value.__suppress_context__


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[subprocess.Popen[bytes]]:
    """List the processes that are started."""
    processes: list[subprocess.Popen[bytes]] = []

    class Listed(subprocess.Popen[bytes]):
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Listed)
    return processes


def long_batches(folder: Path) -> Iterator[pa.RecordBatch]:
    path = workbook(folder, one=[HEADER, *([place, "x" * 99, None] for place in range(40_000))])
    return open_table(str(path)).batches(["id", "name"])


def test_the_process_ends_when_nobody_reads_on(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    batches = long_batches(tmp_path)
    next(batches)
    assert started[-1].poll() is None
    del batches
    assert started[-1].returncode == -signal.SIGKILL


def test_a_process_that_ends_between_rows(
    tmp_path: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    batches = long_batches(tmp_path)
    next(batches)
    started[-1].kill()
    with pytest.raises(DataError, match="damaged, or too large") as caught:
        list(batches)
    assert caught.value.__suppress_context__


def test_the_process_is_told_no_secret(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[subprocess.Popen[bytes]]
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://me:Secret@host/base")
    batches = long_batches(tmp_path)
    next(batches)
    process = Path(f"/proc/{started[-1].pid}")
    assert b"Secret" not in (process / "environ").read_bytes()
    assert b"Max core file size        0                    0" in (process / "limits").read_bytes()
    opened = {str(link.readlink()) for link in (process / "fd").iterdir()}
    assert {name for name in opened if name.startswith("/")} <= {"/dev/null", str(tmp_path)}


def test_the_process_runs_nothing_that_lies_beside_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "python_calamine.py").write_text("raise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert rows(workbook(tmp_path, one=[["a"], ["1"]])) == [["1"]]


def test_a_damaged_workbook(tmp_path: Path) -> None:
    path = workbook(tmp_path, one=[HEADER, [1, "Secret", 2]])
    content = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        at = archive.getinfo("xl/worksheets/sheet1.xml").header_offset
    content[at + 60 : at + 90] = b"\xff" * 30
    path.write_bytes(content)
    with pytest.raises(DataError, match="damaged"):
        rows(path)


def test_a_sheet_of_what_is_no_workbook(tmp_path: Path) -> None:
    (tmp_path / "records.csv").write_text("a\n1\n")
    with pytest.raises(DataError, match="a sheet belongs to a workbook"):
        open_table(str(tmp_path / "records.csv"), options=FileOptions(sheet="one"))
    with pytest.raises(DataError, match="belongs to a database"):
        open_table(str(tmp_path / "records.csv"), table="one")


FREE, END, TABLE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD


def compound_file(stream: str) -> bytes:
    """Make the smallest compound file that names one stream (MS-CFB, version 3)."""

    def entry(name: str, kind: int, child: int) -> bytes:
        text = name.encode("utf-16-le") + b"\0\0"
        numbers = (len(text), kind, 1, FREE, FREE, child, b"", 0, 0, 0, END, 0)
        return text.ljust(64, b"\0") + struct.pack("<HBBIII16sIQQIQ", *numbers)

    sign = bytes.fromhex("d0cf11e0a1b11ae1")
    sizes = (0x3E, 3, 0xFFFE, 9, 6, b"", 0, 1, 1, 0, 4096, END, 0, END, 0)
    header = struct.pack("<8s16sHHHHH6sIIIIIIIII109I", sign, b"", *sizes, 0, *[FREE] * 108)
    unused = bytes(68) + struct.pack("<III", FREE, FREE, FREE) + bytes(48)
    entries = entry("Root Entry", 5, 1) + entry(stream, 2, FREE) + 2 * unused
    return header + struct.pack("<128I", TABLE, END, *[FREE] * 126) + entries


def test_a_workbook_with_a_password(tmp_path: Path) -> None:
    path = tmp_path / "records.xlsx"
    path.write_bytes(compound_file("EncryptedPackage"))
    with pytest.raises(DataError, match="protected by a password"):
        open_table(str(path))


NAMES = "urn:oasis:names:tc:opendocument:xmlns"
OPEN_DOCUMENT = (
    f'<?xml version="1.0"?><office:document-content xmlns:office="{NAMES}:office:1.0"'
    f' xmlns:table="{NAMES}:table:1.0" xmlns:text="{NAMES}:text:1.0">'
    '<office:body><office:spreadsheet><table:table table:name="one">{rows}</table:table>'
    "</office:spreadsheet></office:body></office:document-content>"
)


def repeated_row(times: int, *cells: tuple[int, str]) -> str:
    inside = "".join(
        f'<table:table-cell table:number-columns-repeated="{wide}" {cell}</table:table-cell>'
        for wide, cell in cells
    )
    return f'<table:table-row table:number-rows-repeated="{times}">{inside}</table:table-row>'


def text_cell(text: str) -> tuple[int, str]:
    return 1, f'office:value-type="string"><text:p>{text}</text:p>'


BLANK = ">"
DAY = 'office:value-type="date" office:date-value="1964-08-09">'
ONE = 'office:value-type="float" office:value="1">'


def open_document(folder: Path, *, blank: int, filled: int, wide: int) -> Path:
    path = folder / "records.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", '<?xml version="1.0"?><manifest/>')
        lines = [
            repeated_row(1, text_cell("name"), text_cell("born")),
            repeated_row(1, text_cell("Zoé"), (1, DAY)),
            repeated_row(blank, (wide, BLANK)),
            repeated_row(filled, (wide, ONE)),
        ]
        archive.writestr("content.xml", OPEN_DOCUMENT.format(rows="".join(lines)))
    return path


def test_an_open_document(tmp_path: Path) -> None:
    path = open_document(tmp_path, blank=1000, filled=1, wide=2)
    assert rows(path) == [["Zoé", "1964-08-09"], ["1", "1"]]


def test_an_open_document_that_repeats_itself_beyond_measure(tmp_path: Path) -> None:
    path = open_document(tmp_path, blank=1, filled=1_000_000, wide=16_384)
    with pytest.raises(DataError, match="is damaged"):
        open_table(str(path))
