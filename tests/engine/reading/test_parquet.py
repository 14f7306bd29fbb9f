"""Parquet: typed columns become the text that the rest of the engine would make of them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.core.values.standardise import text_of
from mindfirl.engine.reading import frames
from mindfirl.engine.reading.frames import open_parquet
from mindfirl.engine.reading.open_source import open_table

MOMENTS = st.datetimes(datetime(1800, 1, 1), datetime(2100, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
) | st.dates(date(1800, 1, 1), date(2100, 1, 1)).map(
    lambda day: datetime(day.year, day.month, day.day)
)
TYPES: dict[pa.DataType, st.SearchStrategy[Any]] = {
    pa.int8(): st.integers(-128, 127),
    pa.int64(): st.integers(-(2**63), 2**63 - 1),
    pa.uint64(): st.integers(0, 2**64 - 1),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats() | st.integers(-(10**6), 10**6).map(float),
    pa.decimal128(12, 3): st.decimals(-(10**6), 10**6, places=3),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(),
    pa.date64(): st.dates(),
    pa.time32("s"): st.times().map(lambda time: time.replace(microsecond=0)),
    pa.timestamp("ms"): MOMENTS,
    pa.timestamp("us", tz="Europe/Paris"): MOMENTS.map(lambda moment: moment.replace(tzinfo=UTC)),
    pa.string(): st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    pa.large_string(): st.sampled_from(["Zoé", "", "NA"]),
    pa.string_view(): st.sampled_from(["Zoé", "", "NA"]),
    pa.dictionary(pa.int32(), pa.string()): st.sampled_from(["Zoé", "", "NA"]),
    pa.null(): st.none(),
}


@st.composite
def columns(draw: st.DrawFn) -> pa.ChunkedArray:
    kind = draw(st.sampled_from(list(TYPES)))
    chunks = st.lists(st.lists(TYPES[kind] | st.none(), max_size=8), min_size=1, max_size=3)
    return pa.chunked_array([pa.array(cells, kind) for cells in draw(chunks)], kind)


@given(columns())
def test_text_is_what_the_frames_and_the_core_make(
    tmp_path_factory: pytest.TempPathFactory, cells: pa.ChunkedArray
) -> None:
    path = tmp_path_factory.getbasetemp() / "typed.parquet"
    pa.parquet.write_table(pa.table({"a": cells}), path, row_group_size=5)
    raw = frames.raw_column(pa.parquet.read_table(path).column("a"))
    expected = [text_of(raw.distinct[code]) for code in raw.codes]
    found = open_table(str(path)).table(["a"]).column("a")
    assert found.type == pa.string()
    assert found.fill_null("").to_pylist() == expected
    assert found.null_count >= cells.null_count


def written(folder: Path, table: pa.Table) -> str:
    path = folder / "records.parquet"
    pa.parquet.write_table(table, path, row_group_size=1000)
    return str(path)


def test_columns_are_pruned_and_rows_stream(tmp_path: Path) -> None:
    ids = list(range(5000))
    path = written(tmp_path, pa.table({"id": ids, " list ": [[1]] * 5000, "born": ["x"] * 5000}))
    source = open_table(path)
    assert source.columns == ("id", "list", "born")
    batches = list(source.batches(["born", "id"]))
    assert len(batches) >= 1
    assert [cell for batch in batches for cell in batch.column("id").to_pylist()] == [
        str(each) for each in ids
    ]
    with pytest.raises(DataError, match="neither text nor number nor date"):
        source.table(["list"])


def test_wide_rows_come_in_small_batches(tmp_path: Path) -> None:
    notes = [f"{place}{'x' * 50_000}" for place in range(600)]
    source = open_table(written(tmp_path, pa.table({"notes": notes})))
    assert max(batch.num_rows for batch in source.batches(["notes"])) <= 170


@pytest.mark.parametrize(
    ("table", "rule"),
    [
        (pa.table({"a": ["x", "Sec\0ret"]}), "row 2, column 1 of 1: .* NUL"),
        (pa.table({"a": ["x" * 1_000_001]}), "row 1, column 1 of 1: .* 1,000,000 characters"),
        (
            pa.table([["x"], ["y"]], names=["a", "a "]),
            "column 2 of 2: .* the same name",
        ),
        (pa.table({"a": [timedelta(1)]}), "neither text nor number nor date"),
        (pa.table({"a": pa.array([b"Secret\xff"]).view(pa.string())}), "text that is not UTF-8"),
        (pa.table({"a": [b"Secret"]}), "neither text nor number nor date"),
        (pa.table({}), "it is empty"),
    ],
)
def test_what_no_table_of_people_holds(tmp_path: Path, table: pa.Table, rule: str) -> None:
    path = written(tmp_path, table)
    with pytest.raises(DataError, match=rule) as caught:
        open_table(path).table([name.strip() for name in table.column_names])
    assert "Secret" not in str(caught.value)


def test_letters_of_many_bytes_are_counted_as_letters(tmp_path: Path) -> None:
    source = open_table(written(tmp_path, pa.table({"a": ["é" * 600_000]})))
    assert source.table(["a"]).num_rows == 1


def test_a_file_that_unpacks_to_too_much(tmp_path: Path) -> None:
    path = written(tmp_path, pa.table({"a": [Decimal("1.5")] * 10_000}))
    with pytest.raises(DataError, match=r"unpacks to more than 100 bytes"):
        open_parquet(Path(path), most_bytes=100)


@pytest.mark.parametrize("keep", [0, 4, 100, -9, -1])
def test_a_damaged_file(tmp_path: Path, keep: int) -> None:
    path = Path(written(tmp_path, pa.table({"a": ["Secret"] * 100})))
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match="not Parquet, is encrypted, or is damaged") as caught:
        open_table(str(path))
    assert caught.value.__suppress_context__


def test_damage_in_the_middle_is_found_when_it_is_read(tmp_path: Path) -> None:
    path = Path(written(tmp_path, pa.table({"a": ["Secret"] * 100})))
    content = bytearray(path.read_bytes())
    content[4:30] = b"\xff" * 26
    path.write_bytes(content)
    with pytest.raises(DataError, match="damaged"):
        open_table(str(path)).table(["a"])
