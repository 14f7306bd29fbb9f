"""Pairs as an answer draws them, read by a parser of HTML: for tests of what was shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html.parser import HTMLParser
from typing import Final

from mindfirl.web.page.labels import label
from tests.support.alphabet import Shown, code_points

_PAIR: Final = re.compile(
    r'<tbody class="pair[^>]* id="pair-([\w-]+)"[^>]*>(.*?)</tbody>', re.DOTALL
)
_CELL: Final = re.compile(r'id="cell-([\w-]+)-\d+"')
_CSRF: Final = re.compile(r'(name="csrfmiddlewaretoken" value=")\w+|("X-CSRFToken": ")\w+')
_RECORD: Final = re.compile(r"record: ([^;.]*)")
_RUN: Final = re.compile(r"\d+ (?:differing, )?hidden")
_HIDDEN: Final = frozenset("*@&")
_CUTS: Final = (4, 6)
"""Where a date in the order of year, month, day is cut."""


@dataclass
class Cell:
    """A cell as it is drawn: its rows, nothing for a missing value, and all its code points."""

    attribute: str
    rows: list[str | None] = field(default_factory=list)
    inside: set[str] = field(default_factory=set)
    words: str = ""
    """What stands in it beside the rows."""


def without_csrf(page: str) -> str:
    """Return a page without the token against forged forms, which is random in every answer."""
    return _CSRF.sub(r"\1\2", page)


def pairs_of(page: str) -> tuple[dict[str, str], str]:
    """Cut an answer into its pairs by their tokens, and the rest of it."""
    page = without_csrf(page)
    found = dict(_PAIR.findall(page))
    if found:
        return found, _PAIR.sub("", page)
    single = _CELL.search(page)
    return ({single[1]: page}, "") if single else ({}, page)


@lru_cache(maxsize=4096)
def cells_of(pair: str) -> tuple[tuple[Cell, ...], frozenset[str]]:
    """Read the cells of a pair, and the code points that stand outside of them."""
    parser = _Cells()
    parser.feed(pair)
    parser.close()
    assert parser.depth == 0
    inside = set[str]().union(*(cell.inside for cell in parser.cells))
    return tuple(parser.cells), frozenset(parser.outside | (code_points(pair) - inside))


def fault_of(cell: Cell, attribute: str, shown: Shown) -> str:
    """Say how a cell differs from what is open of it, if it does; never with a value."""
    if cell.attribute != label(attribute) or len(cell.rows) != len(shown):
        return f"{attribute} is drawn as something else"
    for drawn, row in zip(cell.rows, shown, strict=True):
        if (drawn is None) != (not row):
            return f"{attribute} is missing, and drawn, or the other way round"
        if drawn is not None and not _fits(_signs(drawn, attribute), row):
            return f"{attribute} shows another row than {_places(row)} of {len(row)}"
    if any(_said_otherwise(words, row) for words, row in zip(_spoken(cell), shown, strict=True)):
        return f"{attribute} is told in other words than it is drawn"
    characters = code_points("".join(each or "" for row in shown for each in row))
    if cell.inside != characters:
        return f"{attribute} holds {len(cell.inside)} code points, not {len(characters)}"
    return ""


def _fits(signs: str, row: tuple[str | None, ...]) -> bool:
    return len(signs) == len(row) and all(
        sign == each if each is not None else sign in _HIDDEN
        for sign, each in zip(signs, row, strict=True)
    )


def _spoken(cell: Cell) -> list[str]:
    """Return what is read out of both rows."""
    return _RECORD.findall(cell.words)[:2]


def _said_otherwise(words: str, row: tuple[str | None, ...]) -> bool:
    """Say whether words tell of other characters than a row shows."""
    told = "missing" if not row else "".join(each or "" for each in row)
    return _RUN.sub("", words).replace(", ", "") != told


def _places(row: tuple[str | None, ...]) -> list[int]:
    return [at for at, each in enumerate(row) if each is not None]


def _signs(drawn: str, attribute: str) -> str:
    """Return the signs of a row; the separators of a date must stand where it is cut."""
    if attribute != "born":
        return drawn
    signs = drawn.replace("/", "")
    parts = [signs[:4], *(signs[at : at + 2] for at in _CUTS if at < len(signs))]
    assert drawn == "/".join(parts)
    return signs


class _Cells(HTMLParser):
    """Notes the cells of a pair, and every code point by whether it stands in one."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[Cell] = []
        self.outside: set[str] = set()
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "td" and "data-label" in given:
            self.cells.append(Cell(given["data-label"] or ""))
            self.depth = 1
        elif tag == "bdi" and self.depth:
            self.cells[-1].rows.append("")
            self.depth = 2
        elif tag == "i" and self._in_row:
            self.cells[-1].rows[-1] = None
        self._note(self.get_starttag_text() or "")
        self._note(" ".join(value or "" for _name, value in attrs))

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self.depth = 0
        elif tag == "bdi" and self.depth:
            self.depth = 1

    def handle_data(self, data: str) -> None:
        if self._in_row and self.cells[-1].rows[-1] is not None:
            self.cells[-1].rows[-1] += data
        elif self.depth and not self._in_row:
            self.cells[-1].words += data
        self._note(data)

    def handle_comment(self, data: str) -> None:
        self.outside.update(code_points(data))

    def handle_decl(self, decl: str) -> None:
        self.outside.update(code_points(decl))

    def unknown_decl(self, data: str) -> None:
        self.outside.update(code_points(data))

    def handle_pi(self, data: str) -> None:
        self.outside.update(code_points(data))

    @property
    def _in_row(self) -> bool:
        return self.depth == 2  # a cell, and a row in it

    def _note(self, text: str) -> None:
        found = code_points(text)
        if found:
            (self.cells[-1].inside if self.depth else self.outside).update(found)
