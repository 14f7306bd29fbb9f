"""Step 4: who reviews, and how much they may see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from django.contrib import messages
from django.forms import BoundField
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors
from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.policy import REVIEWERS, Role, may
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import WHOLE, read_percent, write_percent
from mindfirl.services.plan.estimates import Estimate, estimate
from mindfirl.services.plan.forecasts import newest
from mindfirl.services.plan.plans import TypedPlan, default_plan_of, plan_of, read_plan, save_plan
from mindfirl.store.models import Account, Membership
from mindfirl.store.queries.access import members_of, usernames
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.store.queries.projects import steps_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.steps import step_page
from mindfirl.web.plan import estimates, forecast_views
from mindfirl.web.plan.forecast_page import right_at, right_at_levels, trusted
from mindfirl.web.plan.forms import ADVANCED, ROLE_WORDS, MemberForm, PlanForm, Reviewer, initial
from mindfirl.workspace.open_version import current_schema


@dataclass(frozen=True, slots=True)
class MemberRow:
    pk: int
    account: Account
    role_words: Any


@dataclass(frozen=True, slots=True)
class MembersPart:
    """Everybody who has a role; as a fragment where a script changes them."""

    members: list[MemberRow]
    member_form: MemberForm
    usernames: list[str]
    fragment: bool


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    """Somebody who can review: their fields, and what their budget would buy."""

    id: str
    name: str
    role_words: Any
    takes_part: BoundField
    share: BoundField | None
    budget: BoundField
    buys: estimates.Buys | None
    right: str


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A plan, and what it would buy."""

    form: PlanForm
    figures: estimates.PlanFigures
    reviewers: list[ReviewerRow]
    advanced_open: bool


def plan(request: Request) -> HttpResponse:
    if not is_open(request):
        return draw(request)
    return _saved(request) if request.method == "POST" else draw(request)


def plan_estimate(request: Request) -> HttpResponse:
    """Say what a plan would buy that is still being typed."""
    if not is_open(request):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    planned = _planned(request, _form(request, request.GET))
    typed = [each for each in planned.reviewers if f"budget-{each.id}" in request.GET]
    return page(request, "plan/estimate.html", replace(planned, reviewers=typed))


def is_open(request: Request) -> bool:
    return any(step.route == "plan" and step.open for step in steps_of(request.project))


