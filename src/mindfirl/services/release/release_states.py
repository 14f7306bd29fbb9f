"""What blocks a release until it is settled; and releases deleted, by a manager or at their end.

To delete one, the key goes first, then it is recorded, then the files go. So nothing is recorded as
deleted that somebody could still read; where it is cut off in between, doing it again finishes it.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Final, Literal

from django.utils import timezone

from mindfirl.core.errors import FieldErrors, MindfirlError, SecondPersonNeeded, SettingError
from mindfirl.core.ledger.events import FindingProposed, FindingSettled, ReleaseDeleted
from mindfirl.core.policy import COMMAND_LINE, INSTALLATION, RELEASE_STATES, Actor, check_may
from mindfirl.services.release.coverage import SIDES
from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.store import vault
from mindfirl.store.crypto.keys import destroy, key_path
from mindfirl.store.disk import locked
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Release
from mindfirl.store.queries.projects import DATA, today
from mindfirl.workspace.commits import StatedReason, commit, read_reason


def unsettled(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [each for each in report["findings"] if "settled" not in each]


Barrier = Literal["persons", "difference", "k", "l", "joint k", "joint l"]
"""What no reason settles: too few persons; too few that differ from those of a release that was
handed over; groups too small, or values in them too alike, alone or together with such releases."""


def barriers(report: dict[str, Any], choices: Choices) -> list[Barrier]:
    least = choices.least_persons
    found: dict[Barrier, bool] = {
        "persons": report["persons"] < least,
        "difference": any(0 < each[side] < least for each in report["compared"] for side in SIDES),
    }
    groups: tuple[tuple[Any, Barrier, Barrier], ...] = (
        (report["anonymity"], "k", "l"),
        (report["joint"], "joint k", "joint l"),
    )
    for groups_found, below_k, below_l in groups:
        if groups_found is not None:
            l_value = groups_found["l"]
            found[below_k] = groups_found["k"] < choices.least_k
            found[below_l] = l_value is not None and l_value < choices.least_l
    return [barrier for barrier, is_there in found.items() if is_there]


def state_of(report: dict[str, Any], choices: Choices) -> str:
    return "blocked" if unsettled(report) or barriers(report, choices) else "ready"


_FEWEST_WORDS: Final = 3
_FEWEST_LETTERS: Final = 12


def read_real_reason(typed: str) -> StatedReason:
    """Check a reason for accepting a finding: one that somebody else can judge."""
    words = read_reason(typed)
    different = {word.casefold() for word in words.split() if len(set(word)) > 1}
    if len(different) < _FEWEST_WORDS or sum(map(str.isalpha, words)) < _FEWEST_LETTERS:
        wrong = (
            "Enter a short reason why these values can be released. The auditor reads it in the "
            "ledger."
        )
        raise FieldErrors({"reason": wrong})
    return words


def settle_finding(
    *,
    release: Release,
    actor: Actor,
    account: Account | None,
    column: str,
    kind: str,
    reason: str,
) -> Release:
    """Accept what the check found in a column, for a reason that the ledger keeps.

    Where the project asks for a second person, this proposes it, and somebody else confirms it.
    """
    check_may(actor, "settle finding")
    words = read_real_reason(reason)
    with commit(ledger=release.project):
        found = Release.objects.select_related("project").get(pk=release.pk)
        one = _finding(found, column, kind)
        said = {
            "reason": words,
            "by": str(account.pk) if account else "",
            "at": timezone.now().isoformat(),
        }
        if found.report["second_person"] or found.project.second_person:
            one["proposed"] = said
            found.save(update_fields=["report"])
            told = FindingProposed(found.number, one["column"], one["kind"], words)
            append(found.project, actor=actor.name, events=[told])
        else:
            _settle(found, one, said, actor)
    return found


def confirm_finding(
    *, release: Release, actor: Actor, account: Account | None, column: str, kind: str
) -> Release:
    """Confirm, as a second person, that a finding is accepted."""
    check_may(actor, "confirm finding")
    with commit(ledger=release.project):
        found = Release.objects.select_related("project").get(pk=release.pk)
        one = _finding(found, column, kind)
        if "proposed" not in one:
            raise SettingError(
                "No acceptance of this finding is proposed, or the proposal was "
                "changed. Reload the page."
            )
        said = one.pop("proposed")
        if said["by"] == (str(account.pk) if account else ""):
            raise SecondPersonNeeded
        _settle(found, one, said, actor)
    return found


def _settle(found: Release, one: dict[str, Any], said: dict[str, str], actor: Actor) -> None:
    proposer = said["by"] or COMMAND_LINE.name
    two = proposer != actor.name
    one["settled"] = {**said, "confirmed_by": actor.name if two else ""}
    move(found, state_of(found.report, kept_choices(found.choices)))
    found.save(update_fields=["report", "state"])
    about = (found.number, one["column"], one["kind"], one["count"], said["reason"])
    told = FindingSettled(*about, proposed_by=proposer if two else "", state=found.state)
    append(found.project, at=timezone.now(), actor=actor.name, events=[told])


def move(release: Release, state: str) -> None:
    assert state == release.state or state in RELEASE_STATES[release.state]
    release.state = state


def _finding(release: Release, column: str, kind: str) -> dict[str, Any]:
    if release.state == "deleted":
        raise SettingError("This release was deleted. Create another one.")
    if barriers(release.report, kept_choices(release.choices)):
        raise SettingError(
            "This release is blocked for a reason that cannot be accepted: it has too few persons, "
            "too few that differ from another release, or groups that are too small. Create "
            "another release."
        )
    for each in unsettled(release.report):
        if (each["column"], each["kind"]) == (column, kind):
            return each
    raise SettingError("The check has no such finding, or it is already settled.")


_TERM_OVER: Final = "Its term is over."


def delete_release(*, release: Release, actor: Actor, reason: str) -> Release:
    """Delete a release and its key; nobody can open it again, in no backup either."""
    check_may(actor, "delete release")
    words = read_reason(reason)
    with locked(release.project_id):
        related = Release.objects.select_related(
            "project", "data", "numbers", "changes", "coverage"
        )
        found = related.get(pk=release.pk)
        if found.state == "deleted":
            raise SettingError("This release was already deleted.")
        files = [file for file in (found.data, found.numbers, found.changes) if file]
        if found.coverage and not found.handovers.filter(what=DATA).exists():
            files.append(found.coverage)
        _destroy_key(found)
        with commit(ledger=found.project):
            move(found, "deleted")
            found.deleted, found.data = timezone.now(), None
            found.numbers = found.changes = None
            found.coverage = None if found.coverage in files else found.coverage
            found.save(update_fields=["state", "deleted", "data", "numbers", "changes", "coverage"])
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
