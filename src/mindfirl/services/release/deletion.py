"""Releases deleted: by a manager, or when their term is over.

The key goes first, then it is recorded, then the files go. So nothing is recorded as deleted that
somebody could still read; where it is cut off in between, doing it again finishes it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from django.utils import timezone

from mindfirl.core.errors import MindfirlError, SettingError
from mindfirl.core.ledger.events import ReleaseDeleted
from mindfirl.core.policy import INSTALLATION, Actor, check_may
from mindfirl.services.release.findings import move
from mindfirl.store import vault
from mindfirl.store.crypto.keys import destroy, key_path
from mindfirl.store.disk import locked
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Release
from mindfirl.store.queries.projects import today
from mindfirl.workspace.commits import commit
from mindfirl.workspace.reasons import read_reason

_TERM_OVER: Final = "Its term is over."


def delete_release(*, release: Release, actor: Actor, reason: str) -> Release:
    """Delete a release and its key; nobody can open it again, in no backup either."""
    check_may(actor, "delete release")
    words = read_reason(reason)
    with locked(release.project_id):
        related = Release.objects.select_related("project", "data", "numbers")
        found = related.get(pk=release.pk)
        if found.state == "deleted":
            raise SettingError("This release was deleted already.")
        files = [file for file in (found.data, found.numbers) if file]
        _destroy_key(found)
        with commit(ledger=found.project):
            move(found, "deleted")
            found.deleted, found.data, found.numbers = timezone.now(), None, None
            found.save(update_fields=["state", "deleted", "data", "numbers"])
            for file in files:
                file.delete()
            told = ReleaseDeleted(found.number, words)
            append(found.project, at=found.deleted, actor=actor.name, events=[told])
        vault.remove(found.project_id, [file.name for file in files])
    fault_point("before answer")
    return found


def delete_expired(*, now: datetime | None = None) -> int:
    """Delete the releases whose term is over; one on which other work goes on waits its turn."""
    over = Release.objects.filter(deleted=None, expires__lt=today(now or timezone.now()))
    deleted = 0
    for release in over.order_by("pk"):
        try:
            delete_release(release=release, actor=INSTALLATION, reason=_TERM_OVER)
        except MindfirlError:
            continue
        deleted += 1
    return deleted


def _destroy_key(release: Release) -> None:
    if release.data is None:
        return
    try:
        destroy([key_path(release.project_id, "release", release.data.key)])
    except OSError:
        raise SettingError(
            "The key of this release could not be destroyed: this process may not change the key "
            "folder. Run mindfirl serve as the owner of that folder."
        ) from None
