"""What reviewers say of the same pairs, and how much of them they had opened by then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, cast

from django.db.models import F

from mindfirl.core.review.agreement_summary import Opened, Vote
from mindfirl.core.review.decisions import Decision, Reason, Verdict
from mindfirl.core.values.schema import FULL, LEVELS, Level
from mindfirl.store.models import Account, Assignment, Project, Revision


@dataclass(frozen=True, slots=True)
class PairVotes:
    """A pair of an import version, and what everybody says of it who has decided it."""

    version: int
    left: int
    right: int
    votes: tuple[Vote, ...]


def votes_of(project: Project) -> list[PairVotes]:
    """Return the reviewed pairs of a project with the decisions that count, submitted or not.

    Who rated is said by the key of their account. What an ended assignment has decided counts;
    what was passed on does not, until its new owner decides it.
    """
    decisions = _decisions(project)
    terms = _terms(project)
    found: dict[tuple[int, int, int], list[Vote]] = {}
    for version, left, right, assignment, lower, verdict, reason, state in decisions:
        account, starting = terms[assignment]
        decision = Decision(cast("Verdict", verdict), cast("Reason", reason) if reason else None)
        vote = Vote(account, decision, _opened(starting | dict(lower), state))
        found.setdefault((version, left, right), []).append(vote)
    return [PairVotes(*pair, tuple(votes)) for pair, votes in found.items()]


def names_of(raters: Collection[str]) -> dict[str, str]:
    return {str(each.pk): str(each) for each in Account.objects.filter(pk__in=raters)}


def _terms(project: Project) -> dict[object, tuple[str, dict[str, Level | None]]]:
    """Return whose each assignment is, and the levels at which its attributes start."""
    reviews = Assignment.objects.filter(project=project, kind="review")
    return {
        each.pk: (str(each.account_id), dict.fromkeys(each.attributes) | dict(each.terms.starting))
        for each in reviews
    }


def _decisions(project: Project) -> list[tuple[Any, ...]]:
    latest = Revision.objects.filter(
        number=F("pair__revision"),
        pair__assignment__project=project,
        pair__assignment__kind="review",
        pair__withdrawn=False,
    )
    pair = ("pair__assignment__version", "pair__left", "pair__right")
    said = ("pair__assignment", "pair__lower", "verdict", "reason", "state")
    return list(latest.exclude(verdict="").order_by(*pair, "id").values_list(*pair, *said))


def _opened(starting: Mapping[str, Level | None], state: Mapping[str, Collection[str]]) -> Opened:
    """Say how much of a pair somebody had opened, whatever it started with.

    A cell that is empty on both rows cannot be opened, so a pair with one is never all open.
    """
    if not state:
        return "nothing"
    full = LEVELS[FULL]
    return (
        "everything"
        if all(level == full or full in state.get(name, ()) for name, level in starting.items())
        else "some"
    )
