"""The practice: made-up pairs on the review screen; what is done here stays in the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.review.shortcuts import keys_of
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.services.review.disclosure.practice import (
    PRACTICE,
    Practice,
    decide_practice,
    enough_to_see,
    example_of,
    finish_practice,
    open_practice_step,
    practice_meters,
    show_practice,
)
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.review.decision_page import NO_COMMENT, decision_words
from mindfirl.web.review.pair_page import Pair, whole_pair
from mindfirl.web.review.posted import posted_decision, posted_row, posted_state, posted_step
from mindfirl.web.review.practice_feedback import answer_words, feedback
from mindfirl.web.review.screen_page import (
    Addresses,
    MetersPart,
    MeterWords,
    ScreenPart,
    UpdatePart,
    counts_part,
    meter_words,
    named_keys,
    screen_page,
    why_refused,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_KEPT: Final = "practice"
"""Where the session keeps what was opened and said."""


@dataclass(frozen=True, slots=True)
class PracticeRow:
    place: int
    token: str
    said: str
    answer: str
    right: bool | None


@dataclass(frozen=True, slots=True)
class FinishPage:
    """How the practice went; ``enough`` is what had to be opened."""

    rows: list[PracticeRow]
    right: int
    total: int
    meters: MeterWords
    enough: MeterWords


def practice(request: Request) -> HttpResponse:
    practised = _kept(request)
    pairs = [_pair(request, practised, pair) for pair in show_practice(practice=practised)]
    shown = screen_page(
        pairs,
        practice_meters(practice=practised),
        focus=_here(request, pairs).token,
        guidance=_("In an assignment, the manager can say here what you should mind."),
        single_keys=request.account.single_keys,
    )
    return page(request, "review/practice/page.html", *_common(request, practised), shown)


def practice_open(request: Request) -> HttpResponse:
    return _opened(request, posted_step(request))


def practice_open_row(request: Request) -> HttpResponse:
    return _opened(request, posted_row(request))


def practice_decide(request: Request) -> HttpResponse:
    token = request.POST.get("pair", "")
    said = posted_decision(request)
    practised = decide_practice(practice=_kept(request), token=token, decision=said)
    request.session[_KEPT] = practised.kept()
    if not request.htmx:
        return _back(token)
    pair = next(each for each in show_practice(practice=practised) if each.token == token)
    heard = feedback(practised, token)
    told = f"{heard.verdict} {heard.why} {heard.spare}" if heard else _("Taken back.")
    return _fragment(request, practised, pair, told=told)


def practice_shortcuts(request: Request) -> HttpResponse:
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return _back(request.POST.get("pair", ""))


def practice_again(request: Request) -> HttpResponse:
    request.session.pop(_KEPT, None)
    return redirect("practice")


def practice_finish(request: Request) -> HttpResponse:
    """Look back at the practice; note that somebody has finished or skipped it."""
    practised = _kept(request)
    if request.method == "POST":
        finish_practice(account=request.account, now=timezone.now())
        if practised.said:
            return redirect("practice-finish")
        messages.success(request, _("You can practise at any time: see below."))
        return redirect("assignments")
    if not practised.said:
        return redirect("practice")
    return page(request, "review/practice/finish.html", _finish_page(practised))


def _here(request: Request, pairs: Sequence[Pair]) -> Pair:
    """Return the pair that is asked for, or the next undecided one, from the first on again."""
    for pair in pairs:
        if pair.token == request.GET.get("pair"):
            return pair
    after = request.GET.get("after")
    start = next((pair.number for pair in pairs if str(pair.number) == after), 0)
    around = [*pairs[start:], *pairs[:start]]
    return next((pair for pair in around if not pair.decided), pairs[0])


def _kept(request: Request) -> Practice:
    return Practice.restored(request.session.get(_KEPT, {}))


def _opened(request: Request, step: Step) -> HttpResponse:
    practised, answer = open_practice_step(
        practice=_kept(request),
        token=request.POST.get("pair", ""),
        step=step,
        seen=posted_state(request),
    )
    return _answered(request, practised, answer)


def _answered(request: Request, practised: Practice, answer: Answer) -> HttpResponse:
    """Keep what is open now; show the pair, and say why if nothing was opened."""
    request.session[_KEPT] = practised.kept()
    wrong = why_refused(answer)
    if request.htmx:
        told = "" if wrong else _("Opened.")
        return _fragment(request, practised, answer.pair, told=told, wrong=wrong)
    if wrong:
        messages.warning(request, wrong)
    return _back(answer.pair.token)


def _fragment(
    request: Request, practised: Practice, pair: ShownPair, *, told: str, wrong: str = ""
) -> HttpResponse:
    """Answer a pair and the meters to a page that is open."""
    update = UpdatePart(_pair(request, practised, pair), told, wrong, opened=True, said=True)
    status = HTTPStatus.CONFLICT if wrong else HTTPStatus.OK
    return page(request, "review/update.html", *_common(request, practised), update, status=status)


def _pair(request: Request, practised: Practice, pair: ShownPair) -> Pair:
    keys, decision = keys_of(request.account.review_keys), practised.said.get(pair.token)
    drawn = whole_pair(pair, decision=decision, comment=NO_COMMENT, keys=keys)
    return replace(drawn, feedback=feedback(practised, pair.token))


def _common(request: Request, practised: Practice) -> tuple[DataclassInstance, ...]:
    screen = ScreenPart(
        to=Addresses(
            open=reverse("practice-open"),
            open_row=reverse("practice-open-row"),
            decide=reverse("practice-decide"),
            shortcuts=reverse("practice-shortcuts"),
        ),
        size=len(PRACTICE),
        key=named_keys(keys_of(request.account.review_keys)),
        practice=True,
    )
    numbers = [place for place, token in enumerate(PRACTICE, start=1) if token in practised.said]
    counts = counts_part(len(PRACTICE), numbers, range(1, len(PRACTICE) + 1))
    return screen, counts, MetersPart(meter_words(practice_meters(practice=practised)))


def _finish_page(practised: Practice) -> FinishPage:
    rows = [
        PracticeRow(
            place=pair.number,
            token=pair.token,
            said=decision_words(practised.said[pair.token]) if pair.token in practised.said else "",
            answer=answer_words(example_of(pair.token)),
            right=practised.right(pair.token),
        )
        for pair in show_practice(practice=practised)
    ]
    return FinishPage(
        rows=rows,
        right=sum(row.right is True for row in rows),
        total=len(rows),
        meters=meter_words(practice_meters(practice=practised)),
        enough=meter_words(enough_to_see()),
    )


def _back(token: str) -> HttpResponse:
    if token not in PRACTICE:
        return redirect("practice")
    return redirect(f"{reverse('practice')}?pair={token}#pair-{token}")
