"""Cells are drawn without templates: whatever a value or an attribute holds, it stays text."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Final

import pytest

from mindfirl.web.review.cell_html import Cell, Run, StepButton, Tag, table_cells

HOSTILE: Final = """"'><script>alert("&amp;")</script> {} {0} %s"""
PLAIN: Final = "a plain long word"
ELEMENTS: Final = {"td", "button", "div", "span", "bdi", "i"}


class Drawn(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [value or "" for _name, value in attrs]

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def step(words: str, *, affordable: bool) -> StepButton:
    return StepButton(words, words, words, words, affordable, words, words, words)


def cell(words: str, *, closed: bool) -> Cell:
    return Cell(
        place=1,
        attribute=words,
        rows=[[Run("plain", words), Run("hidden", words)], []],
        tags=[Tag(words, words, words, words, 3), Tag("", "", words, words)],
        next=None if closed else step(words, affordable=False),
        last=None if closed else step(words, affordable=True),
        refused=closed,
        differs=True,
        room=words,
        spoken=words,
        suggested="" if closed else words,
    )


@pytest.mark.parametrize("closed", [True, False])
@pytest.mark.parametrize("changed", [True, False])
def test_no_text_becomes_an_element_or_an_attribute(*, closed: bool, changed: bool) -> None:
    quiet = Drawn(table_cells("token", [cell(PLAIN, closed=closed)], changed=changed))
    found = Drawn(table_cells(HOSTILE, [cell(HOSTILE, closed=closed)], changed=changed))
    assert quiet.elements == found.elements <= ELEMENTS
    assert found.attributes == [
        each.replace("token", HOSTILE).replace(PLAIN, HOSTILE) for each in quiet.attributes
    ]
    assert "".join(found.text) == "".join(quiet.text).replace(PLAIN, HOSTILE)


def test_a_changed_cell_takes_the_place_of_the_one_on_the_page() -> None:
    cells = [cell(PLAIN, closed=True)]
    assert 'id="at-token-1" hx-swap-oob="true" data-label' in table_cells(
        "token", cells, changed=True
    )
    assert "hx-swap-oob" not in table_cells("token", cells)


def test_a_step_beyond_the_budget_says_so() -> None:
    drawn = Drawn(table_cells("token", [cell(PLAIN, closed=False)]))
    assert ". a plain long word, more than your remaining budget." in "".join(drawn.text)
    assert "price much" in drawn.attributes
