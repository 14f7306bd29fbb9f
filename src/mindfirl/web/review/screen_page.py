"""The review screen around its pairs: addresses, keys, counts, meters, legend."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from http import HTTPStatus
from typing import Final

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.display.cells import LEGEND
from mindfirl.core.review.shown_pair import Meters
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.store.models import Assignment
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.figures import count
from mindfirl.web.review.pair_page import TAGS, Pair, still_open

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
class FramePart:
    """What surrounds pairs and takes what is done with them, in an assignment or the practice."""

    to: Addresses
    size: int
    key: dict[str, str]
    assignment: Assignment | None = None
    settles: bool = False
    advised: bool = False
    practice: bool = False


@dataclass(frozen=True, slots=True)
class CountsPart:
    total: int
    decided: int
    on_page: int
    decided_here: int
    complete: bool


@dataclass(frozen=True, slots=True)
class ScreenPart:
    pairs: Sequence[Pair]
    left: str
    left_words: dict[str, str]
    focus: str
    here: int
    suggested_at: str
    attributes: list[str]
    guidance: str
    legend: list[tuple[str, str, str]]
    single_keys: bool


def update_page(
    request: Request,
    frame: FramePart,
    pair: Pair,
    sentence: str,
    *,
    meters: Meters | None = None,
    counts: CountsPart | None = None,
    explained: bool = False,
    wrong: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Answer what changed of a pair: its cells come with meters, its decision with counts."""
    return page(
        request,
        "review/update.html",
        frame,
        counts,
        pair=pair,
        sentence=sentence,
        wrong=wrong,
        opened=meters is not None,
        meters=meters,
        said=counts is not None,
        explained=explained,
        status=HTTPStatus.CONFLICT if wrong else status,
    )


def screen_part(
    pairs: Sequence[Pair], meters: Meters, *, focus: str, guidance: str, single_keys: bool
) -> ScreenPart:
    chosen = next((pair for pair in pairs if pair.token == focus), None)
    place = next((cell.place for cell in chosen.cells if cell.suggested), 0) if chosen else 0
    return ScreenPart(
        pairs=pairs,
        left=_what_is_left(meters, pairs),
        left_words=_left_words(),
        focus=focus,
        here=chosen.number if chosen else 0,
        # The pair itself where no cell of it is suggested.
        suggested_at=f"cell-{focus}-{place}" if place else f"pair-{focus}",
        attributes=[cell.attribute for cell in pairs[0].cells] if pairs else [],
        guidance=guidance,
        legend=[(icon, TAGS[mark][0], words) for mark, (icon, words) in LEGEND.items()],
        single_keys=single_keys,
    )


def frame_part(assignment: Assignment, keys: Mapping[str, str], size: int) -> FramePart:
    review = reverse("review", args=[assignment.pk])
    names = ("open", "open-row", "decide", "shortcuts", "comment", "explain", "submit")
    return FramePart(
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


def named_keys(keys: Mapping[str, str]) -> dict[str, str]:
    return {action.replace(" ", "_"): key for action, key in keys.items()}


def why_refused(answer: Answer) -> str:
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
            "All who review have already seen together as much of these people as the project "
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
    return {
        "some": _("Left: enough for {n} of the {m} cells on this page."),
        "none": _("Left: not enough for any of the {m} cells on this page."),
    }
