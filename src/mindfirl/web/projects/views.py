"""A new project, the page of one, and its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import Busy, FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES, may
from mindfirl.services.dispatch.assignments import progress_of
from mindfirl.services.projects import create_project
from mindfirl.services.projects.closing import close_project, shred, still_going
from mindfirl.services.projects.duplicating import duplicate_project
from mindfirl.store.models import Account, Project
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.store.queries.projects import current_version
from mindfirl.web.accounts.forms import Password
from mindfirl.web.data.views import NewProject, databases_part
from mindfirl.web.dispatch.assignment_page import STATES
from mindfirl.web.dispatch.assignment_views import assignments_part
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors, reason_field, words
from mindfirl.web.page.figures import count, pairs
from mindfirl.web.page.long_work import job_for
from mindfirl.web.page.steps import listed_steps, shown_step, step_page
from mindfirl.web.projects.overview import agreement_in_short, stopping_part
from mindfirl.web.review.cover import is_own_password
from mindfirl.workspace.carried_votes import RoundSummary, round_summary
from mindfirl.workspace.proposals import may_confirm_dispatch

_EXACT: Final = {"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}


class Shredding(Password):
    """The name of the project and one's own password: nobody does this by mistake."""

    name = words(
        gettext_lazy("Name of the project"), widget=forms.TextInput({**_EXACT, "class": "mono"})
    )
    field_order = ("reason", "name", "password")

    def __init__(self, typed: Any, *, project: str) -> None:  # noqa: ANN401  # what forms are read from
        super().__init__(typed)
        self._project = project
        self.fields["name"].help_text = _("Type %(name)s.") % {"name": project}

    def clean_name(self) -> str:
        if self.cleaned_data["name"] != self._project:
            raise forms.ValidationError(
                _("Not done: this is not the name of the project. Type %(name)s.")
                % {"name": self._project}
            )
        return self._project


class Closing(Shredding):
    reason = reason_field()


def project_close(request: Request) -> HttpResponse:
    name = request.project.name
    if request.method != "POST":
        asked = Shredding if request.project.closed else Closing
        return _close_page(request, asked(None, project=name))
    form = Closing(request.POST, project=name)

    def close() -> None:
        reason = form.cleaned_data["reason"]
        close_project(project=request.project, actor=request.actor, reason=reason)

    if _confirmed(request, form, close):
        messages.success(request, _("Project closed."))
        return redirect("project-close", name)
    return _close_page(request, form)


def project_shred(request: Request) -> HttpResponse:
    if request.project.closed is None:
        messages.error(request, _("The project is not closed yet. Close it first."))
        return redirect("project-close", request.project.name)
    form = Shredding(request.POST, project=request.project.name)
    if _confirmed(request, form, lambda: shred(project=request.project, actor=request.actor)):
        messages.success(request, _("Keys destroyed. The data can no longer be opened."))
        return redirect("project-close", request.project.name)
    return _close_page(request, form)


def _confirmed(request: Request, form: Shredding, do: Callable[[], object]) -> bool:
    """Do what cannot be undone, once the name and the password are right; else say what is wrong.

    A password is only looked at where all else is right.
    """
    errors = dict[str, str]()
    if form.is_valid():
        try:
            if not is_own_password(request, form.cleaned_data["password"]):
                wrong = _("Wrong password. Enter the password you sign in with.")
                raise FieldErrors({"password": wrong})  # noqa: TRY301  # as the others
            do()
        except FieldErrors as error:
            errors = field_words(error)
        except (Busy, SettingError) as error:
            errors = {"": words_of(error)}
        else:
            return True
    add_errors(form, errors)
    return False


def _close_page(request: Request, form: Shredding) -> HttpResponse:
    project = request.project
    action = "shred project" if project.closed else "close project"
    reports = project.reports.filter(created__gte=project.closed) if project.closed else None
    return page(
        request,
        "projects/close.html",
        form=form if may(request.actor, action) and not project.shredded else None,
        going=still_going(project),
        at_work=[] if project.closed else _at_work(request),
        unreported=reports is not None and not reports.exists(),
        releases=project.releases.filter(deleted=None).count(),
        status=status_for(form.errors),
    )


def _at_work(request: Request) -> list[tuple[Account, Any, str]]:
    """List whose assignments would end: their state, and how far they are."""
    found = progress_of(project=request.project, actor=request.actor)
    words = _("%(decided)s of %(pairs)s decided")
    return [
        (
            each.person,
            STATES[each.state],
            words % {"decided": count(each.decided), "pairs": pairs(each.pairs)},
        )
        for each in found
        if ASSIGNMENT_STATES[each.state]
    ]


def project_new(request: Request) -> HttpResponse:
    return _new_page(request, None)


def project_duplicate(request: Request) -> HttpResponse:
    """Create a project with the set-up of one that is managed by whoever asks for it."""
    if not may(request.actor, "create project"):
        wrong = _("Your account cannot create projects. Ask the administrator for the right.")
        messages.error(request, wrong)
        return redirect("projects")
    return _new_page(request, request.project)


def _new_page(request: Request, source: Project | None) -> HttpResponse:
    posted = request.method == "POST"
    form = NewProject(request.POST if posted else None, initial=_taken_from(source))
    if posted and form.is_valid() and (name := _created(request, form, source)):
        messages.success(request, _("Project created. You are its manager."))
        return redirect("data", name)
    if posted:
        add_errors(form)
    return page(request, "projects/new.html", form=form, source=source, status=status_for(posted))


def _taken_from(source: Project | None) -> dict[str, str | bool]:
    if source is None:
        return {}
    return {
        "purpose": source.purpose,
        "legal_basis": source.legal_basis,
        "approval": source.approval,
        "stable_numbers": source.stable_numbers,
        "synthetic": source.synthetic,
    }


def project(request: Request) -> HttpResponse:
    steps = listed_steps(request)
    proposal = waiting_dispatch(request.project, "review") or waiting_dispatch(
        request.project, "adjudication"
    )
    under_way = [state for state, after in ASSIGNMENT_STATES.items() if after]
    coming = shown_step(
        tuple(each.step for each in steps),
        reviewing=request.project.assignments.filter(state__in=under_way).exists(),
    )
    kappa, interval = agreement_in_short(request)
    return step_page(
        request,
        "",
        databases_part(request.project),
        assignments_part(request),
        stopping_part(request),
        steps=steps,
        kappa=kappa,
        kappa_interval=interval,
        proposal=proposal,
        proposed_on="resolve" if proposal and proposal.kind == "adjudication" else "dispatch",
        confirms=proposal is not None
        and may_confirm_dispatch(proposal, request.actor, request.account),
        next=next((each for each in steps if each.step.route == coming), None),
        linked=any(each.step.route == "resolve" and each.step.done for each in steps),
        job=job_for(request.project),
        round=_round(request),
        template="projects/page.html",
    )


def _round(request: Request) -> RoundSummary | None:
    """Say which round of the project it is, as long as its data can be read."""
    version = None if request.project.shredded else current_version(request.project)
    return round_summary(version) if version else None


def _created(request: Request, form: NewProject, source: Project | None) -> str:
    wanted: dict[str, Any] = {
        "name": form.cleaned_data["name"],
        "account": request.account,
        "changes": form.changes(),
        "synthetic": form.cleaned_data["synthetic"],
    }
    try:
        if source is None:
            return create_project(actor=request.actor, **wanted).name
        return duplicate_project(source=source, actor=request.actor, **wanted).name
    except FieldErrors as errors:
        add_errors(form, field_words(errors))
    except SettingError as error:
        form.add_error("name", words_of(error))
    return ""
