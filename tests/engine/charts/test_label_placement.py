"""Words beside marks: inside the picture, off each other, and off lines where there is room."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.engine.charts.chart import HEIGHT, WIDTH, Label, LabelledPoint, labels_beside

WORDS = ["all masked", "all partial", "differing cells full", "all full"]
places = st.tuples(st.floats(0, WIDTH), st.floats(0, HEIGHT))


def overlap(one: Label, other: Label) -> bool:
    return one.left < other.right and other.left < one.right and abs(one.down - other.down) < 14


@given(st.lists(places, min_size=4, max_size=4), st.lists(places, max_size=6))
def test_words_stay_inside_and_off_each_other(
    marked: list[tuple[float, float]], line: list[tuple[float, float]]
) -> None:
    marks = [LabelledPoint(words, *place) for words, place in zip(WORDS, marked, strict=True)]
    found = labels_beside(marks, [line])
    assert [label.words for label in found] == WORDS
    for label in found:
        assert 0 <= label.left < label.right <= WIDTH
        assert 6 <= label.down <= HEIGHT - 6
    assert not any(overlap(*two) for two in combinations(found, 2))


@pytest.mark.parametrize("down", [60, 110, 160])
def test_words_step_off_a_line_that_goes_through_below_their_mark(down: float) -> None:
    line = [(0.0, down + 14), (float(WIDTH), down + 14)]
    (label,) = labels_beside([LabelledPoint("all full", 400, down)], [line])
    assert abs(label.down - (down + 14)) > 10
    assert abs(label.down - down) <= 16, "as near as can be"


def test_words_stand_below_their_mark_where_nothing_is() -> None:
    (label,) = labels_beside([LabelledPoint("all full", 400, 100)], [])
    assert (label.left + label.right) / 2 == pytest.approx(400)
    assert label.down == 116
    assert label.left < 400 < label.right


def test_too_many_marks_for_the_room_still_have_words() -> None:
    marks = [LabelledPoint("words", 400, 110)] * 90
    assert len(labels_beside(marks, [])) == 90
