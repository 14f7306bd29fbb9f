"""The review screen: pairs to be decided, cells that are opened for their price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import CommentRepeats, NotYours, SettingError
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.shortcuts import keys_of
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions
from mindfirl.services.review.disclosure import commenting, explaining, opening
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.store.models import Assignment
from mindfirl.store.queries.reviews import decided_numbers, tokens_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.review.cover import cover_part
from mindfirl.web.review.decision_page import Comment
from mindfirl.web.review.pair_page import Pair, opened_pair, whole_pair
from mindfirl.web.review.position import Position, asked_number, back_to_pair, page_size
from mindfirl.web.review.posted import (
    incomplete,
    posted_decision,
    posted_row,
    posted_state,
    posted_step,
)
from mindfirl.web.review.screen_page import (
    MetersPart,
    UpdatePart,
    counts_part,
    meter_words,
    review_screen,
    screen_page,
    why_refused,
)
from mindfirl.web.review.votes_page import adjudications

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True)
class ClosedPage:
    assignment: Assignment


def review(request: Request) -> HttpResponse:
    if request.assignment.state != "open":
        return page(request, "review/closed.html", ClosedPage(request.assignment))
    if "after" in request.GET:
        following = Position.of(request).after(asked_number(request, "after", 0))
        return back_to_pair(request, following)
    return _page(request, request.GET.get("pair", ""))


def _page(request: Request, wanted: str, refused: Comment | None = None) -> HttpResponse:
    """Show the page that a pair is on; of a comment that was refused, with what was typed."""
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
    meters = opening.meters_of(assignment=assignment)
    undecided = (pair.token for pair in pairs if not pair.decided)
    on_page = wanted in {pair.token for pair in pairs}
    shown = screen_page(
        pairs,
        meters,
        focus=wanted if on_page else next(undecided, pairs[0].token if pairs else ""),
        guidance=assignment.terms.guidance,
        single_keys=request.account.single_keys,
    )
    return page(
        request,
        "review/page.html",
        review_screen(assignment, keys, position.size),
        counts_part(len(position.tokens), position.decided, position.numbers),
        MetersPart(meter_words(meters)),
        cover_part(request),
        shown,
        position.pages_part(reverse("review", args=[assignment.pk])),
        status=status_for(refused),
    )


def review_open(request: Request) -> HttpResponse:
    return _answered(request, opening.open_step(**_opening(request, posted_step(request))))


def review_open_row(request: Request) -> HttpResponse:
    return _answered(request, opening.open_step(**_opening(request, posted_row(request))))


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
        commenting.comment(
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
    number = explaining.explain_weight(
        account=request.account, assignment=assignment, token=token, now=timezone.now()
    )
    if not request.htmx:
        return back_to_pair(request, token)
    beside = adjudications(request.account, assignment, [number], tokens_of(assignment))[number]
    pair = replace(
        _bare_pair(request, token),
        votes=beside.votes,
        ring=beside.ring,
        explained=beside.explained,
    )
    return _update(request, UpdatePart(pair, _("Explained."), explained=True))


def review_shortcuts(request: Request) -> HttpResponse:
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return back_to_pair(request, request.POST.get("pair", ""))


def _pairs(request: Request, position: Position, keys: dict[str, str]) -> list[Pair]:
    """Draw the pairs of a page, with the votes on them where conflicts are settled."""
    assignment, numbers = request.assignment, position.numbers
    shown = opening.show_pairs(assignment=assignment, numbers=numbers) if numbers else []
    comments = commenting.comments_of(assignment=assignment, numbers=numbers)
    beside = adjudications(request.account, assignment, numbers, position.tokens)
    pairs = []
    for pair in shown:
        said, words = position.decided.get(pair.number), comments.get(pair.number, "")
        decision = said.decision if said else None
        drawn = whole_pair(pair, decision=decision, comment=Comment(words, words), keys=keys)
        votes = beside.get(pair.number)
        if votes:
            explained = votes.explained
            drawn = replace(drawn, votes=votes.votes, ring=votes.ring, explained=explained)
        pairs.append(drawn)
    return pairs


def _opening(request: Request, step: Step) -> dict[str, Any]:
    return {
        "account": request.account,
        "assignment": request.assignment,
        "token": request.POST.get("pair", ""),
        "step": step,
        "seen": posted_state(request),
        "now": timezone.now(),
    }


def _decided(request: Request, token: str) -> tuple[int, Decision | None]:
    numbers = {known: number for number, known in tokens_of(request.assignment).items()}
    if token not in numbers:
        raise NotYours
    said = decisions.decisions_of(request.assignment).get(numbers[token])
    return numbers[token], said.decision if said else None


def _comment(request: Request, number: int) -> Comment:
    comments = commenting.comments_of(assignment=request.assignment, numbers=[number])
    words = comments.get(number, "")
    return Comment(words, words)


def _bare_pair(request: Request, token: str) -> Pair:
    return Pair(token, width=len(request.assignment.attributes) + 1)


def _answered(request: Request, answer: Answer) -> HttpResponse:
    """Show a pair after an opening, and say why if it was refused."""
    wrong = why_refused(answer)
    if not request.htmx:
        if wrong:
            messages.warning(request, wrong)
        return back_to_pair(request, answer.pair.token)
    pair = opened_pair(answer.pair, keys=keys_of(request.account.review_keys))
    update = UpdatePart(pair, "" if wrong else _("Opened."), wrong, opened=True)
    meters = MetersPart(meter_words(answer.meters))
    status = HTTPStatus.CONFLICT if wrong else HTTPStatus.OK
    return _update(request, update, meters, status=status)


def _said(
    request: Request, number: int, pair: Pair, *, told: str, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    """Show what was decided about a pair, and how many pairs are decided."""
    assignment, size = request.assignment, page_size(request)
    first = (number - 1) // size * size
    here = range(first + 1, min(first + size, assignment.size) + 1)
    counts = counts_part(assignment.size, decided_numbers(assignment), here)
    return _update(request, UpdatePart(pair, told, said=True), counts, status=status)


def _update(
    request: Request, *parts: DataclassInstance, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    keys = keys_of(request.account.review_keys)
    screen = review_screen(request.assignment, keys, page_size(request))
    return page(request, "review/update.html", screen, *parts, status=status)
