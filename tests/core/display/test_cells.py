"""What a cell shows: the golden displays, levels, marks, frequency bands."""

from __future__ import annotations

from typing import Any

import pytest

import mindfirl as mf
from mindfirl.core.display import cells as display
from mindfirl.core.display.compare import Relation
from mindfirl.core.errors import UnknownName
from tests.golden import read_golden

CELLS: list[dict[str, Any]] = read_golden("displays")["cells"]


@pytest.mark.parametrize("golden", CELLS, ids=lambda golden: " / ".join(golden["values"]))
def test_golden_displays(golden: dict[str, Any]) -> None:
    first, second = golden["values"]
    cell = mf.compare(first, second, kind=golden["kind"], **golden.get("settings", {}))
    assert cell.show("masked") == tuple(golden["masked"])
    assert cell.show("partial") == tuple(golden["partial"] or golden["masked"])
    assert ("partial" in cell.levels) == (golden["partial"] is not None)
    assert cell.disclosed("partial") == tuple(map(tuple, golden["disclosed"]))
    assert cell.marks == tuple(golden["marks"])
    assert cell.disclosed("masked") == tuple((0, n) for _, n in golden["disclosed"])
    assert cell.disclosed("full") == tuple((n, n) for _, n in golden["disclosed"])
    assert cell.show("full") == (first, second)


def test_exchanging_the_values_exchanges_rows_and_signs() -> None:
    for golden in CELLS:
        first, second = golden["values"]
        settings = golden.get("settings", {})
        cell = mf.compare(second, first, kind=golden["kind"], **settings)
        flipped = [row.translate(str.maketrans("@&", "&@")) for row in golden["masked"]]
        assert cell.show("masked") == (flipped[1], flipped[0])
        assert not golden["partial"] or cell.show("partial") == tuple(golden["partial"][::-1])


def test_levels_of_each_relation() -> None:
    assert mf.compare("Mary", "Mark", kind="string").levels == ("masked", "partial", "full")
    assert mf.compare("Mary", "Mary", kind="string").levels == ("masked", "full")
    assert mf.compare("Mary", None, kind="string").levels == ("masked", "full")
    assert mf.compare(None, "", kind="string").levels == ("masked",)
    assert mf.compare("ALEC", "ALEXANDER", kind="string").levels == ("masked", "full")
    assert mf.compare("White", "White", kind="category").levels == ("masked", "full")


def test_a_category_shows_one_symbol_whatever_its_length() -> None:
    cell = mf.compare("Hispanic", "Hispanic", kind="category")
    assert cell.show("masked") == ("*", "*")
    assert cell.disclosed("full") == ((1, 1), (1, 1))


def test_values_that_look_like_masks_are_shown_as_they_are() -> None:
    cell = mf.compare("a*@&/b", "a*@&/c", kind="string")
    assert cell.show("masked") == ("*****@", "*****&")
    assert cell.show("full") == ("a*@&/b", "a*@&/c")


def test_an_accent_stays_with_its_letter() -> None:
    cell = mf.compare("Ma\u0302\u0323ry", "Mary", kind="string")
    assert cell.show("masked") == ("*@**", "*&**")
    assert cell.show("partial") == ("*\u1ead**", "*a**")
    flags = mf.compare("\U0001f1e9\U0001f1eaa", "\U0001f1eb\U0001f1f7a", kind="string")
    assert flags.disclosed("partial") == ((1, 2), (1, 2))


def test_right_to_left_text_keeps_its_logical_order() -> None:
    cell = mf.compare("שלום", "שלומ", kind="string")
    assert cell.show("partial") == ("***ם", "***מ")


def test_every_mark_is_in_the_legend() -> None:
    cells = [
        mf.compare(*golden["values"], kind=golden["kind"], **golden.get("settings", {}))
        for golden in CELLS
    ]
    cells.append(mf.compare("05/1964", "08/09/1964", kind="date"))
    found = {mark for cell in cells for mark in cell.marks}
    assert found | {Relation.SWAPPED} == set(display.LEGEND)
    assert len({icon for icon, _ in display.LEGEND.values()}) == len(display.LEGEND)


def test_a_level_that_does_not_exist_is_refused_without_repeating_it() -> None:
    cell = mf.compare("Mary", "Mark", kind="string")
    with pytest.raises(UnknownName, match="Use masked, partial or full") as caught:
        cell.show("Mary")  # type: ignore[arg-type]  # what a caller without types may do
    assert "Mary" not in str(caught.value)


@pytest.mark.parametrize(
    ("count", "band"),
    [(1, "unique"), (2, "rare"), (5, "rare"), (6, "common"), (100, "common"), (101, "very common")],
)
def test_frequency_bands(count: int, band: str) -> None:
    assert display.frequency_band(count) == band
