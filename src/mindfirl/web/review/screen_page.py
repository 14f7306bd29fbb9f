"""The review screen around its pairs: addresses, keys, counts, meters, legend."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.display.cells import LEGEND
from mindfirl.core.review.shown_pair import Meters
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.store.models import Assignment
from mindfirl.web.page.figures import along, count, percent
from mindfirl.web.review.pair_page import Pair, share_for_script, still_open, tone_of

_NEARLY: Final = Fraction(9, 10)
"""When this much is spent, it is said what is still affordable."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the forms of the screen are sent; the practice has no comments and no weights."""

    open: str
    open_row: str
    decide: str
    shortcuts: str
    comment: str = ""
    explain: str = ""
    submit: str = ""


@dataclass(frozen=True, slots=True)
class ScreenPart:
    """What the screen and all parts of it need."""

    to: Addresses
    size: int
    key: dict[str, str]
    assignment: Assignment | None = None
    settles: bool = False
    advised: bool = False
    practice: bool = False


@dataclass(frozen=True, slots=True)
class CountsPart:
    """How many pairs are decided, of all and on the page."""

    total: int
    decided: int
    on_page: int
    decided_here: int
    complete: bool


@dataclass(frozen=True, slots=True)
class MeterWords:
    """What is spent and shown, in words and as widths of meters."""

    spent: str
    spent_width: str
    spent_share: str
    shown: str
    shown_width: str
    characters: str


@dataclass(frozen=True, slots=True)
class MetersPart:
    meters: MeterWords


@dataclass(frozen=True, slots=True)
class LegendMark:
    icon: str
    tone: str
    words: Any


@dataclass(frozen=True, slots=True)
class ScreenPage:
    """The pairs of a page, and what is said about all of them."""

    pairs: Sequence[Pair]
    left: str
    left_words: dict[str, str]
    focus: str
    here: int
    suggested_at: str
    attributes: list[str]
    guidance: str
    legend: list[LegendMark]
    single_keys: bool


@dataclass(frozen=True, slots=True)
class UpdatePart:
    """What changed of a pair: what was opened, decided or explained."""

    pair: Pair
    told: str
    wrong: str = ""
    opened: bool = False
    said: bool = False
    explained: bool = False


def screen_page(
    pairs: Sequence[Pair], meters: Meters, *, focus: str, guidance: str, single_keys: bool
) -> ScreenPage:
    chosen = next((pair for pair in pairs if pair.token == focus), None)
    return ScreenPage(
        pairs=pairs,
        left=_what_is_left(meters, pairs),
        left_words=_left_words(),
        focus=focus,
        here=chosen.number if chosen else 0,
        suggested_at=_suggested_at(chosen, focus),
        attributes=[cell.attribute for cell in pairs[0].cells] if pairs else [],
        guidance=guidance,
        legend=[LegendMark(icon, tone_of(mark), words) for mark, (icon, words) in LEGEND.items()],
        single_keys=single_keys,
    )


def review_screen(assignment: Assignment, keys: Mapping[str, str], size: int) -> ScreenPart:
    review = reverse("review", args=[assignment.pk])
    names = ("open", "open-row", "decide", "shortcuts", "comment", "explain", "submit")
    return ScreenPart(
        to=Addresses(**{name.replace("-", "_"): f"{review}/{name}" for name in names}),
        size=size,
        key=named_keys(keys),
        assignment=assignment,
        settles=assignment.kind == "adjudication",
        advised=assignment.terms.hints,
    )


def counts_part(total: int, decided: Collection[int], here: Collection[int]) -> CountsPart:
    return CountsPart(
        total=total,
        decided=len(decided),
        on_page=len(here),
        decided_here=sum(number in decided for number in here),
        complete=len(decided) == total,
    )


def meter_words(meters: Meters) -> MeterWords:
    shown = meters.shown / meters.characters if meters.characters else 0.0
    return MeterWords(
        spent=percent(float(meters.spent)),
        spent_width=along(float(meters.spent)),
        spent_share=share_for_script(meters.spent),
        shown=percent(shown),
        shown_width=along(shown),
        characters=count(meters.characters),
    )


def named_keys(keys: Mapping[str, str]) -> dict[str, str]:
    return {action.replace(" ", "_"): key for action, key in keys.items()}


def why_refused(answer: Answer) -> str:
    """Say why nothing was opened, and what else could be."""
    if answer.stale:
        return _(
            "This pair has changed since your page showed it, and with it its prices. "
            "Nothing was opened or charged. Here it is as it is now."
        )
    if answer.refused is None:
        return ""
    reason = {
        "budget": _("This would take more than is left of your budget. Nothing was opened."),
        "kappa": _("The project does not allow this cell to be opened. It cost nothing."),
        "together": _(
            "All who review have by now seen together as much of these people as the project "
            "allows. Nothing was opened, and it cost nothing."
        ),
    }.get(answer.refused, _("This was refused. Nothing was opened."))
    others = still_open(answer.pair)
    if not others:
        nothing = _("Nothing else in this pair can be opened now; decide by what is shown.")
        return f"{reason} {nothing}"
    can = _("In this pair you can still open something of: %s.") % ", ".join(others)
    return f"{reason} {can}"


def _what_is_left(meters: Meters, pairs: Iterable[Pair]) -> str:
    """Say what the rest of the budget is enough for on a page, where that is not much."""
    ahead = [cell.next.affordable for pair in pairs for cell in pair.cells if cell.next]
    enough = sum(ahead)
    if not ahead or (enough and meters.spent <= _NEARLY):
        return ""
    words = _left_words()["some" if enough else "none"]
    return words.replace("{n}", count(enough)).replace("{m}", count(len(ahead)))


def _left_words() -> dict[str, str]:
    """Return the words for what is left, with places for two counts."""
    return {
        "some": _("Left: enough for {n} of the {m} cells on this page."),
        "none": _("Left: not enough for any of the {m} cells on this page."),
    }


def _suggested_at(pair: Pair | None, focus: str) -> str:
    """Return where on a page the suggested cell of a pair is; the pair itself if it has none."""
    place = next((cell.place for cell in pair.cells if cell.suggested), 0) if pair else 0
    return f"cell-{focus}-{place}" if place else f"pair-{focus}"
