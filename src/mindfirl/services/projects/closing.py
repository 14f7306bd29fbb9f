"""The end of a project: closed for good, and then, where it is wanted, its data destroyed.

Closing ends all work in one commit that the ledger tells of. Shredding destroys the keys first and
records that afterwards: the ledger never says that keys are gone which are there. Where it is cut
off in between, doing it again finishes it. What was sealed under the keys, in the vault, in the
database or in any backup, nobody can open from then on; the ledger and all figures stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.events import Closed, Ended, ReleaseDeleted, Shredded
from mindfirl.core.policy import ASSIGNMENT_STATES, Actor, check_may
from mindfirl.store import vault
from mindfirl.store.assignments import change
from mindfirl.store.changes import held_project
from mindfirl.store.crypto.keys import SIDES, destroy_all
from mindfirl.store.disk import locked
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import ColumnsDraft, Project, Release
from mindfirl.store.queries.plans import WAITING
from mindfirl.workspace.commits import commit, read_reason
from mindfirl.workspace.open_pairs import forget_pairs
from mindfirl.workspace.open_version import forget_indexes
from mindfirl.workspace.outcomes.linkage_errors import forget_errors

_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]
_DELETED: Final = "The keys of the project were destroyed."


@dataclass(frozen=True, slots=True)
class StillGoing:
    assignments: int
    dispatches: int
    waiting: int
    """Pieces of long work that nobody has begun."""
    running: int
    """Those that are being done: they must end before the project is closed."""


def still_going(project: Project) -> StillGoing:
    return StillGoing(
        assignments=project.assignments.filter(state__in=_UNDER_WAY).count(),
        dispatches=project.dispatches.filter(state__in=WAITING).count(),
        waiting=project.jobs.filter(state="waiting").count(),
        running=project.jobs.filter(state="running").count(),
    )


def close_project(*, project: Project, actor: Actor, reason: str) -> Project:
    """Close a project for good: all that is under way in it ends, and nothing begins again."""
    check_may(actor, "close project")
    words = read_reason(reason)
    with locked(project.id), commit(ledger=project):
        found, now = held_project(project), timezone.now()
        _stop_work(found, now)
        for each in found.assignments.filter(state__in=_UNDER_WAY).order_by("created", "pk"):
            told = Ended(str(each.pk), words)
            change(each, told, at=now, actor=actor.name, state="ended", ended=now)
        found.dispatches.filter(state__in=WAITING).update(state="withdrawn")
        append(found, at=now, actor=actor.name, events=[Closed(words)])
        found.closed = now
        found.save(update_fields=["closed"])
    _forget_opened(found)
    fault_point("before answer")
    return found


def shred(*, project: Project, actor: Actor) -> Project:
    """Destroy the keys of a closed project, and its data with them; again, it only finishes."""
    check_may(actor, "shred project")
    with locked(project.id):
        found = Project.objects.get(pk=project.pk)
        if found.closed is None:
            raise SettingError(
                "The project is not closed yet. Close it first; closing is final, too."
            )
        keys = len(_keys(found))
        _destroy_keys(found)
        if found.shredded is None:
            _record(found, actor, keys)
        vault.clear(found.id)
    _forget_opened(found)
    fault_point("before answer")
    return found


def _destroy_keys(project: Project) -> None:
    try:
        destroy_all(project.id)
    except OSError:
        raise SettingError(
            "The keys could not be destroyed: this process may not change the key folder. Run "
            f"mindfirl project shred {project.name} as the owner of that folder."
        ) from None


def _record(project: Project, actor: Actor, keys: int) -> None:
    now = timezone.now()
    with commit(ledger=project):
        releases = project.releases.filter(deleted=None).order_by("number")
        events = [ReleaseDeleted(each.number, _DELETED) for each in releases]
        append(project, at=now, actor=actor.name, events=[*events, Shredded(keys)])
        _forget(project, now)
        project.shredded, project.identity_key, project.sensitive_key = now, "", ""
        project.save(update_fields=["shredded", "identity_key", "sensitive_key"])


def _forget(project: Project, now: datetime) -> None:
    gone = {"state": "deleted", "deleted": now, "data": None, "numbers": None, "changes": None}
    Release.objects.filter(project=project, deleted=None).update(**gone)
    vault.forget_all(project)
    project.uploads.all().delete()
    ColumnsDraft.objects.filter(project=project).delete()


def _keys(project: Project) -> set[str]:
    """Name the keys that something is sealed under: counted before they go, and after a cut."""
    used = {vault.key_name(project, side) for side in SIDES}
    return (used | set(project.files.values_list("key", flat=True))) - {""}


def _stop_work(project: Project, now: datetime) -> None:
    project.jobs.filter(state="waiting").update(state="cancelled", ended=now)
    if project.jobs.filter(state="running").exists():
        raise SettingError(
            "Background work on this project is running. Cancel it or wait until it has finished; "
            "then close the project."
        )


def _forget_opened(project: Project) -> None:
    forget_pairs(project)
    forget_errors(project)
    for version in project.versions.all():
        forget_indexes(version)
