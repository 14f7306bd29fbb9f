"""The table of a release, put together from the vault; and what its file is checked against.

This needs the sensitive key, which the process that serves pages is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.persons import LinkOrigin
from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Kind
from mindfirl.engine import release as releasing
from mindfirl.engine.schema.schema_files import SchemaFile
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD, kept_columns
from mindfirl.services.release.release_choices import Choices
from mindfirl.store import vault
from mindfirl.store.models import AssignedPair, Database, Linkage, Member, Project
from mindfirl.workspace.open_version import open_version

_WAYS: Final[dict[int, releasing.Way]] = {
    LinkOrigin.SINGLE: "single",
    LinkOrigin.AUTOMATIC: "automatic",
    LinkOrigin.REVIEWED: "reviewed",
}
_IDS: Final[Kind] = "fixed"
"""Record ids are sought like numbers and names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assembled:
    made: releasing.Release
    secrets: releasing.Secrets


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Opened:
    """A database, its files opened, its sensitive values in the order of its identities."""

    name: str
    columns: dict[str, CleanColumn]
    sensitive: pa.Table
    pseudonyms: tuple[pa.ChunkedArray, ...]


def assemble(linkage: Linkage, choices: Choices) -> Assembled:
    schema = open_version(linkage.version).schema_file
    members = list(linkage.version.members.select_related("database__identity"))
    opened = [_opened(member.database, schema) for member in members]
    persons = vault.unseal(linkage.persons)
    person, how = (persons.column(name).to_numpy() for name in ("person", "how"))
    parts = [
        _part(each, member, person, how, choices)
        for each, member in zip(opened, members, strict=True)
    ]
    made = releasing.release(parts, linked_only=choices.linked_only, randomness=secrets.token_bytes)
    return Assembled(made, _secrets(linkage.project, schema, opened, made))


def _opened(database: Database, schema: SchemaFile) -> _Opened:
    identity, sensitive, joining = (
        vault.unseal(file) for file in (database.identity, database.sensitive, database.joining)
    )
    return _Opened(
        database.name,
        kept_columns(identity, [RECORD, *schema.schema.names]),
        releasing.rejoined(identity.column(PSEUDONYM), sensitive, joining),
        (identity.column(PSEUDONYM), sensitive.column(PSEUDONYM)),
    )


def _part(
    opened: _Opened,
    member: Member,
    person: NDArray[np.int64],
    how: NDArray[np.int8],
    choices: Choices,
) -> releasing.Part:
    here = slice(member.first, member.first + member.database.records)
    columns = {
        releasing.coarse_name(name, way): releasing.coarse(name, opened.columns[name], way)
        for name, way in choices.coarsen.items()
    }
    return releasing.Part(
        opened.name,
        opened.sensitive,
        person[here],
        [_WAYS[each] for each in how[here].tolist()],
        pa.table(columns) if columns else None,
    )


def _secrets(
    project: Project, schema: SchemaFile, opened: Sequence[_Opened], made: releasing.Release
) -> releasing.Secrets:
    kinds: dict[str, Kind] = {RECORD: _IDS}
    kinds |= {each.name: each.kind for each in schema.schema.attributes}
    columns = [
        (kind, concatenate_columns([each.columns[name] for each in opened]))
        for name, kind in kinds.items()
    ]
    return releasing.Secrets(
        releasing.Identities(made.numbers, columns),
        _identifying(schema, [each.name for each in opened]),
        [each.name for each in opened],
        releasing.pseudonyms(_known(project, opened)),
    )


def _identifying(schema: SchemaFile, databases: Sequence[str]) -> set[str]:
    found = {*schema.schema.names}
    for database in databases:
        found |= {*schema.displayed_columns(database).values(), schema.id_column(database) or ""}
    return found - {""}


def _known(project: Project, opened: Sequence[_Opened]) -> Iterator[bytes | str]:
    """Return what names records or persons elsewhere: in the vault, on pages, in other releases."""
    for each in opened:
        yield from each.columns[RECORD].values[1:]
        for numbers in each.pseudonyms:
            yield from numbers.to_pylist()
    pairs = AssignedPair.objects.filter(assignment__project=project)
    yield from pairs.values_list("token", flat=True).iterator()
    for other in project.releases.exclude(numbers=None).select_related("numbers"):
        assert other.numbers
        numbers = vault.unseal(other.numbers).column(NUMBER)
        yield from numbers.unique().drop_null().to_pylist()


NUMBER: Final = "number"
"""The column of the file that says which person number each record has in a release."""
