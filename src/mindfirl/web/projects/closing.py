"""The end of a project: what closing does, closed, and its data destroyed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import Busy, FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES, may
from mindfirl.services.dispatch.assignments import progress_of
from mindfirl.services.projects.closing import StillGoing, close_project, shred, still_going
from mindfirl.web.dispatch.assignment_page import STATES
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.figures import count, pairs
from mindfirl.web.projects.closing_forms import Closing, Shredding
from mindfirl.web.review.cover import is_own_password


@dataclass(frozen=True, slots=True)
class AtWork:
    """Somebody whose assignment would end."""

    name: str
    state: Any
    decided: str


@dataclass(frozen=True, slots=True)
class ClosePage:
    form: Shredding | None
    going: StillGoing
    at_work: list[AtWork]
    unreported: bool
    releases: int


def project_close(request: Request) -> HttpResponse:
    name = request.project.name
    if request.method != "POST":
        asked = Shredding if request.project.closed else Closing
        return _page(request, asked(None, project=name))
    form = Closing(request.POST, project=name)

    def close() -> None:
        reason = form.cleaned_data["reason"]
        close_project(project=request.project, actor=request.actor, reason=reason)

    if _done(request, form, close):
        messages.success(request, _("The project is closed."))
        return redirect("project-close", name)
    return _page(request, form)


def project_shred(request: Request) -> HttpResponse:
    if request.project.closed is None:
        messages.error(request, _("The project is not closed yet. Close it first."))
        return redirect("project-close", request.project.name)
    form = Shredding(request.POST, project=request.project.name)
    if _done(request, form, lambda: shred(project=request.project, actor=request.actor)):
        messages.success(request, _("The keys are destroyed, and the data with them."))
        return redirect("project-close", request.project.name)
    return _page(request, form)


def _done(request: Request, form: Shredding, do: Callable[[], object]) -> bool:
    """Do what cannot be undone, once the name and the password are right; else say what is wrong.

    A password is only looked at where all else is right.
    """
    errors = dict[str, str]()
    if form.is_valid():
        try:
            _check_password(request, form.cleaned_data["password"])
            do()
        except FieldErrors as error:
            errors = error.fields
        except (Busy, SettingError) as error:
            errors = {"": str(error)}
        else:
            return True
    add_errors(form, errors)
    return False


def _check_password(request: Request, password: str) -> None:
    if not is_own_password(request, password):
        wrong = _("This is not your password. Type the one you sign in with.")
        raise FieldErrors({"password": wrong})


def _page(request: Request, form: Shredding) -> HttpResponse:
    project = request.project
    action = "shred project" if project.closed else "close project"
    reports = project.reports.filter(created__gte=project.closed) if project.closed else None
    asked = ClosePage(
        form=form if may(request.actor, action) and not project.shredded else None,
        going=still_going(project),
        at_work=[] if project.closed else _at_work(request),
        unreported=reports is not None and not reports.exists(),
        releases=project.releases.filter(deleted=None).count(),
    )
    return page(request, "projects/close.html", asked, status=status_for(form.errors))


def _at_work(request: Request) -> list[AtWork]:
    found = progress_of(project=request.project, actor=request.actor)
    return [
        AtWork(
            name=str(each.person),
            state=STATES[each.state],
            decided=_("%(decided)s of %(pairs)s decided")
            % {"decided": count(each.decided), "pairs": pairs(each.pairs)},
        )
        for each in found
        if ASSIGNMENT_STATES[each.state]
    ]
