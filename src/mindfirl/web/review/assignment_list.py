"""What somebody has to review: their assignments, and the end of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.services.review import decisions
from mindfirl.services.review.disclosure import commenting, opening
from mindfirl.services.review.disclosure.practice import PRACTICE
from mindfirl.store.models import Assignment
from mindfirl.store.queries.reviews import Work, tokens_of, work_of
from mindfirl.web.dispatch.assignment_page import KINDS, STATES, TONES
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.figures import along, count, percent
from mindfirl.web.review.cover import cover_part
from mindfirl.web.review.decision_page import decision_words
from mindfirl.web.review.screen_page import MeterWords, meter_words


@dataclass(frozen=True, slots=True)
class OwnAssignment:
    work: Work
    title: str
    kind_words: Any
    state_words: Any
    tone: str
    left: int
    begun: bool
    decided_width: str
    decided_words: str
    spent_width: str
    spent_words: str
    overdue: bool


@dataclass(frozen=True, slots=True)
class AssignmentsPage:
    assignments: list[OwnAssignment]
    waiting: int
    practised: bool
    offered: bool
    practice_pairs: int


@dataclass(frozen=True, slots=True)
class DecidedRow:
    """A pair, what was decided about it, and whether a reason is still missing."""

    place: int
    token: str
    said: str
    at: datetime | None
    comment: str
    bare: bool


@dataclass(frozen=True, slots=True)
class SubmitPage:
    assignment: Assignment
    meters: MeterWords
    rows: list[DecidedRow]
    counts: list[tuple[str, int]]
    left: int
    settles: bool
    unreasoned: int
    bare: str
    wrong: str


def assignments(request: Request) -> HttpResponse:
    rows = [_row(each) for each in work_of(request.account)]
    waiting = sum(each.left for each in rows if each.work.assignment.state == "open")
    practised = request.account.practised is not None
    shown = AssignmentsPage(
        assignments=rows,
        waiting=waiting,
        practised=practised,
        offered=bool(waiting) and not practised,
        practice_pairs=len(PRACTICE),
    )
    return page(request, "review/assignments.html", shown)


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
    parts = (cover_part(request), _submit_page(request, wrong))
    return page(request, "review/submit.html", *parts, status=status_for(wrong))


def _submit_page(request: Request, wrong: str) -> SubmitPage:
    assignment = request.assignment
    tokens, decided = tokens_of(assignment), decisions.decisions_of(assignment)
    comments = {} if assignment.project.shredded else commenting.comments_of(assignment=assignment)
    bare = decisions.unreasoned(assignment)
    rows = [
        DecidedRow(
            place=place,
            token=token,
            said=decision_words(decided[number].decision) if number in decided else "",
            at=decided[number].at if number in decided else None,
            comment=comments.get(number, ""),
            bare=number in bare,
        )
        for place, (number, token) in enumerate(tokens.items(), start=1)
    ]
    return SubmitPage(
        assignment=assignment,
        meters=meter_words(opening.meters_of(assignment=assignment)),
        rows=rows,
        counts=Counter(row.said for row in rows if row.said).most_common(),
        left=len(tokens) - len(decided),
        settles=assignment.kind == "adjudication",
        unreasoned=len(bare),
        bare=tokens[bare[0]] if bare else "",
        wrong=wrong,
    )


def _row(work: Work) -> OwnAssignment:
    assignment = work.assignment
    spent = assignment.spent / assignment.limit if assignment.limit else 0.0
    today = timezone.localdate()
    return OwnAssignment(
        work=work,
        title=assignment.project.title or assignment.project.name,
        kind_words=KINDS[assignment.kind],
        state_words=STATES[assignment.state],
        tone=TONES.get(assignment.state, ""),
        left=work.pairs - work.decided,
        begun=bool(work.decided or assignment.spent),
        decided_width=along(work.decided / work.pairs if work.pairs else 0.0),
        decided_words=_("%(decided)s of %(pairs)s pairs decided")
        % {"decided": count(work.decided), "pairs": count(work.pairs)},
        spent_width=along(spent),
        spent_words=_("%(share)s of your budget used") % {"share": percent(spent)},
        overdue=bool(assignment.state == "open" and assignment.due and assignment.due < today),
    )
