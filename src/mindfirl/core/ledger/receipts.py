"""Signed heads: what is signed, how it is written down, and whether a ledger still fits it.

A head that was signed says: at this time, the ledger of this project had this many entries, and the
last of them had this digest. Whoever takes one away has a receipt. Who signs, and how a signature
is checked, is not known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from mindfirl.core.errors import LedgerBehind, LedgerBroken, ReceiptBroken
from mindfirl.core.ledger.chain import Entry, Head, Row, read_rows
from mindfirl.core.ledger.project_events import Acknowledged
from mindfirl.core.ledger.replay import AssignmentBalance, replay

_WHAT: Final = "mindfirl head of a ledger"
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """A signed head of a project's ledger; ``key`` is the public one, in hexadecimal digits."""

    project: str
    entries: int
    digest: str
    at: str
    key: str
    signature: str
    name: str = ""
    """How the project was called; it is not signed."""
    occasion: str = "receipt"
    """Why it was signed: a report, a receipt, or because a day was over; not signed either."""

    @property
    def head(self) -> Head:
        """Where the ledger ended."""
        return Head(self.entries, self.digest)

    @property
    def statement(self) -> bytes:
        """What is signed."""
        return statement(self.project, self.head, self.at)

    def line(self) -> str:
        """Return it as one line of JSON."""
        return _canonical(asdict(self))


def statement(project: str, head: Head, at: str) -> bytes:
    """Return the text that is signed: what it is, and canonical JSON."""
    said = {"at": at, "digest": head.digest, "entries": head.entries, "project": project}
    return f"{_WHAT} {_canonical(said)}".encode("ascii")


def read_receipt(text: str) -> Receipt:
    """Read a signed head back from JSON; every part must be there, and of its type."""
    try:
        receipt = Receipt(**json.loads(text))
    except (ValueError, TypeError, RecursionError):
        raise ReceiptBroken("it is not one") from None
    for each in fields(receipt):
        expected = int if each.name == "entries" else str
        if type(getattr(receipt, each.name)) is not expected:
            raise ReceiptBroken("it is not one")
    if receipt.entries < 0 or not _DIGEST.fullmatch(receipt.digest):
        raise ReceiptBroken("it is not one")
    return receipt


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a ledger besides its entries: first of all where it is said to end.

    ``mark`` is how far it is known to have been, and ``made_here`` says of the number of an entry
    whether it was made by who verifies it. Signatures by a trusted key prove where it was sound;
    those by others must fit as well, but anybody could have made them. What was ``acknowledged``
    is not found wrong again.
    """

    end: Head
    is_signed: Callable[[Receipt], bool]
    signed: Sequence[Receipt] = ()
    trusted: Collection[str] = ()
    mark: Head = field(default_factory=Head)
    made_here: Callable[[int], bool] | None = None
    acknowledged: Collection[Acknowledged] = ()


@dataclass(frozen=True, slots=True)
class CheckedLedger:
    """A ledger that holds: its head, its entries, and the account of every assignment.

    Accounts cannot be given where entries or rows are known not to hold.
    """

    head: Head
    entries: Sequence[Entry]
    accounts: Mapping[str, AssignmentBalance]


def verify_ledger(rows: Sequence[Row], known: Evidence) -> CheckedLedger:
    """Check the chain of a ledger, the rules of its entries, and all that is known of it.

    Raises :class:`LedgerBroken` with the number of the first entry that is not proven to be what
    it was: where a later one was signed alone, that is the one after the last that is sound.
    """
    found = read_rows(rows, known.acknowledged)
    digests = {number: line[:64] for number, line in rows if number <= found.head.entries}
    whole = found.broken is None
    faults = [] if found.broken is None else [found.broken]
    proven = _made_here(digests, known)
    if known.made_here and proven < max(digests, default=0):
        faults.append(LedgerBroken(proven + 1, "it was not written by this installation"))
    faults += _against_signed(found.head, digests, known, sound=proven, whole=whole)
    faults += _against_end(found.head, known.end) if whole else []
    faults += _against_mark(digests, known, whole=whole)
    accounts: dict[str, AssignmentBalance] = {}
    try:
        if not any(each.first or each.accepted for each in known.acknowledged):
            accounts = replay(found.entries)
    except LedgerBroken as fault:
        faults.append(fault)
    if faults:
        raise min(faults, key=lambda fault: fault.number)
    return CheckedLedger(known.end, found.entries, accounts)


def _is_acknowledged(number: int, known: Evidence) -> bool:
    return any(each.first <= number <= each.last for each in known.acknowledged if each.first)


def _made_here(digests: Mapping[int, str], known: Evidence) -> int:
    """Return up to which entry all were made here, or are known not to have been."""
    if known.made_here is None:
        return 0
    for number in sorted(digests):
        if not known.made_here(number) and not _is_acknowledged(number, known):
            return number - 1
    return max(digests, default=0)


def _against_end(head: Head, end: Head) -> Iterator[LedgerBroken]:
    if end.entries > head.entries:
        yield LedgerBroken(head.entries + 1, f"the ledger is said to have {end.entries:,} entries")
    elif end.entries < head.entries:
        yield LedgerBroken(end.entries + 1, "the ledger is said to end before it")
    elif end.digest != head.digest:
        yield LedgerBroken(max(end.entries, 1), "it is not the one at which the ledger is to end")


def _against_mark(
    digests: Mapping[int, str], known: Evidence, *, whole: bool
) -> Iterator[LedgerBroken]:
    mark, last = known.mark, max(digests, default=0)
    if mark in {Head(each.mark, each.mark_digest) for each in known.acknowledged}:
        return
    if mark.entries > last:
        yield from [LedgerBehind(last + 1, mark.entries)] if whole else []
    elif mark.entries and digests.get(mark.entries) != mark.digest:
        yield LedgerBehind(mark.entries, mark.entries)


def _against_signed(
    head: Head, digests: Mapping[int, str], known: Evidence, *, sound: int, whole: bool
) -> Iterator[LedgerBroken]:
    """Hold a ledger, or what is sound of it, against signed heads: each proves all before it."""
    for each in sorted(known.signed, key=lambda receipt: receipt.entries):
        if _is_acknowledged(each.entries, known):
            continue
        if not known.is_signed(each):
            yield LedgerBroken(max(each.entries, 1), "the signature of its head does not fit it")
        elif each.entries > head.entries:
            words = f"a head that was signed at {each.at} counts {each.entries:,} entries"
            yield from [LedgerBroken(head.entries + 1, words)] if whole else []
        elif each.digest != digests.get(each.entries, Head().digest):
            yield LedgerBroken(max(min(sound + 1, each.entries), 1), _unlike(each))
        elif each.key in known.trusted:
            sound = max(sound, each.entries)


def _unlike(signed: Receipt) -> str:
    return (
        f"it, or one of those up to entry {signed.entries:,}, "
        f"is not what it was when a head was signed at {signed.at}"
    )


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
