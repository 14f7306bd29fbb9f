"""The settings of a project: what it is for, how its people and data are protected, its end."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.http import HttpResponse
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors
from mindfirl.core.policy import PASS_MARKS, may
from mindfirl.services import projects
from mindfirl.store.models import Project
from mindfirl.web.data.views import Facts, stable_numbers_box
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.fields import add_errors, box, number_within
from mindfirl.web.page.steps import step_page, to_page

_ABOUT: Final = ("title", "approval", "purpose", "legal_basis", "ends")


class ProjectFacts(Facts):
    managers_may_review = box(
        gettext_lazy("Managers can review"),
        hint=gettext_lazy("If off, managers cannot review. The report states this setting."),
    )
    second_person = box(
        gettext_lazy("A second person confirms dispatches and accepted findings"),
        hint=gettext_lazy(
            "Another manager, or the auditor, confirms every dispatch before pairs are assigned, "
            "and every accepted finding of a release."
        ),
    )
    second_factor = box(
        gettext_lazy("Require a second factor"),
        hint=gettext_lazy("People who signed in with a password only must set one up first."),
    )
    idle_minutes = number_within(
        gettext_lazy("Hide pairs after minutes without activity"),
        range(1, 61),
        hint=gettext_lazy(
            "The pairs then leave the reviewer's screen, and the password is required to "
            "continue. Sessions always end after 30 minutes without activity."
        ),
        wrong=gettext_lazy("Enter a whole number of minutes from 1 to 60."),
    )
    fewest_records = number_within(
        gettext_lazy("Minimum records per database"),
        range(1, 1_000_001),
        hint=gettext_lazy(
            "A smaller database could consist of guesses about a few people, so a second person "
            "must confirm it before import. Only an administrator can lower this minimum."
        ),
        wrong=gettext_lazy("Enter a whole number of records, 1 or more."),
    )
    least_persons = number_within(
        gettext_lazy("Minimum persons per release"),
        range(5, 10_001),
        hint=gettext_lazy(
            "A release with fewer persons is blocked. So is a release that differs from an "
            "earlier one by fewer persons."
        ),
        wrong=gettext_lazy("Enter a whole number from 5 to 10,000."),
    )
    pass_mark = number_within(
        gettext_lazy("Pass mark of the practice"),
        PASS_MARKS,
        hint=gettext_lazy(
            "How many pairs of the practice a worker must decide rightly, at the first answer, "
            "before they begin an assignment. 0 asks for none."
        ),
        wrong=gettext_lazy("Give a whole number from 0 to the number of pairs in the practice."),
    )
    stable_numbers = stable_numbers_box()
    revision = forms.IntegerField(widget=forms.HiddenInput)

    def about(self) -> list[BoundField]:
        return [self[name] for name in _ABOUT]

    def numbers(self) -> list[BoundField]:
        others = [each for each in self.visible_fields() if each.name not in _ABOUT]
        return [each for each in others if each.widget_type != "checkbox"]

    def boxes(self) -> list[BoundField]:
        return [each for each in self.visible_fields() if each.widget_type == "checkbox"]


def settings(request: Request) -> HttpResponse:
    if request.method != "POST":
        return _page(request, _facts(request.project))
    form, status = _facts(request.project, request.POST), HTTPStatus.UNPROCESSABLE_ENTITY
    if form.is_valid():
        try:
            projects.change_project(
                project=request.project,
                actor=request.actor,
                revision=form.cleaned_data["revision"],
                changes=form.changes(),
            )
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        except ChangedMeanwhile as error:
            # What was typed stays, so that saving again works.
            request.project.refresh_from_db()
            typed = {**request.POST.dict(), "revision": request.project.revision}
            form = _facts(request.project, typed)
            add_errors(form, {"": words_of(error)})
            status = HTTPStatus.CONFLICT
        else:
            return to_page(request, "settings", done=str(gettext_lazy("Saved.")))
    add_errors(form)
    return _page(request, form, status=status)


def _facts(project: Project, typed: Any = None) -> ProjectFacts:  # noqa: ANN401  # what Django reads
    """Show what is saved of a project; some of it stays as it is after the first release."""
    saved = {name: getattr(project, name) for name in ProjectFacts.base_fields}
    form = ProjectFacts(typed, initial=saved)
    form.fields["stable_numbers"].disabled = project.releases.exists()
    return form


def _page(
    request: Request, form: ProjectFacts, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    if not may(request.actor, "change project"):
        for each in form.fields.values():
            each.disabled = True
    return step_page(
        request,
        "",
        template="projects/settings.html",
        form=form,
        managers=_names(request, "manager"),
        auditors=_names(request, "auditor"),
        archives=may(request.actor, "archive project"),
        duplicates=may(request.actor, "duplicate project") and may(request.actor, "create project"),
        closes=may(request.actor, "close project"),
        shreds=may(request.actor, "shred project"),
        status=status,
    )


def _names(request: Request, role: str) -> list[str]:
    members = request.project.memberships.filter(role=role).select_related("account")
    return sorted(str(each.account) for each in members)
