"""What a drawn cell tells: what can be seen of it, the same from both sides, and nothing hidden."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.display.cells import cell, shown_positions
from mindfirl.core.display.compare import Difference, Relation, compare
from mindfirl.core.values.schema import FULL, LEVELS, MASKED, PARTIAL, Kind, Settings, Value
from mindfirl.core.values.standardise import characters
from mindfirl.planner.reviewer.cell_features import BLOCKS, NAMES, VALUES, WIDTH, sight

SETTINGS = Settings()
LETTERS = "ABCDEILMNORSTUY"
DIGITS = "0123456789"
DATES = ("", "1964", "1964-08", "1970-01-01", "1964-08-09", "1964-09-08", "1965-08-09")

Texts = tuple[Kind, str, str]


@st.composite
def pairs(draw: st.DrawFn) -> Texts:
    """Two values of one kind: any two, or one and what a slip makes of it."""
    kind: Kind = draw(st.sampled_from(("string", "fixed", "date", "category")))
    if kind == "date":
        one, other = (draw(st.dates().map(str) | st.sampled_from(DATES)) for _ in range(2))
        return kind, one, draw(st.sampled_from((one, other)))
    if kind == "category":
        group = st.sampled_from(("", "F", "M", "OTHER"))
        return kind, draw(group), draw(group)
    alphabet = DIGITS if kind == "fixed" else LETTERS + "- "
    one, other = (draw(st.text(alphabet, max_size=9)).strip() for _ in range(2))
    place = draw(st.integers(0, max(len(one) - 1, 0)))
    here, after = one[place : place + 1], one[place + 1 :]
    slips = (other[:1] + after, after[:1] + here + after[1:], after, here + here + after, here)
    return kind, one, draw(st.sampled_from((other, one, *(one[:place] + slip for slip in slips))))


def _differ(kind: Kind, one: str, other: str) -> Difference:
    first, second = (Value(characters(text, kind, SETTINGS.date_order)) for text in (one, other))
    return compare(kind, first, second, SETTINGS)


def _tells(difference: Difference, level: int) -> dict[str, float]:
    found = sight(cell(difference, LEVELS[level]), difference.kind, SETTINGS.date_order)
    assert len(found) == WIDTH
    return dict(zip(NAMES, found, strict=True))


def _known(found: dict[str, float]) -> dict[str, float | None]:
    """Return it so that it can be compared: what is not there is equal to what is not there."""
    return {name: None if math.isnan(value) else value for name, value in found.items()}


def _read(kind: Kind, one: str, other: str, level: int = FULL) -> dict[str, float]:
    return _tells(_differ(kind, one, other), level)


@given(pairs(), st.permutations(LETTERS), st.permutations(DIGITS))
def test_other_letters_behind_the_masks_change_nothing(
    texts: Texts, letters: list[str], digits: list[str]
) -> None:
    kind, one, other = texts
    difference = _differ(kind, one, other)
    for level in (MASKED, PARTIAL):
        seen = {
            difference.sides[row].value.reveal()[place]
            for row in (0, 1)
            for place in shown_positions(difference, level, row)
        }
        renamed = _rename(LETTERS, letters, seen) | _rename(DIGITS, digits, seen)
        table = str.maketrans(renamed)
        twin = _differ(kind, one.translate(table), other.translate(table))
        alike = cell(twin, LEVELS[level]) == cell(difference, LEVELS[level])
        assert not alike or _known(_tells(twin, level)) == _known(_tells(difference, level))
        # A date is read as one: other digits may mean other marks, which can be seen.
        assert alike or kind == "date"


def _rename(alphabet: str, order: list[str], kept: set[str]) -> dict[str, str]:
    """Exchange the letters of an alphabet among themselves, but for some."""
    free = [letter for letter in alphabet if letter not in kept]
    return dict(zip(free, (letter for letter in order if letter not in kept), strict=True))


@given(pairs())
def test_exchanging_the_rows_changes_nothing(texts: Texts) -> None:
    kind, one, other = texts
    for level in (MASKED, PARTIAL, FULL):
        found, exchanged = (_read(kind, *each, level) for each in ((one, other), (other, one)))
        assert _known(found) == _known(exchanged)


@given(pairs())
def test_what_a_level_does_not_show_is_absent(texts: Texts) -> None:
    difference = _differ(*texts)
    for level in (MASKED, PARTIAL, FULL):
        found = list(_tells(difference, level).values())
        for block in BLOCKS[level + 1 :]:
            assert all(math.isnan(value) for value in found[block])
        assert not math.isnan(found[NAMES.index("relation")])
    masked, partial = (_known(_tells(difference, level)) for level in (MASKED, PARTIAL))
    assert difference.relation is Relation.EDITED or partial == masked


@given(pairs())
def test_a_higher_level_tells_all_that_a_lower_one_did(texts: Texts) -> None:
    difference = _differ(*texts)
    masked, partial, full = (_known(_tells(difference, level)) for level in range(3))
    marks = NAMES[BLOCKS[0]][1:]
    assert {masked[name] for name in marks} == {full[name] for name in marks}
    if difference.relation is not Relation.EDITED:
        return
    seen = (*marks, *NAMES[BLOCKS[1]])
    assert [partial[name] for name in seen] == [full[name] for name in seen]


@pytest.mark.parametrize(
    ("kind", "one", "other", "told"),
    [
        ("string", "MARY", "MART", {"next keys": 1, "far letters": 0, "substitutions": 1}),
        ("string", "MARI", "MARE", {"like sounds": 1, "next keys": 0, "far letters": 0}),
        ("string", "MARY", "MARB", {"like sounds": 0, "next keys": 0, "far letters": 1}),
        ("string", "MARY", "MRAY", {"transpositions": 1, "first edit": 1, "last edit": 1}),
        ("string", "MILLER", "MILLER JR", {"junior": 1, "gaps": 3, "spaces": 0}),
        ("string", "MILLER", "MIL LER", {"junior": 0, "gaps": 1, "spaces": 1}),
        ("fixed", "12345", "12395", {"largest step": 5, "next keys": 0}),
        ("date", "1964-08-09", "1965-08-09", {"years apart": 1, "months apart": 0}),
        ("date", "1964-08-09", "1965-08-09", {"differing parts": 1, "year edits": 1}),
        ("date", "1964-08-09", "1964-09-08", {"exchanged": 1, "year edits": 0}),
    ],
)
def test_characters_that_differ_tell(
    kind: Kind, one: str, other: str, told: dict[str, float]
) -> None:
    for level in (PARTIAL, FULL):
        found = _read(kind, one, other, level)
        assert {name: found[name] for name in told} == told


@pytest.mark.parametrize(
    ("kind", "one", "other", "told"),
    [
        ("string", "BOB", "ROBERT", {"short form": 1, "initials": 0, "common beginning": 0}),
        ("string", "BERTA", "ROBERT", {"short form": 0, "sounds": 0}),
        ("string", "SMITH", "SMYTHE", {"sounds": 1, "initials": 1, "common beginning": 2}),
        ("string", "MILLER", "MILLER-ANSON", {"shared word": 1}),
        ("string", "MILLER", "ANSON", {"shared word": 0}),
        ("fixed", "123456789", "564738291", {"placeholder": 1}),
        ("fixed", "111111111", "564738291", {"placeholder": 1}),
        ("fixed", "564738291", "564738390", {"placeholder": 0, "number apart": 2}),
        ("date", "1970-01-01", "1964-08-09", {"placeholder": 1}),
        ("date", "1970-01-11", "1964-08-09", {"placeholder": 0}),
    ],
)
def test_values_that_can_be_read_tell(
    kind: Kind, one: str, other: str, told: dict[str, float]
) -> None:
    found = _read(kind, one, other)
    assert {name: found[name] for name in told} == told
    for level in (MASKED, PARTIAL):
        assert all(math.isnan(_read(kind, one, other, level)[name]) for name in VALUES)


def test_how_common_values_are_is_told_without_saying_whose_is_which() -> None:
    drawn = cell(_differ("string", "SMITH", "ZUBROWSKI"), "full")
    found = [
        dict(zip(NAMES, sight(drawn, "string", "mdy", commonness=bands), strict=True))
        for bands in ((4, 0), (0, 4))
    ]
    assert _known(found[0]) == _known(found[1])
    assert (found[0]["commoner"], found[0]["rarer"]) == (4, 0)
