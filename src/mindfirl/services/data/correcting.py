"""Databases that stay, under a corrected schema: rewritten from the vault where that is possible.

A role, a name or the mark of a database without duplicates changes no value, text and categories
are stored alike, and a column that is left out is not read. Everything else needs the raw values,
which are not kept: then the file of that database is brought again, and of no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from mindfirl.core.errors import SettingError, and_list
from mindfirl.engine.schema.corrections import ALIKE_STORED
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD
from mindfirl.services.data.comparing import columns_of_database
from mindfirl.store import vault
from mindfirl.store.models import Database, Project, SealedFile, Version
from mindfirl.workspace.open_version import open_version


@dataclass(frozen=True, slots=True)
class Correction:
    """A database as it is rewritten: attributes and sensitive columns by new and by old name."""

    database: Database
    schema: SchemaFile
    attributes: Mapping[str, str]
    sensitive: Mapping[str, str]

    def tables(self) -> dict[str, pa.Table]:
        """Return what is left of the database, by kind of file."""
        database = self.database
        return {
            "identity": _renamed(database.identity, {RECORD: RECORD, **self.attributes}),
            "sensitive": _renamed(database.sensitive, self.sensitive),
            "joining": vault.unseal(database.joining),
        }

    def sealed(
        self, project: Project, tables: Mapping[str, pa.Table], sealed: list[SealedFile]
    ) -> Database:
        """Seal a database again with what is left of it, and say in its report what it is now."""
        files: dict[str, SealedFile] = {}
        for kind, table in tables.items():
            files[kind] = vault.seal(project, kind, table)
            sealed.append(files[kind])
        return Database(
            project=project,
            name=self.database.name,
            records=self.database.records,
            without_duplicates=self.database.name in self.schema.without_duplicates,
            report=self._report(),
            **files,
        )

    def _report(self) -> dict[str, Any]:
        before: dict[str, Any] = self.database.report
        said = {each["attribute"]: each for each in before["attributes"]}
        sensitive = {new: before["sensitive"][old] for new, old in self.sensitive.items()}
        columns = {each["column"] for each in (*said.values(), *before["sensitive"].values())}
        kept = {said[old]["column"] for old in self.attributes.values()}
        kept |= {each["column"] for each in sensitive.values()}
        return {
            **before,
            "attributes": [
                {**said[old], "attribute": new, "role": self.schema.roles[new]}
                for new, old in self.attributes.items()
            ],
            "sensitive": sensitive,
            "not_imported": [*before["not_imported"], *sorted(columns - kept)],
        }


def _renamed(file: SealedFile, names: Mapping[str, str]) -> pa.Table:
    """Read some columns under other names, and the pseudonyms."""
    old = [PSEUDONYM, *names.values()]
    return vault.unseal(file, old).select(old).rename_columns([PSEUDONYM, *names])


def corrections_of(
    latest: Version, schema: SchemaFile, kept: Mapping[str, Database]
) -> dict[str, Correction]:
    """Return how databases that stay are rewritten; refuse those whose files have to be read."""
    before = open_version(latest).schema_file
    changed = [name for name in kept if _said_of(schema, name) != _said_of(before, name)]
    found = {name: _correction(kept[name], before, schema) for name in changed}
    if unread := [name for name, each in found.items() if each is None]:
        raise SettingError(
            f"The changes to {and_list(unread)} need values that are not stored. Import the files "
            f"of these databases again, together with this schema."
        )
    return {name: each for name, each in found.items() if each is not None}


def _said_of(schema: SchemaFile, database: str) -> tuple[object, ...]:
    return (
        schema.schema,
        [_reading(schema, name, database) for name in schema.schema.names],
        schema.roles,
        schema.id_column(database),
        {(each.name, *_kept(each, database)) for each in _sensitive_in(schema, database)},
        database in schema.without_duplicates,
    )


def _correction(database: Database, before: SchemaFile, now: SchemaFile) -> Correction | None:
    name = database.name
    if before.id_column(name) != now.id_column(name):
        return None
    if before.schema.settings != now.schema.settings:
        return None
    attributes = _matched(
        {each: _reading(now, each, name) for each in now.schema.names},
        {each: _reading(before, each, name) for each in before.schema.names},
    )
    there = columns_of_database(database, before)
    sensitive = _matched(
        {
            each.name: _kept(each, name)
            for each in _sensitive_in(now, name)
            if isinstance(each.column, dict) or each.column in there
        },
        {
            each.name: _kept(each, name)
            for each in _sensitive_in(before, name)
            if each.name in database.report["sensitive"]
        },
    )
    if attributes is None or sensitive is None:
        return None
    return Correction(database, now, attributes, sensitive)


def _matched(new: Mapping[str, object], old: Mapping[str, object]) -> dict[str, str] | None:
    """Find the old name of everything that is read as before; nothing if something is not."""
    found: dict[str, str] = {}
    for name, reading in new.items():
        alike = [each for each, known in old.items() if known == reading]
        if not alike:
            return None
        found[name] = name if name in alike else alike[0]
    return found


def _reading(schema: SchemaFile, name: str, database: str) -> tuple[object, ...]:
    """Return what the values of an attribute depend on."""
    kind = schema.schema.attributes[schema.schema.place(name)].kind
    return (
        schema.sources(name, database),
        ALIKE_STORED if kind in ALIKE_STORED else kind,
        schema.date_order(name, database),
        schema.missing_of(name),
        [schema.sources(other, database) for other in schema.without.get(name, ())],
    )


def _kept(sensitive: Any, database: str) -> tuple[object, object]:  # noqa: ANN401  # a column
    return sensitive.column_in(database), sensitive.coarsen


def _sensitive_in(schema: SchemaFile, database: str) -> Iterable[Any]:
    return [each for each in schema.sensitive if each.column_in(database) is not None]
