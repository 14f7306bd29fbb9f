"""Comparison and alignment: laws on generated strings, and each relation by example."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

import mindfirl as mf
from mindfirl.core.display import alignment
from mindfirl.core.display.alignment import Mark, align
from mindfirl.core.display.compare import Relation, compare_records
from mindfirl.core.values.schema import DATE_ORDERS, DATE_SWAPS, Attribute, Kind, Schema, Value
from mindfirl.library import Difference
from tests.conftest import Figure
from tests.support.naive_compare import chosen
from tests.support.proof import EXAMPLES, prove

MARKS = {
    "match": Mark.SAME,
    "transposition": Mark.TRANSPOSED,
    "substitution": Mark.SUBSTITUTED,
    "gap": Mark.GAP,
}


def chosen_marks(ours: str, theirs: str) -> tuple[list[Mark], list[Mark]] | None:
    """The marks of the alignment that the definition takes, by brute force."""
    _, columns = chosen(ours, theirs)
    if columns is None:
        return None
    return (
        [MARKS[name] for name, down, _ in columns for _ in range(down)],
        [MARKS[name] for name, _, along in columns for _ in range(along)],
    )


SHORT = st.text(alphabet="abc", max_size=5)
WORDS = st.text(alphabet="abcdeéλ", max_size=12)


@pytest.mark.proof
def test_alignment_is_the_one_of_the_definition(figure: Figure) -> None:
    def check(values: tuple[str, str]) -> None:
        assert align(*values, OSA.distance(*values)) == chosen_marks(*values)

    unequal = st.tuples(SHORT, SHORT).filter(lambda values: values[0] != values[1])
    prove("alignment equals brute force", unequal, check, figure, examples=EXAMPLES // 2)


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["string", "fixed"])
def test_distance_is_osa(kind: Kind, figure: Figure) -> None:
    def check(values: tuple[str, str]) -> None:
        assert mf.compare(*values, kind=kind).distance == OSA.distance(*values)

    prove(f"distance is OSA, {kind}", st.tuples(WORDS, WORDS), check, figure)


def facts(cell: Difference) -> tuple[object, ...]:
    """What must not depend on the letters."""
    return cell.levels, cell.marks, cell.distance, cell.disclosed("partial")


def edited_pairs() -> st.SearchStrategy[tuple[str, str]]:
    """Two words of which the second often comes from the first by a few edits."""

    @st.composite
    def build(draw: st.DrawFn) -> tuple[str, str]:
        word = draw(WORDS)
        other = list(word)
        for _ in range(draw(st.integers(0, 4))):
            place = draw(st.integers(0, len(other)))
            edit = draw(st.sampled_from(["insert", "delete", "substitute", "transpose"]))
            letter = draw(st.sampled_from("abcdeéλ"))
            if edit == "insert":
                other.insert(place, letter)
            elif edit == "delete":
                del other[place : place + 1]
            elif edit == "substitute":
                other[place : place + 1] = [letter]
            else:
                other[place : place + 2] = other[place : place + 2][::-1]
        return word, "".join(other)

    return build()


@pytest.mark.proof
@pytest.mark.parametrize("kind", ["string", "fixed", "category"])
def test_laws_of_comparison(kind: Kind, figure: Figure) -> None:
    def check(drawn: tuple[tuple[str, str], list[str]]) -> None:
        (first, second), letters = drawn
        cell = mf.compare(first, second, kind=kind)
        assert mf.compare(first, second, kind=kind) == cell, "deterministic"

        mirrored = mf.compare(second, first, kind=kind)
        assert mirrored.levels == cell.levels
        assert mirrored.marks == cell.marks
        flipped = [row.translate(str.maketrans("@&", "&@")) for row in cell.show("masked")]
        assert mirrored.show("masked") == (flipped[1], flipped[0])
        assert mirrored.show("full") == cell.show("full")[::-1]
        for level in cell.levels:
            assert mirrored.disclosed(level) == cell.disclosed(level)[::-1]
        for level in ("partial", "full") if "partial" in cell.levels else ():
            assert mirrored.show(level) == cell.show(level)[::-1]

        renamed = str.maketrans("abcdeéλ", "".join(letters))
        other = mf.compare(first.translate(renamed), second.translate(renamed), kind=kind)
        assert facts(other) == facts(cell)
        assert other.show("masked") == cell.show("masked")
        if cell.levels != ("masked", "partial", "full"):
            return
        renamed_rows = tuple(row.translate(renamed) for row in cell.show("partial"))
        assert other.show("partial") == renamed_rows

    drawn = st.tuples(edited_pairs(), st.permutations("abcdeéλ"))
    prove(f"laws of comparison, {kind}", drawn, check, figure)


@pytest.mark.proof
def test_laws_of_comparing_dates(figure: Figure) -> None:
    digits = st.text(alphabet="0123456789", min_size=8, max_size=8)

    def written(digits: list[str], parts: int) -> str:
        """Write year, month and day, or only the first of them, in the ISO way."""
        text = "".join(digits)
        return "-".join([text[:4], text[4:6], text[6:]][:parts])

    @st.composite
    def dates(draw: st.DrawFn) -> tuple[str, str, dict[str, Any]]:
        first = list(draw(digits))
        second = list(first)
        for _ in range(draw(st.integers(0, 3))):
            second[draw(st.integers(0, 7))] = draw(st.sampled_from("0123456789"))
        if draw(st.booleans()):
            second[4:] = [*second[6:], *second[4:6]]
        parts = st.sampled_from([3, 3, 3, 2, 1])
        settings = {
            "date_order": draw(st.sampled_from(DATE_ORDERS)),
            "date_swap": draw(st.sampled_from(DATE_SWAPS)),
            "date_limit": draw(st.sampled_from([3, 3, 2, 4])),
        }
        return written(first, draw(parts)), written(second, draw(parts)), settings

    def check(drawn: tuple[tuple[str, str, dict[str, Any]], list[str]]) -> None:
        (first, second, settings), permuted = drawn
        cell = mf.compare(first, second, kind="date", **settings)
        mirrored = mf.compare(second, first, kind="date", **settings)
        flipped = [row.translate(str.maketrans("@&", "&@")) for row in cell.show("masked")]
        assert mirrored.show("masked") == (flipped[1], flipped[0])
        assert mirrored.levels == cell.levels
        for level in cell.levels:
            assert mirrored.disclosed(level) == cell.disclosed(level)[::-1]
            assert level == "masked" or mirrored.show(level) == cell.show(level)[::-1]
        renamed = str.maketrans("0123456789", "".join(permuted))
        other = mf.compare(
            first.translate(renamed), second.translate(renamed), kind="date", **settings
        )
        assert other.show("masked") == cell.show("masked")
        assert facts(other) == facts(cell)
        for (shown, length), row in zip(
            cell.disclosed("partial"), cell.show("partial"), strict=True
        ):
            assert sum(character.isdigit() for character in row) == shown <= length

    drawn = st.tuples(dates(), st.permutations("0123456789"))
    prove("laws of comparison, date", drawn, check, figure)


def test_mirror_images_are_too_different() -> None:
    assert align("121", "212", 2) is None
    cell = mf.compare("121", "212", kind="string", string_limit=1)
    assert cell.levels == ("masked", "full")


def test_very_long_and_very_different_values_are_not_aligned() -> None:
    long = "ab" * 2_000
    edited = "x" * 500 + long[500:]
    assert mf.compare(long, edited, kind="string").marks == ("different",)
    assert mf.compare(long, long[:-1] + "x", kind="string").marks == ("substitution",)


def test_limits_are_settings() -> None:
    assert "partial" not in mf.compare("abcd", "abef", kind="string", string_limit=0.4).levels
    assert "partial" in mf.compare("abcd", "abef", kind="string").levels
    assert "partial" not in mf.compare("1234567891", "1234500000", kind="fixed").levels
    assert "partial" in mf.compare("1234567890", "1234506789", kind="fixed").levels
    assert "partial" in mf.compare("12345", "12678", kind="fixed", fixed_limit="3/5").levels
    dates = ("01/02/1990", "03/04/1990")
    assert "partial" in mf.compare(*dates, kind="date").levels
    assert "partial" not in mf.compare(*dates, kind="date", date_limit=2).levels
    assert "partial" in mf.compare("01/02/1990", "03/05/1991", kind="date", date_limit=4).levels


def test_fixed_strings_of_different_length_are_too_different() -> None:
    assert mf.compare("123456789", "12345678", kind="fixed").marks == ("different",)


def test_month_and_day_that_agree_are_not_exchanged() -> None:
    cell = mf.compare("08/08/1964", "08/08/1965", kind="date", date_swap="fields")
    assert cell.show("masked") == ("**/**/***@", "**/**/***&")


def test_distance_of_dates() -> None:
    def distance(first: str, second: str) -> int:
        return mf.compare(first, second, kind="date").distance

    assert distance("08/09/1964", "09/08/1964") == 1
    assert distance("08/09/1964", "09/08/1965") == 2
    assert distance("12/28/1950", "12/28/1905") == 1
    assert distance("12/28/1950", "11/28/1951") == 2
    assert distance("1964", "08/09/1964") == 4
    assert distance("", "08/09/1964") == 8


def test_long_values_that_differ_little_are_aligned_in_little_memory() -> None:
    middle = "a" * 9_000
    cell = mf.compare(f"x{middle}y", f"z{middle}w", kind="string")
    assert cell.disclosed("partial") == ((2, 9_002), (2, 9_002))


def test_the_limit_of_work_is_the_same_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alignment, "MOST_WORK", 20_000)  # the same of shorter values
    first, second = "a" + "c" * 60 + "b" * 110, "d" + "b" * 110
    levels = [
        mf.compare(*values, kind="string").levels for values in ((first, second), (second, first))
    ]
    assert levels[0] == levels[1]


def test_date_parts() -> None:
    too_far = mf.compare("01/02/1990", "03/05/1991", kind="date")
    assert too_far.show("masked") == ("@@/@@/@@@@", "&&/&&/&&&&")
    swapped_and_year = mf.compare("08/09/1964", "09/08/1965", kind="date")
    assert swapped_and_year.show("partial") == ("*8/*9/***4", "*9/*8/***5")
    never_across_parts = mf.compare("01/12/1990", "02/11/1990", kind="date")
    assert never_across_parts.show("masked") == ("*@/*@/****", "*&/*&/****")
    leftmost_first = mf.compare("01/01/1212", "01/01/2122", kind="date")
    assert leftmost_first.show("masked") == ("**/**/@&@*", "**/**/&@&*")


def test_years_of_two_digits_are_read_up_to_the_latest_year() -> None:
    found = mf.compare("04/07/76", "04/07/1976", kind="date", latest_year=2026)
    assert found.marks == ("identical",)


def test_date_orders_of_display() -> None:
    values = ("1964-08-09", "1964-08-19")
    assert mf.compare(*values, kind="date").show("masked") == ("**/@*/****", "**/&*/****")
    dmy = mf.compare(*values, kind="date", date_order="dmy")
    assert dmy.show("masked") == ("@*/**/****", "&*/**/****")
    ymd = mf.compare(*values, kind="date", date_order="ymd")
    assert ymd.show("full") == ("1964/08/09", "1964/08/19")


def test_dates_with_missing_parts() -> None:
    year_only = mf.compare("1964", "08/09/1964", kind="date")
    assert year_only.marks == ("missing",)
    assert year_only.show("masked") == ("****", "**/**/****")
    assert year_only.levels == ("masked", "full")
    month = mf.compare("05/1964", "08/09/1964", kind="date")
    assert month.show("partial") == ("*5/****", "*8/**/****")
    assert month.marks == ("substitution", "missing")
    assert month.disclosed("partial") == ((1, 6), (1, 8))
    assert mf.compare("1964", "08/09/1965", kind="date").marks == ("different",)
    assert mf.compare("1964", "1965", kind="date").show("partial") == ("***4", "***5")


def swap(left: tuple[str, str], right: tuple[str, str]) -> tuple[Relation, Relation]:
    schema = Schema(
        [Attribute("first", "string"), Attribute("last", "string")], swap_groups=[("first", "last")]
    )
    cells = compare_records(schema, [*map(Value, left)], [*map(Value, right)])
    return cells[0].relation, cells[1].relation


def test_swapped_attributes() -> None:
    assert swap(("Ann", "Lee"), ("Lee", "Ann")) == (Relation.SWAPPED, Relation.SWAPPED)
    assert swap(("Ann", "Lee"), ("Lee", "Anna")) == (Relation.DIFFERENT, Relation.DIFFERENT)
    assert swap(("Lee", "Lee"), ("Lee", "Lee")) == (Relation.IDENTICAL, Relation.IDENTICAL)
    assert swap(("", "Lee"), ("Lee", "")) == (Relation.MISSING, Relation.MISSING)


def test_swapped_cells_are_drawn_crosswise() -> None:
    schema = mf.Schema(
        [mf.Attribute("first", "string"), mf.Attribute("last", "string")],
        swap_groups=[("first", "last")],
    )
    records = [{"first": "Ann", "last": "Leeds"}, {"first": "Leeds", "last": "Ann"}]
    population = mf.Population(schema, records)
    cells = population.differences(population.pair(0, 1))
    assert cells["first"].show("masked") == ("@@@", "&&&&&")
    assert cells["last"].show("partial") == ("&&&&&", "@@@")
    assert cells["last"].levels == ("masked", "full")
