"""What an auditor asks of a ledger: whether it holds, receipts, and all of it in one file."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import date
from typing import Final

from mindfirl.core.errors import LedgerBroken, LedgerDiffers, MindfirlError
from mindfirl.core.ledger.chain import Row
from mindfirl.core.ledger.receipts import Receipt, read_receipt
from mindfirl.core.policy import Actor, check_may
from mindfirl.store.ledger import writer
from mindfirl.store.ledger.heads import own_key, sign_head, signed_heads, signed_now
from mindfirl.store.ledger.ledger_files import LedgerFile, check_signed, write_ledger
from mindfirl.store.ledger.writer import head_of
from mindfirl.store.models import Project
from mindfirl.workspace.verification.ledger_verification import (
    Verified,
    acknowledge,
    alarm_about,
    verify,
    verify_or_alarm,
)

__all__ = ["Verified", "acknowledge"]

_AT_ONCE: Final = 5_000
_log: Final = logging.getLogger("mindfirl")


def verify_project(*, project: Project, actor: Actor) -> Verified:
    """Check the ledger of a project, all that was signed of it, and that the database agrees.

    Raises :class:`LedgerBroken` with the number of the first bad entry, or :class:`LedgerDiffers`
    where a row is not what the ledger tells. Either raises the alarm until it is acknowledged.
    """
    check_may(actor, "audit")
    return verify_or_alarm(project)


def check_receipt(*, project: Project, actor: Actor, text: str) -> tuple[Receipt, Verified]:
    check_may(actor, "audit")
    receipt = read_receipt(text)
    check_signed(receipt, str(project.pk))
    return receipt, verify(project, [receipt])


def take_receipt(*, project: Project, actor: Actor) -> Receipt:
    check_may(actor, "audit")
    return sign_head(project, "receipt")


def ledger_file(*, project: Project, actor: Actor) -> Iterator[str]:
    """Give the whole ledger, and at its end the head, signed now; a broken one without that."""
    check_may(actor, "audit")
    try:
        last: Receipt | None = signed_now(project)
    except LedgerBroken:
        last = None
    head = last.head if last else head_of(project)
    earlier = [each for each in signed_heads(project) if each.entries <= head.entries]
    signed = [*earlier, *([last] if last else [])]
    keys = dict.fromkeys([own_key(), *(each.key for each in signed)])
    rows = _in_parts(project, head.entries)
    return write_ledger(
        LedgerFile(str(project.pk), project.name, head, tuple(keys), rows, tuple(signed))
    )


def alarms(*, actor: Actor) -> list[tuple[Project, str]]:
    """List the projects that were changed from outside, and what was found first."""
    check_may(actor, "acknowledge ledger")
    found = [(each, alarm_about(each)) for each in Project.objects.order_by("name")]
    return [(project, words) for project, words in found if words]


def verify_all() -> list[str]:
    """Check every ledger when the installation starts and once a day; name those that fail."""
    failed = []
    for project in Project.objects.order_by("name"):
        try:
            verify_or_alarm(project)
        except (LedgerBroken, LedgerDiffers):
            failed.append(project.name)
            _log.warning("ledger does not hold", extra={"figures": {"project": str(project.pk)}})
    return failed


def sign_day(*, today: date) -> int:
    """Sign the head of every ledger that moved since it was last signed, once a day; count them.

    One that cannot be signed is left to the doctor, and does not keep the others from it.
    """
    done = 0
    for project in Project.objects.filter(ledger_head__entries__gt=0).select_related("ledger_head"):
        last = project.signed_heads.order_by("-pk").first()
        by_day = project.signed_heads.filter(occasion="day", at__date=today)
        if by_day.exists() or (last and last.digest == project.ledger_head.digest):
            continue
        try:
            sign_head(project, "day")
        except (MindfirlError, OSError):
            _log.warning("head not signed", extra={"figures": {"project": str(project.pk)}})
        else:
            done += 1
    return done


def _in_parts(project: Project, entries: int) -> Iterator[Row]:
    for start in range(0, entries, _AT_ONCE):
        to = min(start + _AT_ONCE, entries)
        yield from writer.numbered_lines(project, after=start, to=to)
