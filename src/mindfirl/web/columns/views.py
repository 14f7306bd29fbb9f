"""The second step: what each column holds, and the import."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.small_counts import coarse_count, coarse_counts
from mindfirl.engine.schema.choices import ColumnChoice, ColumnChoices
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.schema_file import Source
from mindfirl.services import columns as service
from mindfirl.services import jobs
from mindfirl.services.data.importing import effect_of
from mindfirl.services.data.uploads import uploads_of
from mindfirl.web.columns.readings import reading_lines
from mindfirl.web.columns.stopped_imports import accepted_columns, sentence_of, unreadable_lines
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.fields import whole_number
from mindfirl.web.page.labels import and_list, label
from mindfirl.web.page.long_work import is_under_way, job_for
from mindfirl.web.page.steps import step_page, to_page

ROLES: Final = {
    "record id": gettext_lazy("record id"),
    "identifier": gettext_lazy("identifier"),
    "quasi-identifier": gettext_lazy("quasi-identifier"),
    "sensitive": gettext_lazy("sensitive"),
    "ignored": gettext_lazy("not imported"),
}
KINDS: Final = {
    "string": gettext_lazy("text"),
    "fixed": gettext_lazy("fixed text"),
    "date": gettext_lazy("date"),
    "category": gettext_lazy("category"),
    "year": gettext_lazy("year of a date"),
    "month": gettext_lazy("month of a date"),
    "day": gettext_lazy("day of a date"),
}
ORDERS: Final = {
    "mdy": gettext_lazy("month/day/year"),
    "dmy": gettext_lazy("day/month/year"),
    "ymd": gettext_lazy("year/month/day"),
}
_PARTS: Final = {
    "decade": gettext_lazy("its decade"),
    "year": gettext_lazy("its year"),
    "month": gettext_lazy("its year and month"),
}
_CHARACTERS: Final = range(1, 6)
_TYPED: Final = ("role", "name", "kind", "date_order", "keeps")
_FIELDS: Final = (*_TYPED, "without")


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    value: str
    error: str
    focus: bool
    options: tuple[tuple[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class DateFigures:
    """How many cells of a column can be read as dates, as coarse as counts are told."""

    order: Any
    readable: str
    unreadable: str
    unclear: str


@dataclass(frozen=True, slots=True)
class Row:
    about: str
    profile: ColumnProfile
    filled: int
    role: Field
    name: Field
    kind: Field
    date_order: Field
    keeps: Field
    without: Field
    dates: DateFigures | None


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    database: str
    records: int
    without_duplicates: bool
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class ColumnsPart:
    tables: list[DatabaseTable]
    date_order: Field
    latest_year: Field
    general: str
    wrong: int
    matched: list[tuple[str, list[str]]]
    names: list[str]
    sensitive: int
    left_out: int


def columns_part(
    profiles: Sequence[ColumnProfile], choices: ColumnChoices, errors: Mapping[str, str]
) -> ColumnsPart:
    drawing = _Drawing(choices, errors, next(iter(_wrong_fields(errors, len(profiles))), ""))
    rows = [
        (each, drawing.row(place, profile, each))
        for place, (profile, each) in enumerate(zip(profiles, choices.columns, strict=True))
    ]
    return ColumnsPart(
        tables=[
            DatabaseTable(
                database,
                next(row.profile.rows for each, row in rows if each.database == database),
                database in choices.without_duplicates,
                tuple(row for each, row in rows if each.database == database),
            )
            for database in choices.databases
        ],
        date_order=drawing.field(
            "date_order", choices.date_order, _options(ORDERS, choices.date_order)
        ),
        latest_year=drawing.field("latest_year", choices.latest_year),
        general=errors.get("columns", ""),
        wrong=len(errors),
        matched=[
            (name, [_written(choices.columns_of(name).get(each, "")) for each in choices.databases])
            for name in choices.attributes()
        ],
        names=sorted({each.name for each in choices.columns if each.name}),
        sensitive=sum(each.role == "sensitive" for each in choices.columns),
        left_out=sum(each.role == "ignored" for each in choices.columns),
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    choices: ColumnChoices
    errors: Mapping[str, str]
    first: str

    def row(self, place: int, profile: ColumnProfile, choice: ColumnChoice) -> Row:
        orders = {"": _("as it looks"), **_counted_orders(profile)}
        return Row(
            about=json.dumps([choice.database, choice.column]),
            profile=profile,
            filled=profile.filled * 100 // profile.rows if profile.rows else 0,
            role=self.field(f"{place}-role", choice.role, _options(ROLES, choice.role)),
            name=self.field(f"{place}-name", choice.name),
            kind=self.field(f"{place}-kind", choice.kind, _options(KINDS, choice.kind)),
            date_order=self.field(
                f"{place}-date_order", choice.date_order, _options(orders, choice.date_order)
            ),
            keeps=self.field(f"{place}-keeps", choice.keeps, _options(_kept(choice), choice.keeps)),
            without=self._without(place, profile, choice),
            dates=_date_figures(profile, choice),
        )

    def _without(self, place: int, profile: ColumnProfile, choice: ColumnChoice) -> Field:
        """Offer to leave out the words of contained columns, where there are any."""
        offered = {json.dumps(each) for each in (profile.without, choice.without) if each}
        options = {
            each: _("rest, without %(columns)s") % {"columns": and_list(json.loads(each))}
            for each in sorted(offered)
        }
        value = json.dumps(choice.without) if choice.without else ""
        named = (("", _("all its words")), *options.items()) if options else ()
        return self.field(f"{place}-without", value, named)

    def field(self, name: str, value: str, options: tuple[tuple[str, Any], ...] = ()) -> Field:
        return Field(name, value, self.errors.get(name, ""), name == self.first, options)


def _counted_orders(profile: ColumnProfile) -> dict[str, str]:
    """Name the orders of dates, each with the number of cells that it can read."""
    fits = dict(profile.date_fits)
    return {
        order: _("%(order)s: reads %(number)s")
        % {"order": label, "number": coarse_count(fits[order])}
        if order in fits
        else str(label)
        for order, label in ORDERS.items()
    }


def _date_figures(profile: ColumnProfile, choice: ColumnChoice) -> DateFigures | None:
    fits = {str(order): count for order, count in profile.date_fits}
    if not fits or choice.kind != "date":
        return None
    order = choice.date_order or max(fits, key=lambda each: fits[each])
    read = fits.get(order, 0)
    counts = coarse_counts({"readable": read, "unreadable": profile.filled - read})
    return DateFigures(
        order=ORDERS.get(order, "") if profile.date_order or choice.date_order else "",
        unclear=coarse_count(profile.unclear_dates) if profile.unclear_dates else "",
        readable=counts["readable"],
        unreadable=counts["unreadable"] if read < profile.filled else "",
    )


def _written(source: Source) -> str:
    return source if isinstance(source, str) else " + ".join(source)


def _wrong_fields(errors: Mapping[str, str], columns: int) -> list[str]:
    named = [f"{place}-{field}" for place in range(columns) for field in _FIELDS]
    return [name for name in (*named, "date_order", "latest_year") if name in errors]


def _options(known: Mapping[str, Any], value: str) -> tuple[tuple[str, Any], ...]:
    """List what a field can be; what was typed otherwise is left to be chosen again."""
    unknown = () if value in known else ((value, value or "–"),)
    return (*unknown, *known.items())


def _first_characters(number: int) -> str:
    words = ngettext("first character", "first %(number)s characters", number)
    return words % {"number": number}


def _kept(choice: ColumnChoice) -> dict[str, str]:
    whole = _("all of it") if choice.role == "sensitive" else _("nothing")
    characters = sorted(
        {*map(str, _CHARACTERS)} | ({choice.keeps} if choice.keeps.isdecimal() else set()), key=int
    )
    firsts = {each: _first_characters(int(each)) for each in characters}
    return {"": whole, **{key: str(label) for key, label in _PARTS.items()}, **firsts}


def columns(request: Request) -> HttpResponse:
    if request.method == "POST":
        refused = _save(request)
        if refused:
            return refused
        return to_page(request, "columns", done=_("Saved. The databases are not imported yet."))
    draft = service.draft_of(request.project)
    return _page(request, draft, draft.choices if draft else None)


def data_import(request: Request) -> HttpResponse:
    if "as_saved" not in request.POST and (refused := _save(request)):
        return refused
    draft = service.draft_of(request.project)
    if draft is None or draft.stale:
        raise SettingError(_("Nothing to import. Upload a file first."))
    if draft.resembled:
        wrong = _(
            "Not imported: first choose for each file whether it is a new version of a "
            "database or another database."
        )
        return to_page(request, "columns", wrong=wrong)
    try:
        accepted = accepted_columns(request, draft)
    except (ChangedMeanwhile, FieldErrors) as error:
        return to_page(request, "columns", wrong=sentence_of(error))
    jobs.enqueue(
        project=request.project,
        kind="data import",
        parameters={
            "revision": draft.revision,
            "start_over": request.POST.get("start_over") == "1",
            "accepted": accepted,
        },
        actor=request.actor,
        account=request.account,
    )
    return redirect("columns", request.project.name)


def _save(request: Request) -> HttpResponse | None:
    chosen, draft = _chosen(request.POST), service.draft_of(request.project)
    if draft is None:
        raise ChangedMeanwhile
    try:
        service.save_columns(
            project=request.project,
            actor=request.actor,
            revision=whole_number(request.POST.get("revision", ""), -1),
            choices=chosen,
        )
    except FieldErrors as errors:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(request, draft, chosen, errors=field_words(errors), status=status)
    except ChangedMeanwhile as error:
        newest = service.draft_of(request.project)
        again = _about_these(newest, chosen) if newest else None
        told = {"columns": words_of(error)}
        return _page(request, newest, again, errors=told, status=HTTPStatus.CONFLICT)
    return None


def _chosen(sent: QueryDict) -> ColumnChoices:
    found = []
    for place, about in enumerate(sent.getlist("column")):
        try:
            database, column = json.loads(about)
        except (ValueError, TypeError, RecursionError):
            raise SettingError(
                _("Not saved: the form was incomplete. Reload the page and try again.")
            ) from None
        typed = {name: sent.get(f"{place}-{name}", "").strip() for name in _TYPED}
        without = _named_columns(sent.get(f"{place}-without", ""))
        found.append(ColumnChoice(str(database), str(column), **typed, without=without))
    return ColumnChoices(
        tuple(found),
        date_order=sent.get("date_order", ""),
        latest_year=sent.get("latest_year", "").strip(),
        without_duplicates=frozenset(sent.getlist("without_duplicates"))
        & {each.database for each in found},
    )


def _named_columns(sent: str) -> tuple[str, ...]:
    try:
        names = json.loads(sent) if sent else []
    except (ValueError, RecursionError):
        names = None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SettingError(_("Not saved: the form was incomplete. Reload the page and try again."))
    return tuple(names)


def _about_these(draft: service.Draft, chosen: ColumnChoices) -> ColumnChoices:
    typed = {(each.database, each.column): each for each in chosen.columns}
    columns = tuple(typed.get((each.database, each.column), each) for each in draft.choices.columns)
    return replace(chosen, columns=columns)


def _page(
    request: Request,
    draft: service.Draft | None,
    choices: ColumnChoices | None,
    *,
    errors: Mapping[str, str] | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    job = job_for(request.project, "columns propose", "data import", "columns correct")
    waiting = uploads_of(request.project)
    shown = partial(
        step_page,
        request,
        "columns",
        job=job,
        going=is_under_way(job),
        waiting=waiting,
        readings=reading_lines(waiting),
        imported={} if waiting else _imported(request),
        status=status,
    )
    if not (draft and choices and waiting) or draft.stale:
        return shown()
    return shown(
        columns_part(draft.profiles, choices, errors or {}),
        draft=draft,
        unreadable=unreadable_lines(draft),
        risky=any(
            not each["comparable"] or each["others"] for each in draft.preview.get("databases", ())
        ),
        swapped=draft.schema.schema.swap_groups if draft.schema else (),
        effect=effect_of(request.project, choices.databases),
    )


def _imported(request: Request) -> dict[str, list[service.ImportedColumn]]:
    found = service.imported_columns(request.project)
    return {
        database: [
            replace(
                each,
                role=str(ROLES[each.role]),
                name=label(each.name) if each.name else "",
                kind=str(KINDS.get(each.kind, "")),
                date_order=str(ORDERS.get(each.date_order, "")),
            )
            for each in columns
        ]
        for database, columns in found.items()
    }
