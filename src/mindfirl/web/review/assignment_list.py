"""What somebody has to review: their assignments, and the end of each."""

from __future__ import annotations

from collections import Counter
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.services.review import decisions, disclosure
from mindfirl.services.review.disclosure.practice import PRACTICE
from mindfirl.store.models import Assignment
from mindfirl.store.queries.reviews import tokens_of, work_of
from mindfirl.web.dispatch.assignment_page import KINDS, STATES, TONES
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.review.cover import cover
from mindfirl.web.review.decision_page import decision_words
from mindfirl.web.review.screen_page import meter_words


def assignments(request: Request) -> HttpResponse:
    own = work_of(request.account)
    waiting = sum(each.pairs - each.decided for each in own if each.assignment.state == "open")
    practised = request.account.practised is not None
    return page(
        request,
        "review/assignments.html",
        assignments=[(each, *_state_words(each.assignment)) for each in own],
        today=timezone.localdate(),
        waiting=waiting,
        practised=practised,
        offered=bool(waiting) and not practised,
        practice_pairs=len(PRACTICE),
    )


def review_submit(request: Request) -> HttpResponse:
    wrong = ""
    if request.method == "POST":
        try:
            decisions.submit(
                account=request.account, assignment=request.assignment, now=timezone.now()
            )
        except SettingError as error:
            wrong = str(error)
        else:
            messages.success(request, _("The assignment is submitted. Thank you."))
            return redirect("review-submit", request.assignment.pk)
    return _submit_page(request, wrong)


def _submit_page(request: Request, wrong: str) -> HttpResponse:
    assignment = request.assignment
    tokens, decided = tokens_of(assignment), decisions.decisions_of(assignment)
    comments = {} if assignment.project.shredded else disclosure.comments_of(assignment=assignment)
    bare = decisions.unreasoned(assignment)
    said = {each: decision_words(decided[each].decision) for each in tokens if each in decided}
    return page(
        request,
        "review/submit.html",
        cover=cover(request),
        assignment=assignment,
        meters=meter_words(disclosure.meters_of(assignment=assignment)),
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
