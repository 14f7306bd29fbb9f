"""What an auditor asks of a ledger: whether it holds, receipts, and all of it in one file."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from mindfirl.core.errors import LedgerBroken, LedgerDiffers, MindfirlError
from mindfirl.core.ledger.chain import Head
from mindfirl.core.ledger.events import Opened
from mindfirl.core.ledger.receipts import (
    CheckedLedger,
    Evidence,
    Receipt,
    read_receipt,
    verify_ledger,
)
from mindfirl.core.policy import Actor, check_may
from mindfirl.store.changes import writing
from mindfirl.store.crypto.sealing import is_signed
from mindfirl.store.ledger import writer
from mindfirl.store.ledger.heads import kept_digests, own_key, sign_head, signed_heads
from mindfirl.store.ledger.ledger_files import LedgerFile, check_signed, write_ledger
from mindfirl.store.ledger.writer import head_of, locked_head
from mindfirl.store.models import LedgerLine, OpenCell, Project

Cell = tuple[str, int, str, str]
"""A cell at a level: its assignment, the number of its pair, its attribute, and the level."""

_AT_ONCE: Final = 5_000
_log: Final = logging.getLogger("mindfirl")


@dataclass(frozen=True, slots=True)
class Verified:
    head: Head
    signed: int
    """Heads that the key of this installation signed."""
    signed_by_others: int
    """Heads that keys signed which are not known here: of before a restore without its keys."""
    kept: int
    """How many entries the key folder keeps the digests of."""
    key: str
    """The public key of this installation."""


@dataclass(frozen=True, slots=True)
class _Stored:
    numbers: list[int]
    lines: list[str]
    known: Evidence
    accounts: dict[str, tuple[str, int, int]]
    """The state, budget and spending of every assignment."""
    opened: dict[int, set[Cell]]
    """The cells that stand open, by the entries that are to tell of them."""


def verify_project(*, project: Project, actor: Actor) -> Verified:
    """Check the ledger of a project, all that was signed of it, and that the database agrees.

    Raises :class:`LedgerBroken` with the number of the first bad entry, or :class:`LedgerDiffers`
    where assignments or open cells are not what the ledger tells.
    """
    check_may(actor, "audit")
    return _verify(project, [])


def check_receipt(*, project: Project, actor: Actor, text: str) -> tuple[Receipt, Verified]:
    check_may(actor, "audit")
    receipt = read_receipt(text)
    check_signed(receipt, str(project.pk))
    return receipt, _verify(project, [receipt])


def take_receipt(*, project: Project, actor: Actor) -> Receipt:
    check_may(actor, "audit")
    return sign_head(project, "receipt")


def ledger_file(*, project: Project, actor: Actor) -> Iterator[str]:
    check_may(actor, "audit")
    head = head_of(project)
    signed = [each for each in signed_heads(project) if each.entries <= head.entries]
    keys = dict.fromkeys([own_key(), *(each.key for each in signed)])
    lines = _in_parts(project, head.entries)
    return write_ledger(
        LedgerFile(str(project.pk), project.name, head, tuple(keys), lines, tuple(signed))
    )


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


def _in_parts(project: Project, entries: int) -> Iterator[str]:
    for start in range(0, entries, _AT_ONCE):
        yield from writer.lines(project, after=start, to=min(start + _AT_ONCE, entries))


def _verify(project: Project, receipts: list[Receipt]) -> Verified:
    key = own_key()
    stored = _stored(project, key, receipts)
    checked = verify_ledger(stored.lines, stored.known)
    for place, number in enumerate(stored.numbers, start=1):
        if number != place:
            raise LedgerBroken(place, "it is stored under another number")
    for difference in _differences(stored, checked):
        raise LedgerDiffers(difference)
    keys = [each.key for each in stored.known.signed]
    own = keys.count(key)
    return Verified(checked.head, own, len(keys) - own, len(stored.known.kept), key)


def _stored(project: Project, key: str, receipts: list[Receipt]) -> _Stored:
    with writing():
        end = locked_head(project).head
        rows = LedgerLine.objects.filter(project=project).order_by("number")
        numbered = list(rows.values_list("number", "line"))
        known = Evidence(
            end=end,
            is_signed=is_signed,
            signed=list(dict.fromkeys([*signed_heads(project), *receipts])),
            trusted={key, *(each.key for each in receipts)},
            kept=kept_digests(project),
        )
        return _Stored(
            [number for number, _ in numbered],
            [line for _, line in numbered],
            known,
            _assignments(project),
            _open_cells(project),
        )


def _assignments(project: Project) -> dict[str, tuple[str, int, int]]:
    found = project.assignments.values_list("pk", "state", "budget", "spent")
    return {str(key): (state, budget, spent) for key, state, budget, spent in found}


def _open_cells(project: Project) -> dict[int, set[Cell]]:
    cells: dict[int, set[Cell]] = defaultdict(set)
    found = OpenCell.objects.filter(pair__assignment__project=project)
    fields = ("entry", "pair__assignment_id", "pair__number", "attribute", "level")
    for entry, assignment, pair, attribute, level in found.values_list(*fields):
        cells[entry].add((str(assignment), pair, attribute, level))
    return cells


def _differences(stored: _Stored, checked: CheckedLedger) -> Iterator[str]:
    told = {
        entry.number: {(event.assignment, event.pair, cell, event.level) for cell in event.cells}
        for entry in checked.entries
        if isinstance(event := entry.event, Opened)
    }
    for number in sorted({*told, *stored.opened}):
        if told.get(number) != stored.opened.get(number):
            yield f"other cells stand open than entry {number:,} tells"
    accounts = {
        name: (each.phase, each.budget, each.spent) for name, each in checked.accounts.items()
    }
    for name in sorted({*accounts, *stored.accounts}):
        if accounts.get(name) != stored.accounts.get(name):
            yield f"assignment {name} has another state, budget or spending than the ledger tells"
