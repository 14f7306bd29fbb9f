"""What a person says of a pair: same or different, how sure, or that they cannot tell, and why.

A decision can be changed until its assignment is submitted; every change is kept, and the latest
counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal, get_args

from mindfirl.core.errors import UnknownName

Verdict = Literal[
    "surely different",
    "probably different",
    "perhaps different",
    "perhaps the same",
    "probably the same",
    "surely the same",
    "cannot tell",
]
Reason = Literal["twins", "needs expert", "bad data"]
"""Why somebody cannot tell."""

VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
REASONS: Final[tuple[Reason, ...]] = get_args(Reason)
CANNOT_TELL: Final[Verdict] = "cannot tell"
_SURENESS: Final[tuple[Verdict, ...]] = VERDICTS[:-1]
_STEPS: Final = len(_SURENESS) // 2


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict on a pair, with the reason where somebody cannot tell."""

    verdict: Verdict
    reason: Reason | None = None

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise UnknownName("verdict", VERDICTS)
        if (self.verdict == CANNOT_TELL) != (self.reason is not None):
            raise UnknownName("reason", ("none", *REASONS))
        if self.reason is not None and self.reason not in REASONS:
            raise UnknownName("reason", REASONS)

    @property
    def same(self) -> bool | None:
        """Whether the records are of one person; nothing where that cannot be told."""
        if self.verdict == CANNOT_TELL:
            return None
        return _SURENESS.index(self.verdict) >= _STEPS

    @property
    def confidence(self) -> int:
        """How sure: 3 surely, 2 probably, 1 perhaps, 0 cannot tell."""
        if self.verdict == CANNOT_TELL:
            return 0
        place = _SURENESS.index(self.verdict)
        return place - _STEPS + 1 if place >= _STEPS else _STEPS - place


def latest(revisions: Iterable[tuple[int, Decision | None]]) -> Decision | None:
    """Return the decision that counts: the revision of the highest number, if not taken back."""
    found = max(revisions, key=lambda revision: revision[0], default=None)
    return found[1] if found else None
