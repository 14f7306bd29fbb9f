"""The review screen: pairs to be decided, cells that are opened for their price."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import CommentRepeats, NotYours, SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.shortcuts import keys_of
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions, disclosure
from mindfirl.services.review.disclosure import Answer
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.store.queries.reviews import decided_numbers, tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.review import screen_page
from mindfirl.web.review.cover import cover
from mindfirl.web.review.decision_page import Comment, adjudications
from mindfirl.web.review.pair_page import Pair, opened_pair, whole_pair
from mindfirl.web.review.position import (
    Position,
    asked_number,
    back_to_pair,
    incomplete,
    page_size,
    posted_decision,
    posted_number,
    posted_row,
    posted_step,
)


def review(request: Request) -> HttpResponse:
    if request.assignment.state != "open":
        return page(request, "review/closed.html", assignment=request.assignment)
    if "after" in request.GET:
        following = Position.of(request).after(asked_number(request, "after", 0))
        return back_to_pair(request, following)
    return _page(request, request.GET.get("pair", ""))


def _page(request: Request, wanted: str, refused: Comment | None = None) -> HttpResponse:
    assignment, position = request.assignment, Position.of(request, wanted)
    keys = keys_of(request.account.review_keys)
    pairs = _pairs(request, position, keys)
    if refused:
        pairs = [
            replace(pair, comment=replace(refused, said=pair.comment.said))
            if pair.token == wanted
            else pair
            for pair in pairs
        ]
    meters = disclosure.meters_of(assignment=assignment)
    undecided = (pair.token for pair in pairs if not pair.decided)
    on_page = wanted in {pair.token for pair in pairs}
    shown = screen_page.screen_page(
        pairs,
        meters,
        focus=wanted if on_page else next(undecided, pairs[0].token if pairs else ""),
        guidance=assignment.terms.guidance,
        single_keys=request.account.single_keys,
    )
    return page(
        request,
        "review/page.html",
        **screen_page.review_screen(assignment, keys, position.size),
        **screen_page.counts_part(len(position.tokens), position.decided, position.numbers),
        **shown,
        **position.pages_part(reverse("review", args=[assignment.pk])),
        meters=screen_page.meter_words(meters),
        cover=cover(request),
        status=status_for(refused),
    )


def review_open(request: Request) -> HttpResponse:
    return _answered(request, disclosure.open_step(**_opening(request, posted_step(request))))


def review_open_row(request: Request) -> HttpResponse:
    return _answered(request, disclosure.open_step(**_opening(request, posted_row(request))))


def review_decide(request: Request) -> HttpResponse:
    token = request.POST.get("pair", "")
    decision = posted_decision(request)
    number = decisions.decide(
        account=request.account,
        assignment=request.assignment,
        token=token,
        decision=decision,
        now=timezone.now(),
    )
    if not request.htmx:
        return back_to_pair(request, token)
    pair = _bare_pair(request, token).with_decision(decision, _comment(request, number))
    return _said(request, number, pair, told=_("Saved.") if decision else _("Taken back."))


def review_comment(request: Request) -> HttpResponse:
    if "words" not in request.POST:
        raise incomplete()
    token, words = request.POST.get("pair", ""), request.POST["words"]
    refused: Comment | None = None
    try:
        disclosure.comment(
            account=request.account,
            assignment=request.assignment,
            token=token,
            words=words,
            now=timezone.now(),
        )
    except (CommentRepeats, SettingError) as error:
        refused = Comment(typed=words, wrong=str(error))
    if not request.htmx:
        return _page(request, token, refused) if refused else back_to_pair(request, token)
    number, decision = _decided(request, token)
    comment = _comment(request, number)
    if refused:
        comment = replace(refused, said=comment.said)
    pair = _bare_pair(request, token).with_decision(decision, comment)
    pair = pair.with_buttons(decision, keys_of(request.account.review_keys))
    told = "" if refused else _("Comment saved.") if words.strip() else _("Comment removed.")
    return _said(request, number, pair, told=told, status=status_for(refused))


def review_explain(request: Request) -> HttpResponse:
    """Tell an adjudicator what the weight of a pair is made of; the ledger notes that."""
    token, assignment = request.POST.get("pair", ""), request.assignment
    if not token:
        raise incomplete()
    number = disclosure.explain_weight(
        account=request.account, assignment=assignment, token=token, now=timezone.now()
    )
    if not request.htmx:
        return back_to_pair(request, token)
    beside = adjudications(request.account, assignment, [number], tokens_of(assignment))[number]
    pair = replace(_bare_pair(request, token), beside=beside)
    return _update(request, pair, _("Explained."), explained=True)


def review_shortcuts(request: Request) -> HttpResponse:
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return back_to_pair(request, request.POST.get("pair", ""))


def _pairs(request: Request, position: Position, keys: dict[str, str]) -> list[Pair]:
    """Draw the pairs of a page, with the votes on them where conflicts are settled."""
    assignment, numbers = request.assignment, position.numbers
    shown = disclosure.show_pairs(assignment=assignment, numbers=numbers) if numbers else []
    comments = disclosure.comments_of(assignment=assignment, numbers=numbers)
    beside = adjudications(request.account, assignment, numbers, position.tokens)
    pairs = []
    for pair in shown:
        said, words = position.decided.get(pair.number), comments.get(pair.number, "")
        decision = said.decision if said else None
        drawn = whole_pair(pair, decision=decision, comment=Comment(words, words), keys=keys)
        pairs.append(replace(drawn, beside=beside.get(pair.number)))
    return pairs


def _opening(request: Request, step: Step) -> dict[str, Any]:
    return {
        "account": request.account,
        "assignment": request.assignment,
        "token": request.POST.get("pair", ""),
        "step": step,
        "seen": posted_number(request, "seen"),
        "now": timezone.now(),
    }


def _decided(request: Request, token: str) -> tuple[int, Decision | None]:
    numbers = {known: number for number, known in tokens_of(request.assignment).items()}
    if token not in numbers:
        raise NotYours
    said = decisions.decisions_of(request.assignment).get(numbers[token])
    return numbers[token], said.decision if said else None


def _comment(request: Request, number: int) -> Comment:
    comments = disclosure.comments_of(assignment=request.assignment, numbers=[number])
    words = comments.get(number, "")
    return Comment(words, words)


def _bare_pair(request: Request, token: str) -> Pair:
    return Pair(token, width=len(request.assignment.attributes) + 1)


def _answered(request: Request, answer: Answer) -> HttpResponse:
    wrong = screen_page.why_refused(answer)
    if not request.htmx:
        if wrong:
            messages.warning(request, wrong)
        return back_to_pair(request, answer.pair.token)
    pair = opened_pair(answer.pair, keys=keys_of(request.account.review_keys))
    meters, told = screen_page.meter_words(answer.meters), "" if wrong else _("Opened.")
    return _update(request, pair, told, wrong=wrong, opened=True, meters=meters)


def _said(
    request: Request, number: int, pair: Pair, *, told: str, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    assignment, size = request.assignment, page_size(request)
    first = (number - 1) // size * size
    here = range(first + 1, min(first + size, assignment.size) + 1)
    counts = screen_page.counts_part(assignment.size, decided_numbers(assignment), here)
    return _update(request, pair, told, said=True, status=status, **counts)


def _update(request: Request, pair: Pair, told: str, **names: Any) -> HttpResponse:  # noqa: ANN401  # of templates
    keys = keys_of(request.account.review_keys)
    screen = screen_page.review_screen(request.assignment, keys, page_size(request))
    return screen_page.update_page(request, pair, told, **screen, **names)
