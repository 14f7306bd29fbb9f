"""The first step: the databases that are to be linked."""

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
    FieldErrors,
    MindfirlError,
    SecondPersonNeeded,
    SettingError,
)
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
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.fields import box
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
        help_text=gettext_lazy("For example “Stroke registry and hospital records, 2024”."),
        error_messages={"required": gettext_lazy("Enter a title.")},
    )
    purpose = forms.CharField(
        label=gettext_lazy("Purpose"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("What the linked data are used for. Shown in the report."),
    )
    legal_basis = forms.CharField(
        label=gettext_lazy("Legal basis"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("The law, consent or agreement that permits the linkage."),
    )
    approval = forms.CharField(
        label=gettext_lazy("Approval number"),
        required=False,
        max_length=120,
        help_text=gettext_lazy("From the ethics board or data office, if there is one."),
    )
    ends = forms.DateField(
        label=gettext_lazy("Last day"),
        required=False,
        widget=_DAY,
        help_text=gettext_lazy("Assignments cannot be due after this day."),
        error_messages={
            "invalid": gettext_lazy("Enter the day as year-month-day, such as 2030-12-31.")
        },
    )

    def changes(self) -> ProjectChanges:
        names = {each.name for each in fields(ProjectChanges)} & self.cleaned_data.keys()
        return ProjectChanges(**{name: self.cleaned_data[name] for name in names})


def stable_numbers_box() -> forms.BooleanField:
    """Ask whether persons keep their numbers; the same words when a project begins and later."""
    return box(
        gettext_lazy("Person numbers stay the same in all releases"),
        hint=gettext_lazy(
            "For data that are released repeatedly, for example every year. If off, every release "
            "has fresh numbers, which protects people better. If on, releases can be joined, and "
            "nobody can get both a crosswalk and a release. You cannot change this after the "
            "first release."
        ),
    )


class NewProject(Facts):
    name = forms.CharField(
        label=gettext_lazy("Name"),
        required=False,
        max_length=_LONGEST_NAME,
        help_text=gettext_lazy(
            "Used in addresses and commands: letters, digits, dots, hyphens and underscores. "
            "Leave empty to derive it from the title."
        ),
    )
    synthetic = box(
        gettext_lazy("Synthetic people"),
        hint=gettext_lazy(
            "The people in its databases are made up. Small databases and small assignments are "
            "allowed, and every page says that the project is synthetic. You cannot change this "
            "later."
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


def name_of(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9._]+", "-", plain)
    return words.strip("-._")[:_LONGEST_NAME].rstrip("-._")


def data(request: Request) -> HttpResponse:
    job = job_for(request.project, "columns propose", "data import")
    return step_page(
        request,
        "data",
        databases_part(request.project),
        job=job,
        limit=settings.UPLOAD_LIMIT,
    )


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
        return to_page(request, "data", wrong=words_of(error))
    messages.success(request, _("File removed."))
    if service.uploads_of(request.project):
        analyse_columns(request)
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
        return to_page(request, "data", wrong=" ".join(field_words(error).values()))
    except (SettingError, SecondPersonNeeded) as error:
        return to_page(request, "data", wrong=words_of(error))
    return to_page(request, "data", done=_("Database confirmed. You can import it now."))


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
        return to_page(request, "columns", wrong=words_of(error))
    analyse_columns(request)
    return redirect("columns", request.project.name)


def _one_file(request: Request) -> HttpResponse:
    try:
        upload = service.receive(
            project=request.project,
            actor=request.actor,
            account=request.account,
            file_name=header_value(request, "File"),
            database=header_value(request, "Database").strip(),
            chunks=body(request),
        )
    except MindfirlError as error:
        drain(request)
        return JsonResponse({"sentence": words_of(error)}, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    return JsonResponse({"database": upload.database}, status=HTTPStatus.CREATED)


def _form_of_files(request: Request, handler: SealingHandler) -> HttpResponse:
    complete = COMPLETE in request.POST  # here at the latest the files are read
    if handler.parts and not complete:
        messages.error(request, _("Not uploaded: the connection was lost. Try again."))
        return redirect("data", request.project.name)
    kept = [part.keep() for part in handler.parts]
    for part in handler.parts:
        if part.sentence:
            messages.error(request, part.sentence)
    if handler.parts and not any(kept):
        return redirect("data", request.project.name)
    if not service.uploads_of(request.project):
        return to_page(request, "data", wrong=_("No file was selected. Choose a file first."))
    analyse_columns(request)
    return redirect("columns", request.project.name)


def analyse_columns(request: Request) -> None:
    """Have the columns looked at, unless other work has the project."""
    busy = _("The columns will be analysed when the current work has finished.")
    enqueue(request, "columns propose", busy=busy)


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
