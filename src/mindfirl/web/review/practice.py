"""The practice: made-up pairs on the review screen; what is done here stays in the session."""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.review.shortcuts import keys_of
from mindfirl.core.review.shown_pair import ShownPair
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review.disclosure import Answer
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
from mindfirl.web.review.pair_page import (
    decision_words,
    drawn_meters,
    drawn_pair,
    left_words,
    legend,
    named_keys,
    what_is_left,
)
from mindfirl.web.review.practice_feedback import answer_words, feedback
from mindfirl.web.review.views import (
    asked_decision,
    asked_row,
    asked_state,
    asked_step,
    why_refused,
)

_KEPT: Final = "practice"
"""Where the session keeps what was opened and said."""


def practice(request: Request) -> HttpResponse:
    """Show the made-up pairs, as far as they are open."""
    mine = _kept(request)
    drawn = [_draw(request, mine, pair) for pair in show_practice(practice=mine)]
    here = _here(request, drawn)
    context = {
        **_common(request, mine),
        "pairs": drawn,
        "left": what_is_left(practice_meters(practice=mine), drawn),
        "left_words": left_words(),
        "focus": here["token"],
        "here": here["number"],
        "attributes": [cell["attribute"] for cell in here["cells"]],
        "guidance": _("In an assignment, the manager can say here what you should mind."),
        "legend": legend(),
        "single_keys": request.account.single_keys,
    }
    return render(request, "review/practice/page.html", context)


def practice_open(request: Request) -> HttpResponse:
    """Open a cell of a made-up pair."""
    return _opened(request, asked_step(request))


def practice_open_row(request: Request) -> HttpResponse:
    """Open all cells of a made-up pair that have a level."""
    return _opened(request, asked_row(request))


def practice_decide(request: Request) -> HttpResponse:
    """Note a decision about a made-up pair, and say whether it is right."""
    token = request.POST.get("pair", "")
    said = asked_decision(request)
    mine = decide_practice(practice=_kept(request), token=token, decision=said)
    request.session[_KEPT] = mine.kept()
    if not request.htmx:
        return _back(token)
    pair = next(each for each in show_practice(practice=mine) if each.token == token)
    heard = feedback(mine, token)
    told = f"{heard['verdict']} {heard['why']} {heard['spare']}" if heard else _("Taken back.")
    return _fragment(request, mine, pair, told=told)


def practice_shortcuts(request: Request) -> HttpResponse:
    """Switch single keys on or off, here and in every review."""
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return _back(request.POST.get("pair", ""))


def practice_again(request: Request) -> HttpResponse:
    """Begin anew."""
    request.session.pop(_KEPT, None)
    return redirect("practice")


def practice_finish(request: Request) -> HttpResponse:
    """Look back at the practice; note that somebody has finished or skipped it."""
    mine = _kept(request)
    if request.method == "POST":
        finish_practice(account=request.account, now=timezone.now())
        if mine.said:
            return redirect("practice-finish")
        messages.success(request, _("You can practise at any time: see below."))
        return redirect("assignments")
    if not mine.said:
        return redirect("practice")
    return render(request, "review/practice/finish.html", _summary(mine))


def _here(request: Request, drawn: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the pair that is asked for, or the next undecided one, from the first on again."""
    for pair in drawn:
        if pair["token"] == request.GET.get("pair"):
            return pair
    after = request.GET.get("after")
    start = next((pair["number"] for pair in drawn if str(pair["number"]) == after), 0)
    around = [*drawn[start:], *drawn[:start]]
    return next((pair for pair in around if not pair["decided"]), drawn[0])


def _kept(request: Request) -> Practice:
    return Practice.restored(request.session.get(_KEPT, {}))


def _opened(request: Request, step: Step) -> HttpResponse:
    """Open cells of a made-up pair."""
    mine, answer = open_practice_step(
        practice=_kept(request),
        token=request.POST.get("pair", ""),
        step=step,
        seen=asked_state(request),
    )
    return _answered(request, mine, answer)


def _answered(request: Request, mine: Practice, answer: Answer) -> HttpResponse:
    """Keep what is open now; show the pair, and say why if nothing was opened."""
    request.session[_KEPT] = mine.kept()
    wrong = why_refused(answer)
    if request.htmx:
        told = "" if wrong else _("Opened.")
        return _fragment(request, mine, answer.pair, told=told, wrong=wrong)
    if wrong:
        messages.warning(request, wrong)
    return _back(answer.pair.token)


def _fragment(
    request: Request, mine: Practice, pair: ShownPair, *, told: str, wrong: str = ""
) -> HttpResponse:
    """Answer a pair and the meters to a page that is open."""
    context = {
        **_common(request, mine),
        "opened": True,
        "said": True,
        "pair": _draw(request, mine, pair),
        "told": told,
        "wrong": wrong,
    }
    status = HTTPStatus.CONFLICT if wrong else HTTPStatus.OK
    return render(request, "review/update.html", context, status=status)


def _draw(request: Request, mine: Practice, pair: ShownPair) -> dict[str, Any]:
    """Return what the template of a pair needs, with what is said of its decision."""
    drawn = drawn_pair(
        pair,
        decision=mine.said.get(pair.token),
        comment="",
        keys=keys_of(request.account.review_keys),
    )
    return {**drawn, "feedback": feedback(mine, pair.token)}


def _common(request: Request, mine: Practice) -> dict[str, Any]:
    """Return what the page and a part of it have in common."""
    return {
        "practice": True,
        "to": {
            name.replace("-", "_"): reverse(f"practice-{name}")
            for name in ("open", "open-row", "decide", "shortcuts")
        },
        "meters": drawn_meters(practice_meters(practice=mine)),
        "total": len(PRACTICE),
        "decided": len(mine.said),
        "on_page": len(PRACTICE),
        "complete": len(mine.said) == len(PRACTICE),
        "size": len(PRACTICE),
        "key": named_keys(keys_of(request.account.review_keys)),
    }


def _summary(mine: Practice) -> dict[str, Any]:
    rows = [
        {
            "place": pair.number,
            "token": pair.token,
            "said": decision_words(mine.said[pair.token]) if pair.token in mine.said else "",
            "answer": answer_words(example_of(pair.token)),
            "right": mine.right(pair.token),
        }
        for pair in show_practice(practice=mine)
    ]
    return {
        "rows": rows,
        "right": sum(row["right"] is True for row in rows),
        "total": len(rows),
        "meters": drawn_meters(practice_meters(practice=mine)),
        "enough": drawn_meters(enough_to_see()),
    }


def _back(token: str) -> HttpResponse:
    """Go back to a pair."""
    if token not in PRACTICE:
        return redirect("practice")
    return redirect(f"{reverse('practice')}?pair={token}#pair-{token}")
