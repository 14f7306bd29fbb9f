"""Assignments and the review screen: pairs to be decided, cells opened for their price, the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import CommentRepeats, DecidedElsewhere, NotYours, SettingError
from mindfirl.core.policy import may_begin
from mindfirl.core.review.decisions import keys_of
from mindfirl.core.risk.kapr import Step
from mindfirl.services.review import decisions
from mindfirl.services.review.disclosure import commenting, explaining, opening
from mindfirl.services.review.disclosure.lengths import longest_values
from mindfirl.services.review.disclosure.practice import PRACTICE, needs_practice
from mindfirl.services.review.flags import flag
from mindfirl.services.review.shortcuts import switch_keys
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.reviews import Work, count_decided, standings_of, tokens_of, work_of
from mindfirl.web.dispatch.assignment_page import KINDS, STATES, TONES
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.demonstration import trials
from mindfirl.web.review import screen_page
from mindfirl.web.review.cover import cover
from mindfirl.web.review.decision_page import (
    NO_COMMENT,
    Adjudication,
    Comment,
    adjudications,
    decision_sentence,
    decision_words,
)
from mindfirl.web.review.pair_page import Pair, opened_pair, whole_pair
from mindfirl.web.review.position import (
    Position,
    asked_number,
    back_to_pair,
    incomplete,
    posted_decision,
    posted_number,
    posted_row,
    posted_step,
    query_of,
)


def assignments(request: Request) -> HttpResponse:
    own = work_of(request.account)
    waiting = sum(each.pairs - each.decided for each in own if each.assignment.state == "open")
    account = request.account
    locked = [each for each in own if not _may_begin(account, each)]
    return page(
        request,
        "review/assignments.html",
        assignments=[(each, *_state_words(each.assignment), each in locked) for each in own],
        today=timezone.localdate(),
        waiting=waiting,
        practised=account.practised is not None,
        offered=bool(locked or (waiting and needs_practice(account=account, now=timezone.now()))),
        pass_mark=max((each.assignment.project.pass_mark for each in locked), default=0),
        practice_pairs=len(PRACTICE),
        trials=trials(account.username),
    )


def _may_begin(account: Account, work: Work) -> bool:
    mine = work.assignment
    return may_begin(
        mine.kind,
        pass_mark=mine.project.pass_mark,
        right=account.practice_right,
        begun=mine.state != "open" or mine.characters is not None or work.decided > 0,
    )


def review_submit(request: Request) -> HttpResponse:
    wrong = ""
    if request.method == "POST":
        try:
            decisions.submit(
                account=request.account, assignment=request.assignment, now=timezone.now()
            )
        except SettingError as error:
            wrong = words_of(error)
        else:
            messages.success(request, _("Assignment submitted. Thank you."))
            return redirect("review-submit", request.assignment.pk)
    return _submit_page(request, wrong)


def _submit_page(request: Request, wrong: str) -> HttpResponse:
    assignment = request.assignment
    tokens, decided = tokens_of(assignment), decisions.decisions_of(assignment)
    comments = {} if assignment.project.shredded else commenting.comments_of(assignment=assignment)
    bare = decisions.unreasoned(assignment)
    said = {each: decision_words(decided[each].decision) for each in tokens if each in decided}
    return page(
        request,
        "review/submit.html",
        cover=cover(request),
        assignment=assignment,
        meters=opening.meters_of(assignment=assignment),
        rows=[
            (token, decided.get(number), said.get(number), comments.get(number, ""), number in bare)
            for number, token in tokens.items()
        ],
        counts=Counter(said.values()).most_common(),
        left=len(tokens) - len(decided),
        settles=assignment.kind == "adjudication",
        unreasoned=len(bare),
        bare=tokens[bare[0]] if bare else "",
        wrong=wrong,
        status=status_for(wrong),
    )


def _state_words(assignment: Assignment) -> tuple[Any, Any, str]:
    """Return what an assignment is called, its state, and the tone of that."""
    state = assignment.state
    return KINDS[assignment.kind], STATES[state], TONES.get(state, "")


def review(request: Request) -> HttpResponse:
    if request.assignment.state != "open":
        return page(request, "review/closed.html", assignment=request.assignment)
    if "after" in request.GET:
        following = Position.of(request).after(asked_number(request, "after", 0))
        return back_to_pair(request, following)
    if "number" in request.GET:
        return back_to_pair(
            request, Position.of(request).nearest(asked_number(request, "number", 1))
        )
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
    meters = opening.meters_of(assignment=assignment)
    counts = screen_page.counts_part(len(position.tokens), len(position.decided))
    undecided = (pair.token for pair in pairs if not pair.decided)
    on_page = wanted in {pair.token for pair in pairs}
    shown = screen_page.screen_part(
        request.account,
        pairs,
        meters,
        counts,
        focus=wanted if on_page else next(undecided, pairs[0].token if pairs else ""),
        guidance=assignment.terms.guidance,
        lengths=longest_values(assignment=assignment),
    )
    return page(
        request,
        "review/page.html",
        _frame(request),
        counts,
        shown,
        position.pages_part(reverse("review", args=[assignment.pk])),
        meters=meters,
        cover=cover(request),
        status=status_for(refused),
    )


def review_open(request: Request) -> HttpResponse:
    return _opened(request, posted_step(request))


def review_open_row(request: Request) -> HttpResponse:
    return _opened(request, posted_row(request))


def review_decide(request: Request) -> HttpResponse:
    token = request.POST.get("pair", "")
    decision = posted_decision(request)
    try:
        kept = decisions.decide(
            account=request.account,
            assignment=request.assignment,
            token=token,
            decision=decision,
            now=timezone.now(),
            seen=posted_number(request, "revision") if "revision" in request.POST else None,
        )
    except DecidedElsewhere as error:
        return _decided_elsewhere(request, token, words_of(error))
    if not request.htmx:
        return back_to_pair(request, token)
    comment = _comment(request, kept.number) if kept.commented else NO_COMMENT
    pair = _bare_pair(request, token).with_decision(decision, comment, kept.revision)
    return _said(request, pair, sentence=decision_sentence(decision))


def _decided_elsewhere(request: Request, token: str, wrong: str) -> HttpResponse:
    """Show what a pair is by now in the place of what was pressed."""
    if not request.htmx:
        messages.warning(request, wrong)
        return back_to_pair(request, token)
    return _said(request, _decided_pair(request, token), wrong=wrong)


def review_flag(request: Request) -> HttpResponse:
    token, on = request.POST.get("pair", ""), request.POST.get("flag") == "on"
    if not token:
        raise SettingError(_("Not flagged: no pair was selected. Select a pair and try again."))
    flag(account=request.account, assignment=request.assignment, token=token, on=on)
    if not request.htmx:
        return back_to_pair(request, token)
    sentence = _("Flagged.") if on else _("Flag removed.")
    pair = replace(_bare_pair(request, token), flagged=on)
    return screen_page.update_page(request, _frame(request), pair, sentence, flagging=True)


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
        refused = Comment(typed=words, wrong=words_of(error))
    if not request.htmx:
        return _page(request, token, refused) if refused else back_to_pair(request, token)
    pair = _decided_pair(request, token)
    if refused:
        pair = replace(pair, comment=replace(refused, said=pair.comment.said))
    sentence = "" if refused else _commented(request, words)
    return _said(request, pair, sentence=sentence, status=status_for(refused))


def _commented(request: Request, words: str) -> str:
    if request.assignment.kind == "adjudication":
        return _("Reason saved.") if words.strip() else _("Reason removed.")
    return _("Comment saved.") if words.strip() else _("Comment removed.")


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
    pair = replace(_bare_pair(request, token), beside=_beside(request, number))
    explained = _("Weight explained.")
    return screen_page.update_page(request, _frame(request), pair, explained, explained=True)


def review_shortcuts(request: Request) -> HttpResponse:
    switch_keys(account=request.account, on=request.POST.get("keys") == "on")
    return back_to_pair(request, request.POST.get("pair", ""))


def _pairs(request: Request, position: Position, keys: dict[str, str]) -> list[Pair]:
    """Draw the pairs of a page, with the votes on them where conflicts are settled."""
    assignment, numbers = request.assignment, position.numbers
    shown = opening.show_pairs(assignment=assignment, numbers=numbers) if numbers else []
    comments = _comments(request, numbers)
    beside = adjudications(request.account, assignment, numbers, position.tokens)
    pairs = []
    for pair in shown:
        said, comment = position.decided.get(pair.number), comments.get(pair.number, NO_COMMENT)
        decision, standing = said.decision if said else None, position.standings[pair.number]
        drawn = whole_pair(pair, decision=decision, comment=comment, keys=keys)
        pairs.append(
            replace(
                drawn,
                beside=beside.get(pair.number),
                revision=standing.revision,
                flagged=standing.flagged,
            )
        )
    return pairs


def _decided_pair(request: Request, token: str) -> Pair:
    """Return what is said of a pair, with the buttons by which it is said."""
    assignment = request.assignment
    numbers = {known: number for number, known in tokens_of(assignment).items()}
    if token not in numbers:
        raise NotYours
    number = numbers[token]
    said = decisions.decisions_of(assignment).get(number)
    decision, revision = said.decision if said else None, standings_of(assignment)[number].revision
    pair = _bare_pair(request, token).with_decision(decision, _comment(request, number), revision)
    return pair.with_buttons(decision, keys_of(request.account.review_keys))


def _comment(request: Request, number: int) -> Comment:
    return _comments(request, [number]).get(number, NO_COMMENT)


def _comments(request: Request, numbers: Iterable[int]) -> dict[int, Comment]:
    """Return comments, each with what is wrong with it since something else was opened."""
    assignment = request.assignment
    found = commenting.comments_of(assignment=assignment, numbers=numbers)
    aside = commenting.set_aside(assignment=assignment, comments=found)
    wrong = _(
        "This comment is hidden from other people: it repeats something that you have opened "
        "since. Rewrite it without that."
    )
    return {
        number: Comment(words, words, wrong if number in aside else "")
        for number, words in found.items()
    }


def _bare_pair(request: Request, token: str) -> Pair:
    return Pair(token, width=len(request.assignment.attributes) + 1)


def _opened(request: Request, step: Step) -> HttpResponse:
    answer = opening.open_step(
        account=request.account,
        assignment=request.assignment,
        token=request.POST.get("pair", ""),
        step=step,
        seen=posted_number(request, "seen"),
        now=timezone.now(),
    )
    wrong = screen_page.why_refused(answer)
    if not request.htmx:
        if wrong:
            messages.warning(request, wrong)
        return back_to_pair(request, answer.pair.token)
    pair = opened_pair(answer.pair, keys=keys_of(request.account.review_keys))
    beside = _beside(request, answer.pair.number)
    frame, sentence = _frame(request), "" if wrong else _("Opened.")
    return screen_page.update_page(
        request,
        frame,
        replace(pair, beside=beside),
        sentence,
        meters=answer.meters,
        explained=bool(beside and beside.explained),
        wrong=wrong,
    )


def _beside(request: Request, number: int) -> Adjudication | None:
    assignment = request.assignment
    if assignment.kind != "adjudication":
        return None
    return adjudications(request.account, assignment, [number], tokens_of(assignment))[number]


def _said(
    request: Request,
    pair: Pair,
    *,
    sentence: str = "",
    wrong: str = "",
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    assignment = request.assignment
    counts = screen_page.counts_part(assignment.size, count_decided(assignment))
    frame = _frame(request)
    return screen_page.update_page(
        request, frame, pair, sentence, counts=counts, wrong=wrong, status=status
    )


_REASONS: Final = 5


def _reasons(assignment: Assignment) -> tuple[str, ...]:
    """Return the last different reasons that an adjudicator gave in an assignment."""
    if assignment.kind != "adjudication":
        return ()
    said = list(commenting.comments_of(assignment=assignment).values())
    return tuple(dict.fromkeys(reversed(said)))[:_REASONS]


def _frame(request: Request) -> screen_page.FramePart:
    keys = keys_of(request.account.review_keys)
    reasons = _reasons(request.assignment)
    return screen_page.frame_part(request.assignment, keys, query_of(request), reasons)
