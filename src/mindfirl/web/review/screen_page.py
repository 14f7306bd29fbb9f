"""The review screen around its pairs: addresses, keys, counts, meters, legend."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from http import HTTPStatus
from itertools import accumulate
from typing import Final

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.display.cells import LEGEND
from mindfirl.core.review.shown_pair import Meters
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.store.models import Account, Assignment
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import translated
from mindfirl.web.http.pages import fragment
from mindfirl.web.page.figures import count, percent, script_share
from mindfirl.web.review.opening_html import notice_html, opened_html
from mindfirl.web.review.pair_page import TAGS, Pair, still_open

_NEARLY: Final = Fraction(9, 10)
"""When this much is spent, it is said what is still affordable."""
_NOTHING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Addresses:
    """Where the forms of the screen are sent; the practice has no comments and no weights."""

    open: str
    open_row: str
    decide: str
    shortcuts: str
    comment: str = ""
    explain: str = ""
    flag: str = ""
    submit: str = ""
    review: str = ""


@dataclass(frozen=True, slots=True)
class FramePart:
    """What surrounds pairs and takes what is done with them, in an assignment or the practice."""

    to: Addresses
    query: str
    key: dict[str, str]
    assignment: Assignment | None = None
    settles: bool = False
    reasons: tuple[str, ...] = ()
    advised: bool = False
    checked: bool = False
    practice: bool = False


@dataclass(frozen=True, slots=True)
class CountsPart:
    total: int
    decided: int
    complete: bool


@dataclass(frozen=True, slots=True)
class ScreenPart:
    pairs: Sequence[Pair]
    left: str
    left_words: dict[str, str]
    focus: str
    here: int
    pace: str
    pace_words: str
    suggested_at: str
    columns: list[tuple[str, str]]
    guidance: str
    legend: list[tuple[str, str, str]]
    single_keys: bool
    advances: bool
    asks_above: str


def update_page(
    request: Request,
    frame: FramePart,
    pair: Pair,
    sentence: str,
    *,
    meters: Meters | None = None,
    counts: CountsPart | None = None,
    explained: bool = False,
    flagging: bool = False,
    wrong: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Answer what changed of a pair: its cells come with meters, its decision with counts."""
    opened = _opened(request, frame, pair, meters) if meters else ""
    status = HTTPStatus.CONFLICT if wrong else status
    if meters and not (counts or explained or flagging or pair.feedback):
        return HttpResponse(opened + notice_html(pair, meters, wrong), status=status)
    return fragment(
        request,
        "review/update.html",
        frame,
        counts,
        pair=pair,
        sentence=sentence,
        wrong=wrong,
        opened=opened,
        meters=meters,
        said=counts is not None,
        explained=explained,
        flagging=flagging,
        status=status,
    )


def _opened(request: Request, frame: FramePart, pair: Pair, meters: Meters) -> str:
    addresses = (frame.to.open, frame.to.open_row)
    csrf = get_token(request)
    return opened_html(pair, meters, addresses=addresses, query=frame.query, csrf=csrf)


def screen_part(
    account: Account,
    pairs: Sequence[Pair],
    meters: Meters,
    counts: CountsPart,
    *,
    focus: str,
    guidance: str,
    lengths: Sequence[int],
) -> ScreenPart:
    chosen = next((pair for pair in pairs if pair.token == focus), None)
    place = next((cell.place for cell in chosen.cells if cell.suggested), 0) if chosen else 0
    return ScreenPart(
        pairs=pairs,
        left=_what_is_left(meters, pairs),
        left_words=_left_words(),
        focus=focus,
        here=chosen.number if chosen else 0,
        pace=_pace(meters, counts),
        pace_words=_pace_words(),
        # The pair itself where no cell of it is suggested.
        suggested_at=f"cell-{focus}-{place}" if place else f"pair-{focus}",
        columns=column_widths([cell.attribute for cell in pairs[0].cells], lengths)
        if pairs
        else [],
        guidance=guidance,
        legend=[(icon, TAGS[mark][0], translated(words)) for mark, (icon, words) in LEGEND.items()],
        single_keys=account.single_keys,
        advances=account.advances,
        asks_above=script_share(Fraction(account.asks_above, 100)),
    )


