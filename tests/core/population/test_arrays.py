"""An index as plain arrays, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given

import mindfirl as mf
from mindfirl.core.errors import EmptyPopulation, IndexBroken
from mindfirl.core.population.arrays import arrays_digest, dump_index, restore_index, tabulated
from mindfirl.core.population.index import build_index, index_columns
from mindfirl.core.risk import kapr
from mindfirl.core.values.clean import clean
from mindfirl.core.values.column_values import CleanColumn, raw_columns
from mindfirl.core.values.schema import Attribute, Schema
from tests.support.core_worlds import Case, cases

SCHEMA = Schema(
    [Attribute("name", "string"), Attribute("born", "date"), Attribute("sex", "category")]
)
RECORDS: list[dict[str, object]] = [
    {"name": "Mary", "born": "08/09/1964", "sex": "F"},
    {"name": "Zoe\u0323\u0301", "born": "1964", "sex": "Female"},
    {"name": "日本", "born": None, "sex": "F"},
    {"name": "\ud800x", "born": "08/1964", "sex": None},
]


def columns() -> dict[str, CleanColumn]:
    raw = raw_columns(SCHEMA.names, RECORDS)
    return {
        each.name: clean(raw[each.name], each.kind, SCHEMA.settings, None, order=None)
        for each in SCHEMA.attributes
    }


def same(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    return list(ours) == list(theirs) and all(
        ours[name].dtype == theirs[name].dtype and np.array_equal(ours[name], theirs[name])
        for name in ours
    )


@given(cases())
def test_a_restored_index_answers_as_the_first(case: Case) -> None:
    arrays = dump_index(case.index)
    again = restore_index(case.schema, arrays)
    assert same(dump_index(again), arrays)
    for position in range(case.index.size):
        assert again.record(position) == case.index.record(position)
    for seen in case.views():
        for accounting in ("paper", "strict"):
            ways: Any = {"kappa": case.kappa, "accounting": accounting}
            assert kapr.next_steps(again, seen, **ways) == kapr.next_steps(case.index, seen, **ways)
        assert again.differences(seen.pair) == case.index.differences(seen.pair)


def test_arrays_need_no_index() -> None:
    arrays = tabulated(SCHEMA, columns())
    built = build_index(SCHEMA, raw_columns(SCHEMA.names, RECORDS))
    assert same(arrays, dump_index(built))
    assert same(arrays, dump_index(restore_index(SCHEMA, arrays)))
    assert same(arrays, dump_index(index_columns(SCHEMA, columns())))
    names = ["".join(restore_index(SCHEMA, arrays).record(at)[0].reveal()) for at in range(4)]
    assert names == ["Mary", "Zo\u1eb9\u0301", "日本", "\ud800x"]


def test_the_digest_is_that_of_everything() -> None:
    arrays = tabulated(SCHEMA, columns())
    first = arrays_digest(arrays, SCHEMA)
    assert len(first) == 64
    assert first == arrays_digest(dict(reversed(arrays.items())), SCHEMA)
    turned = {name: np.asfortranarray(array) for name, array in arrays.items()}
    assert first == arrays_digest(turned, SCHEMA)
    later = mf.Schema(SCHEMA.attributes, latest_year=2026)
    renamed = {f"1{name}": array for name, array in arrays.items()}
    wider = {name: array.astype(np.uint64) for name, array in arrays.items()}
    flat = {name: array.reshape(-1) for name, array in arrays.items()}
    others = [
        arrays_digest(arrays, later),
        *(arrays_digest(each, SCHEMA) for each in (renamed, wider, flat)),
    ]
    for name, array in arrays.items():
        if array.size:
            changed = array.copy()
            changed.flat[0] ^= 1
            others.append(arrays_digest({**arrays, name: changed}, SCHEMA))
    assert len({first, *others}) == len(others) + 1


NUMBERS = np.array([0, 0, 0, 0], dtype=np.uint8)


@pytest.mark.parametrize(
    ("name", "array", "reason"),
    [
        ("0.codes", None, "an array is missing"),
        ("0.codes", NUMBERS.astype(float), "wrong type"),
        ("0.codes", NUMBERS.reshape(2, 2), "wrong type"),
        ("0.codes", NUMBERS[:0], "a value that is not there"),
        ("0.codes", NUMBERS[:3], "different numbers of records"),
        ("0.codes", NUMBERS + 9, "a value that is not there"),
        ("0.others", np.array([0x110001, 0x110000], np.uint32), "a character is not there"),
        ("0.others", np.array([0x1EB9], np.uint32), "a character is not there"),
        ("0.others", NUMBERS[:0].astype(np.uint32), "a character is not there"),
        ("0.letters.0", None, "the missing value is not there"),
        ("0.letters.0", NUMBERS.reshape(1, 4)[:0], "the missing value is not there"),
        ("0.letters.4", NUMBERS.reshape(2, 2), "not as long as they should be"),
        ("0.letters.4", np.full((4, 1), 128, np.uint8), "a character is not there"),
        ("0.letters.x", NUMBERS, "a length is not a number"),
        ("0.letters.04", NUMBERS, "a length is not a number"),
        ("1.letters.5", np.full((5, 1), 48, np.uint8), "too long or too short for a date"),
        ("3.codes", NUMBERS, "belong to no attribute"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(name: str, array: Any, reason: str) -> None:
    arrays = {**tabulated(SCHEMA, columns()), name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(IndexBroken, match=reason):
        restore_index(SCHEMA, arrays)


def test_an_index_of_no_records_is_none() -> None:
    empty = CleanColumn([""], np.array([], dtype=np.int64))
    with pytest.raises(EmptyPopulation):
        index_columns(SCHEMA, dict.fromkeys(SCHEMA.names, empty))
