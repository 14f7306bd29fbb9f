"""What the columns of uploaded databases are to be, from the proposal to the import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from mindfirl.core.errors import (
    ChangedMeanwhile,
    FieldErrors,
    SettingError,
    UnreadableColumn,
    and_list,
)
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.small_counts import coarse_counts, coarse_percentage
from mindfirl.core.values.column_values import CellCounts, ColumnFinding
from mindfirl.engine.schema.choice_building import schema_from_choices
from mindfirl.engine.schema.choices import ColumnChoices, offered_choices
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.corrections import (
    StoredColumnChoices,
    StoredColumns,
    corrected_schema,
    stored_columns,
)
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.store.changes import held_project
from mindfirl.store.models import ColumnsDraft, Project, Version
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.workspace.open_version import open_version


@dataclass(frozen=True, slots=True)
class Draft:
    """The columns of the databases that come in, and what is offered for each.

    ``kept`` are databases of the project that stay as they are. A draft is stale if other files
    were uploaded since their columns were looked at.
    """

    revision: int
    profiles: tuple[ColumnProfile, ...]
    schema: SchemaFile | None
    choices: ColumnChoices
    kept: tuple[str, ...]
    stale: bool
    preview: Mapping[str, Any]
    """What the new version would change, by the columns as they were proposed."""
    resembled: tuple[tuple[UUID, str, str], ...]
    """Files under another name than the database that they seem to be a new version of."""
    unreadable: tuple[UnreadableColumn, ...]
    """The columns that an import of this draft could hardly read, and stopped for."""


@dataclass(frozen=True, slots=True)
class ImportedColumn:
    column: str
    role: str
    name: str = ""
    kind: str = ""
    date_order: str = ""
    found: tuple[str, ...] = ()
    """What the import did to its values, counted; never a value."""
    filled: str = ""
    """How many cells are filled, as coarse as counts are told."""
    unreadable: str = ""
    """Which share of these cannot be read, likewise; nothing for none."""
    doubtful: bool = False


def draft_of(project: Project) -> Draft | None:
    draft = ColumnsDraft.objects.filter(project=project).first()
    if draft is None or not draft.profile:
        return None
    profiles = tuple(map(_profile, draft.profile))
    coming = {each.database for each in profiles}
    latest = current_version(project)
    there = [each.name for each in (databases_of(latest) if latest else ())]
    schema, choices = _as_it_stands(draft, profiles, latest)
    return Draft(
        revision=draft.revision,
        profiles=profiles,
        schema=schema,
        choices=choices,
        kept=tuple(name for name in there if name not in coming),
        stale=_is_stale(draft, coming),
        preview=draft.preview,
        resembled=tuple(
            project.uploads.exclude(resembles="").values_list("pk", "database", "resembles")
        ),
        unreadable=tuple(UnreadableColumn(**each) for each in draft.unreadable),
    )


def save_columns(
    *, project: Project, actor: Actor, revision: int, choices: ColumnChoices
) -> SchemaFile:
    check_may(actor, "change columns")
    draft = draft_of(project)
    if draft is None or draft.stale:
        raise SettingError(
            "The files changed after their columns were analysed. Go to the page Data and analyse "
            "the columns again."
        )
    if draft.revision != revision or not _is_about(choices, draft.profiles):
        raise ChangedMeanwhile
    schema = schema_from_choices(choices, base=draft.schema, kept=draft.kept)
    with transaction.atomic():
        held_project(project)
        saved = ColumnsDraft.objects.filter(project=project, revision=revision).update(
            schema=write_schema(schema),
            revision=F("revision") + 1,
            changed=timezone.now(),
            unreadable=[],
        )
    if not saved:
        raise ChangedMeanwhile
    return schema


def columns_to_correct(project: Project) -> StoredColumns | None:
    """List what is stored of the newest version, unless it is closed or about to be replaced."""
    latest = current_version(project)
    if latest is None or project.closed or project.uploads.filter(purpose="database").exists():
        return None
    sensitive = {each.name: list(each.report["sensitive"]) for each in databases_of(latest)}
    return stored_columns(open_version(latest).schema_file, sensitive, version=latest.number)


def correct_columns(
    *, project: Project, actor: Actor, version: int, choices: StoredColumnChoices
) -> SchemaFile:
    """Return the schema under which a version would be imported again from what is stored."""
    check_may(actor, "import")
    stored = columns_to_correct(project)
    if stored is None or stored.version != version:
        raise ChangedMeanwhile
    if len(choices.columns) != len(stored.columns):
        raise SettingError("The form was incomplete. Open the page again.")
    if choices == stored.unchanged:
        raise FieldErrors({"columns": "You have not changed anything yet."})
    return corrected_schema(stored, choices)


def imported_columns(project: Project) -> dict[str, list[ImportedColumn]]:
    latest = current_version(project)
    if latest is None:
        return {}
    kinds = {each.name: each.kind for each in open_version(latest).schema.attributes}
    return {each.name: _imported(each.report, each.records, kinds) for each in databases_of(latest)}


def _as_it_stands(
    draft: ColumnsDraft, profiles: Sequence[ColumnProfile], latest: Version | None
) -> tuple[SchemaFile | None, ColumnChoices]:
    """Return the schema as it is, and what is offered; where none could be proposed, by looks."""
    if draft.schema:
        schema = parse_schema(draft.schema, "the columns")
        return schema, offered_choices(profiles, schema)
    choices = offered_choices(profiles, None)
    if latest is None:
        return None, choices
    schema = open_version(latest).schema_file
    said = schema.schema.settings
    year = str(said.latest_year or "")
    return schema, replace(choices, date_order=said.date_order, latest_year=year)


def _imported(
    report: Mapping[str, Any], records: int, kinds: Mapping[str, str]
) -> list[ImportedColumn]:
    record_id = report["record_id"]
    return [
        *([ImportedColumn(record_id, "record id")] if record_id else []),
        *(
            ImportedColumn(
                each["column"],
                each["role"],
                name,
                kinds.get(name, ""),
                each["date_order"] or "",
                (*_left_out(each), *_found(each["findings"])),
                *_counted(each["counts"], records),
            )
            for each in report["attributes"]
            for name in [each["attribute"]]
        ),
        *(
            ImportedColumn(
                each["column"],
                "sensitive",
                name,
                "",
                "",
                (),
                *_counted(each["counts"] or _all_readable(each["filled"]), records),
            )
            for name, each in report["sensitive"].items()
        ),
        *(ImportedColumn(column, "ignored") for column in report["not_imported"]),
    ]


_COUNTED: Final = ("empty", "unreadable", "impossible date")
"""What is told as a share of the cells, in places of its own."""


def _found(findings: Iterable[Mapping[str, Any]]) -> list[str]:
    told = (ColumnFinding(**each) for each in findings)
    return [each.coarse_words for each in told if each.rule not in _COUNTED]


def _all_readable(filled: int) -> dict[str, int]:
    return {"filled": filled, "unreadable": 0}


def _counted(counts: Mapping[str, int], rows: int) -> tuple[str, str, bool]:
    """Tell how many cells are filled, and which share of them is unreadable, and too much."""
    known = CellCounts(**counts)
    filled = coarse_counts({"filled": known.filled, "empty": rows - known.filled})["filled"]
    share = coarse_percentage(known.unreadable, known.filled) if known.unreadable else ""
    return filled, share, known.doubtful


def _left_out(attribute: Mapping[str, Any]) -> list[str]:
    others = attribute.get("without")
    return [f"without the words of {and_list(others)}"] if others else []


def _is_about(choices: ColumnChoices, profiles: Sequence[ColumnProfile]) -> bool:
    chosen = [(each.database, each.column) for each in choices.columns]
    return chosen == [(each.database, each.column) for each in profiles]


def _profile(kept: Mapping[str, Any]) -> ColumnProfile:
    lists = {
        name: tuple(kept.get(name, ())) for name in ("shapes", "warnings", "contains", "without")
    }
    fits = tuple((order, count) for order, count in kept.get("date_fits", ()))
    return ColumnProfile(**{**kept, **lists, "date_fits": fits})


def _is_stale(draft: ColumnsDraft, coming: set[str]) -> bool:
    uploads = draft.project.uploads.filter(purpose="database")
    waiting = set(uploads.values_list("database", flat=True))
    return waiting != coming or uploads.filter(received__gt=draft.changed).exists()
