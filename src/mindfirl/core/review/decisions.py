"""What people say of a pair, by which keys, and what becomes of it by the rule of its project.

A decision can be changed until its assignment is submitted; every change is kept, and the latest
counts. Every published rule settles what is unanimous; where votes are evidence, the match weight
counts, too (see ``evidence``). What is left open goes to an adjudicator, whose decision counts in
place of all votes.

Arrows, Enter and Escape always do what they do; keys that can be chosen are printable characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args
from unicodedata import category

from mindfirl.core.errors import FieldErrors, UnknownName
from mindfirl.core.review.plan import PublishedRule

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


Outcome = Literal["link", "non-link", "open"]
Why = Literal[
    "",
    "disagreement",
    "cannot tell",
    "unreviewed",
    "expert asked for",
    "against weight",
    "still uncertain",
]
"""Why a pair is open; nothing where it is settled."""

MARGIN: Final = 2
"""How far the confidence of one side must outweigh the other's.

One step is not enough: "surely" against "probably", or "perhaps" beside somebody who cannot tell,
settles nothing. "Surely" against "perhaps" does.
"""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a pair is, or why that is open."""

    outcome: Outcome
    why: Why = ""


def resolve(
    votes: Iterable[Decision], rule: PublishedRule, *, settled: Decision | None = None
) -> Resolution:
    """Settle a pair by votes alone and a published rule, or say why it stays open.

    The order of votes does not matter.

    ``unanimous``: all votes are on one side, and nobody cannot tell. ``majority``: more than half
    of all votes, those that cannot tell among them, are on one side. ``confidence``: that of one
    side (3 surely, 2 probably, 1 perhaps) exceeds the other's by ``MARGIN`` or more; who cannot
    tell weighs nothing, and what is unanimous needs no margin.

    What is open, and has votes for both sides, is a disagreement; with votes for one side or none,
    somebody cannot tell; without any vote it is unreviewed. ``settled`` is an adjudicator's
    decision: it counts alone, also where it is that they cannot tell.
    """
    if rule not in _RULES:
        raise UnknownName("rule", _RULES)
    given = tuple(votes) if settled is None else (settled,)
    if not given:
        return Resolution("open", "unreviewed")
    same = _unanimous(given)
    if same is None:
        same = _RULES[rule](given)
    if same is None:
        both = {vote.same for vote in given} >= {True, False}
        return Resolution("open", "disagreement" if both else "cannot tell")
    return Resolution("link" if same else "non-link")


def _unanimous(votes: Sequence[Decision]) -> bool | None:
    sides = {vote.same for vote in votes}
    return sides.pop() if len(sides) == 1 else None


def _by_majority(votes: Sequence[Decision]) -> bool | None:
    for side in (True, False):
        if 2 * sum(vote.same is side for vote in votes) > len(votes):
            return side
    return None


def _by_confidence(votes: Sequence[Decision]) -> bool | None:
    balance = sum(vote.confidence if vote.same else -vote.confidence for vote in votes)
    return balance > 0 if abs(balance) >= MARGIN else None


_RULES: Final[dict[PublishedRule, Callable[[Sequence[Decision]], bool | None]]] = {
    "unanimous": _unanimous,
    "majority": _by_majority,
    "confidence": _by_confidence,
}


USUAL: Final[dict[str, str]] = {
    **{verdict: str(number) for number, verdict in enumerate(VERDICTS[:-1], start=1)},
    VERDICTS[-1]: "0",
    **dict(zip(REASONS, "teb", strict=True)),
    "undo": "u",
    "comment": "c",
    "flag": "f",
    "open differences": "d",
    "open everything": "a",
    "next undecided": "n",
    "jump": "j",
    "suggested": "s",
    "explain": "w",
    "legend": "l",
    "guidance": "g",
    "all keys": "?",
}

_LAST_OF_ONE_UNIT: Final = 0xFFFF
"""A browser tells characters beyond this one as two."""


def keys_of(changed: Mapping[str, str]) -> dict[str, str]:
    """Return the key of everything; a usual key that was given to something else is lost."""
    taken = set(changed.values())
    return {
        action: changed.get(action, "" if usual in taken else usual)
        for action, usual in USUAL.items()
    }


def changed_keys(typed: Mapping[str, str]) -> dict[str, str]:
    """Return those of the typed keys that are not the usual ones; refuse keys that cannot be."""
    keys = {action: typed.get(action, "").strip() for action in USUAL}
    often = Counter(keys.values())
    wrong = {
        action: "Enter one letter, digit or symbol."
        if not _is_key(key)
        else "This key is already used for another action. Choose a different key."
        for action, key in keys.items()
        if not _is_key(key) or often[key] > 1
    }
    if wrong:
        raise FieldErrors(wrong)
    return {action: key for action, key in keys.items() if key != USUAL[action]}


def _is_key(key: str) -> bool:
    return (
        len(key) == 1
        and ord(key) <= _LAST_OF_ONE_UNIT
        and key.isprintable()
        and category(key)[0] != "M"
    )
