"""Markdown as HTML: tables and commands scroll by themselves, also by keyboard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token


def plain_words(token: Token) -> str:
    """Return the words of a line without its marks."""
    breaks = {"softbreak": " ", "hardbreak": " "}
    return "".join(breaks.get(part.type, part.content) for part in token.children or ())


class _Renderer(RendererHTML):
    """Tables and commands that scroll by themselves on a narrow screen, also by keyboard."""

    def table_open(self, tokens: Sequence[Token], place: int, *_others: Any) -> str:  # noqa: ANN401  # as the library calls it
        """Open a region, named after the columns of its table."""
        columns = [plain_words(token) for token in _head(tokens, place)]
        label = escape(", ".join(word for word in columns if word))
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>\n'

    def table_close(self, *_given: Any) -> str:  # noqa: ANN401  # the same
        return "</table></div>\n"

    def th_open(self, *_given: Any) -> str:  # noqa: ANN401  # the same
        return '<th scope="col">'

    def fence(self, tokens: Sequence[Token], place: int, *_others: Any) -> str:  # noqa: ANN401  # the same
        return f'<pre tabindex="0"><code>{escape(tokens[place].content)}</code></pre>\n'

    def code_block(self, tokens: Sequence[Token], place: int, *_others: Any) -> str:  # noqa: ANN401  # the same
        return self.fence(tokens, place)


def _head(tokens: Sequence[Token], place: int) -> Iterator[Token]:
    for before, token in zip(tokens[place:], tokens[place + 1 :], strict=False):
        if token.type == "thead_close":
            return
        if before.type == "th_open":
            yield token


MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Renderer).enable("table")
