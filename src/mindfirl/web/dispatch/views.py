"""Step 5: look at everything once more, and give out the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
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
from mindfirl.services.plan.estimates import estimate
from mindfirl.services.plan.plans import plan_of
from mindfirl.store.models import Dispatch, Job, Scoring
from mindfirl.store.queries.access import members_of
from mindfirl.store.queries.plans import forecast_of, waiting_dispatch
from mindfirl.store.queries.projects import current_version, steps_of
from mindfirl.web.dispatch import terms_page
from mindfirl.web.dispatch.assignment_page import AssignmentRow
from mindfirl.web.dispatch.assignment_views import assignment_rows
from mindfirl.web.http.access import Request
from mindfirl.web.page.figures import pairs
from mindfirl.web.page.long_work import enqueue, job_for
from mindfirl.web.page.steps import step_page
from mindfirl.workspace.proposals import may_confirm_dispatch

_KIND: Final = "dispatch"


@dataclass(frozen=True, slots=True)
class WaitingDispatch:
    """A dispatch that waits, and whether the reader may confirm it."""

    number: int
    who: str
    when: datetime
    confirmed: bool
    going: bool
    confirms: bool


@dataclass(frozen=True, slots=True)
class ProposalPart:
    """What is proposed, or could be."""

    people: list[terms_page.PersonRow]
    facts: list[tuple[str, str]]
    warnings: list[str]
    lead: str
    give_out: str
    proposed: WaitingDispatch | None
    seen: str
    nothing: bool


@dataclass(frozen=True, slots=True)
class DispatchPage:
    first: bool
    wrong: Sequence[str]
    job: Job | None
    assignments: list[AssignmentRow]


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
        return _draw(request, wrong=list(error.fields.values()))
    except ChangedMeanwhile as error:
        messages.warning(request, str(error))
        return _draw(request, status=HTTPStatus.CONFLICT)
    except SettingError as error:
        return _draw(request, wrong=[str(error)])
    return redirect("dispatch", request.project.name)


def dispatch_confirm(request: Request) -> HttpResponse:
    found = _named(request)
    if found is None:
        return _gone(request)
    try:
        done = dispatching.confirm(dispatch=found, actor=request.actor, account=request.account)
    except FieldErrors as error:
        return _draw(request, wrong=list(error.fields.values()))
    except SettingError as error:
        return _draw(request, wrong=[str(error)])
    return _enqueued(request, done)


def dispatch_withdraw(request: Request) -> HttpResponse:
    found = _named(request)
    if found is None:
        return _gone(request)
    try:
        dispatching.withdraw(dispatch=found, actor=request.actor)
    except SettingError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("The dispatch is withdrawn. No pair was given out."))
    return redirect("dispatch", request.project.name)


def _proposed(request: Request) -> Dispatch:
    """Propose the plan that was looked at; where nobody else has to, confirm it at once."""
    plan = plan_of(project=request.project, actor=request.actor)
    if request.POST.get("seen") != _seen(request, plan[1]):
        raise ChangedMeanwhile
    who: dict[str, Any] = {"actor": request.actor, "account": request.account}
    made = dispatching.propose(project=request.project, **who)
    if not may_confirm_dispatch(made, request.actor, request.account):
        messages.success(request, _("It is proposed. Another manager or the auditor confirms it."))
        return made
    return dispatching.confirm(dispatch=made, **who)


def _enqueued(request: Request, confirmed: Dispatch) -> HttpResponse:
    if enqueue(request, _KIND, dispatch=confirmed.pk):
        messages.success(request, _("The pairs are being given out."))
    return redirect("dispatch", request.project.name)


def _gone(request: Request) -> HttpResponse:
    messages.warning(request, str(ChangedMeanwhile()))
    return _draw(request, status=HTTPStatus.CONFLICT)


def _named(request: Request) -> Dispatch | None:
    found = waiting_dispatch(request.project, "review")
    return found if found and request.POST.get("dispatch") == str(found.number) else None


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
    proposal = _proposal_part(request, going=jobs.current_job(request.project) is not None)
    shown = DispatchPage(
        first=proposal is None,
        wrong=wrong,
        job=job_for(request.project, _KIND),
        assignments=assignment_rows(request),
    )
    if proposal is None:
        return step_page(request, "dispatch", shown, status=status)
    return step_page(request, "dispatch", shown, proposal, status=status)


def _proposal_part(request: Request, *, going: bool) -> ProposalPart | None:
    """Describe what waits, or else what could be proposed; nothing before there is a plan."""
    waiting, scoring = waiting_dispatch(request.project, "review"), _scoring(request)
    is_open = any(step.route == "dispatch" and step.open for step in steps_of(request.project))
    if scoring is None or not (is_open or waiting):
        return None
    given = _proposal(request, scoring, waiting)
    revision = plan_of(project=request.project, actor=request.actor)[1]
    return ProposalPart(
        people=terms_page.people(given),
        facts=terms_page.facts(given),
        warnings=terms_page.warnings(given),
        lead=terms_page.lead(given),
        give_out=_("Give out %(pairs)s") % {"pairs": pairs(given.total)},
        proposed=_waits(request, waiting, going=going) if waiting else None,
        seen="" if waiting else _seen(request, revision),
        nothing=not waiting and not given.total,
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
        ahead=ahead,
        names={str(each.account_id): str(each.account) for each in members},
        managers=frozenset(str(each.account_id) for each in members if each.role == "manager"),
    )


def _waits(request: Request, waiting: Dispatch, *, going: bool) -> WaitingDispatch:
    return WaitingDispatch(
        number=waiting.number,
        who=str(waiting.proposed_by),
        when=waiting.proposed,
        confirmed=waiting.state == "confirmed",
        going=going,
        confirms=may_confirm_dispatch(waiting, request.actor, request.account),
    )
