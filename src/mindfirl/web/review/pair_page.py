"""Pairs as their reviewer sees them: runs of signs, tags for the marks, prices in words.

Nothing is drawn here but what a shown pair holds, and that is what is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.cells import LEGEND, SEPARATOR, Sign
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.shown_pair import Offer, ShownCell, ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.web.page.figures import percent, script_share
from mindfirl.web.page.labels import label
from mindfirl.web.review import decision_page
from mindfirl.web.review.cell_html import Cell, Run, StepButton, Tag, table_cells

_TONES: Final = {
    Mark.SAME: "plain",
    Mark.SUBSTITUTED: "changed",
    Mark.DIFFERENT: "changed",
    Mark.GAP: "added",
    Mark.TRANSPOSED: "moved",
    Mark.EXCHANGED: "moved",
    Mark.SWAPPED: "moved",
}
TAGS: Final = {
    "identical": ("same", gettext_lazy("same")),
    "different": ("changed", gettext_lazy("different")),
    "swapped": ("moved", gettext_lazy("swapped")),
    "substitution": ("changed", gettext_lazy("changed")),
    "gap": ("added", gettext_lazy("added")),
    "transposition": ("moved", gettext_lazy("transposed")),
    "exchange": ("moved", gettext_lazy("day, month")),
    "missing": ("", gettext_lazy("missing")),
}
"""The tone and the short word of every mark; its icon is in the legend."""

_ROOMS: Final = ((10, ""), (16, "mid"))

_COUNTED: Final = {"substitution": Mark.SUBSTITUTED, "gap": Mark.GAP}
_WHOLE: Final = {"partial": "open differences", "full": "open everything"}


@dataclass(frozen=True, slots=True)
class Feedback:
    tone: str
    verdict: str
    why: str
    spare: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair on the review screen, or those parts of it that changed."""

    token: str
    width: int
    number: int = 0
    state: int = 0
    cells: tuple[Cell, ...] = ()
    steps: tuple[StepButton, ...] = ()
    advice: str = ""
    unsuggested: bool = False
    decided: bool = False
    decision: str = ""
    said: str = ""
    short: str = ""
    revision: int = 0
    flagged: bool = False
    comment: decision_page.Comment = decision_page.NO_COMMENT
    scale: Sequence[tuple[Any, list[decision_page.DecisionButton]]] = ()
    cannot_tell: decision_page.CannotTell | None = None
    beside: decision_page.Adjudication | None = None
    feedback: Feedback | None = None

    @property
    def table_cells(self) -> SafeString:
        return table_cells(self.token, self.cells)

    @property
    def changed_cells(self) -> SafeString:
        return table_cells(self.token, self.cells, changed=True)

    def with_decision(
        self, decision: Decision | None, comment: decision_page.Comment, revision: int = 0
    ) -> Pair:
        return replace(
            self,
            decided=decision is not None,
            decision=decision_page.decision_value(decision) if decision else "",
            said=decision_page.decision_words(decision) if decision else "",
            short=decision_page.short_words(decision) if decision else "",
            comment=comment,
            revision=revision,
        )

    def with_buttons(self, decision: Decision | None, keys: Mapping[str, str]) -> Pair:
        found = decision_page.cannot_tell(decision, keys)
        return replace(self, scale=decision_page.scale(decision, keys), cannot_tell=found)


def opened_pair(pair: ShownPair, *, keys: Mapping[str, str]) -> Pair:
    swapped = [label(cell.attribute) for cell in pair.cells if "swapped" in cell.marks]
    cells = tuple(
        _cell(cell, place=place, swapped=swapped, hint=pair.hint)
        for place, cell in enumerate(pair.cells, start=1)
    )
    return Pair(
        token=pair.token,
        width=len(cells) + 1,
        number=pair.number,
        state=pair.state,
        cells=cells,
        steps=tuple(_row_step(step, keys) for step in pair.steps if step.takes is not None),
        advice=_advice(pair),
        unsuggested=pair.hint is None,
    )


def whole_pair(
    pair: ShownPair,
    *,
    decision: Decision | None,
    comment: decision_page.Comment,
    keys: Mapping[str, str],
) -> Pair:
    opened = opened_pair(pair, keys=keys)
    return opened.with_decision(decision, comment).with_buttons(decision, keys)


def still_open(pair: ShownPair) -> list[str]:
    """Name the attributes of which something can still be opened within the budget."""
    return [
        label(cell.attribute) for cell in pair.cells if any(step.affordable for step in cell.steps)
    ]


def _cell(cell: ShownCell, *, place: int, swapped: Sequence[str], hint: Step | None) -> Cell:
    # That a value is missing is said by its empty row, that parts of a date are by a tag.
    tags = [_tag(mark, cell, swapped) for mark in cell.marks if mark != "missing" or all(cell.rows)]
    steps = [_step(step, cell, swapped) for step in cell.steps if step.takes is not None]
    return Cell(
        place=place,
        attribute=label(cell.attribute),
        rows=[_row(row) for row in cell.rows],
        tags=tags + _bands(cell.frequencies),
        next=steps[0] if steps else None,
        last=steps[-1] if len(steps) > 1 else None,
        refused=len(cell.steps) > len(steps),
        differs=any(mark not in {"identical", "missing"} for mark in cell.marks),
        room=_room(max(map(len, cell.rows))),
        spoken=_spoken(cell, tags),
        suggested=_suggested(cell, hint),
    )


