"""The first step: what the project is for, and the databases that are to be linked."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, fields
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from mindfirl.core.errors import (
    Busy,
    ChangedMeanwhile,
    FieldErrors,
    MindfirlError,
    SecondPersonNeeded,
    SettingError,
)
from mindfirl.core.policy import may
from mindfirl.services import projects
from mindfirl.services.data import uploads as service
from mindfirl.services.data.confirmations import confirm_upload
from mindfirl.services.projects import ProjectChanges
from mindfirl.store.models import Database, Project, Upload, Version
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.web.data.upload_stream import (
    BODY,
    SealingHandler,
    body,
    drain,
    header_value,
    sealed_while_read,
)
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import add_errors, box, number_within
from mindfirl.web.page.long_work import enqueue, job_for
from mindfirl.web.page.steps import step_page, to_page

_LONGEST_NAME: Final = 80
_DAY: Final = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
COMPLETE: Final = "complete"
"""The last field of the form that sends files: without it, the form was cut off."""


class Facts(forms.Form):
    title = forms.CharField(
        label=gettext_lazy("Title"),
        max_length=120,
        help_text=gettext_lazy(
            "What people call it: “Stroke registry and hospital records, 2024”."
        ),
        error_messages={"required": gettext_lazy("Give the project a title.")},
    )
    purpose = forms.CharField(
        label=gettext_lazy("Purpose"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("What the linked data are for. The report repeats it."),
    )
    legal_basis = forms.CharField(
        label=gettext_lazy("Legal basis"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("The law, consent or agreement that allows it."),
    )
    approval = forms.CharField(
        label=gettext_lazy("Approval number"),
        required=False,
        max_length=120,
        help_text=gettext_lazy("Of the ethics board or data office, where there is one."),
    )
    ends = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=_DAY,
        help_text=gettext_lazy("No assignment may be due later."),
        error_messages={"invalid": gettext_lazy("Write the day as year-month-day: 2030-12-31.")},
    )

    def changes(self) -> ProjectChanges:
        names = {each.name for each in fields(ProjectChanges)} & self.cleaned_data.keys()
        return ProjectChanges(**{name: self.cleaned_data[name] for name in names})


def stable_numbers_box() -> forms.BooleanField:
    """Ask whether persons keep their numbers; the same words when a project begins and later."""
    return box(
        gettext_lazy("Person numbers stay the same in all releases"),
        hint=gettext_lazy(
            "For data that are released again every year. Else every release has fresh numbers, "
            "which protects more: with numbers that stay, releases can be joined, and nobody gets "
            "both a crosswalk and any release. It cannot be changed after the first release."
        ),
    )


class NewProject(Facts):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=_LONGEST_NAME,
        help_text=gettext_lazy(
            "Stands in addresses and commands: letters, digits, dots, hyphens and underscores. "
            "Made of the title if you leave it empty."
        ),
    )
    synthetic = box(
        gettext_lazy("Synthetic people"),
        hint=gettext_lazy(
            "Nobody in its databases exists. Small databases and small assignments are then "
            "allowed, and every page says so. This cannot be changed later."
        ),
    )
    stable_numbers = stable_numbers_box()
    field_order = (
        *("title", "name", "purpose", "legal_basis", "approval", "ends"),
        *("stable_numbers", "synthetic"),
    )

    def clean(self) -> dict[str, Any]:
        filled: dict[str, Any] = super().clean() or {}
        if not filled.get("name") and filled.get("title"):
            filled["name"] = name_of(filled["title"])
        return filled


class ProjectFacts(Facts):
    managers_may_review = box(
        gettext_lazy("Managers may review"),
        hint=gettext_lazy(
            "Else nobody is manager and reviewer at once. The report says which it was."
        ),
    )
    second_person = box(
        gettext_lazy("A second person confirms dispatches and accepted findings"),
        hint=gettext_lazy(
            "Another manager, or the auditor, looks at the plan before pairs go out, and at every "
            "finding of a release that is accepted."
        ),
    )
    second_factor = box(
        gettext_lazy("Everybody needs a second factor"),
        hint=gettext_lazy("Who signed in with a password alone is asked to set one up first."),
    )
    idle_minutes = number_within(
        gettext_lazy("Minutes until pairs are covered"),
        range(1, 61),
        hint=gettext_lazy(
            "When a reviewer has done nothing for so long, what they opened leaves the screen, and "
            "their password is asked for. A session ends after 30 minutes anyway."
        ),
        wrong=gettext_lazy("Give a whole number of minutes from 1 to 60."),
    )
    fewest_records = number_within(
        gettext_lazy("Fewest records of a database"),
        range(1, 1_000_001),
        hint=gettext_lazy(
            "A smaller database could be made of guesses about a few people: it is imported only "
            "after a second person has confirmed it. Only an administrator can lower this."
        ),
        wrong=gettext_lazy("Give a whole number of records, 1 or more."),
    )
    least_persons = number_within(
        gettext_lazy("Fewest persons in a release"),
        range(5, 10_001),
        hint=gettext_lazy(
            "A release with fewer is blocked, and so is one that differs from an earlier release "
            "by fewer."
        ),
        wrong=gettext_lazy("Give a whole number from 5 to 10,000."),
    )
    stable_numbers = stable_numbers_box()
    revision = forms.IntegerField(widget=forms.HiddenInput)


def name_of(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9._]+", "-", plain)
    return words.strip("-._")[:_LONGEST_NAME].rstrip("-._")


def data(request: Request) -> HttpResponse:
    if request.method == "POST":
        return _saved(request)
    return _page(request, _facts(request.project))


def _facts(project: Project, typed: Any = None) -> ProjectFacts:  # noqa: ANN401  # what Django reads
    """Show what is saved of a project; some of it stays as it is after the first release."""
    saved = {name: getattr(project, name) for name in ProjectFacts.base_fields}
    form = ProjectFacts(typed, initial=saved)
    form.fields["stable_numbers"].disabled = project.releases.exists()
    return form


@csrf_exempt
def data_upload(request: Request) -> HttpResponse:
    """Take files in; then let their columns be looked at. Tokens are checked within."""
    if request.content_type == BODY:
        answer: HttpResponse = csrf_protect(_one_file)(request)
        return answer
    return sealed_while_read(request, _form_of_files)


def data_upload_remove(request: Request, upload: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.uploads, pk=upload)
    try:
        service.remove(project=request.project, actor=request.actor, upload=found.pk)
    except Busy as error:
        return to_page(request, "data", wrong=str(error))
    messages.success(request, _("The file was removed."))
    if service.uploads_of(request.project):
        _look(request)
    return redirect("data", request.project.name)


def data_upload_confirm(request: Request, upload: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.uploads, pk=upload)
    try:
        confirm_upload(
            project=request.project,
            actor=request.actor,
            account=request.account,
            upload=found.pk,
            reason=request.POST.get("reason", ""),
        )
    except FieldErrors as error:
        return to_page(request, "data", wrong=" ".join(error.fields.values()))
    except (SettingError, SecondPersonNeeded) as error:
        return to_page(request, "data", wrong=str(error))
    return to_page(request, "data", done=_("The database is confirmed. It can be imported now."))


def data_upload_version(request: Request, upload: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.uploads, pk=upload)
    try:
        service.say_version(
            project=request.project,
            actor=request.actor,
            upload=found.pk,
            same=request.POST.get("same") == "1",
        )
    except (Busy, SettingError) as error:
        return to_page(request, "columns", wrong=str(error))
    _look(request)
    return redirect("columns", request.project.name)


def _saved(request: Request) -> HttpResponse:
    form = _facts(request.project, request.POST)
    status = HTTPStatus.UNPROCESSABLE_ENTITY
    if form.is_valid():
        try:
            projects.change_project(
                project=request.project,
                actor=request.actor,
                revision=form.cleaned_data["revision"],
                changes=form.changes(),
            )
        except FieldErrors as errors:
            add_errors(form, errors.fields)
        except ChangedMeanwhile as error:
            # What was typed stays, so that saving again works.
            request.project.refresh_from_db()
            typed = {**request.POST.dict(), "revision": request.project.revision}
            form = _facts(request.project, typed)
            add_errors(form, {"": str(error)})
            status = HTTPStatus.CONFLICT
        else:
            return to_page(request, "data", done=_("Saved."))
    add_errors(form)
    return _page(request, form, status=status)


def _one_file(request: Request) -> HttpResponse:
    try:
        upload = service.receive(
            project=request.project,
            actor=request.actor,
            account=request.account,
            file_name=header_value(request, "File"),
            database=header_value(request, "Database").strip(),
            sheet=header_value(request, "Sheet").strip(),
            chunks=body(request),
        )
    except MindfirlError as error:
        drain(request)
        return JsonResponse({"sentence": str(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return JsonResponse({"database": upload.database}, status=HTTPStatus.CREATED)


def _form_of_files(request: Request, handler: SealingHandler) -> HttpResponse:
    complete = COMPLETE in request.POST  # here at the latest the files are read
    if handler.parts and not complete:
        messages.error(request, _("The connection broke off. Nothing was kept; send it again."))
        return redirect("data", request.project.name)
    kept = [part.keep() for part in handler.parts]
    for part in handler.parts:
        if part.sentence:
            messages.error(request, part.sentence)
    if handler.parts and not any(kept):
        return redirect("data", request.project.name)
    if not service.uploads_of(request.project):
        return to_page(request, "data", wrong=_("Choose a file first."))
    _look(request)
    return redirect("columns", request.project.name)


def _look(request: Request) -> None:
    """Have the columns looked at, unless other work has the project."""
    busy = _("The columns will be looked at when the work that goes on has ended.")
    enqueue(request, "columns propose", busy=busy)


def _page(
    request: Request, form: ProjectFacts, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    if not may(request.actor, "change project"):
        for each in form.fields.values():
            each.disabled = True
    job = job_for(request.project, "columns propose", "data import")
    return step_page(
        request,
        "data",
        databases_part(request.project),
        form=form,
        job=job,
        limit=settings.UPLOAD_LIMIT,
        status=status,
    )


@dataclass(frozen=True, slots=True)
class DatabasesPart:
    version: Version | None
    databases: list[Database]
    waiting: list[Upload]
    replaced: set[str]


def databases_part(project: Project) -> DatabasesPart:
    version = current_version(project)
    databases = databases_of(version) if version else []
    waiting = service.uploads_of(project)
    replaced = {each.name for each in databases} & {each.database for each in waiting}
    return DatabasesPart(version, databases, waiting, replaced)
