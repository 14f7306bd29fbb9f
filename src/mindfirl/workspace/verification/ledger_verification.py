"""Whether the ledger of a project holds, and whether the tables are as it tells.

What is found wrong raises an alarm in the key folder: from then on nothing is dispatched or
released until an administrator acknowledges it. The acknowledgement is an entry that says what was
wrong and why work goes on; what it accepts is not found again, and any further change is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mindfirl.core.errors import (
    KeyMissing,
    LedgerBroken,
    LedgerDiffers,
    MindfirlError,
    VaultBroken,
    VaultShredded,
)
from mindfirl.core.ledger.chain import EntryColumns, Head, lines_digest, read_rows
from mindfirl.core.ledger.events import Closed, Shredded
from mindfirl.core.ledger.expected_rows import (
    Difference,
    differences,
    expected_rows,
    without_digests,
)
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.receipts import CheckedLedger, Evidence, Receipt, verify_ledger
from mindfirl.core.policy import Actor, check_may
from mindfirl.store.changes import writing
from mindfirl.store.crypto.keys import has_keys
from mindfirl.store.crypto.sealing import is_signed
from mindfirl.store.ledger import marks
from mindfirl.store.ledger.heads import own_key, signed_heads
from mindfirl.store.ledger.writer import (
    acknowledgements,
    append_acknowledged,
    check_reaches_mark,
    head_of,
    locked_lines,
    sum_is_kept_here,
)
from mindfirl.store.models import Project
from mindfirl.workspace.commits import commit, read_reason
from mindfirl.workspace.verification.table_rows import rows_without_digests, stored_rows


@dataclass(frozen=True, slots=True)
class Verified:
    head: Head
    signed: int
    """Heads that the key of this installation signed."""
    signed_by_others: int
    """Heads that keys signed which are not known here: of before a restore without its keys."""
    mark: int
    """How many entries the key folder knows to have been written."""
    key: str
    """The public key of this installation."""
    with_tables: bool = True
    """Whether the tables were compared; after the keys are destroyed, the chain alone can be."""
    acknowledged: int = 0
    """How often somebody acknowledged that something was changed from outside."""


def verify(project: Project, receipts: Sequence[Receipt] = ()) -> Verified:
    """Check the ledger of a project, all that is known of it, and that the tables agree.

    Raises :class:`LedgerBroken` with the number of the first bad entry, or :class:`LedgerDiffers`
    with the first row that is not as its entry tells.
    """
    project = Project.objects.get(pk=project.pk)
    with writing():
        stored = _stored(project, receipts)
        checked = _checked(stored)
        for difference in _differences(project, checked):
            raise LedgerDiffers(difference.words)
    keys = [each.key for each in stored.known.signed]
    own = keys.count(stored.key)
    return Verified(
        head=checked.head,
        signed=own,
        signed_by_others=len(keys) - own,
        mark=stored.known.mark.entries,
        key=stored.key,
        with_tables=_has_digests(project, checked),
        acknowledged=len(stored.known.acknowledged),
    )


def verify_or_alarm(project: Project) -> Verified:
    """Check the ledger of a project; what is wrong stays known until it is acknowledged."""
    try:
        return verify(project)
    except (LedgerBroken, LedgerDiffers) as error:
        marks.raise_alarm(project.pk, str(error))
        raise


def acknowledge(*, project: Project, actor: Actor, reason: str) -> Acknowledged:
    """Enter in the ledger that it, or the tables, were changed, and why work goes on."""
    check_may(actor, "acknowledge ledger")
    words = read_reason(reason)
    with commit(ledger=project):
        stored = _stored(project, ())
        told = _acknowledgement(project, stored, words)
        last = stored.rows[-1] if stored.rows else (0, Head().digest)
        at = head_of(project).at
        append_acknowledged(project, told, actor=actor.name, end=Head(last[0], last[1][:64], at))
    return told


@dataclass(frozen=True, slots=True)
class _Stored:
    rows: list[tuple[int, str]]
    columns: Mapping[int, EntryColumns]
    known: Evidence
    key: str
    sum_is_kept_here: bool


def _stored(project: Project, receipts: Sequence[Receipt]) -> _Stored:
    (end, lines), key, secret = locked_lines(project), own_key(), marks.mac_key()
    made_here = {
        each.number
        for each in lines
        if marks.entry_mac(secret, project.pk, each.line[:64]) == each.mac
    }
    known = Evidence(
        end=end,
        is_signed=is_signed,
        signed=list(dict.fromkeys([*signed_heads(project), *receipts])),
        trusted={key, *(each.key for each in receipts)},
        mark=marks.read_mark(project.pk),
        made_here=made_here.__contains__,
        acknowledged=list(acknowledgements(project.pk).values()),
    )
    columns = {each.number: each.columns for each in lines}
    numbered = [(each.number, each.line) for each in lines]
    return _Stored(numbered, columns, known, key, sum_is_kept_here(project))


def _checked(stored: _Stored) -> CheckedLedger:
    checked = verify_ledger(stored.rows, stored.known)
    if checked.entries and checked.entries[-1].at != stored.known.end.at:
        raise LedgerBroken(checked.head.entries, "the stored head says another time of it")
    if not stored.sum_is_kept_here:
        told = "the stored head says another sum of what all have seen with it"
        raise LedgerBroken(checked.head.entries, told)
    skipped = [(each.first, each.last) for each in stored.known.acknowledged if each.first]
    for entry in checked.entries:
        if any(first <= entry.number <= last for first, last in skipped):
            continue
        if stored.columns[entry.number] != entry.columns:
            raise LedgerBroken(entry.number, "the columns beside its line say otherwise")
    return checked


def _differences(project: Project, checked: CheckedLedger) -> list[Difference]:
    current = Project.objects.get(pk=project.pk)
    if not (checked.entries or current.identity_key):
        return []
    expected = expected_rows(checked.entries)
    if not _has_digests(current, checked):
        return differences(without_digests(expected), rows_without_digests(current))
    try:
        return differences(expected, stored_rows(current, expected))
    except (VaultBroken, VaultShredded, KeyMissing):
        raise LedgerDiffers("the key of its digests is missing or was changed") from None


def _has_digests(project: Project, checked: CheckedLedger) -> bool:
    """Say whether rows can be compared; not once the keys are destroyed, by the ledger's word."""
    told = {type(entry.event) for entry in checked.entries}
    return Shredded not in told and not (Closed in told and not has_keys(project.pk))


