"""A record is found by its id, in the database that is meant."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.pairs.record_ids import NO_DATABASE, NO_RECORD, SEVERAL, RecordIds

IDS = st.text("ab", max_size=2)


def ids_of(**databases: list[str]) -> RecordIds:
    return RecordIds.of({name: pa.table({"#record": ids}) for name, ids in databases.items()})


TWO = ids_of(a=["x", "y"], b=["y", "z", "w"])


@given(
    st.lists(st.lists(IDS, unique=True, min_size=1), min_size=1, max_size=4),
    st.lists(st.tuples(IDS, st.sampled_from(["d0", "d1", "d2", "d3"])), max_size=6),
)
def test_records_are_those_that_looking_at_all_would_find(
    databases: list[list[str]], asked: list[tuple[str, str]]
) -> None:
    known = ids_of(**{f"d{number}": ids for number, ids in enumerate(databases)})
    everyone = [(f"d{number}", each) for number, ids in enumerate(databases) for each in ids]
    ids = pa.array([each for each, _ in asked], pa.string())
    found = known.positions(ids, pa.array([name for _, name in asked], pa.string()))
    for (each, name), position in zip(asked, found.tolist(), strict=True):
        missing = NO_RECORD if name in known.names else NO_DATABASE
        assert position == (everyone.index((name, each)) if (name, each) in everyone else missing)
    for (each, _), position in zip(asked, known.positions(ids).tolist(), strict=True):
        places = [place for place, (_, other) in enumerate(everyone) if other == each]
        assert position == (places[0] if len(places) == 1 else SEVERAL if places else NO_RECORD)


def test_one_record() -> None:
    assert [TWO.position(name, "y") for name in ("a", "b", "c", None)] == [1, 2, None, None]
    assert TWO.position(None, " z ") == 3


def test_a_missing_id_or_database_is_not_found() -> None:
    nothing = pa.chunked_array([pa.array([None, "x"], pa.string())])
    assert TWO.positions(nothing, default="a").tolist() == [NO_RECORD, 0]
    assert TWO.positions(pa.array(["x", "x"]), nothing).tolist() == [NO_DATABASE, NO_DATABASE]
    assert TWO.positions(pa.array(["x"]), default="elsewhere").tolist() == [NO_DATABASE]


@pytest.mark.parametrize(
    ("names", "homes"), [("a", ("a", "a")), ("ab", ("a", "b")), ("abc", (None, None))]
)
def test_where_the_sides_of_a_pair_are_looked_up(names: str, homes: tuple[str, str]) -> None:
    known = ids_of(**{name: ["x"] for name in names})
    assert (known.home(0), known.home(1)) == homes


def test_the_database_of_a_position() -> None:
    assert TWO.starts.tolist() == [0, 2]
    assert TWO.databases_of(np.arange(5)).tolist() == [0, 0, 1, 1, 1]


def test_records_of_databases_that_know_everybody_once() -> None:
    assert TWO.alone(["b"]).tolist() == [-1, -1, 1, 1, 1]
    assert TWO.alone([]).tolist() == [-1] * 5
