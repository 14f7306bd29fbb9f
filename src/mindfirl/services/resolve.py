"""Conflicts go to adjudicators who did not review them; contradictions can be accepted.

An adjudication is an assignment of another kind: the same screen, the same openings, a budget of
its own, everything masked at the start. The pairs of a contradiction go to one person, together.
"""

from __future__ import annotations

import secrets
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from mindfirl.core.errors import NotYours, SettingError
from mindfirl.core.ledger.events import ContradictionAccepted
from mindfirl.core.persons import LinkSource
from mindfirl.core.policy import Actor, Role, check_may, may_work_as
from mindfirl.core.review.decisions import VERDICTS, Decision
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.engine.bands.dealing import deal_groups
from mindfirl.store.assignments import Batch, Hand, HandedPair, confirm_dispatch, give_out
from mindfirl.store.changes import held_project
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Acceptance, Account, Assignment, Dispatch, Project
from mindfirl.store.queries.access import roles_in
from mindfirl.store.queries.plans import adviser_for, planned
from mindfirl.store.queries.votes import PairKey, SealedVote
from mindfirl.store.vault.sealed_comments import unseal
from mindfirl.workspace import proposals
from mindfirl.workspace.carried_votes import given_pairs, votes_on
from mindfirl.workspace.comment_checks import comments_set_aside
from mindfirl.workspace.commits import commit, read_reason
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.outcomes.standing import (
    Conflict,
    Standing,
    conflicts_in,
    current_standing,
    weights_of,
)
from mindfirl.workspace.refusals import refusal_recorded
from mindfirl.workspace.seen_together import check_limit

_ROLE: Final[Role] = "adjudicator"


def give_conflicts(*, project: Project, actor: Actor, account: Account) -> list[Assignment]:
    """Propose to give all open conflicts to adjudicators; do so at once if the proposer may."""
    made = propose_conflicts(project=project, actor=actor, account=account)
    if not proposals.may_confirm_dispatch(made, actor, account):
        return []
    return confirm_conflicts(dispatch=made, actor=actor, account=account)


def propose_conflicts(*, project: Project, actor: Actor, account: Account) -> Dispatch:
    check_may(actor, "dispatch")
    plan, standing = _plan(project), current_standing(project)
    pairs = sum(len(each.pairs) for each in _open(standing))
    if not pairs:
        raise SettingError("There are no conflicts to assign: all are settled or already assigned.")
    adviser = adviser_for(project, plan)
    names = open_version(standing.version).schema.names
    content = {
        **proposals.round_of(standing.version, standing.candidates, len(names)),
        "plan": plan.to_json(),
        "adviser": adviser.digest if adviser else "",
        "pairs": pairs,
        "quality": 0,
    }
    return proposals.propose_dispatch(project, account, "adjudication", content)


def confirm_conflicts(*, dispatch: Dispatch, actor: Actor, account: Account) -> list[Assignment]:
    """Confirm a proposal, and assign the conflicts that are open by then, in one commit."""
    check_may(actor, "confirm dispatch")
    project = dispatch.project
    if dispatch.kind != "adjudication":
        raise SettingError("These are pairs for review. Confirm them on the page Dispatch.")
    with refusal_recorded(dispatch, actor.name), commit(ledger=project):
        held_project(project)  # its roles stay
        proposals.check_may_confirm_dispatch(dispatch, actor, account)
        now = timezone.now()
        found = proposals.move_dispatch(dispatch, "confirmed", confirmed_by=account, confirmed=now)
        standing, plan = current_standing(project), ReviewPlan.from_json(found.plan["plan"])
        _check_round(standing, found)
        hands = _hands(standing, _able(project, plan))
        adviser = adviser_for(project, plan, found.plan.get("adviser"))
        found = proposals.move_dispatch(found, "dispatched")
        confirm_dispatch(found, at=now, actor=actor.name)
        names = open_version(standing.version).schema.names
        due = date.fromisoformat(plan.due) if plan.due else None
        batch = Batch(found, standing.version, names, plan, due, adviser=adviser)
        check_limit(batch, hands)
        return give_out(batch, hands, at=now, actor=actor.name)


