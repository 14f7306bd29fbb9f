"""What is said about a pair: decisions, their buttons, votes of others, and its weight.

Nothing here comes from a record: only what people said, and what levels of agreement weigh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.review.decisions import CANNOT_TELL, REASONS, USUAL, VERDICTS, Decision
from mindfirl.services import resolve
from mindfirl.services.resolve import PeerVote
from mindfirl.services.review.disclosure import explaining
from mindfirl.services.review.disclosure.explaining import Explanation
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.reviews import rings_of
from mindfirl.web.page.labels import label

_SIDES: Final = (gettext_lazy("different"), gettext_lazy("the same"))
_VERDICTS: Final = {
    "surely different": gettext_lazy("surely different"),
    "probably different": gettext_lazy("probably different"),
    "perhaps different": gettext_lazy("perhaps different"),
    "perhaps the same": gettext_lazy("perhaps the same"),
    "probably the same": gettext_lazy("probably the same"),
    "surely the same": gettext_lazy("surely the same"),
    "cannot tell": gettext_lazy("cannot tell"),
}
_SURE: Final = {
    "surely": gettext_lazy("surely"),
    "probably": gettext_lazy("probably"),
    "perhaps": gettext_lazy("perhaps"),
}
_REASONS: Final = {
    "twins": gettext_lazy("twins"),
    "needs expert": gettext_lazy("needs an expert"),
    "bad data": gettext_lazy("bad data"),
}


_SIGNS: Final = {False: "≠", True: "=", None: "?"}


@dataclass(frozen=True, slots=True)
class DecisionButton:
    id: str
    key: str
    value: str
    label: Any
    chosen: bool
    short: str
    words: str


@dataclass(frozen=True, slots=True)
class CannotTell:
    chosen: bool
    buttons: list[DecisionButton]


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as it is saved, as it was typed, and what is wrong with it."""

    said: str = ""
    typed: str = ""
    wrong: str = ""


NO_COMMENT: Final = Comment()


def decision_words(decision: Decision) -> str:
    words = str(_VERDICTS[decision.verdict])
    return f"{words}: {_REASONS[decision.reason]}" if decision.reason else words


def decision_sentence(decision: Decision | None) -> str:
    """Say what was saved."""
    if decision is None:
        return _("Decision undone.")
    return _("Saved: %(decision)s.") % {"decision": decision_words(decision)}


def short_words(decision: Decision) -> str:
    """Say a decision as it stands beside the number of its pair."""
    words = _REASONS[decision.reason] if decision.reason else _SURE[decision.verdict.split()[0]]
    return f"{_SIGNS[decision.same]} {words}"


def decision_value(decision: Decision) -> str:
    return f"{decision.verdict}:{decision.reason}" if decision.reason else decision.verdict


def scale(
    decision: Decision | None, keys: Mapping[str, str]
) -> list[tuple[Any, list[DecisionButton]]]:
    steps = [
        DecisionButton(
            id=USUAL[verdict],
            key=keys[verdict],
            value=verdict,
            label=_SURE[verdict.partition(" ")[0]],
            chosen=decision is not None and decision.verdict == verdict,
            short=short_words(Decision(verdict)),
            words=decision_words(Decision(verdict)),
        )
        for verdict in VERDICTS[:-1]
    ]
    half = len(steps) // 2
    return [(_SIDES[0], steps[:half]), (_SIDES[1], steps[half:])]


def cannot_tell(decision: Decision | None, keys: Mapping[str, str]) -> CannotTell:
    return CannotTell(
        chosen=decision is not None and decision.verdict == CANNOT_TELL,
        buttons=[
            DecisionButton(
                id=USUAL[reason],
                key=keys[reason],
                value=f"{CANNOT_TELL}:{reason}",
                label=_REASONS[reason],
                chosen=decision is not None and decision.reason == reason,
                short=short_words(Decision(CANNOT_TELL, reason)),
                words=decision_words(Decision(CANNOT_TELL, reason)),
            )
            for reason in REASONS
        ],
    )


@dataclass(frozen=True, slots=True)
class RingPair:
    number: int
    token: str
    here: bool
    between: str


@dataclass(frozen=True, slots=True)
class WeightWords:
    weight: str
    prior: str
    parts: list[tuple[str, str, str]]
    rest: str


@dataclass(frozen=True, slots=True)
class Adjudication:
    votes: list[tuple[str, PeerVote]]
    ring: list[RingPair]
    explained: WeightWords | None


def adjudications(
    account: Account, assignment: Assignment, numbers: Iterable[int], tokens: Mapping[int, str]
) -> dict[int, Adjudication]:
    """Return what is shown beside pairs, by their numbers; beside a review nothing is."""
    if assignment.kind != "adjudication":
        return {}
    asked = list(numbers)
    heard = resolve.peer_votes(account=account, assignment=assignment, numbers=asked)
    weights = explaining.explanations_of(assignment=assignment, numbers=asked)
    rings = rings_of(assignment)
    return {
        number: Adjudication(
            votes=[(decision_words(each.decision), each) for each in votes],
            ring=_ring(number, rings.get(number, ()), tokens),
            explained=_weight_words(weights[number]) if number in weights else None,
        )
        for number, votes in heard.items()
    }


def _ring(number: int, ring: tuple[int, ...], tokens: Mapping[int, str]) -> list[RingPair]:
    after = {len(ring): "", len(ring) - 1: _(" and ")}
    return [
        RingPair(each, tokens[each], each == number, after.get(place, ", "))
        for place, each in enumerate(ring, start=1)
    ]


def _weight_words(told: Explanation) -> WeightWords:
    return WeightWords(
        weight=_signed(told.weight),
        prior=_signed(told.prior),
        parts=[
            (label(name), level, _signed(adds))
            for name, level, adds in sorted(told.parts, key=lambda part: -abs(part[2]))
        ],
        rest="" if told.rest is None else _signed(told.rest, decimals=0),
    )


def _signed(number: float, *, decimals: int = 1) -> str:
    size = f"{abs(number):.{decimals}f}"
    return size if not float(size) else f"{'+' if number > 0 else '−'}{size}"
