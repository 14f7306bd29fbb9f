"""Correct what imported columns are, without their files where the stored values are enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors
from mindfirl.core.values.schema import KINDS as KINDS_OF_ATTRIBUTES
from mindfirl.engine.schema.corrections import (
    LEFT_OUT,
    StoredColumn,
    StoredColumnChoice,
    StoredColumnChoices,
    StoredColumns,
)
from mindfirl.engine.schema.schema_file import write_schema
from mindfirl.services import columns as service
from mindfirl.web.columns.views import KINDS, ROLES, Field
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.fields import whole_number
from mindfirl.web.page.labels import and_list
from mindfirl.web.page.long_work import enqueue, is_under_way, job_for
from mindfirl.web.page.steps import step_page, to_page


@dataclass(frozen=True, slots=True)
class CorrectionRow:
    """A stored column with what can be chosen, and what needs its files again."""

    stored: StoredColumn
    role: Field
    name: Field
    kind: Field
    databases: str
    needs_files: str
    """The roles and kinds that the stored values are not enough for."""


@dataclass(frozen=True, slots=True)
class CorrectionPart:
    rows: list[CorrectionRow]
    stored: StoredColumns
    without_duplicates: frozenset[str]
    general: str
    wrong: int


def columns_correct(request: Request) -> HttpResponse:
    stored = service.columns_to_correct(request.project)
    job = job_for(request.project, "columns correct")
    if stored is None or is_under_way(job):
        return redirect("columns", request.project.name)
    if request.method != "POST":
        return _page(request, stored, stored.unchanged)
    chosen = _chosen(request.POST, stored)
    try:
        schema = service.correct_columns(
            project=request.project,
            actor=request.actor,
            version=whole_number(request.POST.get("version", ""), 0),
            choices=chosen,
        )
    except FieldErrors as errors:
        return _page(request, stored, chosen, field_words(errors), HTTPStatus.UNPROCESSABLE_ENTITY)
    except ChangedMeanwhile as error:
        return to_page(request, "columns-correct", wrong=words_of(error))
    enqueue(request, "columns correct", version=stored.version, schema=write_schema(schema))
    return redirect("columns", request.project.name)


def _chosen(sent: QueryDict, stored: StoredColumns) -> StoredColumnChoices:
    """Read a form; a field that was not sent is as before, so that its fault is told elsewhere."""
    chosen = tuple(
        StoredColumnChoice(
            sent.get(f"{place}-role", each.role).strip(),
            sent.get(f"{place}-name", each.name).strip(),
            sent.get(f"{place}-kind", each.kind).strip(),
        )
        for place, each in enumerate(stored.columns)
    )
    declared = set(sent.getlist("without_duplicates")) & set(stored.databases)
    return StoredColumnChoices(chosen, frozenset(declared))


def _page(
    request: Request,
    stored: StoredColumns,
    chosen: StoredColumnChoices,
    errors: dict[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    wrong = errors or {}
    part = CorrectionPart(
        rows=_rows(stored, chosen, wrong),
        stored=stored,
        without_duplicates=chosen.without_duplicates,
        general=wrong.get("columns", ""),
        wrong=len(wrong),
    )
    return step_page(
        request,
        "columns",
        part,
        template="columns/correct.html",
        not_stored=_not_stored(request),
        status=status,
    )


def _rows(
    stored: StoredColumns, chosen: StoredColumnChoices, errors: dict[str, str]
) -> list[CorrectionRow]:
    places = range(len(stored.columns))
    fields = (f"{place}-{name}" for place in places for name in ("role", "name", "kind"))
    first = next((each for each in fields if each in errors), "")

    def field(name: str, value: str, options: tuple[tuple[str, Any], ...] = ()) -> Field:
        return Field(name, value, errors.get(name, ""), name == first, options)

    return [
        CorrectionRow(
            stored=column,
            role=field(f"{place}-role", choice.role, _offered(ROLES, column.roles)),
            name=field(f"{place}-name", choice.name),
            kind=field(f"{place}-kind", choice.kind, _offered(KINDS, column.kinds)),
            databases=and_list(sorted(column.columns)),
            needs_files=", ".join([*_others(column)]),
        )
        for place, (column, choice) in enumerate(zip(stored.columns, chosen.columns, strict=True))
    ]


def _offered(labels: Mapping[str, Any], possible: Sequence[str]) -> tuple[tuple[str, Any], ...]:
    return tuple((each, labels[each]) for each in possible)


def _others(column: StoredColumn) -> Iterator[str]:
    """Name the roles and kinds that need the files of a column again."""
    for role, label in ROLES.items():
        if role not in column.roles:
            yield str(label)
    for kind in KINDS_OF_ATTRIBUTES:
        if column.kinds and kind not in column.kinds:
            yield str(KINDS[kind])


def _not_stored(request: Request) -> list[tuple[str, str]]:
    """List the columns that are not stored as such, each with its database."""
    found = service.imported_columns(request.project)
    return [
        (each.column, database)
        for database, columns in found.items()
        for each in columns
        if each.role in ("record id", LEFT_OUT)
    ]
