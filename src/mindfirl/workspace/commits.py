"""One commit, with its fault points: nothing of it is kept, or all of it; and the reason for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, NewType

from django.db.models import Manager, Max

from mindfirl.core.errors import FieldErrors
from mindfirl.store import vault
from mindfirl.store.changes import writing
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.writer import locked_head
from mindfirl.store.models import Project, SealedFile

StatedReason = NewType("StatedReason", str)

LONGEST_REASON: Final = 500


def read_reason(typed: str) -> StatedReason:
    """Check a reason as it was typed; without one, nothing is done."""
    words = typed.strip()
    if not 1 <= len(words) <= LONGEST_REASON or "\0" in words:
        wrong = f"Enter a reason of 1 to {LONGEST_REASON} characters; it is recorded in the ledger."
        raise FieldErrors({"reason": wrong})
    return StatedReason(words)


Also = Callable[[], None]
"""What a caller records in the same commit, such as the end of a job; if it fails, all fails."""


def next_number(numbered: Manager[Any]) -> int:
    last: int | None = numbered.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def nothing() -> None:
    """Do nothing else."""


@contextmanager
def commit(*, ledger: Project | None = None) -> Iterator[None]:
    """Commit what is done here in one transaction; where a ledger is named, lock it first."""
    with writing():
        if ledger is not None:
            locked_head(ledger)
        yield
        fault_point("before commit")
    fault_point("after commit")


@contextmanager
def commit_files(
    project: Project, sealed: list[SealedFile], also: Also, *, ledger: bool = False
) -> Iterator[None]:
    """Record sealed files together with what is done here; then remove those that it replaced."""
    with commit(ledger=project if ledger else None):
        vault.record(sealed)
        yield
        unused = vault.forget_unused(project)
        also()
    vault.remove(project.id, unused)
