"""What an adjudicator sees beside a pair: votes, contradictions, and its weight on asking.

Nothing here comes from a record: only what people said, and what levels of agreement weigh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from mindfirl.services import resolve
from mindfirl.services.review.disclosure import explaining
from mindfirl.services.review.disclosure.explaining import Explanation
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.reviews import rings_of
from mindfirl.web.review.decision_page import decision_words


@dataclass(frozen=True, slots=True)
class Vote:
    words: str
    comment: str
    settling: bool


@dataclass(frozen=True, slots=True)
class RingPair:
    """One of several pairs that contradict each other."""

    number: int
    token: str
    here: bool
    between: str


@dataclass(frozen=True, slots=True)
class WeightWords:
    """What a weight is made of."""

    weight: str
    prior: str
    parts: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class Adjudication:
    votes: list[Vote]
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
            votes=[
                Vote(decision_words(each.decision), each.comment, each.settling) for each in votes
            ],
            ring=_ring(number, rings.get(number, ()), tokens),
            explained=_weight_words(weights[number]) if number in weights else None,
        )
        for number, votes in heard.items()
    }


def _ring(number: int, ring: tuple[int, ...], tokens: Mapping[int, str]) -> list[RingPair]:
    return [
        RingPair(each, tokens[each], each == number, between)
        for each, between in zip(ring, _between(len(ring)), strict=True)
    ]


def _between(number: int) -> list[str]:
    return [", "] * (number - 2) + [_(" and "), ""] if number > 1 else [""] * number


def _weight_words(told: Explanation) -> WeightWords:
    return WeightWords(
        weight=_signed(told.weight),
        prior=_signed(told.prior),
        parts=[(name, level, _signed(adds)) for name, level, adds in told.parts],
    )


def _signed(number: float) -> str:
    size = f"{abs(number):.1f}"
    return size if not float(size) else f"{'+' if number > 0 else '−'}{size}"
