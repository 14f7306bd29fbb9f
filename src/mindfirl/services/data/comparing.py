"""A database that comes again, compared with what it was: record by record, by attribute."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from mindfirl.core.errors import DataError
from mindfirl.core.lineage import Lineage, new_records, same_records, stacked
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.lineages import DatabaseBefore, Lineages, names_in_both
from mindfirl.engine.separation.separate import RECORD, Separated
from mindfirl.store import vault
from mindfirl.store.models import Database, Version
from mindfirl.store.queries.projects import databases_of, starts_of
from mindfirl.workspace.carried_votes import lineages_of
from mindfirl.workspace.open_version import open_version

ENOUGH_SHARED = 0.5
"""A file that shares fewer of the record IDs is not a new version of the database."""


@dataclass(slots=True)
class VersionComparison:
    """What becomes of the records of the latest version, database by database."""

    latest: Version
    schema: SchemaFile
    databases: dict[str, Lineage] = field(default_factory=dict)

    def keep(self, database: Database) -> None:
        self.databases[database.name] = same_records(database.records, self._width)

    def take(self, name: str, apart: Separated) -> None:
        """Compare a database that comes in; one that was not there before has new records."""
        before = {each.name: each for each in databases_of(self.latest)}.get(name)
        if before is None:
            self.databases[name] = new_records(apart.identity.num_rows, self._width)
            return
        schema = open_version(self.latest).schema_file
        wanted = [RECORD, *schema.schema.names]
        old = DatabaseBefore(name, vault.unseal(before.identity, wanted), schema)
        columns = {key: each.column for key, each in apart.attributes.items()}
        self.databases[name] = old.compared(apart.identity, columns, self.schema)

    def lineages(self, names: Sequence[str]) -> Lineages:
        """Return the way from each earlier version on which people worked, and from the latest."""
        started = {
            each.name: first
            for each, first in zip(databases_of(self.latest), starts_of(self.latest), strict=True)
        }
        parts = [(self.databases[name], started.get(name, 0)) for name in names]
        last = stacked(parts, self._width, self.latest.records)
        before = open_version(self.latest).schema_file
        called = names_in_both(before, self.schema, [name for name in names if name in started])
        known = lineages_of(self.latest).through(last, called)
        worked = self.latest.project.versions.filter(number__in=list(known))
        kept = set(worked.values_list("number", flat=True))
        older = {number: each for number, each in known.items() if number in kept}
        return Lineages(self.schema.schema.names, {**older, self.latest.number: last})

    @property
    def _width(self) -> int:
        return len(self.schema.schema.names)


def check_alike(name: str, lineage: Lineage, *, with_ids: bool) -> None:
    """Refuse a file of other records than those of the database, or of others under its IDs."""
    counts = lineage.counts
    if not with_ids or not lineage.earlier:
        return
    if counts.found < lineage.earlier * ENOUGH_SHARED:
        raise DataError(
            "it contains fewer than half of the record IDs of the database, so decisions about "
            "the other records would become void.",
            "Check that this is the right file and that the IDs are written as before. To import "
            "it anyway, choose Start over (--start-over).",
            file=name,
        )
    others = int((lineage.changed.mean(axis=1) > ENOUGH_SHARED).sum())
    if others > counts.found * ENOUGH_SHARED:
        raise DataError(
            "most records have different values under the same record ID. The IDs may belong to "
            "other people.",
            "Check the record IDs. To import it anyway, choose Start over (--start-over).",
            file=name,
        )


def columns_of_database(database: Database, schema: SchemaFile) -> set[str]:
    """Name the columns that the file of a database had, whatever they were imported as."""
    report: dict[str, Any] = database.report
    sensitive = {each["column"] for each in report["sensitive"].values()}
    return {*schema.needed(database.name), *sensitive, *report["not_imported"]}
