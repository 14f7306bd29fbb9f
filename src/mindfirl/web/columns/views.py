"""The second step: what each column holds, and the import."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Final

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices
from mindfirl.services import columns as service
from mindfirl.services import jobs
from mindfirl.services.data.importing import Effect, effect_of
from mindfirl.services.data.uploads import uploads_of
from mindfirl.store.models import Job, Upload
from mindfirl.web.columns.table import KINDS, ROLES, columns_table
from mindfirl.web.http.access import Request
from mindfirl.web.page.long_work import is_under_way, job_for
from mindfirl.web.page.steps import step_page

FIELDS: Final = ("role", "name", "kind", "date_order", "keeps")


@dataclass(frozen=True, slots=True)
class ColumnsPage:
    job: Job | None
    going: bool
    waiting: list[Upload]
    imported: dict[str, list[service.ImportedColumn]]


@dataclass(frozen=True, slots=True)
class DraftPart:
    """Columns that wait for their import, and what that import would change."""

    draft: service.Draft
    swapped: Sequence[tuple[str, str]]
    effect: Effect


def columns(request: Request) -> HttpResponse:
    if request.method == "POST":
        refused = _save(request)
        if refused:
            return refused
        messages.success(request, _("Saved. Nothing is imported yet."))
        return redirect("columns", request.project.name)
    draft = service.draft_of(request.project)
    return _page(request, draft, draft.choices if draft else None)


def data_import(request: Request) -> HttpResponse:
    if "as_saved" not in request.POST and (refused := _save(request)):
        return refused
    draft = service.draft_of(request.project)
    if draft is None or draft.stale:
        raise SettingError(_("There is nothing to import. Bring a file first."))
    jobs.enqueue(
        project=request.project,
        kind="data import",
        parameters={"revision": draft.revision},
        actor=request.actor,
        account=request.account,
    )
    return redirect("columns", request.project.name)


def _save(request: Request) -> HttpResponse | None:
    """Save what was chosen; where that cannot be, return the page that says why."""
    chosen, draft = _chosen(request.POST), service.draft_of(request.project)
    if draft is None:
        raise ChangedMeanwhile
    try:
        service.save_columns(
            project=request.project,
            actor=request.actor,
            revision=_number(request.POST.get("revision", "")),
            choices=chosen,
        )
    except FieldErrors as errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(request, draft, chosen, errors=errors.fields, status=status)
    except ChangedMeanwhile as error:
        newest = service.draft_of(request.project)
        again = _about_these(newest, chosen) if newest else None
        told = {"columns": str(error)}
        return _page(request, newest, again, errors=told, status=HTTPStatus.CONFLICT)
    return None


def _chosen(sent: QueryDict) -> ColumnChoices:
    found = []
    for place, about in enumerate(sent.getlist("column")):
        try:
            database, column = json.loads(about)
        except (ValueError, TypeError, RecursionError):
            raise SettingError(_("The form was not whole. Open the page anew.")) from None
        typed = {name: sent.get(f"{place}-{name}", "").strip() for name in FIELDS}
        found.append(ColumnChoice(str(database), str(column), **typed))
    return ColumnChoices(
        tuple(found),
        date_order=sent.get("date_order", ""),
        latest_year=sent.get("latest_year", "").strip(),
        without_duplicates=frozenset(sent.getlist("without_duplicates"))
        & {each.database for each in found},
    )


def _about_these(draft: service.Draft, chosen: ColumnChoices) -> ColumnChoices:
    typed = {(each.database, each.column): each for each in chosen.columns}
    columns = tuple(typed.get((each.database, each.column), each) for each in draft.choices.columns)
    return replace(chosen, columns=columns)


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < _DIGITS else -1


_DIGITS: Final = 10


def _page(
    request: Request,
    draft: service.Draft | None,
    choices: ColumnChoices | None,
    *,
    errors: Mapping[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    job = job_for(request.project, "columns propose", "data import")
    waiting = uploads_of(request.project)
    imported = {} if waiting else _imported(request)
    shown = ColumnsPage(job, is_under_way(job), waiting, imported)
    if not (draft and choices and waiting) or draft.stale:
        return step_page(request, "columns", shown, status=status)
    drafted = DraftPart(
        draft=draft,
        swapped=draft.schema.schema.swap_groups if draft.schema else (),
        effect=effect_of(request.project, choices.databases),
    )
    table = columns_table(draft.profiles, choices, errors or {})
    return step_page(request, "columns", shown, drafted, table, status=status)


def _imported(request: Request) -> dict[str, list[service.ImportedColumn]]:
    found = service.imported_columns(request.project)
    return {
        database: [
            replace(each, role=str(ROLES[each.role]), kind=str(KINDS.get(each.kind, "")))
            for each in columns
        ]
        for database, columns in found.items()
    }
