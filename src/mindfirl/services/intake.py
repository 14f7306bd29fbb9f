"""Databases in, identities and sensitive values apart; complete or absent.

An import makes a version: all databases of the project, those that are new or replaced and those
that stay, with one schema and one population index. Its files are written first; the commit of the
transaction that records them is the moment from which the version is there.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import ProtectedError

from mindfirl.core.columns import CleanColumn, joined
from mindfirl.core.errors import SettingError
from mindfirl.core.population.arrays import digest, tabulated
from mindfirl.engine.indexes import index_table
from mindfirl.engine.schemas import SchemaFile, parse_schema, write_schema
from mindfirl.engine.separation import Separated, kept_columns, separate
from mindfirl.engine.tables.source import Source
from mindfirl.store import vault
from mindfirl.store.faults import reach
from mindfirl.store.lock import locked
from mindfirl.store.models import Database, Member, Project, SealedFile, Version
from mindfirl.store.queries.projects import current_version, databases_of

Progress = Callable[[str, int, int], None]
"""Called with what is being done, the number of steps done and of all steps."""

Columns = Mapping[str, CleanColumn]


@dataclass(frozen=True, slots=True)
class Effect:
    """What an import will do to a project."""

    number: int
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    kept: tuple[str, ...]


def no_progress(_what: str, _done: int, _steps: int) -> None:
    """Say nothing."""


def current_schema(project: Project) -> SchemaFile | None:
    """Return the schema of the newest version."""
    latest = current_version(project)
    return parse_schema(latest.schema, f"{project.name}'s schema") if latest else None


def effect_of(project: Project, names: Sequence[str]) -> Effect:
    """Say what importing databases of these names will do."""
    latest = current_version(project)
    there = [database.name for database in (databases_of(latest) if latest else ())]
    return Effect(
        number=latest.number + 1 if latest else 1,
        added=tuple(name for name in names if name not in there),
        replaced=tuple(name for name in names if name in there),
        kept=tuple(name for name in there if name not in names),
    )


def import_databases(
    *,
    project: Project,
    sources: Mapping[str, Source],
    schema: SchemaFile,
    progress: Progress = no_progress,
) -> Version:
    """Import databases, by name, as a new version of a project: all of them or none."""
    with locked(project.id), vault.staging(project.id) as sealed:
        latest = current_version(project)
        there = {database.name: database for database in (databases_of(latest) if latest else ())}
        if latest and not there.keys() <= sources.keys():
            _check_same_schema(schema, latest)
        databases: list[Database] = []
        columns: list[Columns] = []
        names = [*there, *(name for name in sources if name not in there)]
        for name in names:
            if name in sources:
                progress(f"{name}: reading", 0, 1)
                apart = separate(
                    sources[name],
                    schema,
                    name,
                    randomness=secrets.token_bytes,
                    progress=partial(progress, f"{name}: reading"),
                )
                progress(f"{name}: encrypting", 0, 1)
                database = Database(
                    project=project,
                    name=name,
                    records=apart.identity.num_rows,
                    without_duplicates=name in schema.without_duplicates,
                    report=_report(name, sources[name], apart, schema),
                    **_sealed(project, apart, sealed),
                )
                databases.append(database)
                columns.append({key: each.column for key, each in apart.attributes.items()})
            else:
                databases.append(there[name])
                identity = vault.unseal(there[name].identity, schema.schema.names)
                columns.append(kept_columns(identity, schema.schema.names))
        progress("population index", 0, 1)
        arrays = tabulated(schema.schema, _below_each_other(columns))
        del columns
        sealed.append(vault.seal(project, "index", index_table(arrays)))
        version = Version(
            project=project,
            number=latest.number + 1 if latest else 1,
            schema=write_schema(schema),
            records=sum(database.records for database in databases),
            index=sealed[-1],
            index_digest=digest(arrays, schema.schema),
        )
        reach("before commit")
        with transaction.atomic():
            unused = _commit(version, databases, sealed)
        sealed.clear()
    reach("after commit")
    vault.remove(project.id, unused)
    progress("population index", 1, 1)
    reach("before answer")
    return version


def _check_same_schema(schema: SchemaFile, latest: Version) -> None:
    """Refuse another schema for some databases of a project only."""
    if parse_schema(latest.schema, "").schema != schema.schema:
        raise SettingError(
            "The attributes or their settings differ from those of the databases that stay. "
            "Import all databases of the project again, with the new schema."
        )


def _sealed(project: Project, apart: Separated, sealed: list[SealedFile]) -> dict[str, SealedFile]:
    """Write the tables of a database into the vault."""
    files = {}
    for kind in ("identity", "sensitive", "joining"):
        files[kind] = vault.seal(project, kind, getattr(apart, kind))
        sealed.append(files[kind])
    return files


def _report(name: str, source: Source, apart: Separated, schema: SchemaFile) -> dict[str, Any]:
    """Say what was done to each column: counts and row numbers, never a value."""
    hidden = schema.sensitive_columns(name, source.columns)
    used = {*schema.needed(name), *hidden.values()}
    return {
        "remarks": list(source.remarks),
        "attributes": [
            {
                "attribute": key,
                "column": schema.column(key, name),
                "role": schema.roles[key],
                "date_order": each.date_order,
                "findings": [asdict(finding) for finding in each.findings],
            }
            for key, each in apart.attributes.items()
        ],
        "record_id": schema.id_column(name),
        "sensitive": hidden,
        "not_imported": [column for column in source.columns if column not in used],
    }


def _below_each_other(columns: Sequence[Columns]) -> Columns:
    """Put the columns of all databases below each other."""
    return {name: joined([each[name] for each in columns]) for name in columns[0]}


def _commit(
    version: Version, databases: Sequence[Database], sealed: Sequence[SealedFile]
) -> list[UUID]:
    """Record a version; drop older ones that no work refers to. Return the files of those."""
    vault.record(sealed)
    version.save()
    first = 0
    for database in databases:
        if not database.pk:
            database.save()
        Member.objects.create(version=version, database=database, first=first)
        first += database.records
    for older in version.project.versions.filter(number__lt=version.number):
        with suppress(ProtectedError):
            older.delete()
    version.project.databases.filter(members=None).delete()
    return vault.forget_unused(version.project)