def _room(length: int) -> str:
    """Say how much of its column a value takes, so that its marks find room beside it."""
    return next((name for longest, name in _ROOMS if length <= longest), "far")


def _suggested(cell: ShownCell, hint: Step | None) -> str:
    if hint is None or hint[0] != cell.attribute:
        return ""
    nearest = next((step.level for step in cell.steps if step.takes is not None), hint[1])
    return _("Suggested next.") if hint[1] == nearest else _("Suggested next: open fully.")


def _advice(pair: ShownPair) -> str:
    """Say what to open next, or that nothing more is worth it where more could be opened."""
    if pair.hint:
        return _("Suggested next: %(name)s.") % {"name": label(pair.hint[0])}
    return _("No further opening is worth its price.") if pair.advised and still_open(pair) else ""


def _row(row: Sequence[Sign]) -> list[Run]:
    """Put signs that look alike together; a row without any is of a missing value."""
    return [
        Run(tone, "".join(sign.text for sign in signs)) for tone, signs in groupby(row, key=_tone)
    ]


def _tone(sign: Sign) -> str:
    return "hidden" if not sign.shown and sign.mark is Mark.SAME else _TONES[sign.mark]


def _tag(mark: str, cell: ShownCell, swapped: Sequence[str]) -> Tag:
    (tone, words), (icon, caption) = TAGS[mark], LEGEND[mark]
    text, legend = str(words), _(caption)
    if mark == "swapped" and len(swapped) == 2:  # noqa: PLR2004  # one group of two
        return Tag(tone, icon, f"{swapped[0]} ⇄ {swapped[1]}", legend)
    if mark in _COUNTED:
        signs = [sum(sign.mark is _COUNTED[mark] for sign in row) for row in cell.rows]
        number = max(signs) if mark == "substitution" else sum(signs)
        return Tag(tone, icon, f"{number} {text}", legend, number)
    return Tag(tone, icon, text, legend)


def _bands(frequencies: tuple[str, str]) -> list[Tag]:
    if not any(frequencies):
        return []
    text = " / ".join(band or "–" for band in dict.fromkeys(frequencies))
    return [Tag("", "", text, _("how common: %(bands)s") % {"bands": text})]


def _step(step: Offer, cell: ShownCell, swapped: Sequence[str]) -> StepButton:
    name = label(cell.attribute)
    if "swapped" in cell.marks and len(swapped) == 2:  # noqa: PLR2004  # they open together
        name = _("%(one)s and %(other)s") % {"one": swapped[0], "other": swapped[1]}
    words = _("Open %(name)s fully") if step.level == "full" else _("Open what differs in %(name)s")
    return _priced(step, str(step.step), words % {"name": name})


def _row_step(step: Offer, keys: Mapping[str, str]) -> StepButton:
    full = step.level == "full"
    words = _("Open everything") if full else _("Open all differences")
    brief = _("Everything") if full else _("Differences")
    priced = _priced(step, step.level, words)
    return replace(priced, label=words, brief=brief, key=keys[_WHOLE[step.level]])


def _priced(step: Offer, value: str, words: str) -> StepButton:
    assert step.takes is not None
    takes, short = _takes_words(step.takes)
    share = script_share(step.takes)
    return StepButton(value, f"{words}: {takes}", short, share, step.affordable)


def _takes_words(takes: Fraction) -> tuple[str, str]:
    if takes > 1:
        return _("takes more than your whole budget"), ">100%"
    share = percent(float(takes))
    return _("takes %(share)s of your budget") % {"share": share}, share


def _spoken(cell: ShownCell, tags: Iterable[Tag]) -> str:
    first, second = (_spoken_row(row) for row in cell.rows)
    words = [label(cell.attribute), *(tag.text for tag in tags)]
    rows = _("first record: %(first)s; second record: %(second)s")
    return f"{', '.join(words)}; {rows % {'first': first, 'second': second}}"


def _spoken_row(row: Sequence[Sign]) -> str:
    signs = [sign for sign in row if sign.shown or sign.text != SEPARATOR]
    if not signs:
        return _("missing")
    return ", ".join(
        "".join(each.text for each in run) if shown else _spoken_run(len(run), same=same)
        for (shown, same), found in groupby(signs, lambda each: (each.shown, not each.mark))
        for run in [list(found)]
    )


def _spoken_run(number: int, *, same: bool) -> str:
    words = (
        ngettext("%d hidden", "%d hidden", number)
        if same
        else ngettext("%d differing, hidden", "%d differing, hidden", number)
    )
    return words % number
