"""One row for each person: databases listed, the surest way told, values by the chosen rule."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.engine.release.person_rows import SEVERAL, Several, by_person
from mindfirl.engine.release.table import (
    CERTAINTY,
    DATABASE,
    LINKED,
    PERSON,
    RECORDS,
    Release,
)

ROWS = [
    # person, database, linked, records, certainty, dx, stage
    ("b", "register", "automatic", "4", ">= 0.99", "C50", None),
    ("a", "clinic", "single", "1", "single", None, "II"),
    ("b", "clinic", "reviewed", "4", ">= 0.99", "A10", "IV"),
    ("b", "register", "automatic", "4", ">= 0.99", "C50", None),
    ("c", "clinic", "automatic", "2", "below 0.9", "E11", "I"),
    ("b", "clinic", "automatic", "4", ">= 0.99", None, "IV"),
    ("c", "register", "automatic", "2", "below 0.9", "I10", "II"),
]
NAMES = (PERSON, DATABASE, LINKED, RECORDS, CERTAINTY, "dx", "stage")
RECORDS_OF_ROWS = [11, 12, 13, 14, 15, 16, 17]


def made() -> Release:
    columns = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    table = pa.table({name: pa.array(cells, pa.large_string()) for name, cells in columns.items()})
    numbers = pa.array([row[0] for row in ROWS])
    return Release(table, (), ("dx", "stage"), numbers, np.array(RECORDS_OF_ROWS))


def test_each_person_has_one_row_in_the_order_of_their_first_records() -> None:
    found = by_person(made(), "all")
    columns = found.table.to_pydict()
    assert columns[PERSON] == ["b", "a", "c"]
    assert columns[RECORDS] == ["4", "1", "2"]
    assert columns[CERTAINTY] == [">= 0.99", "single", "below 0.9"]
    assert found.records.tolist() == [11, 12, 15]


def test_databases_are_listed_once_each_and_people_go_before_the_machine() -> None:
    columns = by_person(made(), "agreed").table.to_pydict()
    assert columns[DATABASE] == ["clinic; register", "clinic", "clinic; register"]
    assert columns[LINKED] == ["reviewed", "single", "automatic"]


VALUES: dict[Several, tuple[list[str | None], list[str | None]]] = {
    "all": (["A10 | C50", None, "E11 | I10"], ["IV", "II", "I | II"]),
    "agreed": ([None, None, None], ["IV", "II", None]),
    "commonest": (["C50", None, None], ["IV", "II", None]),
}


@pytest.mark.parametrize("several", SEVERAL)
def test_several_values_become_one_by_the_rule(several: Several) -> None:
    columns = by_person(made(), several).table.to_pydict()
    assert (columns["dx"], columns["stage"]) == VALUES[several]