def _check_round(standing: Standing, dispatch: Dispatch) -> None:
    if dispatch.plan["version"] != standing.version.number:
        raise SettingError(
            "The data have changed since this was proposed. Withdraw the proposal, and propose it "
            "again."
        )


def accept(
    *, project: Project, actor: Actor, account: Account | None, between: PairKey, reason: str
) -> Acceptance:
    check_may(actor, "dispatch")
    words = read_reason(reason)
    with commit(ledger=project):
        standing = current_standing(project)
        known = {each.between for each in conflicts_in(standing)}
        if between not in known:
            raise SettingError("This contradiction is already settled. Reload the page.")
        made = Acceptance.objects.create(
            project=project,
            version=standing.version,
            number=project.acceptances.count() + 1,
            left=between[0],
            right=between[1],
            reason=words,
            account=account,
            at=timezone.now(),
        )
        digest = digests_of(project).acceptance(made)
        told = ContradictionAccepted(made.number, words, digest)
        append(project, at=made.at, actor=actor.name, events=[told])
        return made


def _plan(project: Project) -> ReviewPlan:
    """Return the terms of an adjudication: those of the plan, masked at the start."""
    found = planned(project)
    people = [] if found is None else [each for each in found[0].people if each.role == _ROLE]
    if found is None or not people:
        raise SettingError(
            "The plan has no adjudicator. Under People, add an adjudicator with a budget."
        )
    return replace(
        found[0], reviews=1, quality_sample=0, gold_pairs=0, starting=(), people=tuple(people)
    )


@dataclass(frozen=True, slots=True)
class _Adjudicator:
    account: str
    budget: int
    had: frozenset[PairKey]


def _able(project: Project, plan: ReviewPlan) -> list[_Adjudicator]:
    version = current_standing(project).version
    planned_accounts = Account.objects.filter(pk__in=[each.account for each in plan.people])
    accounts = {str(each.pk): each for each in planned_accounts}
    return [
        _Adjudicator(each.account, each.budget, frozenset(given_pairs(version, account.pk)))
        for each in plan.people
        for account in [accounts.get(each.account)]
        if account and _may_adjudicate(project, account)
    ]


def _may_adjudicate(project: Project, account: Account) -> bool:
    held = roles_in(account, project) if account.is_active else ()
    return may_work_as(_ROLE, held, managers_may_review=project.managers_may_review)


def _open(standing: Standing) -> list[Conflict]:
    return [each for each in conflicts_in(standing) if not each.given]


def _hands(standing: Standing, people: Sequence[_Adjudicator]) -> list[Hand]:
    groups = _groups(_open(standing))
    taken = [
        {number for number, pairs in enumerate(groups) if not each.had.isdisjoint(pairs)}
        for each in people
    ]
    dealt, nobody = deal_groups([len(pairs) for pairs in groups], taken, secrets.SystemRandom())
    if not any(dealt):
        raise SettingError(
            f"{nobody:,} conflicts are open, but no adjudicator can get them, because all of them "
            f"reviewed or settled those pairs before. Add another adjudicator under People."
        )
    return [
        Hand(each.account, each.budget, _handed(standing, [groups[number] for number in numbers]))
        for each, numbers in zip(people, dealt, strict=True)
        if numbers
    ]


def _groups(conflicts: Sequence[Conflict]) -> list[tuple[PairKey, ...]]:
    """Return the pairs that must go to one person: contradictions that share pairs are one."""
    groups: list[dict[PairKey, None]] = []
    for conflict in conflicts:
        joined = dict.fromkeys(conflict.pairs)
        apart = []
        for each in groups:
            if joined.keys().isdisjoint(each):
                apart.append(each)
            else:
                joined = each | joined
        groups = [*apart, joined]
    return [tuple(each) for each in groups]


def _handed(standing: Standing, groups: Sequence[tuple[PairKey, ...]]) -> list[HandedPair]:
    pairs = [pair for group in groups for pair in group]
    weights = dict(zip(pairs, weights_of(standing, pairs), strict=True))
    several = [group for group in groups if len(group) > 1]
    rings = {pair: number for number, group in enumerate(several, start=1) for pair in group}
    told: dict[str, Any] = {"origin": "conflict"}
    return [HandedPair(*pair, weights[pair], ring=rings.get(pair, 0), **told) for pair in pairs]


