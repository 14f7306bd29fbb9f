"""Distinct values, counted; of very many, a sample that stands for all."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mindfirl.engine.schema.contents import MOST_VALUES, ColumnContents, column_contents
from mindfirl.engine.schema.profile import profile_column


def contents(cells: list[str | None]) -> ColumnContents:
    return column_contents(pa.chunked_array([cells], pa.string()), database="file", column="x")


def test_few_values_are_all_there() -> None:
    held = contents(["b", " b ", "", None, "  ", "a"])
    assert dict(held.weighted()) == {"b": 2, "a": 1}
    assert (held.rows, held.filled, held.distinct, held.sampled) == (6, 3, 2, False)
    assert held.share(lambda value: value == "b") == pytest.approx(2 / 3)
    assert contents([]).share(bool) == 0


def test_a_sample_stands_for_all() -> None:
    many = [f"{'x' if at % 4 else 'y'}{at}" for at in range(100_000)]
    held = contents([*many, *["999999999"] * 50_000])
    assert (held.filled, held.distinct) == (150_000, 100_001)
    assert len(held.values) == len(set(held.values)) == MOST_VALUES
    assert sum(held.weights) == pytest.approx(150_000)
    assert held.share(lambda value: value == "999999999") == pytest.approx(1 / 3)
    assert held.share(lambda value: value[0] == "y") == pytest.approx(1 / 6, abs=0.01)
    again = contents([*many, *["999999999"] * 50_000])
    assert again.values == held.values


def test_a_rare_shape_is_not_shown_for_what_it_stands_for() -> None:
    numbers = [f"{at:06}" for at in range(200_000)] * 2
    rare = [f"{'-' * (at % 30)}{'.' * (at // 30)}" for at in range(1, 300)]
    found = profile_column(pa.chunked_array([[*numbers, *rare]]), "file", "number")
    assert found.shapes == ("999999",)


def test_figures_from_a_sample_are_said_to_be_about() -> None:
    cells = [f"A{at}" for at in range(30_000)] + ["999999999"] * 70
    found = profile_column(pa.chunked_array([cells]), "file", "number")
    assert found.warnings == ("about 70 values will be taken for missing",)
