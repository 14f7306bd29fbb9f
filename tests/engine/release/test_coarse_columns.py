"""Quasi-identifiers, coarsened."""

from __future__ import annotations

import numpy as np
import pytest

from mindfirl.core.errors import DataError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.engine.release.coarse_columns import coarse, coarse_name, coarsenable, ways_to_coarsen
from mindfirl.engine.schema.schema_files.schema_file import Coarsening
from mindfirl.engine.schema.schema_files.schema_parser import parse_schema

DATES = CleanColumn(["", "1964-08-09", "1971", "1958-03"], np.array([1, 0, 2, 3, 1]))
CODES = CleanColumn(["", "16408", "22885", "9"], np.array([1, 2, 0, 3, 1]))


@pytest.mark.parametrize(
    ("column", "how", "kept"),
    [
        (DATES, "decade", ["1960s", None, "1970s", "1950s", "1960s"]),
        (DATES, "year", ["1964", None, "1971", "1958", "1964"]),
        (DATES, "month", ["1964-08", None, None, "1958-03", "1964-08"]),
        (CODES, 3, ["164", "228", None, "9", "164"]),
        (CODES, 1, ["1", "2", None, "9", "1"]),
    ],
)
def test_a_part_is_kept(column: CleanColumn, how: Coarsening, kept: list[str | None]) -> None:
    assert coarse("it", column, how).to_pylist() == kept


def test_what_would_leave_most_values_whole_is_refused() -> None:
    short = CleanColumn(["", "123", "1234"], np.array([1, 1, 2]))
    with pytest.raises(DataError, match="column zip: Most values would stay whole") as error:
        coarse("zip", short, 3)
    assert "123" not in str(error.value)
    assert coarse("zip", short, 2).to_pylist() == ["12", "12", "12"]
    assert coarse("zip", CleanColumn([""], np.array([0, 0])), 3).to_pylist() == [None, None]


def test_only_quasi_identifiers_that_are_no_categories_can_be() -> None:
    kinds = {"fixed": "zip", "string": "street", "date": "born", "category": "sex"}
    attributes = [
        f'[[attribute]]\nname = "{name}"\nkind = "{kind}"\nrole = "quasi-identifier"'
        for kind, name in kinds.items()
    ]
    schema = parse_schema(
        "\n".join([*attributes, '[[attribute]]\nname = "number"\nkind = "fixed"']), "x"
    )
    assert coarsenable(schema) == {
        "zip": (1, 2, 3, 4),
        "street": (1, 2, 3, 4),
        "born": ("year", "month", "decade"),
    }
    assert ways_to_coarsen("category") == ()
    assert coarse_name("zip", 3) == "zip_3"