def _acknowledgement(project: Project, stored: _Stored, reason: str) -> Acknowledged:
    """Say what is wrong, and what is accepted of it."""
    mark, last = stored.known.mark, stored.rows[-1][0] if stored.rows else 0
    told = Acknowledged(0, 0, "", (), mark.entries, mark.digest, "", reason)
    try:
        checked = _checked(stored)
    except LedgerBroken as error:
        first = error.number if error.number <= last else 0
        bad = [line for number, line in stored.rows if first and number >= first]
        told = replace(told, found=str(error), first=first, last=last if first else 0)
        told = replace(told, lines=lines_digest(bad) if first else "")
        found = read_rows(stored.rows, [*stored.known.acknowledged, told])
        checked = CheckedLedger(found.head, found.entries, {})
    wrong = _differences(project, checked)
    words = told.found or (str(LedgerDiffers(wrong[0].words)) if wrong else "")
    accepted = tuple((each.name, each.stored) for each in wrong)
    return replace(told, accepted=accepted, found=words or marks.alarm_of(project.pk))


def alarm_about(project: Project) -> str:
    """Return what is known to be wrong with a ledger: found before, or seen by its mark at once."""
    found = marks.alarm_of(project.pk)
    if found:
        return found
    try:
        check_reaches_mark(project.pk, head_of(project))
    except MindfirlError as error:
        return str(error)
    return ""
