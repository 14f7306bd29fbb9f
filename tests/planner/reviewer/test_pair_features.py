"""What pairs tell in any population: nothing that a person who sees them could not know."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindfirl.core.population.index import PopulationIndex, build_index
from mindfirl.core.values.column_values import raw_columns
from mindfirl.core.values.schema import FULL, MASKED, PARTIAL, Attribute, Schema
from mindfirl.planner.reviewer.cell_features import NAMES, WIDTH
from mindfirl.planner.reviewer.pair_features import Looks, References, look_at, state_rows

ATTRIBUTES = [
    Attribute("name", "string"),
    Attribute("born", "date"),
    Attribute("number", "fixed"),
    Attribute("group", "category"),
]
SCHEMA = Schema(ATTRIBUTES, case="upper")
BANDED = Schema([Attribute("name", "string", frequency=True), *ATTRIBUTES[1:]], case="upper")
COUNTED = [NAMES.index(name) for name in ("commoner", "rarer")]

Record = dict[str, str]

records = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["", "Mary", "Mark", "Maria", "Bob", "Robert", "Zoe Jr", "Zoe"]),
        "born": st.sampled_from(["", "01/01/1970", "08/09/1964", "09/08/1964", "1964"]),
        "number": st.sampled_from(["", "11111", "12345", "54321", "54322"]),
        "group": st.sampled_from(["", "A", "B"]),
    }
)
crowds = st.lists(records, max_size=12)


def _index(people: Sequence[Record], schema: Schema = SCHEMA) -> PopulationIndex:
    return build_index(schema, raw_columns(schema.names, people))


def _looks(people: Sequence[Record], schema: Schema = SCHEMA) -> Looks:
    """Look at the first two."""
    return look_at(_index(people, schema), np.array([0]), np.array([1]))


def _equal(one: NDArray[Any], other: NDArray[Any]) -> bool:
    return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")


@given(records, records, crowds, crowds)
def test_other_people_change_at_most_how_common_names_and_groups_are(
    first: Record, second: Record, crowd: list[Record], other: list[Record]
) -> None:
    found, twin = (_looks([first, second, *people]) for people in (crowd, other))
    for level in (MASKED, PARTIAL):
        assert _equal(found.tells[:, :, level], twin.tells[:, :, level])
    assert _equal(found.appearance, twin.appearance)
    assert _equal(found.coarse, twin.coarse)
    assert _equal(found.shows, twin.shows)
    for name in ("born", "number"):
        place = SCHEMA.place(name)
        assert _equal(found.tells[:, place, FULL], twin.tells[:, place, FULL])
    without = [np.delete(each.tells[:, :, FULL], COUNTED, axis=-1) for each in (found, twin)]
    assert _equal(*without)


@given(records, records, st.integers(1, 3))
def test_how_many_records_a_person_has_is_not_told(
    first: Record, second: Record, repeats: int
) -> None:
    """At most five hold a name: fewer than a person would call common."""
    once, often = (_looks([first, second, *[first] * times]) for times in (0, repeats))
    places = [SCHEMA.place(name) for name in ("name", "born", "number")]
    assert _equal(once.tells[:, places], often.tells[:, places])


def test_common_names_are_told_in_steps() -> None:
    someone = {"name": "Mary", "born": "08/09/1964", "number": "12345", "group": "A"}
    other = someone | {"name": "Mark"}
    told = {
        size: _looks([someone, other, *[someone] * (size - 1)]).tells[0, 0, FULL, COUNTED]
        for size in (1, 5, 6, 20, 21, 100, 101, 500, 501)
    }
    assert [int(commoner) for commoner, _ in told.values()] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert {int(rarer) for _, rarer in told.values()} == {0}


@given(records, records, crowds)
def test_exchanging_two_records_changes_nothing(
    first: Record, second: Record, crowd: list[Record]
) -> None:
    found, exchanged = (_looks([*two, *crowd]) for two in ((first, second), (second, first)))
    assert _equal(found.tells, exchanged.tells)
    assert _equal(found.appearance, exchanged.appearance)


def test_cells_that_look_the_same_have_one_appearance_whatever_they_hide() -> None:
    seen = [
        {"name": "Mary", "born": "08/09/1964", "number": "12345", "group": "A"},
        {"name": "Mark", "born": "08/09/1965", "number": "12354", "group": "A"},
    ]
    twins = [
        {"name": "Lydy", "born": "11/12/1984", "number": "67890", "group": "B"},
        {"name": "Lydk", "born": "11/12/1985", "number": "67809", "group": "B"},
    ]
    found, other = (_looks([*people, *seen, *twins]) for people in (seen, twins))
    assert _equal(found.appearance[:, :, MASKED], other.appearance[:, :, MASKED])
    assert _equal(found.tells[:, :, MASKED], other.tells[:, :, MASKED])
    assert not _equal(found.tells[:, :, FULL], other.tells[:, :, FULL])
    assert not _equal(found.appearance[:, :1], _looks([seen[0], seen[0]]).appearance[:, :1])


def test_bands_are_told_masked_where_cells_show_them() -> None:
    someone = {"name": "Mary", "born": "", "number": "", "group": ""}
    crowd = [someone, someone | {"name": "Mark"}, *[someone] * 10]
    place = NAMES.index("commoner band")
    assert np.isnan(_looks(crowd).tells[0, 0, :, place]).all()
    shown = _looks(crowd, BANDED).tells[0, 0, :, place]
    assert (shown == 2).all()  # the third band, common, at every level


def test_a_state_takes_each_cell_at_its_level() -> None:
    seen = {"name": "Mary", "born": "08/09/1964", "number": "12345", "group": "A"}
    looks = _looks([seen, seen | {"name": "Mark", "number": "54321"}])
    levels = np.array([[FULL, MASKED, PARTIAL, MASKED]])
    (row,) = state_rows(looks.tells, levels)
    for place, level in enumerate(levels[0].tolist()):
        cell = row[place * WIDTH : (place + 1) * WIDTH]
        assert _equal(cell, looks.tells[0, place, level])


def test_attributes_that_were_not_looked_at_tell_nothing() -> None:
    seen = {"name": "Mary", "born": "08/09/1964", "number": "12345", "group": "A"}
    looks = _looks([seen, seen | {"name": "Mark"}])
    spread = looks.spread([1, 3, 4, 5], 6)
    assert _equal(spread.tells[:, [1, 3, 4, 5]], looks.tells)
    assert np.isnan(spread.tells[:, [0, 2]]).all()
    assert not spread.shows[:, [0, 2]].any()


LEVELS = 3


def test_where_no_labelled_pair_looks_the_same_nothing_is_imagined() -> None:
    tells = np.zeros((4, 2, LEVELS, WIDTH), dtype=np.float32)
    references = References(tells, ({}, {}))
    different, same = references.like(0, 0, 1, 2)
    both = np.concatenate((different, same))
    assert len(both) == 0
    now = np.zeros((2, WIDTH), dtype=np.float32)
    assert references.imagined(now, (0,), 2, both).shape == (0, 2 * WIDTH)
    assert references.imagined(now, (0,), 2, np.array([3, 1])).shape == (2, 2 * WIDTH)
