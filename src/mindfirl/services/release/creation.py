"""Releases made: put together from the vault, written and checked, then sealed under their own key.

This needs the sensitive key, which the process that serves pages is refused.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any, Final

import numpy as np
import pyarrow as pa
from django.db import DatabaseError, connection
from django.utils import timezone
from numpy.typing import NDArray

from mindfirl.core.ledger.events import Released
from mindfirl.core.linkage_groups import Certainty, certainty_of
from mindfirl.core.persons import LinkOrigin
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Kind
from mindfirl.engine.release import file_check, release_files, table
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD, kept_columns
from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.services.release.release_states import below_least, state_of
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.crypto.keys import create_key, destroy, key_path
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import (
    Account,
    AssignedPair,
    Database,
    Linkage,
    Member,
    Project,
    Release,
    SealedFile,
)
from mindfirl.store.queries.projects import today
from mindfirl.workspace.commits import Also, commit_files, next_number, nothing
from mindfirl.workspace.group_linkage import linkage_groups
from mindfirl.workspace.link_probabilities import PROBABILITY
from mindfirl.workspace.open_version import open_version

_WAYS: Final[dict[int, table.Way]] = {
    LinkOrigin.SINGLE: "single",
    LinkOrigin.AUTOMATIC: "automatic",
    LinkOrigin.REVIEWED: "reviewed",
}
_IDS: Final[Kind] = "fixed"
"""Record ids are sought like numbers and names."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Assembled:
    made: table.Release
    secrets: file_check.Secrets


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
    certainty = _certainty(persons)
    parts = [
        replace(
            _part(each, member, person, how, choices), certainty=certainty[_here(member)] or None
        )
        for each, member in zip(opened, members, strict=True)
    ]
    made = table.release(parts, linked_only=choices.linked_only, randomness=secrets.token_bytes)
    return Assembled(made, _secrets(linkage.project, schema, opened, made))


def _certainty(persons: pa.Table) -> list[Certainty]:
    """Return how sure each record's person is; nothing for linkages that did not keep it."""
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
    choices: Choices,
) -> table.Part:
    here = _here(member)
    columns = {
        table.coarse_name(name, way): table.coarse(name, opened.columns[name], way)
        for name, way in choices.coarsen.items()
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
        file_check.pseudonyms(_known(project, opened)),
    )


def _identifying(schema: SchemaFile, databases: Sequence[str]) -> set[str]:
    found = {*schema.schema.names}
    for database in databases:
        found |= {*schema.displayed_columns(database), schema.id_column(database) or ""}
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


def make_release(
    *,
    project: Project,
    actor: Actor,
    account: Account | None = None,
    linkage: Linkage,
    choices: Choices,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Release:
    """Make a release of a linkage: ready to be downloaded, or blocked by what its check found.

    Its file is sealed under a key of its own; which record has which number in it, under the
    sensitive key. What is searched is what the vault gives back.
    """
    check_may(actor, "make release")
    with working_on(project.id), _own_key(project) as key, vault.staging(project.id) as sealed:
        progress("putting records together", 0, 1)
        found = assemble(linkage, choices)
        sealed.append(vault.seal(project, "release", found.made.table, key=key))
        sealed.append(vault.seal(project, "numbers", pa.table({NUMBER: found.made.numbers})))
        report = _report(found, checked(sealed[0], found.secrets, progress=progress))
        report["linkage_groups"] = linkage_groups(linkage)
        with commit_files(project, sealed, also, ledger=True):
            made = _kept(linkage, choices, report, account)
            made.data, made.numbers = sealed
            made.save()
            _tell(made, actor)
    fault_point("before answer")
    return made


def checked(
    sealed: SealedFile, secrets: file_check.Secrets, *, progress: Progress = no_progress
) -> list[file_check.Finding]:
    """Write what was sealed in every form in which it can be had, and search what was written."""
    table = vault.unseal(sealed)
    found: dict[tuple[str, str], file_check.Finding] = {}
    for form in release_files.FORMS:
        file = BytesIO()
        release_files.write(table, file, form)
        told = partial(progress, f"searching the {_WORDS[form]} file")
        for each in file_check.check(file, form, secrets, rows=table.num_rows, progress=told):
            before = found.get((each.column, each.kind), each)
            found[each.column, each.kind] = max(before, each, key=lambda one: one.count)
    return list(found.values())


_WORDS = {"csv": "CSV", "parquet": "Parquet"}


@contextmanager
def _own_key(project: Project) -> Iterator[str]:
    """Make the key of a release; take it back where nothing is recorded that it opens."""
    made = create_key(project.id, "release")
    try:
        yield made
    except BaseException:
        with suppress(DatabaseError):  # where it cannot be asked, the key stays for the doctor
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()  # what was lost is opened again
            if not SealedFile.objects.filter(project=project, key=made).exists():
                destroy([key_path(project.id, "release", made)])
        raise


def _report(found: Assembled, findings: list[file_check.Finding]) -> dict[str, Any]:
    """Say what is in a release: counts and names of columns, never a value."""
    made = found.made
    groups = table.anonymity(made.table, coarse=made.coarse, sensitive=made.sensitive)
    return {
        "rows": made.table.num_rows,
        "persons": len(made.table.column(table.PERSON).unique()),
        "columns": made.table.column_names,
        "coarse": list(made.coarse),
        "databases": _counts(made.table.column(table.DATABASE)),
        "linked": _counts(made.table.column(table.LINKED)),
        "anonymity": ({"k": groups.k, "l": groups.l, "values": groups.values} if groups else None),
        "findings": [asdict(each) for each in findings],
    }


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    values, counts = np.unique(column.to_numpy(), return_counts=True)
    return dict(zip(map(str, values), counts.tolist(), strict=True))


def _kept(
    linkage: Linkage, choices: Choices, report: dict[str, Any], account: Account | None
) -> Release:
    now = timezone.now()
    return Release(
        project=linkage.project,
        linkage=linkage,
        number=next_number(linkage.project.releases),
        state=state_of(report, choices),
        created=now,
        account=account,
        choices=choices.written(),
        report=report,
        expires=today(now) + timedelta(days=choices.term),
    )


def _tell(made: Release, actor: Actor) -> None:
    digests = digests_of(made.project)
    found = sum(each["count"] for each in made.report["findings"])
    told = Released(
        release=made.number,
        linkage=made.linkage.number,
        rows=made.report["rows"],
        columns=tuple(made.report["columns"]),
        blocked=found + len(below_least(made.report, kept_choices(made.choices))),
        state=made.state,
        digest=digests.release(made),
        files=digests.files(made.data, made.numbers),
    )
    append(made.project, at=made.created, actor=actor.name, events=[told])
