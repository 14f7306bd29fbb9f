"""Releases put together from the vault: records joined to persons, remedies, groups counted.

This needs the sensitive key, which the process that serves pages is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.linkage_groups import Certainty, certainty_of
from mindfirl.core.persons import LinkOrigin
from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Kind
from mindfirl.engine.release import file_check, remedies, table
from mindfirl.engine.release.person_rows import by_person
from mindfirl.engine.schema.schema_file import Coarsening, SchemaFile
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD, kept_columns
from mindfirl.services.release.coverage import (
    Compared,
    Covered,
    compared,
    covered_persons,
)
from mindfirl.services.release.draws import persons_of
from mindfirl.services.release.release_choices import Choices, coarse_at_import
from mindfirl.store import vault
from mindfirl.store.models import (
    AssignedPair,
    Database,
    Linkage,
    Member,
    Project,
)
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.outcomes.link_probabilities import PROBABILITY

_WAYS: Final[dict[int, table.Way]] = {
    LinkOrigin.SINGLE: "single",
    LinkOrigin.AUTOMATIC: "automatic",
    LinkOrigin.REVIEWED: "reviewed",
}
_IDS: Final[Kind] = "fixed"
"""Record ids are sought like numbers and names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assembled:
    """A release to be written, what it is held against, and how its persons hide in groups.

    ``joint`` is the same together with the columns of releases that somebody has.
    """

    made: table.Release
    secrets: file_check.Secrets
    persons: Covered
    compared: list[Compared]
    anonymity: table.Anonymity | None
    joint: table.Anonymity | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Opened:
    """A database, its files opened, its sensitive values in the order of its identities."""

    name: str
    columns: dict[str, CleanColumn]
    sensitive: pa.Table
    pseudonyms: tuple[pa.ChunkedArray, ...]


def assemble(linkage: Linkage, choices: Choices, numbers: pa.Array | None = None) -> Assembled:
    """Put a release together; ``numbers`` are those of the records' persons, where they stay."""
    schema = open_version(linkage.version).schema_file
    members = list(linkage.version.members.select_related("database__identity"))
    opened = [_opened(member.database, schema) for member in members]
    persons = persons_of(linkage, choices.draw)
    person, how = (persons.column(name).to_numpy() for name in ("person", "how"))
    certainty = _certainty(persons)

    def put_together(coarsen: Sequence[tuple[str, Coarsening]]) -> table.Release:
        parts = [
            replace(
                _part(each, member, person, how, coarsen),
                certainty=certainty[_here(member)] or None,
            )
            for each, member in zip(opened, members, strict=True)
        ]
        return table.release(
            parts,
            linked_only=choices.linked_only,
            randomness=secrets.token_bytes,
            numbers=numbers,
        )

    whole = put_together(list(choices.coarsen.items()))
    covered = covered_persons(_numbered(opened, whole.numbers))
    others = compared(linkage.project, covered)
    quasi = coarse_at_import(schema, [each.name for each in opened])
    held = _secrets(linkage.project, schema, opened, whole)
    made = _remedied(whole, choices, held)
    groups = _anonymity(made, quasi)
    if choices.rows == "person":
        made = by_person(made, choices.several)
        groups = _worse(groups, _anonymity(made, quasi))
    joint = _joint(choices, others, schema, put_together, quasi)
    return Assembled(made, held, covered, others, groups, joint)


def _remedied(made: table.Release, choices: Choices, held: file_check.Secrets) -> table.Release:
    made = remedies.without_columns(made, choices.leave_out)
    made = remedies.coarsen_columns(made, choices.shorten)
    made = remedies.blanked(made, choices.blank, held)
    return remedies.escaped(made, choices.escape)


def _numbered(
    opened: Sequence[_Opened], numbers: pa.Array
) -> Iterator[tuple[str, str, str | None]]:
    records = (
        (each.name, each.columns[RECORD].values[code])
        for each in opened
        for code in each.columns[RECORD].codes.tolist()
    )
    for (database, record), number in zip(records, numbers.to_pylist(), strict=True):
        yield database, record, number


def _anonymity(made: table.Release, quasi: Collection[str]) -> table.Anonymity | None:
    """Count k and l over everything beside the sensitive values, whichever way it was coarsened."""
    handles = [*made.coarse, *(name for name in made.sensitive if name in quasi)]
    if not handles:
        return None
    return table.anonymity(
        made.table,
        coarse=[table.DATABASE, *handles],
        sensitive=[name for name in made.sensitive if name not in quasi],
    )


