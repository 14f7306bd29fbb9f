"""Files of records, sound and broken."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.open_source import read_table, take_column


def written(folder: Path, content: bytes, name: str = "records.csv") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        (b"a,b\n1,02\n", [{"a": "1", "b": "02"}]),
        (b"\xef\xbb\xbfa,b\r\n1,02\r\n", [{"a": "1", "b": "02"}]),
        (b"a,b\n\n1,\n\n", [{"a": "1", "b": ""}]),
        (b"a\n1\n\n2\n", [{"a": "1"}, {"a": ""}, {"a": "2"}]),
        (b'a,b\n"x,\n""y""",NA\n', [{"a": 'x,\n"y"', "b": "NA"}]),
        (b"a,b\n", []),
        ("a\nZoé\n".encode(), [{"a": "Zoé"}]),
        (b"a;b\n1;0,5\n2;1,5\n", [{"a": "1", "b": "0,5"}, {"a": "2", "b": "1,5"}]),
        (b"a\tb\n1\t2\n", [{"a": "1", "b": "2"}]),
        (b"a,b", []),
        (b" a , b\n1,2\n", [{"a": "1", "b": "2"}]),
    ],
)
def test_csv_is_read_as_text(tmp_path: Path, content: bytes, rows: list[dict[str, str]]) -> None:
    assert read_table(written(tmp_path, content)).to_pylist() == rows


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", r"records\.csv: the file is empty"),
        (b"\n\n", r"records\.csv: the first line is blank"),
        (
            b"a,b\n1,2\nSecret,2,3\n",
            r"records\.csv, row 2: the number of cells is 3, in the header 2",
        ),
        (b"a,b\n1,2\nSecret\n", r"records\.csv, row 2: the number of cells is 1, in the header 2"),
        (b"a,b\n1,2\n3,Secret\xff\n", r"records\.csv, row 2, column 2 of 2: the text is not UTF-8"),
        (b"Secret\xff,b\n1,2\n", r"records\.csv, header, column 1 of 2: the text is not UTF-8"),
        (b'a,b\n"Secret,2\n', r"records\.csv, row 1: a quote is opened and never closed"),
        (
            b"a,b\n1,2\n" + b"x" * 9_000_000 + b",2\n",
            r"records\.csv, row 2, column 1 of 2: .* 1,000,000 characters",
        ),
        (b"x" * 9_000_000 + b",2\n", r"records\.csv, header, column 1 of 2: the cell has more"),
        (b"a,b\n\n\n1,2\nSecret\n", r"records\.csv, row 2: the number of cells"),
    ],
)
def test_broken_csv_says_where_and_why_without_the_value(
    tmp_path: Path, content: bytes, message: str
) -> None:
    with pytest.raises(DataError, match=message) as caught:
        read_table(written(tmp_path, content))
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_parquet_keeps_its_types(tmp_path: Path) -> None:
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    path = tmp_path / "records.parquet"
    pa.parquet.write_table(table, path)
    assert read_table(path).equals(table)


def test_broken_parquet(tmp_path: Path) -> None:
    path = written(tmp_path, b"PAR1 Secret", "records.parquet")
    with pytest.raises(DataError, match="not Parquet, is encrypted, or is damaged"):
        read_table(path)


def test_paths_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, rule in {
        "folder.csv": "this is not a file",
        "a" * 300 + ".csv": "cannot be opened",
        "nul\0.csv": "the file does not exist",
    }.items():
        with pytest.raises(DataError, match=rule):
            read_table(tmp_path / name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the file does not exist"):
        read_table(tmp_path / "nobody.csv")


def test_a_kind_of_file_that_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"ends in \.csv, \.tsv, .* or \.ods"):
        read_table(written(tmp_path, b"x", "records.docx"))


def test_a_file_that_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "loop.csv"
    (tmp_path / "records").mkdir()
    path.symlink_to("/proc/self/mem")
    with pytest.raises(DataError, match="cannot be opened"):
        read_table(path)


@pytest.mark.parametrize(("column", "rule"), [("c", "is missing"), ("b", "appears twice")])
def test_needed_columns(tmp_path: Path, column: str, rule: str) -> None:
    path = written(tmp_path, b"a,b,b\n1,2,3\n")
    with pytest.raises(DataError, match=rf"records\.csv, column {column}: .*{rule}"):
        take_column(read_table(path), column, file=path.name, mend="")


def test_a_needed_column_that_is_almost_there(tmp_path: Path) -> None:
    path = written(tmp_path, b"Name\nAnn\n")
    with pytest.raises(DataError, match="one differs only in case or spaces"):
        take_column(read_table(path), "name", file=path.name, mend="")
