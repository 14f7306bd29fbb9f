"""Values of older versions, deleted once nothing needs them.

People who are gone at the source leave the vault with them. What stays of a version on which people
worked is what was shown of its records: positions and counts, frozen in the commit of the deletion.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q

from mindfirl.core.errors import MindfirlError
from mindfirl.core.ledger.project_events import ValuesDeleted
from mindfirl.core.policy import ASSIGNMENT_STATES, INSTALLATION
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Database, Project, SealedFile, Version
from mindfirl.store.queries.projects import current_version, newest_linkage
from mindfirl.workspace.commits import commit
from mindfirl.workspace.frozen_versions import freeze
from mindfirl.workspace.open_version import forget_indexes

_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def delete_superseded_values(project: Project) -> int:
    """Delete the databases and indexes that nothing needs; return how many databases these were.

    The caller has the lock of the project, so nothing is dispatched meanwhile.
    """
    before = _superseded(project)
    if not before:
        return 0
    with vault.staging(project.id) as sealed:
        frozen: dict[int, SealedFile] = {}
        for version in before.versions:
            if version.assignments.exists():
                frozen[version.pk] = vault.seal(project, "frozen", freeze(version))
                sealed.append(frozen[version.pk])
        with commit(ledger=project):
            found = _superseded(project).among(before)
            names = _delete(project, found, frozen)
    wanted = {version.pk for version in found.versions}
    names += [file.name for version, file in frozen.items() if version not in wanted]
    vault.remove(project.id, names)
    for version in found.versions:
        forget_indexes(version)
    return len(found.databases)


def _delete(project: Project, found: _Superseded, frozen: Mapping[int, SealedFile]) -> list[UUID]:
    """Forget what opens values, keep what was shown of them, and tell it, in one transaction."""
    vault.record(frozen[each.pk] for each in found.versions if each.pk in frozen)
    names = [name for each in found.databases for name in _forget(_files_of(each))]
    for version in found.versions:
        version.frozen = frozen.get(version.pk)
        version.save(update_fields=["frozen"])
        names += _forget([version.index])
    touched = Q(databases__in=found.databases) | Q(pk__in=[each.pk for each in found.versions])
    versions = project.versions.filter(touched).distinct().order_by("number")
    digests = digests_of(project)
    told = ValuesDeleted(
        databases=tuple((each.name, each.records) for each in found.databases),
        versions=tuple((str(each.number), digests.version(each)) for each in versions),
        indexes=tuple(each.number for each in found.versions),
    )
    append(project, actor=INSTALLATION.name, events=[told])
    return names


def has_values(version: Version) -> bool:
    """Say whether the identities and sensitive values of a version are still there."""
    return not version.databases.filter(identity__digest="").exists()


@dataclass(frozen=True, slots=True)
class _Superseded:
    """Databases and versions that nothing needs, as far as their values are still there."""

    databases: Sequence[Database] = ()
    versions: Sequence[Version] = ()

    def __bool__(self) -> bool:
        return bool(self.databases or self.versions)

    def among(self, before: _Superseded) -> _Superseded:
        """Leave out the versions that were needed before: nothing is frozen of them."""
        known = {each.pk for each in before.versions}
        return _Superseded(self.databases, [each for each in self.versions if each.pk in known])


def _superseded(project: Project) -> _Superseded:
    latest, linkage = current_version(project), newest_linkage(project)
    if latest is None:
        return _Superseded()
    versions = project.versions
    needed = {
        latest.pk,
        *([linkage.version_id] if linkage else []),
        *versions.filter(assignments__state__in=_UNDER_WAY).values_list("pk", flat=True),
        *versions.filter(
            linkages__releases__isnull=False, linkages__releases__deleted=None
        ).values_list("pk", flat=True),
    }
    kept = Database.objects.filter(members__version__in=needed)
    found = project.databases.exclude(pk__in=kept).exclude(identity__digest="")
    older = versions.exclude(pk__in=needed).exclude(index__digest="")
    return _Superseded(
        list(found.select_related("identity", "sensitive", "joining").order_by("pk")),
        list(older.select_related("project", "index").order_by("number")),
    )


def _files_of(database: Database) -> list[SealedFile]:
    return [database.identity, database.sensitive, database.joining]


def _forget(files: Iterable[SealedFile]) -> list[UUID]:
    """Forget what opens files, in the caller's transaction."""
    listed = list(files)
    gone = {"digest": "", "size": 0, "key": "", "sealed_key": b""}
    SealedFile.objects.filter(pk__in=[each.pk for each in listed]).update(**gone)
    return [each.name for each in listed]


def delete_all_superseded_values() -> int:
    """Delete what no open project needs any more; one on which other work goes on waits."""
    deleted = 0
    for project in Project.objects.filter(closed=None).order_by("pk"):
        if not _superseded(project):
            continue  # without the lock, which work of the project may need now
        with suppress(MindfirlError), working_on(project.id):
            deleted += delete_superseded_values(project)
    return deleted
