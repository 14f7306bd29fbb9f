"""A reason that a person gives for what they do; the ledger keeps it."""

from __future__ import annotations

from typing import Final, NewType

from mindfirl.core.errors import FieldErrors

StatedReason = NewType("StatedReason", str)

LONGEST_REASON: Final = 500


def read_reason(typed: str) -> StatedReason:
    """Check a reason as it was typed; without one, nothing is done."""
    words = typed.strip()
    if not 1 <= len(words) <= LONGEST_REASON or "\0" in words:
        wrong = f"Say why, in 1 to {LONGEST_REASON} characters; the ledger keeps it."
        raise FieldErrors({"reason": wrong})
    return StatedReason(words)