@dataclass(frozen=True, slots=True)
class Path:
    """A contradiction that nobody accepted: the links between two records, counted by source.

    ``decided`` says that somebody decided the two are not of one person; otherwise both are of one
    database that knows everybody once. ``given`` says whether an adjudicator has any of the pairs.
    """

    between: PairKey
    automatic: int
    reviewed: int
    adjudicated: int
    decided: bool
    given: bool

    @property
    def links(self) -> int:
        return self.automatic + self.reviewed + self.adjudicated


def paths_in(standing: Standing) -> list[Path]:
    return [_path(standing, each, each.between) for each in conflicts_in(standing) if each.between]


def _path(standing: Standing, conflict: Conflict, between: PairKey) -> Path:
    apart = standing.resolved.get(between)
    decided = apart is not None and apart.outcome == "non-link"
    links = [pair for pair in conflict.pairs if not (decided and pair == between)]
    made = Counter(_source(standing, pair) for pair in links)
    return Path(
        between=between,
        automatic=made[LinkSource.AUTOMATIC],
        reviewed=made[LinkSource.REVIEWED],
        adjudicated=made[LinkSource.ADJUDICATED],
        decided=decided,
        given=conflict.given,
    )


def _source(standing: Standing, pair: PairKey) -> LinkSource:
    """Say who made a link: people where they settled the pair, and the weights otherwise."""
    resolved = standing.resolved.get(pair)
    if resolved is None or resolved.outcome == "open":
        return LinkSource.AUTOMATIC
    settled = standing.votes[pair].settled
    return LinkSource.REVIEWED if settled is None else LinkSource.ADJUDICATED


@dataclass(frozen=True, slots=True)
class PeerVote:
    """What somebody decided about a pair; ``settling`` if that was an adjudication.

    ``set_aside`` says that there is a comment that repeats something its writer has opened.
    """

    decision: Decision
    comment: str
    settling: bool
    set_aside: bool = False

    @property
    def order(self) -> tuple[object, ...]:
        """Votes are sorted by what was decided, so that their order does not tell by whom."""
        reason = self.decision.reason or ""
        return (self.settling, VERDICTS.index(self.decision.verdict), reason, self.comment)


def peer_votes(
    *, account: Account, assignment: Assignment, numbers: Iterable[int]
) -> dict[int, tuple[PeerVote, ...]]:
    """Return what others decided about pairs, by their numbers; workers get nothing."""
    if assignment.account_id != account.pk:
        raise NotYours
    if assignment.kind != "adjudication":
        return {}
    found = votes_on(assignment, numbers)
    said = _said(assignment.project, [vote for votes in found.values() for vote in votes])
    return {
        number: tuple(
            sorted((_peer_vote(vote, said) for vote in votes), key=lambda each: each.order)
        )
        for number, votes in found.items()
    }


_Said = dict[tuple[UUID, int], str | None]
"""Comments by assignment and pair; None for one that repeats what its writer has opened."""


def _said(project: Project, votes: list[SealedVote]) -> _Said:
    commented = [vote for vote in votes if vote.comment]
    sealed = [vote.comment for vote in commented if vote.comment]
    by_writer: defaultdict[Assignment, dict[int, str]] = defaultdict(dict)
    for vote, words in zip(commented, unseal(project, sealed), strict=True):
        by_writer[vote.assignment][vote.number] = words
    return {
        (writer.pk, number): None if number in aside else words
        for writer, comments in by_writer.items()
        for aside in [comments_set_aside(writer, comments)]
        for number, words in comments.items()
    }


def _peer_vote(vote: SealedVote, said: _Said) -> PeerVote:
    """Give a vote on with its comment, unless that repeats what its writer has opened."""
    words = said.get((vote.assignment.pk, vote.number), "")
    return PeerVote(vote.decision, words or "", vote.settling, set_aside=words is None)
