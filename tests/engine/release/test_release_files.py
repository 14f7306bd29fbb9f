"""A release as a file, and what a file holds."""

from __future__ import annotations

from io import BytesIO

import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis.strategies import characters, lists, none, text, tuples

from mindfirl.core.errors import DataError
from mindfirl.engine.pairs.record_ids import RecordIds
from mindfirl.engine.release.release_files import FORMS, Form, contents, write, write_labels

NAMES = ("person", "a note", 'of "x", y')
cells = text(characters(exclude_categories=["Cs"])) | none()
rows = lists(tuples(cells, cells, cells), max_size=8)


def written(columns: dict[str, list[str | None]], form: Form) -> bytes:
    file = BytesIO()
    write(
        pa.table({name: pa.array(each, pa.large_string()) for name, each in columns.items()}),
        file,
        form,
    )
    return file.getvalue()


def read(data: bytes, form: Form) -> list[tuple[str, ...]]:
    found = contents(BytesIO(data), form)
    return [found.names, *(row for batch in found.batches for row in zip(*batch, strict=True))]


@pytest.mark.parametrize("form", FORMS)
@given(rows)
def test_any_text_reads_back_as_it_was(form: Form, rows: list[tuple[str | None, ...]]) -> None:
    columns = {name: [row[place] for row in rows] for place, name in enumerate(NAMES)}
    expected = [NAMES, *(tuple(cell or "" for cell in row) for row in rows)]
    assert read(written(columns, form), form) == expected


@pytest.mark.parametrize("form", FORMS)
def test_line_ends_and_long_cells_read_back_as_they_were(form: Form) -> None:
    cells = ["a\rb", "a\nb", "a\r\nb", "\r", "x" * 200_000]
    assert read(written({"a": [*cells]}, form), form) == [("a",), *((cell,) for cell in cells)]


def test_csv_is_utf_8_with_the_line_ends_of_rfc_4180() -> None:
    data = written({"a": ["é", "-3.5", None], "b": ['say "x"', "1,2", "=1+1"]}, "csv")
    assert data == 'a,b\r\né,"say ""x"""\r\n-3.5,"1,2"\r\n,=1+1\r\n'.encode()


@pytest.mark.parametrize("form", FORMS)
def test_a_data_frame_library_reads_it(form: Form) -> None:
    data = written({"a": ["é", "two\r\nlines"], "b": ["x", None]}, form)
    frame = pl.read_csv(BytesIO(data)) if form == "csv" else pl.read_parquet(BytesIO(data))
    assert frame.to_dict(as_series=False) == {"a": ["é", "two\r\nlines"], "b": ["x", None]}


def test_nothing_but_the_columns_comes_along() -> None:
    table = pa.table({"a": ["x"]}).replace_schema_metadata({"pandas": "Miller"})
    file = BytesIO()
    write(table, file, "parquet")
    assert b"Miller" not in file.getvalue()


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"", "csv"),
        (b"a,b\r\nx\r\n", "csv"),
        (b"a,b\r\nx,y\r\nx\r\n", "csv"),
        (b"a,b\r\nx,y\r\nx,y,z\r\n", "csv"),
        (b'a,b\r\nx,"y', "csv"),
        (b"a,b\r\nx,\xff\r\n", "csv"),
        (b"", "parquet"),
        (b"PAR1 and then nothing", "parquet"),
        (written({"a": ["x"] * 99}, "parquet")[:-20], "parquet"),
    ],
)
def test_a_broken_file_is_refused(data: bytes, form: Form) -> None:
    with pytest.raises(DataError, match=r"cannot be read back\. Make the release again"):
        read(data, form)


@pytest.mark.parametrize("form", FORMS)
def test_the_file_stays_open(form: Form) -> None:
    file = BytesIO()
    write(pa.table({"a": ["x"]}), file, form)
    assert list(contents(file, form).batches) == [[["x"]]]
    assert not file.closed


def test_labels_name_databases_and_ids_as_splink_wants_them() -> None:
    records = RecordIds({"a": pa.array(["x,1", 'y"2']), "b": pa.array(["1", "2", "3"])})
    file = BytesIO()
    write_labels(file, records, [(0, 2, 1.0), (1, 4, 0.0), (2, 3, 0.5)])
    assert file.getvalue().decode().split("\r\n") == [
        "source_dataset_l,unique_id_l,source_dataset_r,unique_id_r,clerical_match_score",
        'a,"x,1",b,1,1',
        'a,"y""2",b,3,0',
        "b,1,b,2,0.5",
        "",
    ]