def _worse(one: table.Anonymity | None, other: table.Anonymity | None) -> table.Anonymity | None:
    if one is None or other is None:
        return one or other
    values = {
        name: min(found[name] for found in (one.values, other.values) if name in found)
        for name in {**one.values, **other.values}
    }
    return table.Anonymity(min(one.k, other.k), values)


def _joint(
    choices: Choices,
    others: Sequence[Compared],
    schema: SchemaFile,
    put_together: Callable[[Sequence[tuple[str, Coarsening]]], table.Release],
    quasi: Collection[str],
) -> table.Anonymity | None:
    """Count k and l as if all columns that somebody has of these persons were in one release."""
    known = [each.choices for each in others if each.shared]
    if not known:
        return None
    coarsen = dict.fromkeys(
        (name, way) for each in (choices, *known) for name, way in each.coarsen.items()
    )
    if any(name not in schema.schema.names for name, _ in coarsen):
        return table.Anonymity(0, {})  # what is no longer there cannot be counted
    made = put_together(list(coarsen))
    left_out = set(choices.leave_out).intersection(*(each.leave_out for each in known))
    return _anonymity(remedies.without_columns(made, sorted(left_out)), quasi)


def _certainty(persons: pa.Table) -> list[Certainty]:
    """Return how sure each record's person is; nothing where the linkage does not tell it."""
    if PROBABILITY not in persons.column_names:
        return []
    return certainty_of(persons.column(PROBABILITY).to_numpy())


def _here(member: Member) -> slice:
    return slice(member.first, member.first + member.database.records)


def _opened(database: Database, schema: SchemaFile) -> _Opened:
    identity, sensitive, joining = (
        vault.unseal(file) for file in (database.identity, database.sensitive, database.joining)
    )
    return _Opened(
        database.name,
        kept_columns(identity, [RECORD, *schema.schema.names]),
        table.rejoined(identity.column(PSEUDONYM), sensitive, joining),
        (identity.column(PSEUDONYM), sensitive.column(PSEUDONYM)),
    )


def _part(
    opened: _Opened,
    member: Member,
    person: NDArray[np.int64],
    how: NDArray[np.int8],
    coarsen: Sequence[tuple[str, Coarsening]],
) -> table.Part:
    here = _here(member)
    columns = {
        table.coarse_name(name, way): table.coarse(name, opened.columns[name], way)
        for name, way in coarsen
    }
    return table.Part(
        opened.name,
        opened.sensitive,
        person[here],
        [_WAYS[each] for each in how[here].tolist()],
        pa.table(columns) if columns else None,
    )


def _secrets(
    project: Project, schema: SchemaFile, opened: Sequence[_Opened], made: table.Release
) -> file_check.Secrets:
    kinds: dict[str, Kind] = {RECORD: _IDS}
    kinds |= {each.name: each.kind for each in schema.schema.attributes}
    columns = [
        (kind, concatenate_columns([each.columns[name] for each in opened]))
        for name, kind in kinds.items()
    ]
    return file_check.Secrets(
        file_check.Identities(made.numbers, columns),
        _identifying(schema, [each.name for each in opened]),
        [each.name for each in opened],
        file_check.pseudonyms(_known(project, opened, made)),
    )


def _identifying(schema: SchemaFile, databases: Sequence[str]) -> set[str]:
    found = {*schema.schema.names}
    for database in databases:
        found |= {*schema.displayed_columns(database), schema.id_column(database) or ""}
    return found - {""}


def _known(
    project: Project, opened: Sequence[_Opened], made: table.Release
) -> Iterator[bytes | str]:
    """Return what names records or persons elsewhere: in the vault, on pages, in other releases.

    Where person numbers stay, those of this release are in others, too.
    """
    own = set(made.numbers.drop_null().to_pylist()) if project.stable_numbers else set()
    for each in opened:
        yield from each.columns[RECORD].values[1:]
        for numbers in each.pseudonyms:
            yield from numbers.to_pylist()
    pairs = AssignedPair.objects.filter(assignment__project=project)
    yield from pairs.values_list("token", flat=True).iterator()
    for other in project.releases.exclude(numbers=None).select_related("numbers"):
        assert other.numbers
        numbers = vault.unseal(other.numbers).column(NUMBER)
        yield from (each for each in numbers.unique().drop_null().to_pylist() if each not in own)


NUMBER: Final = "number"
"""The column of the file that says which person number each record has in a release."""
