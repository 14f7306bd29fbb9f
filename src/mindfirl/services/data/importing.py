"""Databases in, identities and sensitive values apart; complete or absent.

An import makes a version: all databases of the project, those that are new or replaced and those
that stay, with one schema and one population index. Its files are written first; the commit of the
transaction that records them is the moment from which the version is there.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import accumulate
from typing import Any

from django.db import DatabaseError
from django.db.models import ProtectedError
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, SettingError, UnreadableColumn
from mindfirl.core.ledger.project_events import DecisionsCarried, Imported
from mindfirl.core.policy import COMMAND_LINE, Actor
from mindfirl.core.population.arrays import arrays_digest, tabulated
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.values.column_values import CellCounts, CleanColumn, concatenate_columns
from mindfirl.core.values.schema import Schema
from mindfirl.engine.reading.source import TableSource
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.engine.separation.indexed_databases import index_arrays, index_table, with_salt
from mindfirl.engine.separation.lineages import lineage_table
from mindfirl.engine.separation.separate import Separated, kept_columns, separate
from mindfirl.services.data.comparing import VersionComparison, check_alike
from mindfirl.services.data.confirmations import (
    check_confirmed,
    check_not_made_alike,
    doubtful_databases,
    record_confirmation,
)
from mindfirl.services.data.correcting import Correction, corrections_of
from mindfirl.services.data.unreadable import (
    AcceptedColumns,
    check_readable,
    record_acceptance,
    unreadable_columns,
)
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.crypto.keys import create_key, destroy, key_path
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Database, Member, Project, SealedFile, Version
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.workspace.carried_votes import counted_fates, earlier_rounds, fates_of
from mindfirl.workspace.commits import Also, commit_files, nothing
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.superseded_values import delete_superseded_values

Columns = Mapping[str, CleanColumn]


@dataclass(frozen=True, slots=True)
class Effect:
    number: int
    added: tuple[str, ...]
    replaced: tuple[str, ...]
    kept: tuple[str, ...]


def effect_of(project: Project, names: Sequence[str]) -> Effect:
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
    sources: Mapping[str, TableSource],
    schema: SchemaFile,
    confirmed: Sequence[str] = (),
    confirmation: str = "",
    start_over: bool = False,
    accepted: AcceptedColumns | None = None,
    actor: Actor = COMMAND_LINE,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Version:
    """Import databases; refuse such as could be made of guesses, unless they are confirmed.

    Columns that can hardly be read are refused, too, unless they are ``accepted``.

    A second person has ``confirmed`` some; a ``confirmation`` is an administrator's reason for all.
    What people decided stands where both records are unchanged. A database that shares fewer than
    half of its record IDs with its file is refused, unless it is to ``start_over``.
    """
    with working_on(project.id), _given_keys(project), vault.staging(project.id) as sealed:
        latest = current_version(project)
        there = {each.name: each for each in (databases_of(latest) if latest else ())}
        kept = {name: each for name, each in there.items() if name not in sources}
        corrections = corrections_of(latest, schema, kept) if latest else {}
        if not sources and not corrections:
            raise SettingError("Nothing was changed: the schema is the same as before.")
        check_sources(project=project, sources=sources, schema=schema)
        names = [*there, *(name for name in sources if name not in there)]
        compared = VersionComparison(latest, schema) if latest else None
        taking = _Taking(project, schema, sources, kept, corrections, compared, start_over, sealed)
        with ThreadPoolExecutor(1) as aside:  # one database is encrypted while the next is read
            columns = [taking.columns_of(name, aside, progress) for name in names]
            check_readable(taking.unreadable, accepted)
            progress("building the population index", 0, 1)
            whole = {
                key: concatenate_columns([each[key] for each in columns]) for key in columns[0]
            }
            arrays = tabulated(schema.schema, whole)
            taken_in = taking.databases()
        databases = [{**kept, **taken_in}[name] for name in names]
        sizes = {each.name: each.records for each in databases}
        doubtful = doubtful_databases(project, _codes_of(arrays, sizes, sources), schema.schema)
        check_confirmed(doubtful, [*confirmed, *(doubtful if confirmation else ())])
        if latest and corrections and not project.synthetic:
            made = _codes_of(arrays, sizes, corrections)
            check_not_made_alike(_stored_codes(latest, corrections), made, schema.schema)
        version = _indexed(project, latest, schema, arrays, sealed)
        if compared:
            lineages = lineage_table(compared.lineages(names))
            sealed.append(vault.seal(project, "lineage", lineages))
            version.lineage = sealed[-1]
        with commit_files(project, sealed, also, ledger=True):
            _record(version, databases)
            _tell(version, databases, actor)
            _tell_carried(version, actor)
            for name in doubtful if confirmation else ():
                record_confirmation(project, name, confirmation, actor=actor.name)
            if accepted and taking.unreadable:
                record_acceptance(project, taking.unreadable, accepted.reason, actor=actor.name)
        delete_superseded_values(project)
    progress("building the population index", 1, 1)
    fault_point("before answer")
    return version


@dataclass(slots=True)
class _Taking:
    """Databases that are read from files or from the vault, and sealed aside."""

    project: Project
    schema: SchemaFile
    sources: Mapping[str, TableSource]
    kept: Mapping[str, Database]
    corrections: Mapping[str, Correction]
    compared: VersionComparison | None
    start_over: bool
    sealed: list[SealedFile]
    coming: list[Future[Database]] = field(default_factory=list)
    unreadable: list[UnreadableColumn] = field(default_factory=list)

    def columns_of(self, name: str, aside: ThreadPoolExecutor, progress: Progress) -> Columns:
        """Return the columns of a database; what is new of it is sealed meanwhile."""
        if name in self.kept:
            return self._kept_columns(name, aside)
        taken = _Taken(self.project, name, self.schema, self.sources[name])
        apart = taken.apart(progress)
        self.unreadable += unreadable_columns(name, apart, self.schema, taken.hidden)
        self.coming.append(aside.submit(taken.sealed, apart, self.sealed))
        if self.compared:
            progress("comparing with the last version", 0, 1)
            self.compared.take(name, apart)
            _check_alike(self.compared, name, start_over=self.start_over)
        return {key: each.column for key, each in apart.attributes.items()}

    def _kept_columns(self, name: str, aside: ThreadPoolExecutor) -> Columns:
        names, correction = self.schema.schema.names, self.corrections.get(name)
        if correction:
            tables = correction.tables()
            sealing = aside.submit(correction.sealed, self.project, tables, self.sealed)
            self.coming.append(sealing)
            identity = tables["identity"]
        else:
            identity = vault.unseal(self.kept[name].identity, names)
        if self.compared:
            self.compared.keep(self.kept[name])
        return kept_columns(identity, names)

    def databases(self) -> dict[str, Database]:
        return {each.name: each for each in (future.result() for future in self.coming)}


def _check_alike(compared: VersionComparison, name: str, *, start_over: bool) -> None:
    """Refuse a file of other people where people decided on pairs that would be void."""
    decided = compared.latest.project.assignments.exists()
    with_ids = compared.schema.id_column(name) is not None
    if decided and not start_over:
        check_alike(name, compared.databases[name], with_ids=with_ids)


def _codes_of(
    arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int], wanted: Iterable[str]
) -> dict[str, list[NDArray[Any]]]:
    """Return the codes of values of some databases; all records stand one after the other."""
    ends = dict(zip(sizes, accumulate(sizes.values()), strict=True))
    codes = [arrays[f"{place}.codes"] for place in range(_width(arrays))]
    return {
        name: [each[ends[name] - sizes[name] : ends[name]] for each in codes] for name in wanted
    }


def _stored_codes(
    version: Version, wanted: Iterable[str]
) -> Iterator[tuple[str, list[NDArray[Any]], Schema]]:
    """Give the codes of some databases of a version, with the attributes that it has."""
    opened = open_version(version)
    sizes = {each.name: each.records for each in opened.databases}
    found = _codes_of(index_arrays(vault.unseal(version.index)), sizes, wanted)
    for name, codes in found.items():
        yield name, codes, opened.schema


def _width(arrays: Mapping[str, NDArray[Any]]) -> int:
    return sum(name.endswith(".codes") for name in arrays)


def check_sources(
    *, project: Project, sources: Mapping[str, TableSource], schema: SchemaFile
) -> None:
    """Refuse sources that lack a column of the schema, before anything is read."""
    latest = current_version(project)
    there = {each.name: each for each in (databases_of(latest) if latest else ())}
    held: set[str] = set()
    for name, source in sources.items():
        source.require(sorted(schema.needed(name)))
        found = schema.sensitive_columns(name, source.columns)
        held |= found.keys()
        wanted = {each.name for each in schema.sensitive if each.column_in(name) is not None}
        before = set(there[name].report["sensitive"]) if name in there else set()
        for lost in sorted((before & wanted) - found.keys()):
            rule = "the database no longer has this sensitive column."
            mend = "Fix the header, or give a schema without this column."
            raise DataError(rule, mend, file=source.name, column=lost)
    for name, database in there.items():
        if name not in sources:
            stored = {each["column"] for each in database.report["sensitive"].values()}
            held |= {each.name for each in schema.sensitive if each.column_in(name) in stored}
    for lost in sorted({each.name for each in schema.sensitive} - held):
        rule, mend = "no database has this sensitive column.", "Fix the schema or the header."
        raise DataError(rule, mend, file=schema.file, column=lost)


@contextmanager
def _given_keys(project: Project) -> Iterator[None]:
    """Give a project its sensitive key, recorded with what is sealed under it; or take it back."""
    project.refresh_from_db(fields=["identity_key", "sensitive_key"])
    if project.sensitive_key:
        yield
        return
    project.sensitive_key = made = create_key(project.id, "sensitive")
    try:
        yield
    except BaseException:
        project.sensitive_key = ""
        with suppress(DatabaseError):  # where it cannot be asked, the key stays for the doctor
            project.refresh_from_db(fields=["sensitive_key"])
            if project.sensitive_key != made:
                destroy([key_path(project.id, "sensitive", made)])
        raise


@dataclass(frozen=True, slots=True)
class _Taken:
    project: Project
    name: str
    schema: SchemaFile
    source: TableSource

    @property
    def hidden(self) -> dict[str, str]:
        return self.schema.sensitive_columns(self.name, self.source.columns)

    def apart(self, progress: Progress) -> Separated:
        progress(self.name, 0, 1)
        return separate(
            self.source,
            self.schema,
            self.name,
            randomness=secrets.token_bytes,
            progress=partial(progress, self.name),
        )

    def sealed(self, apart: Separated, sealed: list[SealedFile]) -> Database:
        files: dict[str, SealedFile] = {}
        for kind in ("identity", "sensitive", "joining"):
            files[kind] = vault.seal(self.project, kind, getattr(apart, kind))
            sealed.append(files[kind])
        return Database(
            project=self.project,
            name=self.name,
            records=apart.identity.num_rows,
            without_duplicates=self.name in self.schema.without_duplicates,
            report=_report(self.name, self.source, apart, self.schema),
            **files,
        )


def _indexed(
    project: Project,
    latest: Version | None,
    schema: SchemaFile,
    arrays: dict[str, NDArray[Any]],
    sealed: list[SealedFile],
) -> Version:
    salted = with_salt(arrays, secrets.token_bytes(16))
    sealed.append(vault.seal(project, "index", index_table(salted)))
    return Version(
        project=project,
        number=latest.number + 1 if latest else 1,
        schema=write_schema(schema),
        records=len(arrays["0.codes"]),
        index=sealed[-1],
        index_digest=arrays_digest(salted, schema.schema),
    )


def _kept_counts(counts: CellCounts | None) -> dict[str, int] | None:
    return asdict(counts) if counts else None


def _report(name: str, source: TableSource, apart: Separated, schema: SchemaFile) -> dict[str, Any]:
    """Say what was done to each column: counts and row numbers, never a value."""
    hidden, counts = schema.sensitive_columns(name, source.columns), apart.counts
    used = {*schema.needed(name), *hidden.values()}
    return {
        "remarks": list(source.remarks),
        "attributes": [
            {
                "attribute": key,
                "column": schema.column(key, name),
                "role": schema.roles[key],
                "date_order": each.date_order,
                "without": list(schema.without.get(key, ())),
                "findings": [asdict(finding) for finding in each.findings],
                "counts": _kept_counts(counts[key]),
            }
            for key, each in apart.attributes.items()
        ],
        "record_id": schema.id_column(name),
        "sensitive": {
            key: {
                "column": column,
                "filled": apart.filled[key],
                "counts": _kept_counts(apart.coarsened_dates.get(key)),
            }
            for key, column in hidden.items()
        },
        "not_imported": [column for column in source.columns if column not in used],
    }


def _tell(version: Version, databases: Sequence[Database], actor: Actor) -> None:
    told = Imported(
        version=version.number,
        records=version.records,
        databases=tuple((each.name, each.records) for each in databases),
        digest=digests_of(version.project).version(version),
    )
    append(version.project, actor=actor.name, events=[told])


def _tell_carried(version: Version, actor: Actor) -> None:
    """Tell what becomes of decisions of earlier rounds, by counts and by a digest of the pairs."""
    rounds = [each.number for each, _ in earlier_rounds(version)]
    if not rounds:
        return
    fates = list(fates_of(version))
    counts = counted_fates(iter(fates))
    told = DecisionsCarried(
        version=version.number,
        earlier=tuple(rounds),
        carried=counts["stands"],
        again=counts["again"],
        void=counts["void"],
        digest=digests_of(version.project).digest("carried", sorted(fates)),
    )
    append(version.project, actor=actor.name, events=[told])


def _record(version: Version, databases: Sequence[Database]) -> None:
    """Record a version; drop older ones that no work refers to."""
    version.project.save(update_fields=["sensitive_key"])
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
    for database in version.project.databases.filter(members=None):
        with suppress(ProtectedError):
            database.delete()
