"""What blocks a release until it is settled; and releases deleted, by a manager or at their end.

To delete one, the key goes first, then it is recorded, then the files go. So nothing is recorded as
deleted that somebody could still read; where it is cut off in between, doing it again finishes it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from mindfirl.core.errors import MindfirlError, SettingError
from mindfirl.core.ledger.events import FindingSettled, ReleaseDeleted
from mindfirl.core.policy import INSTALLATION, RELEASE_STATES, Actor, check_may
from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.store import vault
from mindfirl.store.crypto.keys import destroy, key_path
from mindfirl.store.disk import locked
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Release
from mindfirl.store.queries.projects import today
from mindfirl.workspace.commits import commit, read_reason


def unsettled(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in report["findings"] if "settled" not in each]


def below_least(report: dict[str, Any], choices: Choices) -> list[str]:
    found = report["anonymity"]
    if found is None:
        return []
    below_k = found["k"] < choices.least_k
    below_l = found["l"] is not None and found["l"] < choices.least_l
    return [name for name, below in (("k", below_k), ("l", below_l)) if below]


def state_of(report: dict[str, Any], choices: Choices) -> str:
    return "blocked" if unsettled(report) or below_least(report, choices) else "ready"


def settle_finding(
    *,
    release: Release,
    actor: Actor,
    account: Account | None,
    column: str,
    kind: str,
    reason: str,
) -> Release:
    """Accept what the check found in a column, for a reason that the ledger keeps."""
    check_may(actor, "settle finding")
    words, now = read_reason(reason), timezone.now()
    with commit(ledger=release.project):
        found = Release.objects.select_related("project").get(pk=release.pk)
        choices = kept_choices(found.choices)
        one = _finding(found, choices, column, kind)
        one["settled"] = {
            "reason": words,
            "by": str(account.pk) if account else "",
            "at": now.isoformat(),
        }
        move(found, state_of(found.report, choices))
        found.save(update_fields=["report", "state"])
        told = FindingSettled(found.number, column, kind, one["count"], words, found.state)
        append(found.project, at=now, actor=actor.name, events=[told])
    return found


def move(release: Release, state: str) -> None:
    assert state == release.state or state in RELEASE_STATES[release.state]
    release.state = state


def _finding(release: Release, choices: Choices, column: str, kind: str) -> dict[str, Any]:
    if release.state == "deleted":
        raise SettingError("This release was deleted. Make another one.")
    if below_least(release.report, choices):
        raise SettingError(
            "The persons of this release hide in groups that are too small, and that cannot be "
            "settled. Make another release: coarsen more, or leave a coarsened column out."
        )
    for each in unsettled(release.report):
        if (each["column"], each["kind"]) == (column, kind):
            return each
    raise SettingError("The check found nothing like this, or it is already settled.")


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
