"""What somebody has to review: their assignments, and the end of each."""

from __future__ import annotations

from collections import Counter
from http import HTTPStatus
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.services.review import decisions, disclosure
from mindfirl.services.review.disclosure.practice import PRACTICE
from mindfirl.store.queries.reviews import Work, tokens_of, work_of
from mindfirl.web.dispatch.assignment_views import KINDS, STATES
from mindfirl.web.http.access import Request
from mindfirl.web.page.figures import along, count, percent
from mindfirl.web.review.cover import covering
from mindfirl.web.review.pair_page import decision_words, drawn_meters


def assignments(request: Request) -> HttpResponse:
    """List somebody's assignments, how far they are, and what is spent."""
    works = [_listed(each) for each in work_of(request.account)]
    waiting = sum(each["left"] for each in works if each["state"] == "open")
    practised = request.account.practised is not None
    context = {
        "works": works,
        "waiting": waiting,
        "practised": practised,
        "offered": bool(waiting) and not practised,
        "practice_pairs": len(PRACTICE),
    }
    return render(request, "review/assignments.html", context)


def review_submit(request: Request) -> HttpResponse:
    """Look back at all decisions of an assignment, and submit it."""
    wrong, status = "", HTTPStatus.OK
    if request.method == "POST":
        try:
            decisions.submit(
                account=request.account, assignment=request.assignment, now=timezone.now()
            )
        except SettingError as error:
            wrong, status = str(error), HTTPStatus.UNPROCESSABLE_ENTITY
        else:
            messages.success(request, _("The assignment is submitted. Thank you."))
            return redirect("review-submit", request.assignment.pk)
    return render(request, "review/submit.html", _summary(request, wrong), status=status)


def _summary(request: Request, wrong: str) -> dict[str, Any]:
    mine = request.assignment
    tokens, decided = tokens_of(mine), decisions.decisions_of(mine)
    comments = {} if mine.project.shredded else disclosure.comments_of(assignment=mine)
    bare = decisions.unreasoned(mine)
    rows = [
        {
            "place": place,
            "token": token,
            "said": decision_words(decided[number].decision) if number in decided else "",
            "at": decided[number].at if number in decided else None,
            "comment": comments.get(number, ""),
            "bare": number in bare,
        }
        for place, (number, token) in enumerate(tokens.items(), start=1)
    ]
    return {
        **covering(request),
        "assignment": mine,
        "state": STATES[mine.state],
        "meters": drawn_meters(disclosure.meters_of(assignment=mine)),
        "rows": rows,
        "counts": Counter(row["said"] for row in rows if row["said"]).most_common(),
        "left": len(tokens) - len(decided),
        "settles": mine.kind == "adjudication",
        "unreasoned": len(bare),
        "bare": tokens[bare[0]] if bare else "",
        "wrong": wrong,
    }


def _listed(work: Work) -> dict[str, Any]:
    mine = work.assignment
    spent = mine.spent / mine.limit if mine.limit else 0.0
    today = timezone.localdate()
    return {
        "id": mine.pk,
        "title": mine.project.title or mine.project.name,
        "kind_words": KINDS[mine.kind],
        "state": mine.state,
        "state_words": STATES[mine.state],
        "tone": {"open": "good", "paused": "warm"}.get(mine.state, ""),
        "left": work.pairs - work.decided,
        "begun": bool(work.decided or mine.spent),
        "decided_width": along(work.decided / work.pairs if work.pairs else 0.0),
        "decided_words": _("%(decided)s of %(pairs)s pairs decided")
        % {"decided": count(work.decided), "pairs": count(work.pairs)},
        "spent_width": along(spent),
        "spent_words": _("%(share)s of your budget used") % {"share": percent(spent)},
        "due": mine.due,
        "advised": mine.terms.hints,
        "closed": mine.project.closed is not None,
        "overdue": bool(mine.state == "open" and mine.due and mine.due < today),
    }
