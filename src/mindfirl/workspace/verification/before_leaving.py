"""Whether what decides about a release is as its entries tell, looked at just before it leaves.

The whole ledger is verified once a day. What was changed since would take effect until then, and
what has left does not come back: a blocked release that is called ready, a smaller minimum of
persons, a role. So rules, roles, plan, pairs, linkages and releases are compared before anything
leaves. That takes no look at what happened in assignments, of which there may be very much.
"""

from __future__ import annotations

from mindfirl.core.errors import (
    KeyMissing,
    LedgerBroken,
    LedgerDiffers,
    LedgerDistrusted,
    VaultBroken,
    VaultShredded,
)
from mindfirl.core.ledger.expected_rows import differences, expected_rows, without_assignments
from mindfirl.store.ledger import marks
from mindfirl.store.ledger.writer import entries_about_project
from mindfirl.store.models import Project
from mindfirl.workspace.verification.table_rows import deciding_rows


def check_what_decides(project: Project) -> None:
    """Refuse to go on where the database was changed, and raise the alarm.

    The caller is in a transaction that has locked the ledger, and has changed nothing yet.
    """
    found = _what_is_wrong(Project.objects.get(pk=project.pk))
    if found:
        marks.raise_alarm(project.pk, found)
        raise LedgerDistrusted(found)


def _what_is_wrong(project: Project) -> str:
    try:
        expected = expected_rows(entries_about_project(project))
        stored = deciding_rows(project, expected)
    except LedgerBroken as error:
        return str(error)
    except (VaultBroken, VaultShredded, KeyMissing):
        return str(LedgerDiffers("the key of its digests is missing or was changed"))
    wrong = differences(without_assignments(expected), stored)
    return str(LedgerDiffers(wrong[0].words)) if wrong else ""
