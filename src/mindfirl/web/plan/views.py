"""Step 4: who reviews, and how much they may see."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.forms import BoundField
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.policy import REVIEWERS, ROLES, Role, may, may_begin
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import WHOLE, read_percent, round_up_share, write_percent
from mindfirl.services.plan.amounts import offered_amounts
from mindfirl.services.plan.budgets import recommended_budget, reliable_figures
from mindfirl.services.plan.estimates import Estimate, estimate
from mindfirl.services.plan.forecasts import newest
from mindfirl.services.plan.plans import TypedPlan, default_plan_of, plan_of, read_plan, save_plan
from mindfirl.services.projects import add_member, remove_member
from mindfirl.store.models import Account, Membership, Project
from mindfirl.store.queries.access import account_named, members_of, usernames
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.store.queries.projects import steps_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import page
from mindfirl.web.page.expected_errors import ErrorsInWords, expected_errors
from mindfirl.web.page.fields import add_errors, whole_number
from mindfirl.web.page.figures import pairs, within_sentence, working_time
from mindfirl.web.page.steps import step_page
from mindfirl.web.plan import estimates, forecast_views
from mindfirl.web.plan.budget_choices import Choice, choices
from mindfirl.web.plan.forecast_page import right
from mindfirl.web.plan.forms import ADVANCED, ROLE_WORDS, MemberForm, PlanForm, Reviewer, initial
from mindfirl.workspace.open_version import current_schema


@dataclass(frozen=True, slots=True)
class ReviewerRow:
    id: str
    name: str
    role_words: Any
    takes_part: BoundField
    share: BoundField | None
    budget: BoundField
    buys: estimates.Buys | None
    right: str


@dataclass(frozen=True, slots=True)
class PlannedPart:
    form: PlanForm
    estimate: Estimate
    work: str
    remarks: list[str]
    expected_errors: ErrorsInWords
    amounts: list[estimates.AmountRow]
    partial_right: str
    full_right: str
    reviewers: list[ReviewerRow]
    choices: list[Choice]
    review_words: str
    seen_words: str
    review_open: bool
    review_more_open: bool
    more_open: bool


def plan(request: Request) -> HttpResponse:
    if not is_open(request):
        return draw(request)
    return _saved(request) if request.method == "POST" else draw(request)


def plan_estimate(request: Request) -> HttpResponse:
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
    opened = is_open(request)
    return step_page(
        request,
        "plan",
        _planned(request, form or _form(request)) if opened else None,
        forecast_views.forecast_part(request) if opened and not fragment else None,
        template="plan/changed.html" if fragment else "",
        members=[
            (each, ROLE_WORDS[cast("Role", each.role)], _passed(request.project, each))
            for each in members_of(request.project)
        ],
        member_form=member_form or MemberForm(initial={"role": "worker"}),
        usernames=usernames() if may(request.actor, "manage members") else [],
        fragment=fragment,
        saved=opened and bool(plan_of(project=request.project, actor=request.actor)[0].people),
        status=status,
    )


def _passed(project: Project, member: Membership) -> bool | None:
    """Say whether a worker passed the practice; nothing where that is not asked of them."""
    if member.role != "worker" or not project.pass_mark:
        return None
    right = member.account.practice_right
    return may_begin("review", pass_mark=project.pass_mark, right=right, begun=False)


def _saved(request: Request) -> HttpResponse:
    form = _form(request, request.POST)
    try:
        save_plan(
            project=request.project,
            actor=request.actor,
            revision=whole_number(request.POST.get("revision", ""), -1),
            changes=form.changes(),
        )
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return draw(request, form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    except ChangedMeanwhile as error:
        return _changed(request, words_of(error))
    messages.success(request, _("Plan saved."))
    if waiting_dispatch(request.project, "review"):
        sentence = _(
            "A proposed dispatch still uses the earlier plan. Withdraw it to propose this plan."
        )
        messages.warning(request, sentence)
    onward = "dispatch" if request.POST.get("then") == "dispatch" else "plan"
    return redirect(onward, request.project.name)


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
    reviewers = [
        Reviewer(str(member.account_id), str(member.account), member.role)
        for member in members_of(request.project)
        if member.role in REVIEWERS and member.account.is_active
    ]
    plan, revision = plan_of(project=request.project, actor=request.actor)
    at_first = initial(plan, attributes) | {"revision": revision}
    if typed is None:
        at_first |= _proposals(request, plan, reviewers) | _chosen_budget(request, reviewers)
        at_first |= _chosen_amount(request)
    return PlanForm(typed, attributes=attributes, reviewers=reviewers, initial=at_first)


def _proposals(
    request: Request, plan: ReviewPlan, reviewers: list[Reviewer]
) -> dict[str, int | str]:
    known = {(person.account, person.role) for person in plan.people}
    new = [person for person in reviewers if (person.account, person.role) not in known]
    if not new:
        return {}
    proposed, found = _budgets_for_new(request, plan), dict[str, int | str]()
    for person in new:
        found[person.field("share")] = 100
        found[person.field("budget")] = write_percent(proposed[person.role == "adjudicator"])
        found[person.field("person")] = not known or person.account in request.GET.getlist("new")
    if not known:
        workers = sum(person.role == "worker" for person in reviewers)
        found["reviews"] = max(1, min(plan.reviews, workers))
    return found


def _budgets_for_new(request: Request, plan: ReviewPlan) -> tuple[int, int]:
    """Propose a budget for workers and one for adjudicators.

    For workers it is what the forecast recommends, or else what buys every cell at partial.
    Adjudicators get the few pairs on which that was not enough: for them it is at least half of
    what everything costs.
    """
    ahead = estimate(project=request.project, actor=request.actor, plan=replace(plan, people=()))
    recommended = recommended_budget(request.project, plan)
    usual = round_up_share(ahead.partial) if recommended is None else recommended
    return usual, max(usual, round_up_share(ahead.full / 2))


def _chosen_budget(request: Request, reviewers: list[Reviewer]) -> dict[str, str]:
    """Put a budget that was taken from the forecast into the field of every worker."""
    budget = request.GET.get("budget", "")
    if not read_percent(budget):
        return {}
    workers = (person for person in reviewers if person.role == "worker")
    return {person.field("budget"): budget for person in workers}


def _chosen_amount(request: Request) -> dict[str, int | str]:
    """Put an amount of pairs that was chosen from the table into its field."""
    if "pairs" not in request.GET:
        return {}
    return {"most_pairs": whole_number(request.GET["pairs"], 0) or ""}


def _planned(request: Request, form: PlanForm) -> PlannedPart:
    plan = _readable(request, form.changes())
    found = estimate(project=request.project, actor=request.actor, plan=plan)
    made = newest(project=request.project, actor=request.actor)
    expected, usual = reliable_figures(made, plan), default_plan_of(request.project)
    band = expected.band if expected else None
    return PlannedPart(
        form=form,
        estimate=found,
        work=estimates.work(found),
        remarks=list(estimates.remarks(found)),
        expected_errors=expected_errors(request.project),
        amounts=estimates.amount_rows(
            offered_amounts(project=request.project, actor=request.actor, plan=plan), plan
        ),
        partial_right=right(band.policies["all partial"][0]) if band else "",
        full_right=right(band.full) if band else "",
        reviewers=_reviewers(form, plan, found, expected),
        choices=choices(found, plan, recommended_budget(request.project, plan), expected),
        review_words=_review_words(found, plan),
        seen_words=_seen_words(plan),
        review_open=any(name in form.errors for name in (*_REVIEW, *_REVIEW_MORE)),
        review_more_open=any(name in form.errors for name in _REVIEW_MORE),
        more_open=any(
            name in form.errors or getattr(plan, name) != getattr(usual, name)
            for name in (*ADVANCED, "kappa", "starting")
        )
        or any(name.startswith("starting") for name in form.errors),
    )


_REVIEW: Final = ("reviews", "most_pairs")
_REVIEW_MORE: Final = ("rule", "priority", "quality_sample", "answer_sample")
"""Fields of the first fold, and of what is folded in it."""


def _review_words(found: Estimate, plan: ReviewPlan) -> str:
    if found.given and not found.pairs:
        return _("all pairs for people are already assigned")
    words = ngettext(
        "%(pairs)s, %(reviews)s review of each, %(time)s in total",
        "%(pairs)s, %(reviews)s reviews of each, %(time)s in total",
        plan.reviews,
    )
    return words % {
        "pairs": pairs(found.pairs),
        "reviews": plan.reviews,
        "time": working_time(found.decisions),
    }


def _seen_words(plan: ReviewPlan) -> str:
    budgets = sorted({person.budget for person in plan.workers})
    if not budgets:
        return _("no worker is included yet")
    ends = [f"{write_percent(each)}%" for each in dict.fromkeys((budgets[0], budgets[-1]))]
    return _("workers can open up to K %(budget)s") % {"budget": "–".join(ends)}


def _readable(request: Request, changes: TypedPlan) -> ReviewPlan:
    """Read a plan while it is being typed: what is wrong is as usual, or left out."""
    read = partial(read_plan, project=request.project, actor=request.actor)
    try:
        return read(changes=changes)
    except FieldErrors as error:
        wrong = field_words(error)
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
            right=right(expected.band.at(theirs.budget / WHOLE)) if expected and theirs else "",
        )
        rows.append(row)
    return rows


def member_add(request: Request) -> HttpResponse:
    form = MemberForm(request.POST)
    try:
        account, role = _added(request, form)
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return draw(request, member_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    words = {"name": account, "role": within_sentence(ROLE_WORDS[role])}
    messages.success(request, _("%(name)s is now %(role)s of this project.") % words)
    back = reverse("plan", args=[request.project.name])
    new = urlencode({"new": account.pk}) if role in REVIEWERS else ""
    return redirect(f"{back}?{new}" if new else back)


def member_remove(request: Request, member: int) -> HttpResponse:
    found = request.project.memberships.select_related("account").filter(pk=member).first()
    if found is None:
        raise Http404
    role = cast("Role", found.role)
    words = {"name": found.account, "role": within_sentence(ROLE_WORDS[role])}
    try:
        remove_member(
            project=request.project, actor=request.actor, account=found.account, role=role
        )
    except SettingError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, _("%(name)s is no longer %(role)s of this project.") % words)
    return redirect("plan", request.project.name)


def _added(request: Request, form: MemberForm) -> tuple[Account, Role]:
    form.is_valid()
    typed = form.cleaned_data
    account, role = account_named(typed.get("username", "")), typed.get("role", "")
    if account is None:
        raise FieldErrors({"username": _("Enter the user name of an active account.")})
    if role not in ROLES:
        raise FieldErrors({"role": _("Choose one of the roles.")})
    if request.project.memberships.filter(account=account, role=role).exists():
        raise FieldErrors({"role": _("This person already has this role.")})
    try:
        add_member(project=request.project, actor=request.actor, account=account, role=role)
    except FieldErrors as error:
        at = {
            "username" if name == "account" else name: said for name, said in error.fields.items()
        }
        raise FieldErrors(at) from None
    return account, role
