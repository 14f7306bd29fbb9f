"""Headers that are none: the first person's values must not become names of columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.open_source import open_table, read_table
from mindfirl.engine.reading.source import TableSource, check_names, checked_header


@pytest.mark.parametrize(
    ("header", "rule"),
    [
        ([], "people: it is empty"),
        (["a", "Sec\0ret"], "people, header, column 2 of 2: .* NUL"),
        (["Secret" * 40], "people, header, column 1 of 1: the name has more than 200 characters"),
        (["x"] * 2_001, "people: the number of columns is 2,001, more than 2,000"),
    ],
)
def test_headers_that_are_none(header: list[str], rule: str) -> None:
    with pytest.raises(DataError, match=rule) as caught:
        checked_header(header, "people")
    assert "Secret" not in str(caught.value)


VALUES = [
    "1950-01-31",
    " 31.01.1950",
    "1/31/1950",
    "01/1950",
    "19500131",
    "1950-01-31 00:00:00",
    "31/01/50",
    "078051120",
    "078-05-1120",
    "+44 20 7946 0018",
    "AB123456C",
    "12345",
    "٠٧٨٠٥",
]


@pytest.mark.parametrize("value", VALUES)
def test_a_value_is_no_name(value: str, tmp_path: Path) -> None:
    sentence = "header, column 2 of 3: the name looks like a value. "
    (tmp_path / "people.csv").write_text(f"Secret,{value},C50\nZoe,x,y\n", encoding="utf-8")
    pa.parquet.write_table(
        pa.table({"Secret": ["a"], value: ["b"], "C50": ["c"]}), tmp_path / "people.parquet"
    )
    for name in ("people.csv", "people.parquet"):
        for read in (lambda path: open_table(str(path)), read_table):
            with pytest.raises(DataError) as caught:
                read(tmp_path / name)
            expected = f"{name}, {sentence}Put a header above the first record."
            assert str(caught.value) == expected


@pytest.mark.parametrize(
    "name", ["2020", "q12", "icd10", "1234", "visit_20200131", "zip5", "birth 2020-01", "=1+1", ""]
)
def test_names_with_digits(name: str) -> None:
    assert checked_header([f" {name}"], "people") == (name,)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("first,sex\nZoe,F\nAda,M\nFirst,F\n", "row 3, column 1 of 2"),
        ("Secret,F\nAda,M\nZoe, f \n", "row 2, column 2 of 2"),
        ("a\n1\nA\n", "row 2, column 1 of 1"),
        ("straße\nx\nSTRAßE\n", "row 2, column 1 of 1"),
        ("ÉTAT\n.\n\N{NO-BREAK SPACE}état\n", "row 2, column 1 of 1"),
    ],
)
def test_a_name_that_stands_among_its_cells(content: str, place: str, tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(content, encoding="utf-8")
    source = open_table(str(path))
    with pytest.raises(DataError) as caught:
        source.table(source.columns)
    assert str(caught.value) == (
        f"people.csv, {place}: the cell equals the name of its column: the header is missing or "
        f"repeated. Put one header above the first record. If the cell is right, rename the column."
    )
    with pytest.raises(DataError, match="equals the name of its column"):
        read_table(path)


def test_a_name_that_begins_its_cells(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a.c,b,\nabc,bb,\na.cd,a.c,\n", encoding="utf-8")
    assert read_table(path).num_rows == 2


def test_every_column_has_a_name_of_its_own() -> None:
    check_names(["a", "b"], "people")
    with pytest.raises(DataError, match="people, header, column 2 of 2: it has no name"):
        check_names(["a", ""], "people")
    with pytest.raises(DataError, match=r"column 3 of 3: .* same name as column 1"):
        check_names(["a", "b", "a"], "people")


def source_of(*batches: list[str | None] | Exception) -> TableSource:
    def read(_places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            if isinstance(batch, Exception):
                raise batch
            yield pa.record_batch([pa.array(batch, pa.string())], names=["0"])

    return TableSource("people", ("name",), read)


def test_rows_are_counted_over_all_batches() -> None:
    with pytest.raises(DataError, match=r"people, row 4, column 1 of 1: .* NUL"):
        source_of(["a", None], ["b", "Sec\0ret"]).table(["name"])


def test_a_part_of_a_batch_is_judged_by_itself() -> None:
    whole = pa.record_batch([pa.array(["a\0", "b"])], names=["0"])
    source = TableSource("people", ("name",), lambda _places: iter([whole.slice(1)]))
    assert source.table(["name"]).to_pydict() == {"name": ["b"]}


@pytest.mark.parametrize(
    "error", [OSError("Secret"), ValueError("Secret"), pa.ArrowInvalid("Secret")]
)
def test_what_a_reader_did_not_foresee_is_said_in_our_words(error: Exception) -> None:
    with pytest.raises(DataError, match="people: it cannot be read to its end") as caught:
        source_of(["a"], error).table(["name"])
    assert "Secret" not in str(caught.value)
    assert caught.value.__suppress_context__