def frame_part(
    assignment: Assignment, keys: Mapping[str, str], query: str, reasons: tuple[str, ...] = ()
) -> FramePart:
    review = reverse("review", args=[assignment.pk])
    names = ("open", "open-row", "decide", "shortcuts", "comment", "explain", "flag", "submit")
    return FramePart(
        to=Addresses(
            **{name.replace("-", "_"): f"{review}/{name}" for name in names}, review=review
        ),
        query=query,
        key=named_keys(keys),
        assignment=assignment,
        settles=assignment.kind == "adjudication",
        reasons=reasons,
        advised=assignment.terms.hints,
        checked=assignment.terms.gold_pairs > 0,
    )


def counts_part(total: int, decided: int) -> CountsPart:
    return CountsPart(total, decided, decided == total)


def named_keys(keys: Mapping[str, str]) -> dict[str, str]:
    return {action.replace(" ", "_"): key for action, key in keys.items()}


def why_refused(answer: Answer) -> str:
    if answer.stale:
        return _(
            "Not opened: this pair and its prices changed after your page was loaded. Nothing was "
            "charged. The current pair is shown."
        )
    if answer.refused is None:
        return ""
    reason = {
        "budget": _("Not opened: this costs more than your remaining budget."),
        "kappa": _("Not opened: the project does not allow it for this cell. Nothing was charged."),
        "together": _(
            "Not opened: reviewers together have already seen as much of these people as the "
            "project allows. Nothing was charged."
        ),
    }.get(answer.refused, _("Not opened: this was refused."))
    others = still_open(answer.pair)
    if not others:
        nothing = _("Nothing else in this pair can be opened now. Decide by what is shown.")
        return f"{reason} {nothing}"
    can = _("In this pair you can still open: %s.") % ", ".join(others)
    return f"{reason} {can}"


_SHORTEST: Final = 4
_LONGEST: Final = 24
_BESIDE: Final = 5
"""Characters of room for a value, at least and at most, and for the marks beside it."""
_USUAL: Final = 12
_RARE: Final = 0.75
"""Beyond so many characters a column gets less for each: only its rarest values are so long, while
every date and number fills its column."""


def column_widths(names: Sequence[str], lengths: Sequence[int]) -> list[tuple[str, str]]:
    """Return the headings of the columns, each with its share of the width."""
    known = [*lengths, *[_SHORTEST] * (len(names) - len(lengths))]
    room = [
        _BESIDE + _room(min(max(length, len(name) - _BESIDE, _SHORTEST), _LONGEST))
        for name, length in zip(names, known, strict=True)
    ]
    return [
        (name, f"{100 * each / sum(room):.2f}%") for name, each in zip(names, room, strict=True)
    ]


def _room(length: int) -> float:
    return min(length, _USUAL) + _RARE * max(length - _USUAL, 0)


def _pace(meters: Meters, counts: CountsPart) -> str:
    """Say how far the budget has brought somebody, and what is left for each other pair."""
    left = counts.total - counts.decided
    if not left or not (meters.spent or counts.decided):
        return ""
    each = float(max(1 - meters.spent, Fraction(0)) / left)
    words = {
        "{used}": percent(float(meters.spent)),
        "{decided}": count(counts.decided),
        "{total}": count(counts.total),
        "{each}": percent(each),
    }
    said = _pace_words()
    for place, word in words.items():
        said = said.replace(place, word)
    return said


def _pace_words() -> str:
    return _("{used} used for {decided} of {total} pairs: about {each} for each one left.")


def _what_is_left(meters: Meters, pairs: Iterable[Pair]) -> str:
    """Say what the rest of the budget is enough for on a page, where that is not much."""
    prices = sorted(float(cell.next.share) for pair in pairs for cell in pair.cells if cell.next)
    left = 1 - float(meters.spent)
    enough = sum(sum_up <= left + _NOTHING for sum_up in accumulate(prices))
    if not prices or (enough and meters.spent <= _NEARLY):
        return ""
    words = _left_words()["some" if enough else "none"]
    return words.replace("{n}", count(enough)).replace("{m}", count(len(prices)))


def _left_words() -> dict[str, str]:
    return {
        "some": _(
            "Enough left for about {n} of the {m} closed cells on this page, cheapest first."
        ),
        "none": _("Not enough left for any of the {m} closed cells on this page."),
    }
