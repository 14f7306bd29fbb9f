"""What a new version of a database would change, told before anything is imported.

Counts from 1 to 9 are not told, nor what they could be worked out from; a file that shares fewer
than half of the records gets no comparison, and every preview is an entry of the ledger: it must
not be a way to try guesses.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pyarrow.compute as pc

from mindfirl.core.ledger.project_events import VersionPreviewed
from mindfirl.core.lineage import NOWHERE, Lineage
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.small_counts import ENOUGH, coarse_count, coarse_counts
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.lineages import match_by_id
from mindfirl.engine.separation.separate import RECORD, separate
from mindfirl.services.data.comparing import (
    ENOUGH_SHARED,
    VersionComparison,
    columns_of_database,
)
from mindfirl.store import vault
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Database, Project, Version
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.workspace.carried_votes import counted_fates, fates_through
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import open_version

UNDER_WAY: Final = ("open", "paused")


@dataclass(frozen=True, slots=True)
class DatabasePreview:
    """What would become of the records of a database, in words; nothing if they are too few."""

    database: str
    comparable: bool
    records: dict[str, str]
    attributes: dict[str, str]
    """In how many records each attribute changed, where they are ten or more."""
    others: bool
    """Whether most records have other values under the same ID."""


@dataclass(frozen=True, slots=True)
class VersionPreview:
    """What a new version would change: records of each database, decisions, work under way."""

    databases: tuple[DatabasePreview, ...]
    decisions: dict[str, str]
    """How many pairs are decided or under review, stand, are asked again, are void; or nothing."""
    under_way: int


def preview_version(
    *,
    project: Project,
    actor: Actor,
    sources: Mapping[str, TableSource],
    schema: SchemaFile,
    progress: Progress = no_progress,
) -> VersionPreview | None:
    """Compare files with the databases that they would replace; nothing if there is none."""
    check_may(actor, "change data")
    latest = current_version(project)
    there = {each.name: each for each in (databases_of(latest) if latest else ())}
    if latest is None or not there.keys() & sources.keys():
        return None
    compared = _compared(latest, there, sources, schema, progress)
    names = [*there, *(name for name in sources if name not in there)]
    databases = tuple(
        _database_preview(name, compared.databases[name], schema.schema.names)
        for name in sources
        if name in there
    )
    alike = all(each.comparable for each in databases)
    found = VersionPreview(
        databases,
        _decisions(project, compared, names) if alike else {},
        project.assignments.filter(state__in=UNDER_WAY).count(),
    )
    with commit(ledger=project):
        append(project, actor=actor.name, events=[_told(each) for each in databases])
    return found


def _compared(
    latest: Version,
    there: Mapping[str, Database],
    sources: Mapping[str, TableSource],
    schema: SchemaFile,
    progress: Progress,
) -> VersionComparison:
    compared = VersionComparison(latest, schema)
    for name, database in there.items():
        if name not in sources:
            compared.keep(database)
    for place, (name, source) in enumerate(sources.items()):
        progress("comparing with the last version", place, len(sources))
        compared.take(name, separate(source, schema, name, randomness=secrets.token_bytes))
    return compared


def _database_preview(name: str, lineage: Lineage, attributes: Sequence[str]) -> DatabasePreview:
    counts = lineage.counts
    if counts.found < lineage.earlier * ENOUGH_SHARED:
        return DatabasePreview(name, comparable=False, records={}, attributes={}, others=False)
    changed = lineage.changed.sum(axis=0).tolist()
    most = int((lineage.changed.mean(axis=1) > ENOUGH_SHARED).sum())
    return DatabasePreview(
        name,
        comparable=True,
        records=coarse_counts(
            {
                "unchanged": counts.unchanged,
                "changed": counts.changed,
                "new": counts.new,
                "gone": counts.gone,
            }
        ),
        attributes={
            each: coarse_count(number)
            for each, number in zip(attributes, changed, strict=True)
            if number >= ENOUGH
        },
        others=most > counts.found * ENOUGH_SHARED,
    )


def _decisions(
    project: Project, compared: VersionComparison, names: Sequence[str]
) -> dict[str, str]:
    known = compared.lineages(names).earlier
    rounds = project.versions.filter(number__in=list(known)).order_by("number")
    fates = counted_fates(
        fate for each in rounds for fate in fates_through(each, known[each.number])
    )
    if not fates.total():
        return {}
    counts = {"stand": fates["stands"], "again": fates["again"], "void": fates["void"]}
    return {"decided": f"{fates.total():,}", **coarse_counts(counts)}


def _told(preview: DatabasePreview) -> VersionPreviewed:
    return VersionPreviewed(preview.database, tuple(preview.records.items()))


def sentences_of(preview: VersionPreview) -> list[str]:
    """Say in words what a new version would change."""
    found = [_sentence(each) for each in preview.databases]
    if said := preview.decisions:
        found.append(
            f"Of {said['decided']} pairs that are decided or under review: {said['stand']} remain "
            f"valid, {said['again']} must be reviewed again, {said['void']} are void because a "
            f"record is gone."
        )
    if preview.under_way:
        found.append(
            f"Assignments in progress: {preview.under_way:,}. They finish on the old version, and "
            f"their decisions are carried over."
        )
    return found


def _sentence(preview: DatabasePreview) -> str:
    if not preview.comparable:
        return (
            f"{preview.database}: no comparison is shown, because the file contains fewer than "
            f"half of the records."
        )
    counts = ", ".join(f"{number} {kind}" for kind, number in preview.records.items())
    others = (
        " Most records have different values under the same record ID." if preview.others else ""
    )
    changed = ", ".join(f"{name} ({number})" for name, number in preview.attributes.items())
    told = f" Changed: {changed}." if changed else ""
    return f"{preview.database}: {counts}.{told}{others}"


def resembled_databases(project: Project, sources: Mapping[str, TableSource]) -> dict[str, str]:
    """Find databases that files under another name seem to be new versions of.

    They have the same columns, and at least half of the record IDs.
    """
    latest = current_version(project)
    if latest is None:
        return {}
    schema = open_version(latest).schema_file
    there = databases_of(latest)
    missing = [each for each in there if each.name not in sources and schema.id_column(each.name)]
    known = {each.name for each in there}
    found = {}
    for name, source in sources.items():
        alike = (each.name for each in missing if _resembles(each, schema, source))
        if name not in known and (like := next(alike, None)):
            found[name] = like
    return found


def _resembles(database: Database, schema: SchemaFile, source: TableSource) -> bool:
    column = schema.id_column(database.name)
    if column is None or set(source.columns) != columns_of_database(database, schema):
        return False
    ids = pc.utf8_trim_whitespace(source.table([column]).column(column))
    old = vault.unseal(database.identity, [RECORD]).column(RECORD)
    shared = len(set(match_by_id(old, ids).tolist()) - {NOWHERE})
    return shared >= database.records * ENOUGH_SHARED
