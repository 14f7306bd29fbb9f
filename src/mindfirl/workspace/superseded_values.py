"""Identities and sensitive values of older versions, deleted once nothing needs them.

People who are gone at the source leave the vault with them. What stays of a version on which people
worked is its index: what was shown of its records is counted from it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

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

_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def delete_superseded_values(project: Project) -> int:
    """Delete the values of databases that are in no version that is needed; return how many.

    The caller has the lock of the project.
    """
    if not _superseded(project):
        return 0
    names: list[UUID] = []
    with commit(ledger=project):
        found = _superseded(project)
        for each in found:
            names += _forget(each)
        versions = project.versions.filter(databases__in=found).distinct().order_by("number")
        digests = digests_of(project)
        told = ValuesDeleted(
            databases=tuple((each.name, each.records) for each in found),
            versions=tuple((str(each.number), digests.version(each)) for each in versions),
        )
        append(project, actor=INSTALLATION.name, events=[told])
    vault.remove(project.id, names)
    return len(found)


def has_values(version: Version) -> bool:
    """Say whether the identities and sensitive values of a version are still there."""
    return not version.databases.filter(identity__digest="").exists()


def _superseded(project: Project) -> list[Database]:
    latest, linkage = current_version(project), newest_linkage(project)
    if latest is None:
        return []
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
    return list(found.select_related("identity", "sensitive", "joining").order_by("pk"))


def _forget(database: Database) -> list[UUID]:
    """Forget what opens the files of a database, in the caller's transaction."""
    files = [database.identity, database.sensitive, database.joining]
    gone = {"digest": "", "size": 0, "key": "", "sealed_key": b""}
    SealedFile.objects.filter(pk__in=[each.pk for each in files]).update(**gone)
    return [each.name for each in files]


def delete_all_superseded_values() -> int:
    """Delete what no open project needs any more; one on which other work goes on waits."""
    deleted = 0
    for project in Project.objects.filter(closed=None).order_by("pk"):
        if not _superseded(project):
            continue  # without the lock, which work of the project may need now
        with suppress(MindfirlError), working_on(project.id):
            deleted += delete_superseded_values(project)
    return deleted
