"""The manual as pages of HTML, made from the Markdown files in ``docs``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from markdown_it.token import Token

from mindfirl.web.page.markdown_html import MARKDOWN, plain_words

_INSTALLED: Final = Path(__file__).parent / "docs"
_CHECKOUT: Final = Path(__file__).parents[4] / "docs"
FOLDER: Final = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT
"""A wheel carries the manual inside this package; a checkout has it at the top."""

START: Final = "index"
IMAGES: Final = "images"


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class ManualPage:
    name: str
    title: str
    html: str
    sections: tuple[Section, ...]


def page_names() -> list[str]:
    """Return the names of all pages, those of the contents first and in their order."""
    names = {path.stem for path in FOLDER.glob("*.md")}
    text = (FOLDER / f"{START}.md").read_text(encoding="utf-8")
    contents = [START, *re.findall(r"\]\((\w[\w-]*)\.md", text)]
    return [name for name in dict.fromkeys([*contents, *sorted(names)]) if name in names]


@cache
def manual_page(name: str) -> ManualPage:
    """Return a page; raise KeyError if the manual has none of that name."""
    if name not in page_names():
        raise KeyError(name)
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    tokens = MARKDOWN.parse(text)
    _link_within_manual(tokens)
    sections = tuple(_sections(tokens))
    html = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    return ManualPage(name, sections[0].heading, html, sections)


def image_path(name: str) -> Path | None:
    path = FOLDER / IMAGES / name
    return path if path.is_file() and path.suffix == ".png" else None


def slug(heading: str) -> str:
    """Name a heading as the places do that show Markdown, so that links hold here and there."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _link_within_manual(tokens: Sequence[Token]) -> None:
    """Name headings, and point links and pictures to where they are in the application."""
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open" and following is not None:
            token.attrSet("id", slug(plain_words(following)))
        for part in token.children or ():
            if part.type == "image":
                source = str(part.attrGet("src")).removeprefix(f"{IMAGES}/")
                part.attrSet("src", f"/help/{IMAGES}/{source}")
        token.children = list(_with_known_links(token.children or ()))


def _with_known_links(parts: Sequence[Token]) -> Iterator[Token]:
    """Keep links to the manual and to the web; of all others, which engineers need, the words."""
    dropped = False
    for part in parts:
        if part.type == "link_open":
            address = _address(str(part.attrGet("href")))
            dropped = address is None
            part.attrSet("href", address or "")
        if not (dropped and part.type in {"link_open", "link_close"}):
            yield part


def _address(target: str) -> str | None:
    if target.startswith(("https://", "#")):
        return target
    page, mark, anchor = target.partition("#")
    if page.removesuffix(".md") not in page_names():
        return None
    return f"/help/{page.removesuffix('.md')}{mark}{anchor}"


def _sections(tokens: Sequence[Token]) -> Iterator[Section]:
    heading, words = "", list[str]()
    for before, token in zip([None, *tokens[:-1]], tokens, strict=True):
        if token.type == "heading_open":
            if heading:
                yield Section(heading, slug(heading), " ".join(words))
            words = []
        elif before is not None and before.type == "heading_open":
            heading = plain_words(token)
        elif token.type == "inline":
            words.append(plain_words(token))
        elif token.type == "fence":
            words.append(" ".join(token.content.split()))
    yield Section(heading, slug(heading), " ".join(words))
