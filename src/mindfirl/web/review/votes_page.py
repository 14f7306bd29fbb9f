"""What stands beside a pair of an adjudication: votes, contradictions, and its weight on asking.

Nothing here comes from a record: only what people said, and what levels of agreement weigh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from mindfirl.services import resolve
from mindfirl.services.resolve import PeerVote
from mindfirl.services.review import disclosure
from mindfirl.services.review.disclosure import Explanation
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.reviews import rings_of
from mindfirl.web.review.pair_page import decision_words


def drawn_beside(
    account: Account, mine: Assignment, numbers: Iterable[int], tokens: Mapping[int, str]
) -> dict[int, dict[str, Any]]:
    """Return what stands beside pairs, by their numbers; beside a review nothing does."""
    if mine.kind != "adjudication":
        return {}
    asked = list(numbers)
    heard = resolve.peer_votes(account=account, assignment=mine, numbers=asked)
    told = disclosure.explanations_of(assignment=mine, numbers=asked)
    rings = rings_of(mine)
    return {
        number: {
            "votes": [_vote(each) for each in votes],
            "ring": _ring(number, rings.get(number, ()), tokens),
            "explained": _explained(told[number]) if number in told else None,
        }
        for number, votes in heard.items()
    }


def _vote(heard: PeerVote) -> dict[str, Any]:
    """Say a vote in words."""
    return {
        "words": decision_words(heard.decision),
        "comment": heard.comment,
        "settling": heard.settling,
    }


def _ring(number: int, ring: tuple[int, ...], tokens: Mapping[int, str]) -> list[dict[str, Any]]:
    """List the pairs that contradict each other, where a pair is one of them."""
    return [
        {"number": each, "token": tokens[each], "here": each == number, "between": between}
        for each, between in zip(ring, _between(len(ring)), strict=True)
    ]


def _between(number: int) -> list[str]:
    """Return what stands after each of so many things in a sentence."""
    return [", "] * (number - 2) + [_(" and "), ""] if number > 1 else [""] * number


def _explained(told: Explanation) -> dict[str, Any]:
    """Say what a weight is made of."""
    return {
        "weight": _signed(told.weight),
        "prior": _signed(told.prior),
        "parts": [(name, level, _signed(adds)) for name, level, adds in told.parts],
    }


def _signed(number: float) -> str:
    """Write a weight so that it is seen what it speaks for."""
    size = f"{abs(number):.1f}"
    return size if not float(size) else f"{'+' if number > 0 else '−'}{size}"