def draw(
    request: Request,
    *,
    form: PlanForm | None = None,
    member_form: MemberForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """Draw the page; where a script changes its people, only these and their budgets."""
    fragment = bool(request.htmx and request.htmx.target == "members")
    members = MembersPart(
        members=[_member(each) for each in members_of(request.project)],
        member_form=member_form or MemberForm(initial={"role": "worker"}),
        usernames=usernames() if may(request.actor, "manage members") else [],
        fragment=fragment,
    )
    ready = is_open(request)
    planned = (_planned(request, form or _form(request)),) if ready else ()
    if fragment:
        parts = (members, *planned)
        return step_page(request, "plan", *parts, template="plan/changed.html", status=status)
    forecast = (forecast_views.forecast_part(request),) if ready else ()
    return step_page(request, "plan", members, *planned, *forecast, status=status)


def _saved(request: Request) -> HttpResponse:
    form = _form(request, request.POST)
    revision = request.POST.get("revision", "")
    try:
        save_plan(
            project=request.project,
            actor=request.actor,
            revision=int(revision) if revision.isdecimal() and len(revision) < _DIGITS else -1,
            changes=form.changes(),
        )
    except FieldErrors as error:
        add_errors(form, error.fields)
        return draw(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except ChangedMeanwhile as error:
        return _changed(request, str(error))
    messages.success(request, _("The plan is saved."))
    if waiting_dispatch(request.project, "review"):
        sentence = _("A dispatch waits with the plan of before. Withdraw it to propose this one.")
        messages.warning(request, sentence)
    onward = "dispatch" if request.POST.get("then") == "dispatch" else "plan"
    return redirect(onward, request.project.name)


_DIGITS: Final = 10


def _changed(request: Request, sentence: str) -> HttpResponse:
    """Draw what was typed once more, so that saving it again changes the newer plan."""
    typed = request.POST.copy()
    _plan, revision = plan_of(project=request.project, actor=request.actor)
    typed["revision"] = str(revision)
    form = _form(request, typed)
    add_errors(form, {"": sentence})
    return draw(request, form=form, status=HTTPStatus.CONFLICT)


def _form(request: Request, typed: QueryDict | None = None) -> PlanForm:
    schema = current_schema(request.project)
    attributes = schema.schema.names if schema else ()
    reviewers = [_reviewer(member) for member in members_of(request.project) if _reviews(member)]
    plan, revision = plan_of(project=request.project, actor=request.actor)
    at_first = initial(plan, attributes) | {"revision": revision}
    if typed is None:
        at_first |= _proposals(request, plan, reviewers) | _chosen_budget(request, reviewers)
    return PlanForm(typed, attributes=attributes, reviewers=reviewers, initial=at_first)


def _proposals(request: Request, plan: ReviewPlan, reviewers: list[Reviewer]) -> dict[str, Any]:
    """Propose a share and a budget for people who are not in the plan yet."""
    known = {(person.account, person.role) for person in plan.people}
    new = [person for person in reviewers if (person.account, person.role) not in known]
    if not new:
        return {}
    nobody = replace(plan, people=())
    ahead = estimate(project=request.project, actor=request.actor, plan=nobody)
    budget, found = write_percent(estimates.proposed_budget(ahead)), dict[str, Any]()
    for person in new:
        found[person.field("share")] = 100
        found[person.field("budget")] = budget
        found[person.field("person")] = not known or person.account in request.GET.getlist("new")
    if not known:
        workers = sum(person.role == "worker" for person in reviewers)
        found["reviews"] = max(1, min(plan.reviews, workers))
    return found


def _chosen_budget(request: Request, reviewers: list[Reviewer]) -> dict[str, Any]:
    """Put a budget that was taken from the forecast into the field of every worker."""
    budget = request.GET.get("budget", "")
    if not read_percent(budget):
        return {}
    workers = (person for person in reviewers if person.role == "worker")
    return {person.field("budget"): budget for person in workers}


def _planned(request: Request, form: PlanForm) -> PlanPart:
    plan = _readable(request, form.changes())
    found = estimate(project=request.project, actor=request.actor, plan=plan)
    made = newest(project=request.project, actor=request.actor)
    expected, usual = trusted(made, plan), default_plan_of(request.project)
    partial, full = right_at_levels(expected) if expected else ("", "")
    return PlanPart(
        form=form,
        figures=estimates.figures(found, partial_right=partial, full_right=full),
        reviewers=_reviewers(form, plan, found, expected),
        advanced_open=any(
            name in form.errors or getattr(plan, name) != getattr(usual, name) for name in ADVANCED
        ),
    )


def _readable(request: Request, changes: TypedPlan) -> ReviewPlan:
    """Read a plan while it is being typed: what is wrong is as usual, or left out."""
    read = partial(read_plan, project=request.project, actor=request.actor)
    try:
        return read(changes=changes)
    except FieldErrors as error:
        wrong = error.fields
    sound = {name: value for name, value in changes.items() if name not in wrong}
    if "reviews" in wrong:
        sound["reviews"] = 1
    if any(name.startswith("starting") for name in wrong):
        sound["starting"] = {}
    sound["people"] = tuple(
        person
        for person in changes["people"]
        if not any(name.endswith(f"-{person.role}-{person.account}") for name in wrong)
    )
    try:
        return read(changes=sound)
    except FieldErrors:
        return default_plan_of(request.project)


def _reviewers(
    form: PlanForm, plan: ReviewPlan, found: Estimate, expected: Forecast | None
) -> list[ReviewerRow]:
    planned = {(person.account, person.role): person for person in plan.people}
    rows = []
    for person in form.reviewers:
        theirs = planned.get((person.account, person.role))
        row = ReviewerRow(
            id=f"{person.role}-{person.account}",
            name=person.name,
            role_words=ROLE_WORDS[person.role],
            takes_part=form[person.field("person")],
            share=form[person.field("share")] if person.role == "worker" else None,
            budget=form[person.field("budget")],
            buys=estimates.buys(found, theirs) if theirs else None,
            right=right_at(expected, theirs.budget / WHOLE) if expected and theirs else "",
        )
        rows.append(row)
    return rows


def _reviews(member: Membership) -> bool:
    return member.role in REVIEWERS and member.account.is_active


def _reviewer(member: Membership) -> Reviewer:
    return Reviewer(str(member.account_id), str(member.account), cast("Role", member.role))


def _member(member: Membership) -> MemberRow:
    return MemberRow(member.pk, member.account, ROLE_WORDS[cast("Role", member.role)])
