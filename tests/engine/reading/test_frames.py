"""Data frames of any make give the same population."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import mindfirl as mf
from mindfirl.core.errors import DataError, EmptyPopulation

SCHEMA = mf.Schema(
    [
        mf.Attribute("name", "string"),
        mf.Attribute("born", "date"),
        mf.Attribute("number", "fixed"),
        mf.Attribute("sex", "category"),
    ]
)
COLUMNS: dict[str, list[Any]] = {
    "name": ["Mary", "Mark", None, "Zoé"],
    "born": [date(1964, 8, 9), None, date(1964, 9, 8), date(1970, 1, 1)],
    "number": [123, 132, None, 123],
    "sex": ["F", "M", "F", None],
    "ignored": [[1], [2], [3], [4]],
}
ROWS = [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)]


def pandas_frame() -> pd.DataFrame:
    frame = pd.DataFrame(COLUMNS).drop(columns="ignored")
    frame["born"] = pd.to_datetime(frame["born"])
    frame["sex"] = pd.Categorical(frame["sex"])
    return frame


FRAMES = {
    "dicts": lambda: ROWS,
    "generator": lambda: iter(ROWS),
    "polars": lambda: pl.DataFrame(COLUMNS).with_columns(pl.col("sex").cast(pl.Categorical)),
    "pandas": pandas_frame,
    "pyarrow": lambda: pa.table(COLUMNS),
    "chunks": lambda: pa.concat_tables([pa.table(COLUMNS).slice(at, 1) for at in range(4)]),
    "duckdb": lambda: duckdb.from_arrow(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("make", FRAMES.values(), ids=FRAMES)
def test_every_frame_gives_the_same_population(make: Any) -> None:
    population = mf.Population(SCHEMA, make())
    assert len(population) == 4
    shown = [
        {name: cell.show("full") for name, cell in population.differences(pair).items()}
        for pair in (population.pair(0, 1), population.pair(2, 3))
    ]
    assert shown == [
        {
            "name": ("Mary", "Mark"),
            "born": ("08/09/1964", ""),
            "number": ("123", "132"),
            "sex": ("F", "M"),
        },
        {
            "name": ("", "Zoé"),
            "born": ("09/08/1964", "01/01/1970"),
            "number": ("", "123"),
            "sex": ("F", ""),
        },
    ]
    assert population.k(population.pair(0, 2), {"number": "full", "sex": "full"}) == (1, 1)


def test_mappings_and_frames_give_one_canonical_form() -> None:
    zone = pd.to_datetime(["1964-08-09", "1964-08-10"]).tz_localize("Europe/Berlin")
    columns: dict[str, list[Any]] = {
        "flag": [True, False],
        "big": [1e20, 12345678901234567.0],
        "small": [1.5e-7, -0.0],
        "born": list(zone),
    }
    schema = mf.Schema([mf.Attribute(name, "string") for name in columns])
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    shown = []
    for records in (rows, pd.DataFrame(columns)):
        population = mf.Population(schema, records)
        cells = population.differences(population.pair(0, 1))
        shown.append({name: cells[name].show("full") for name in ("flag", "big", "small")})
        assert cells["born"].show("full")[0].startswith("1964-08-09")
    assert shown[0] == shown[1]


def test_a_frame_that_lacks_a_column() -> None:
    with pytest.raises(DataError, match="column born: this required column is missing"):
        mf.Population(SCHEMA, pl.DataFrame({"name": ["Mary"], "number": ["1"]}))


def test_a_column_of_lists() -> None:
    schema = mf.Schema([mf.Attribute("ignored", "string")])
    with pytest.raises(DataError, match="column ignored: the column is of a type that is neither"):
        mf.Population(schema, pa.table({"ignored": COLUMNS["ignored"]}))


@pytest.mark.parametrize(
    ("cells", "texts"),
    [
        (
            pa.array([0, -372000000000000001], pa.timestamp("ns")),
            ("1970-01-01", "1958-03-19 10:39"),
        ),
        (pa.array([0, 86_400], pa.timestamp("s", tz="UTC")), ("1970-01-01", "1970-01-02")),
        (pa.array([1.0, 2.5]), ("1", "2.5")),
        (pa.array([float("nan"), 1e9]), ("", "1000000000")),
        (pa.array([True, None]), ("True", "")),
        (pa.array(["x", None], pa.string_view()), ("x", "")),
    ],
)
def test_typed_columns_become_text(cells: pa.Array, texts: tuple[str, str]) -> None:
    schema = mf.Schema([mf.Attribute("a", "string")])
    population = mf.Population(schema, pa.table({"a": cells}))
    shown = population.differences(population.pair(0, 1))["a"].show("full")
    assert all(full.startswith(text) for full, text in zip(shown, texts, strict=True))


NOT_UTF8 = [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([10**8], pa.date32()),
        pa.array([2**62], pa.timestamp("us")),
        pa.Array.from_buffers(pa.string(), 1, NOT_UTF8),
        pa.array([b"Secret"]),
        pa.array([1], pa.duration("s")),
    ],
    ids=["date", "timestamp", "text", "binary", "duration"],
)
def test_columns_that_cannot_be_text(cells: pa.Array) -> None:
    schema = mf.Schema([mf.Attribute("a", "string")])
    with pytest.raises(DataError, match="column a: the column"):
        mf.Population(schema, pa.table({"a": cells}))


def test_frames_that_cannot_be_read() -> None:
    schema = mf.Schema([mf.Attribute("a", "string")])
    mixed = pd.DataFrame({"a": ["x"], "b": [5]}).astype(object)
    mixed.loc[1] = ["y", "Secret"]
    twice = pd.DataFrame([["x", "y"]], columns=["a", "a"])
    for frame in (mixed, twice):
        with pytest.raises(DataError, match="the data frame cannot be read") as caught:
            mf.Population(schema, frame)
        assert "Secret" not in str(caught.value)
        assert caught.value.__suppress_context__
    doubled = pa.table([pa.array(["x"]), pa.array(["y"])], names=["a", "a"])
    with pytest.raises(DataError, match="column a: this required column appears twice"):
        mf.Population(schema, doubled)
    with pytest.raises(DataError, match="collect a lazy frame"):
        mf.Population(schema, pl.LazyFrame({"a": ["x"]}))  # type: ignore[arg-type]


def test_an_empty_frame() -> None:
    for table in (pa.table(COLUMNS).slice(0, 0), pa.table(COLUMNS).schema.empty_table()):
        with pytest.raises(EmptyPopulation):
            mf.Population(SCHEMA, table)


def test_importing_the_library_loads_no_data_frames_and_no_framework() -> None:
    heavy = "django duckdb pandas polars pyarrow click rich"
    code = (
        "import sys, mindfirl as mf;"
        "mf.Population(mf.Schema([mf.Attribute('a', 'string')]), [{'a': 'x'}]);"
        f"print([name for name in {heavy!r}.split() if name in sys.modules])"
    )
    done = subprocess.run(  # our own interpreter, our own code
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
