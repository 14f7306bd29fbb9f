"""The projects of a person, a new one, and the page of one."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES, Role, may
from mindfirl.services.projects import create_project
from mindfirl.store.models import Dispatch, Job, Project
from mindfirl.store.queries.access import projects_of
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.web.data.forms import NewProject
from mindfirl.web.data.views import databases_part
from mindfirl.web.dispatch.assignment_views import assignments_part
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import FormPage, page
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.long_work import PAGES, job_for
from mindfirl.web.page.steps import ListedStep, steps_beside
from mindfirl.web.projects.agreement_page import agreement_part
from mindfirl.web.projects.overview import overview_part
from mindfirl.workspace.proposals import may_confirm_dispatch


@dataclass(frozen=True, slots=True)
class ProjectsPage:
    projects: list[tuple[Project, list[Role]]]
    creates: bool


@dataclass(frozen=True, slots=True)
class ProjectPage:
    proposal: Dispatch | None
    proposed_on: str
    confirms: bool
    next: ListedStep | None
    linked: bool
    job: Job | None
    managers: list[str]
    auditors: list[str]
    closes: bool
    shreds: bool


def projects(request: Request) -> HttpResponse:
    creates = may(request.actor, "create project")
    return page(request, "projects/list.html", ProjectsPage(projects_of(request.account), creates))


def project_new(request: Request) -> HttpResponse:
    form = NewProject(request.POST or None)
    status = HTTPStatus.OK
    if request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid() and (name := _created(request, form)):
            messages.success(request, _("The project is there, and you manage it."))
            return redirect("data", name)
        add_errors(form)
    return page(request, "projects/new.html", FormPage(form), status=status)


def project(request: Request) -> HttpResponse:
    beside = steps_beside(request)
    steps = beside.steps
    proposal = waiting_dispatch(request.project, "review") or waiting_dispatch(
        request.project, "adjudication"
    )
    coming = [step for step in steps if step.open and not step.done]
    if _under_way(request):  # what reviews leave open is seen when they are handed in
        coming = [step for step in coming if step.route != "resolve"]
    shown = ProjectPage(
        proposal=proposal,
        proposed_on="resolve" if proposal and proposal.kind == "adjudication" else "dispatch",
        confirms=proposal is not None
        and may_confirm_dispatch(proposal, request.actor, request.account),
        next=coming[0] if coming else None,
        linked=any(step.route == "resolve" and step.done for step in steps),
        job=job_for(request.project, *PAGES),
        managers=_names(request, "manager"),
        auditors=_names(request, "auditor"),
        closes=may(request.actor, "close project"),
        shreds=may(request.actor, "shred project"),
    )
    return page(
        request,
        "projects/page.html",
        beside,
        shown,
        databases_part(request.project),
        assignments_part(request),
        overview_part(request),
        agreement_part(request),
    )


def _created(request: Request, form: NewProject) -> str:
    try:
        return create_project(
            name=form.cleaned_data["name"],
            actor=request.actor,
            account=request.account,
            changes=form.changes(),
        ).name
    except FieldErrors as errors:
        add_errors(form, errors.fields)
    except SettingError as error:
        form.add_error("name", str(error))
    return ""


def _under_way(request: Request) -> bool:
    """Say whether somebody is still to hand in what they decide."""
    states = [state for state, after in ASSIGNMENT_STATES.items() if after]
    return request.project.assignments.filter(state__in=states).exists()


def _names(request: Request, role: str) -> list[str]:
    members = request.project.memberships.filter(role=role).select_related("account")
    return sorted(str(each.account) for each in members)
