"""Signed heads: what is signed, how it is written down, and whether a ledger still fits it.

A head that was signed says: at this time, the ledger of this project had this many entries, and the
last of them had this digest. Whoever takes one away has a receipt. Who signs, and how a signature
is checked, is not known here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from mindfirl.core.errors import LedgerBroken, ReceiptBroken
from mindfirl.core.ledger.chain import Entry, Head, read_sound
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

    ``kept`` are the digests of its first entries. Signatures by a trusted key prove where it was
    sound; those by others must fit as well, but anybody could have made them.
    """

    end: Head
    is_signed: Callable[[Receipt], bool]
    signed: Sequence[Receipt] = ()
    trusted: Collection[str] = ()
    kept: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class CheckedLedger:
    """A ledger that holds: its head, its entries, and the account of every assignment."""

    head: Head
    entries: Sequence[Entry]
    accounts: Mapping[str, AssignmentBalance]


def verify_ledger(lines: Sequence[str], known: Evidence) -> CheckedLedger:
    """Check the chain of a ledger, the rules of its entries, and all that is known of it.

    Raises :class:`LedgerBroken` with the number of the first entry that is not proven to be what
    it was: where a later one was signed alone, that is the one after the last that is sound.
    """
    entries, broken = read_sound(lines)
    digests = [line[:64] for line in lines[: len(entries)]]
    faults = [broken] if broken else []
    faults += _against_signed(digests, known, whole=broken is None)
    faults += _against_end(digests, known.end) if broken is None else []
    accounts: dict[str, AssignmentBalance] = {}
    try:
        accounts = replay(entries)
    except LedgerBroken as fault:
        faults.append(fault)
    faults += _against_kept(digests, known.kept)
    if faults:
        raise min(faults, key=lambda fault: fault.number)
    return CheckedLedger(known.end, entries, accounts)


def _against_end(digests: Sequence[str], end: Head) -> Iterator[LedgerBroken]:
    if end.entries > len(digests):
        yield LedgerBroken(len(digests) + 1, f"the ledger is said to have {end.entries:,} entries")
    elif end.digest != _digest_at(digests, end.entries):
        yield LedgerBroken(max(end.entries, 1), "it is not the one at which the ledger is to end")
    elif end.entries < len(digests):
        yield LedgerBroken(end.entries + 1, "the ledger is said to end before it")


def _against_kept(digests: Sequence[str], kept: Sequence[str]) -> Iterator[LedgerBroken]:
    sound = _fitting(digests, kept)
    if len(digests) == sound < len(kept):
        yield LedgerBroken(sound + 1, f"{len(kept):,} entries were kept of it, and the rest is cut")
    elif sound < len(kept):
        yield LedgerBroken(sound + 1, "it is not the entry of which the digest was kept")


def _against_signed(
    digests: Sequence[str], known: Evidence, *, whole: bool
) -> Iterator[LedgerBroken]:
    """Hold a ledger, or what is sound of it, against signed heads: each proves all before it."""
    sound = _fitting(digests, known.kept)
    for each in sorted(known.signed, key=lambda receipt: receipt.entries):
        if not known.is_signed(each):
            yield LedgerBroken(max(each.entries, 1), "the signature of its head does not fit it")
        elif each.entries > len(digests):
            words = f"a head that was signed at {each.at} counts {each.entries:,} entries"
            yield from [LedgerBroken(len(digests) + 1, words)] if whole else []
        elif each.digest != _digest_at(digests, each.entries):
            yield LedgerBroken(max(min(sound + 1, each.entries), 1), _unlike(each))
        elif each.key in known.trusted:
            sound = max(sound, each.entries)


def _unlike(signed: Receipt) -> str:
    return (
        f"it, or one of those up to entry {signed.entries:,}, "
        f"is not what it was when a head was signed at {signed.at}"
    )


def _digest_at(digests: Sequence[str], entries: int) -> str:
    return digests[entries - 1] if entries else Head().digest


def _fitting(digests: Sequence[str], kept: Sequence[str]) -> int:
    for place, (one, other) in enumerate(zip(digests, kept, strict=False)):
        if one != other:
            return place
    return min(len(digests), len(kept))


def _canonical(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
