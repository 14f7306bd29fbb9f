"""The projects of a person, a new one, and the page of one."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES, may
from mindfirl.services.projects.setup import create_project
from mindfirl.store.queries.access import projects_of
from mindfirl.store.queries.dispatches import waiting_dispatch
from mindfirl.web.data.forms import NewProject
from mindfirl.web.data.views import brought
from mindfirl.web.dispatch.assignment_views import assignments_context
from mindfirl.web.http.access import Request
from mindfirl.web.page.long_work import PAGES, job_for
from mindfirl.web.page.steps import listed
from mindfirl.web.projects.overview import agreement_context, overview_context
from mindfirl.workspace.proposals import may_confirm_dispatch


def projects(request: Request) -> HttpResponse:
    """List the projects in which somebody has a role."""
    context = {
        "projects": projects_of(request.account),
        "creates": may(request.actor, "create project"),
    }
    return render(request, "projects/list.html", context)


def project_new(request: Request) -> HttpResponse:
    """Ask what a new project is for, and make it."""
    form = NewProject(request.POST or None)
    status = HTTPStatus.OK
    if request.method == "POST":
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        if form.is_valid() and (name := _created(request, form)):
            messages.success(request, _("The project is there, and you manage it."))
            return redirect("data", name)
        form.focus()
    return render(request, "projects/new.html", {"form": form}, status=status)


def project(request: Request) -> HttpResponse:
    """Show how far a project is, and what is to be done next."""
    steps = listed(request.project)
    proposal = waiting_dispatch(request.project, "review") or waiting_dispatch(
        request.project, "adjudication"
    )
    coming = [step for step in steps if step["open"] and not step["done"]]
    if _under_way(request):  # what reviews leave open is seen when they are handed in
        coming = [step for step in coming if step["route"] != "resolve"]
    context = {
        **brought(request.project),
        **assignments_context(request),
        **overview_context(request),
        **agreement_context(request),
        "steps": steps,
        "proposal": proposal,
        "proposed_on": "resolve" if proposal and proposal.kind == "adjudication" else "dispatch",
        "confirms": proposal is not None
        and may_confirm_dispatch(proposal, request.actor, request.account),
        "next": coming[0] if coming else None,
        "linked": any(step["route"] == "resolve" and step["done"] for step in steps),
        "job": job_for(request.project, *PAGES),
        "managers": _names(request, "manager"),
        "auditors": _names(request, "auditor"),
        "manages": may(request.actor, "change project"),
        "closes": may(request.actor, "close project"),
        "shreds": may(request.actor, "shred project"),
    }
    return render(request, "projects/page.html", context)


def _created(request: Request, form: NewProject) -> str:
    """Make the project; where it cannot be, say why at the field."""
    try:
        return create_project(
            name=form.cleaned_data["name"],
            actor=request.actor,
            account=request.account,
            changes=form.changes(),
        ).name
    except FieldErrors as errors:
        form.take(errors)
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
