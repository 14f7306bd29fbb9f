"""The cells of a pair as its page shows them, and their HTML.

It is written by hand: every opening draws all cells of a pair, and a template takes several times
as long. All that varies goes through ``filled``, which escapes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

_LONG: Final = 12
"""The words of a mark that are longer than this take a line of their own."""
_NOTHING: Final = SafeString()
_OUT_OF_BAND: Final = SafeString(' hx-swap-oob="true"')
_DIFFERS: Final = SafeString(" data-differs")


@dataclass(frozen=True, slots=True)
class Run:
    tone: str
    text: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A mark of a cell, or how common its values are."""

    tone: str
    icon: str
    text: str
    words: Any
    number: int = 0


@dataclass(frozen=True, slots=True)
class StepButton:
    value: str
    says: str
    short: str
    share: str
    affordable: bool
    label: str = ""
    brief: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    place: int
    attribute: str
    rows: list[list[Run]]
    tags: list[Tag]
    next: StepButton | None
    last: StepButton | None
    refused: bool
    differs: bool
    room: str
    spoken: str
    suggested: str

    @property
    def content(self) -> SafeString:
        """Draw what a cell shows: its values, their marks, and both in words."""
        return filled(
            '<span class="signs" aria-hidden="true">{}</span>'
            '<span class="tags" aria-hidden="true">{}</span><span class="unseen">{}</span>',
            joined(_row(row) for row in self.rows),
            joined(_tag(tag) for tag in self.tags),
            self.spoken,
        )


def table_cells(token: str, cells: Iterable[Cell], *, changed: bool = False) -> SafeString:
    """Draw the cells of a pair; those that changed take the place of the ones on the page."""
    swap = _OUT_OF_BAND if changed else _NOTHING
    return joined(
        filled(
            '<td id="at-{}-{}"{} data-label="{}">{}</td>\n',
            *(token, cell.place, swap, cell.attribute),
            _button(token, cell, cell.next) if cell.next else _closed(token, cell),
        )
        for cell in cells
    )


def _button(token: str, cell: Cell, step: StepButton) -> SafeString:
    room = f" {cell.room}" if cell.room else ""
    return filled(
        '<button class="cell{}" id="cell-{}-{}" form="open-{}" name="step" value="{}"'
        ' data-takes="{}" data-short="{}" data-says="{}."{}{}{}>{}'
        '<span class="unseen">. {}{}.</span>{}'
        '<span class="price{}" aria-hidden="true">{}</span></button>',
        *(room, token, cell.place, token, step.value, step.share, step.short, step.says),
        filled(' data-suggested="{}"', cell.suggested) if cell.suggested else _NOTHING,
        _DIFFERS if cell.differs else _NOTHING,
        _fully(cell.last) if cell.last else _NOTHING,
        cell.content,
        step.says,
        _NOTHING if step.affordable else f", {_('more than your remaining budget')}",
        _suggestion(cell.suggested) if cell.suggested else _NOTHING,
        _NOTHING if step.affordable else " much",
        step.short,
    )


def _fully(step: StepButton) -> SafeString:
    return filled(
        ' data-fully="{}" data-all="{}" data-all-takes="{}" data-all-says="{}."',
        *(step.value, step.short, step.share, step.says),
    )


def _suggestion(words: str) -> SafeString:
    return filled(
        '<span class="suggested" title="{}"><span aria-hidden="true">◇</span>'
        '<span class="unseen">{}</span></span>',
        *(words, words),
    )


def _closed(token: str, cell: Cell) -> SafeString:
    return filled(
        '<div class="cell{}" id="cell-{}-{}" tabindex="-1">{}{}</div>',
        *(f" {cell.room}" if cell.room else "", token, cell.place, cell.content),
        _refusal() if cell.refused else _NOTHING,
    )


def _refusal() -> SafeString:
    words = _("The project does not allow opening more of this cell.")
    return filled(
        '<span class="unseen">. {}</span>'
        '<span class="price closed" aria-hidden="true" title="{}">{}</span>',
        *(words, words, _("not available")),
    )


def _row(row: list[Run]) -> SafeString:
    if not row:
        return filled("<bdi><i>{}</i></bdi>", _("missing"))
    runs = joined(filled('<span class="{}">{}</span>', run.tone, run.text) for run in row)
    return filled("<bdi>{}</bdi>", runs)


def _tag(tag: Tag) -> SafeString:
    number = tag.number or ""
    return filled(
        '<span class="mark {}{}" title="{}">{}<span class="words">{}</span></span>',
        tag.tone,
        " long" if len(tag.text) > _LONG else "",
        tag.words,
        filled('<span class="icon">{}{}</span>', number, tag.icon) if tag.icon else _NOTHING,
        tag.text,
    )


def joined(parts: Iterable[SafeString]) -> SafeString:
    return SafeString("".join(parts))


def filled(pattern: str, *parts: object) -> SafeString:
    """Put parts into a pattern, escaped if they are no HTML yet; ``format_html`` takes longer."""
    escaped = [part if isinstance(part, SafeString) else escape(str(part)) for part in parts]
    return SafeString(pattern.format(*escaped))
