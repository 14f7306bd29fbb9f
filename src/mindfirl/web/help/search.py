"""Search in the manual: sections that have all words, the most telling first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from mindfirl.web.help.manual import ManualPage, Section, manual_page, page_names

MOST_WORDS: Final = 8
MOST_RESULTS: Final = 20
_AROUND: Final = 90
"""Characters of text on each side of the first word that was found."""

_PAGE, _HEADING, _TEXT = 6, 4, 1


@dataclass(frozen=True, slots=True)
class Excerpt:
    before: str
    word: str
    after: str


@dataclass(frozen=True, slots=True)
class SearchResult:
    page: ManualPage
    section: Section
    excerpt: Excerpt


def search(words: str) -> list[SearchResult]:
    """Return the sections in which every word begins some word, at most 20."""
    wanted = re.findall(r"\w+", words.casefold())[:MOST_WORDS]
    if not wanted:
        return []
    scored = [(_score(page, section, wanted), page, section) for page, section in _all_sections()]
    best = sorted((row for row in scored if row[0]), key=lambda row: -row[0])[:MOST_RESULTS]
    return [
        SearchResult(page, section, _excerpt(section.text, wanted))
        for _points, page, section in best
    ]


@cache
def _all_sections() -> list[tuple[ManualPage, Section]]:
    pages = [manual_page(name) for name in page_names()]
    return [(page, section) for page in pages for section in page.sections]


def _score(page: ManualPage, section: Section, wanted: Sequence[str]) -> int:
    """Add up where each word was found; a word that is nowhere makes it 0."""
    places = [(page.title, _PAGE), (section.heading, _HEADING), (section.text, _TEXT)]
    points = [
        sum(worth for text, worth in places if _pattern(word).search(text)) for word in wanted
    ]
    return sum(points) if all(points) else 0


@cache
def _pattern(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\w*", re.IGNORECASE)


def _excerpt(text: str, wanted: Sequence[str]) -> Excerpt:
    """Return the text around the first word that was found, or its beginning."""
    found = next((match for word in wanted if (match := _pattern(word).search(text))), None)
    first, last = found.span() if found else (0, 0)
    before, after = text[:first], text[last:]
    if len(before) > _AROUND:
        before = "… " + before[-_AROUND:].partition(" ")[2]
    if len(after) > _AROUND:
        after = after[:_AROUND].rpartition(" ")[0] + " …"
    return Excerpt(before, text[first:last], after)
