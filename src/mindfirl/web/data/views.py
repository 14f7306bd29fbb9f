"""The first step: what the project is for, and the databases that are to be linked."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from mindfirl.core.errors import Busy, ChangedMeanwhile, FieldErrors, MindfirlError
from mindfirl.core.policy import may
from mindfirl.services import jobs, projects
from mindfirl.services.data import uploads as service
from mindfirl.store.models import Database, Job, Project, Upload, Version
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.web.data.forms import ProjectFacts, facts_of
from mindfirl.web.data.upload_stream import BODY, SealingHandler, body, drain, header_value
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.long_work import job_for
from mindfirl.web.page.steps import step_page

COMPLETE: Final = "complete"
"""The last field of the form that sends files: without it, the form was cut off."""


@dataclass(frozen=True, slots=True)
class DatabasesPart:
    """The databases that are imported, and the files that wait."""

    version: Version | None
    databases: list[Database]
    waiting: list[Upload]
    replaced: set[str]


@dataclass(frozen=True, slots=True)
class DataPage:
    form: ProjectFacts
    job: Job | None
    limit: int


def data(request: Request) -> HttpResponse:
    if request.method == "POST":
        return _saved(request)
    return _page(request, ProjectFacts(initial=facts_of(request.project)))


@csrf_exempt
def data_upload(request: Request) -> HttpResponse:
    """Take files in; then let their columns be looked at. Tokens are checked within."""
    if request.content_type == BODY:
        answer: HttpResponse = csrf_protect(_one_file)(request)
        return answer
    about = {"project": request.project, "actor": request.actor, "account": request.account}
    handler = SealingHandler(request, **about)
    request.upload_handlers = [handler]
    try:
        answer = csrf_protect(_form_of_files)(request, handler)
    finally:
        handler.refuse_all()
    return answer


def data_upload_remove(request: Request, upload: UUID) -> HttpResponse:
    found = get_object_or_404(request.project.uploads, pk=upload)
    try:
        service.remove(project=request.project, actor=request.actor, upload=found.pk)
    except Busy as error:
        messages.error(request, str(error))
        return redirect("data", request.project.name)
    messages.success(request, _("The file was removed."))
    if service.uploads_of(request.project):
        _look(request)
    return redirect("data", request.project.name)


def _saved(request: Request) -> HttpResponse:
    form = ProjectFacts(request.POST)
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
            form = _with_newer_revision(request)
            add_errors(form, {"": str(error)})
            status = HTTPStatus.CONFLICT
        else:
            messages.success(request, _("Saved."))
            return redirect("data", request.project.name)
    add_errors(form)
    return _page(request, form, status=status)


def _with_newer_revision(request: Request) -> ProjectFacts:
    """Keep what was typed, so that saving again works."""
    request.project.refresh_from_db()
    again = ProjectFacts({**request.POST.dict(), "revision": request.project.revision})
    again.is_valid()
    return again


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
        messages.error(request, _("Choose a file first."))
        return redirect("data", request.project.name)
    _look(request)
    return redirect("columns", request.project.name)


def _look(request: Request) -> None:
    """Have the columns looked at, unless other work has the project."""
    try:
        jobs.enqueue(
            project=request.project,
            kind="columns propose",
            parameters={},
            actor=request.actor,
            account=request.account,
        )
    except Busy:
        sentence = _("The columns will be looked at when the work that goes on has ended.")
        messages.warning(request, sentence)


def _page(
    request: Request, form: ProjectFacts, *, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    if not may(request.actor, "change project"):
        for each in form.fields.values():
            each.disabled = True
    job = job_for(request.project, "columns propose", "data import")
    shown = DataPage(form, job, settings.UPLOAD_LIMIT)
    return step_page(request, "data", databases_part(request.project), shown, status=status)


def databases_part(project: Project) -> DatabasesPart:
    version = current_version(project)
    databases = databases_of(version) if version else []
    waiting = service.uploads_of(project)
    replaced = {each.name for each in databases} & {each.database for each in waiting}
    return DatabasesPart(version, databases, waiting, replaced)
