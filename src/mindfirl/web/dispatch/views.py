"""Step 5: look at everything once more, and give out the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.services import dispatch as dispatching
from mindfirl.services import jobs
from mindfirl.services.dispatch.assignments import progress_of
from mindfirl.services.plan.budgets import recommended_budget
from mindfirl.services.plan.estimates import estimate
from mindfirl.services.plan.plans import plan_of
from mindfirl.store.models import Dispatch, Scoring
from mindfirl.store.queries.access import members_of
from mindfirl.store.queries.plans import forecast_of, waiting_dispatch
from mindfirl.store.queries.projects import current_version, steps_of
from mindfirl.web.dispatch import terms_page
from mindfirl.web.dispatch.assignment_page import assignment_row
from mindfirl.web.dispatch.assignment_views import named_dispatch
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.expected_errors import expected_errors
from mindfirl.web.page.figures import pairs
from mindfirl.web.page.long_work import enqueue, is_under_way, job_for
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.workspace.proposals import may_confirm_dispatch

_KIND: Final = "dispatch"


def dispatch(request: Request) -> HttpResponse:
    if request.method != "POST":
        return _draw(request)
    waiting = waiting_dispatch(request.project, "review")
    try:
        if waiting is None:
            waiting = _proposed(request)
        if waiting.state == "confirmed":
            return _enqueued(request, waiting)
    except FieldErrors as error:
        return _draw(request, wrong=list(field_words(error).values()))
    except ChangedMeanwhile as error:
        messages.warning(request, words_of(error))
        return _draw(request, status=HTTPStatus.CONFLICT)
    except SettingError as error:
        return _draw(request, wrong=[words_of(error)])
    return redirect("dispatch", request.project.name)


def dispatch_confirm(request: Request) -> HttpResponse:
    found = named_dispatch(request, "review")
    if found is None:
        return _gone(request)
    try:
        done = dispatching.confirm(dispatch=found, actor=request.actor, account=request.account)
    except FieldErrors as error:
        return _draw(request, wrong=list(field_words(error).values()))
    except SettingError as error:
        return _draw(request, wrong=[words_of(error)])
    return _enqueued(request, done)


def dispatch_withdraw(request: Request) -> HttpResponse:
    found = named_dispatch(request, "review")
    if found is None:
        return _gone(request)
    try:
        dispatching.withdraw(dispatch=found, actor=request.actor)
    except SettingError as error:
        return to_page(request, "dispatch", wrong=words_of(error))
    return to_page(request, "dispatch", done=_("Dispatch withdrawn. No pairs were assigned."))


def _proposed(request: Request) -> Dispatch:
    """Propose the plan that was looked at; where nobody else has to, confirm it at once."""
    plan = plan_of(project=request.project, actor=request.actor)
    if request.POST.get("seen") != _seen(request, plan[1]):
        raise ChangedMeanwhile
    who: dict[str, Any] = {"actor": request.actor, "account": request.account}
    made = dispatching.propose(project=request.project, **who)
    if not may_confirm_dispatch(made, request.actor, request.account):
        messages.success(
            request, _("Proposal sent. Another manager or the auditor must confirm it.")
        )
        return made
    return dispatching.confirm(dispatch=made, **who)


def _enqueued(request: Request, confirmed: Dispatch) -> HttpResponse:
    if enqueue(request, _KIND, dispatch=confirmed.pk):
        messages.success(request, _("Assigning pairs."))
    return redirect("dispatch", request.project.name)


def _gone(request: Request) -> HttpResponse:
    messages.warning(request, str(ChangedMeanwhile()))
    return _draw(request, status=HTTPStatus.CONFLICT)


def _seen(request: Request, revision: int) -> str:
    """Name what a proposal depends on, so that one who saw another is told."""
    scoring, before = _scoring(request), request.project.dispatches.filter(kind="review").count()
    if scoring is None:
        return ""
    made = forecast_of(request.project)
    chosen_by = made.pk if made else "-"
    return f"{revision} {scoring.pk} {scoring.lower} {scoring.upper} {before} {chosen_by}"


def _scoring(request: Request) -> Scoring | None:
    version = current_version(request.project)
    return Scoring.objects.select_related("version").filter(version=version).first()


def _draw(
    request: Request, *, wrong: Sequence[str] = (), status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    if wrong:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    waiting, scoring = waiting_dispatch(request.project, "review"), _scoring(request)
    is_open = any(step.route == "dispatch" and step.open for step in steps_of(request.project))
    found = progress_of(project=request.project, actor=request.actor)
    job = job_for(request.project, _KIND)
    now = [each for each in found if scoring and each.assignment.version_id == scoring.version_id]
    ended = bool(now) and not waiting and not is_under_way(job)
    shown = partial(
        step_page,
        request,
        "dispatch",
        wrong=wrong,
        job=job,
        assignments=[assignment_row(each) for each in found],
        ended=ended,
        assigned_people=len({each.person.pk for each in now}),
        assigned_pairs=sum(each.pairs - each.passed_on for each in now),
        status=status,
    )
    if scoring is None or not (is_open or waiting):
        return shown(first=True, nothing=False, further=False)
    given = _proposal(request, scoring, waiting)
    revision = plan_of(project=request.project, actor=request.actor)[1]
    return shown(
        first=False,
        people=terms_page.people(given),
        due=given.plan.due,
        facts=terms_page.facts(given),
        warnings=list(terms_page.warnings(given)),
        lead=terms_page.lead(given),
        give_out=_("Assign %(pairs)s") % {"pairs": pairs(given.total)},
        proposed=waiting,
        going=jobs.current_job(request.project) is not None,
        confirms=waiting is not None
        and may_confirm_dispatch(waiting, request.actor, request.account),
        seen="" if waiting else _seen(request, revision),
        nothing=not waiting and not given.total,
        further=ended and given.total > 0,
    )


def _proposal(request: Request, scoring: Scoring, waiting: Dispatch | None) -> terms_page.Proposal:
    plan = (
        ReviewPlan.from_json(waiting.plan["plan"])
        if waiting
        else plan_of(project=request.project, actor=request.actor)[0]
    )
    ahead = estimate(project=request.project, actor=request.actor, plan=plan)
    members = members_of(request.project)
    return terms_page.Proposal(
        project=request.project,
        scoring=scoring,
        plan=plan,
        pairs=waiting.plan["pairs"] if waiting else ahead.pairs,
        quality=waiting.plan["quality"] if waiting else ahead.quality,
        answers=waiting.plan.get("answers", 0) if waiting else ahead.answers,
        gold=waiting.plan.get("gold", 0) if waiting else ahead.gold,
        ahead=ahead,
        names={str(each.account_id): str(each.account) for each in members},
        managers=frozenset(str(each.account_id) for each in members if each.role == "manager"),
        errors=expected_errors(request.project),
        recommended=recommended_budget(request.project, plan),
    )
