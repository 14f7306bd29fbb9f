"""Reviewers at work: they open pairs and say what they think of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from mindfirl.core.review.decisions import Decision, Verdict
from mindfirl.core.risk.kapr import Step
from mindfirl.core.values.schema import Level
from mindfirl.services.review.decisions import decide
from mindfirl.services.review.disclosure.opening import assignment_of, open_step, show_pairs
from mindfirl.store.models import AssignedPair, Assignment

NOON = datetime(2031, 5, 7, 12, tzinfo=UTC)


def say(pair: AssignedPair, verdict: Verdict | None) -> None:
    """Decide a pair, or take the decision back."""
    mine = pair.assignment
    reason = "twins" if verdict == "cannot tell" else None
    decide(
        account=mine.account,
        assignment=assignment_of(account=mine.account, assignment=mine.pk),
        token=pair.token,
        decision=Decision(verdict, reason) if verdict else None,  # type: ignore[arg-type]  # a reason
        now=NOON,
    )


def look(pair: AssignedPair, attribute: str | None = None, level: Level = "full") -> None:
    """Open a cell of a pair, or all of them."""
    mine = assignment_of(account=pair.assignment.account, assignment=pair.assignment_id)
    (shown,) = show_pairs(assignment=mine, numbers=[pair.number])
    wanted = {
        "account": mine.account,
        "assignment": mine,
        "token": pair.token,
        "step": Step(attribute or "", level),
        "seen": shown.state,
        "now": NOON,
    }
    answer = open_step(**wanted)  # type: ignore[arg-type]  # as wanted
    assert answer.refused is None


def shared(given: Sequence[Assignment]) -> list[list[AssignedPair]]:
    """Return the pairs of several assignments, each as everybody has it who has it."""
    found: dict[tuple[int, int], list[AssignedPair]] = defaultdict(list)
    for mine in given:
        for pair in mine.pairs.select_related("assignment__account", "assignment__project"):
            found[pair.left, pair.right].append(pair)
    return [found[key] for key in sorted(found)]
