"""What blocks a release: what its check found and nobody settled; persons who hide too little."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.events import FindingSettled
from mindfirl.core.policy import RELEASE_STATES, Actor, check_may
from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Release
from mindfirl.workspace.commits import commit
from mindfirl.workspace.reasons import read_reason


def unsettled(report: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what the check found and nobody settled, by column and kind."""
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
        told = FindingSettled(found.number, column, kind, one["count"], words)
        append(found.project, at=now, actor=actor.name, events=[told])
    return found


def move(release: Release, state: str) -> None:
    """Let a release be in a state that follows the one it is in."""
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
    raise SettingError("The check found nothing like this, or it is settled by now.")
