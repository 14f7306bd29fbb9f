"""What people said of pairs: reviewers, and those who settle conflicts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from django.db.models import Count, F, Max

from mindfirl.core.review.agreement_summary import Opened, Vote
from mindfirl.core.review.decisions import VERDICTS, Decision, Reason, Resolution, Verdict, resolve
from mindfirl.core.review.evidence import USUAL_BITS, PairEvidence, VerdictBits, WeighedVote
from mindfirl.core.review.plan import PublishedRule, Rule
from mindfirl.core.review.reviewer_accuracy import Judgements, KnownVote, bits_of, judgements_of
from mindfirl.core.values.schema import FULL, LEVELS, Level
from mindfirl.store import models

PairKey = tuple[int, int]
"""The positions of two records, the first one in front."""

_SEVERAL: Final = 2
_CLOSED: Final = ("submitted", "ended")
_FIELDS: Final = ("left", "right", "origin", "verdict", "reason")
_TERMS: Final = (
    "assignment__account",
    "assignment__kind",
    "assignment__state",
    "assignment__settings__rule",
)


@dataclass(slots=True)
class Votes:
    """What people said of a pair, as far as it cannot be changed any more.

    ``reviewers`` has the account of each vote that is ``given``. ``waiting`` counts the reviews
    under way; ``settled`` is what an adjudicator decided, and ``adjudicating`` says whether one has
    the pair now. ``in_band`` says that the pair was given out because it was uncertain, and
    ``sampled`` that it was to check the software. ``worth`` is what the verdicts of measured
    reviewers add. ``checks`` are the votes of reviewers who got it to be checked themselves: they
    are no part of what was said of it.
    """

    rule: Rule = "evidence"
    origin: str = ""
    given: list[Decision] = field(default_factory=list)
    reviewers: list[str] = field(default_factory=list)
    waiting: int = 0
    settled: Decision | None = None
    adjudicating: bool = False
    in_band: bool = False
    sampled: bool = False
    worth: Mapping[str, VerdictBits] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)

    @property
    def answer(self) -> bool | None:
        """Whether the pair is the same, as far as it is known without any weight.

        An adjudicator or somebody elsewhere has said so, or all its reviewers who were at least
        two, of a pair that checks the software.
        """
        if self.settled is not None:
            return self.settled.same
        sides = {said.same for said in self.given}
        agreed = len(self.given) >= _SEVERAL and len(sides) == 1 and not self.waiting
        return sides.pop() if agreed and self.sampled else None

    @property
    def disputed(self) -> bool:
        """Whether more reviewers are against the answer that the pair has than for it."""
        said = [each.same == self.answer for each in self.given if each.same is not None]
        return 2 * sum(said) < len(said)


@dataclass(frozen=True, slots=True)
class Check:
    """What a reviewer said of a pair by which they are checked, in the band for people or not."""

    reviewer: str
    said: Decision
    in_band: bool


def votes_given_in(version: models.Version, *, all_ended: bool = False) -> dict[PairKey, Votes]:
    """Return what was said of every pair of a version that was given out.

    Where ``all_ended``, it is as if every assignment had ended now, with what is decided in it.
    """
    found = _known_answers(version)
    held = models.AssignedPair.objects.filter(assignment__version=version, withdrawn=False)
    held = held.exclude(origin__in=GOLD)
    for left, right, origin, verdict, reason, *terms in held.order_by(
        "assignment__dispatch__number", "pk"
    ).values_list(*_FIELDS, *_TERMS):
        votes = found.setdefault((left, right), Votes())
        said = decision_of(verdict, reason) if verdict else None
        account, kind, state, rule = terms
        closed = all_ended or state in _CLOSED
        if kind == "adjudication":
            _settle(votes, said, closed=closed)
        else:
            votes.rule, votes.origin = rule, votes.origin or origin
            votes.in_band |= origin == IN_BAND
            votes.sampled |= origin in SAMPLED
            _review(votes, said, str(account), closed=closed)
    return found


def checks_in(
    version: models.Version, *, all_ended: bool = False
) -> Iterator[tuple[PairKey, Check]]:
    """Return what reviewers said of pairs by which they are checked, as far as it is final."""
    held = models.AssignedPair.objects.filter(
        assignment__version=version, withdrawn=False, origin__in=GOLD
    ).exclude(verdict="")
    if not all_ended:
        held = held.filter(assignment__state__in=_CLOSED)
    for left, right, origin, verdict, reason, account in held.order_by("pk").values_list(
        *_FIELDS, "assignment__account"
    ):
        yield (left, right), Check(str(account), decision_of(verdict, reason), GOLD[origin])


def _known_answers(version: models.Version) -> dict[PairKey, Votes]:
    """Return what is known from elsewhere; the newest answer to a pair counts."""
    answers = models.KnownAnswer.objects.filter(label_set__version=version)
    return {
        (left, right): Votes(origin=EXTERNAL, settled=_ANSWERS[same])
        for left, right, same in answers.order_by("pk").values_list("left", "right", "same")
    }


EXTERNAL: Final = "external"
"""The origin of a pair whose answer came from elsewhere."""
IN_BAND: Final = "review"
"""The origin of a pair that people get because it is uncertain."""
SAMPLED: Final = ("link", "non-link")
"""The origins of pairs that check the software."""
GOLD: Final = {"gold": True, "gold outside": False}
"""The origins of pairs that check reviewers: in the band for people, or outside."""
_ANSWERS: Final = {True: Decision("surely the same"), False: Decision("surely different")}


def weigh_reviewers(said: Mapping[PairKey, Votes]) -> dict[str, VerdictBits]:
    """Measure reviewers on pairs of the band whose answers are known, and count votes by that.

    Answers from elsewhere settle a pair: votes on it count for the person, not for the pair. Pairs
    that check the software are mostly easy, and would make everybody look better.
    """
    judged = judged_reviewers(said)
    worth: dict[str, VerdictBits] = {who: bits_of(counts) for who, counts in judged.items()}
    for votes in said.values():
        votes.worth = worth
    return worth


def judged_reviewers(
    said: Mapping[PairKey, Votes], *, outside: bool = False
) -> dict[str, Judgements]:
    """Count the verdicts of reviewers on pairs of the band whose answers are known.

    Where ``outside``, also those on pairs outside the band by which reviewers were checked.
    """
    return judgements_of(
        KnownVote(reviewer, verdict, votes.answer)
        for votes in said.values()
        if votes.answer is not None
        for reviewer, verdict in _judged(votes, outside=outside)
    )


def _judged(votes: Votes, *, outside: bool) -> Iterator[tuple[str, Verdict]]:
    if votes.in_band and votes.origin == EXTERNAL:
        for reviewer, cast in zip(votes.reviewers, votes.given, strict=True):
            yield reviewer, cast.verdict
    for check in votes.checks:
        if check.in_band or outside:
            yield check.reviewer, check.said.verdict


def measured_reviewers(said: Mapping[PairKey, Votes]) -> list[tuple[str, list[float]]]:
    """Return what the verdicts of each measured reviewer add, in a fixed order."""
    worth = next((votes.worth for votes in said.values()), {})
    return [(who, [worth[who][verdict] for verdict in VERDICTS]) for who in sorted(worth)]


def resolution_of(votes: Votes) -> Resolution:
    """Settle a pair by what people said, when all its reviews are there; until then it is open.

    The match weight is no part of that: where votes are evidence, all must agree.
    """
    if votes.waiting and votes.settled is None:
        return Resolution("open", "unreviewed")
    rule: PublishedRule = "unanimous" if votes.rule == "evidence" else votes.rule
    return resolve(votes.given, rule, settled=votes.settled)


def evidence_of(votes: Votes, weight: float, *, lower: float, upper: float) -> PairEvidence:
    """Return what weight and votes say of a pair, within the thresholds of its scoring."""
    cast = zip(votes.reviewers, votes.given, strict=True)
    weighed = tuple(WeighedVote(who, said, votes.worth.get(who, USUAL_BITS)) for who, said in cast)
    return PairEvidence(weight, weighed, lower, upper, votes.settled)


def weighed_resolution(votes: Votes, evidence: PairEvidence) -> Resolution:
    """Settle a pair by the rule of its review, with its weight where votes are evidence."""
    if votes.rule != "evidence" or (votes.waiting and votes.settled is None):
        return resolution_of(votes)
    return evidence.resolution


def known_pairs(said: Mapping[PairKey, Votes]) -> dict[PairKey, bool]:
    """Return which pairs are of one person and which are not, as far as that can be relied on.

    That is, where two people or more settled it by what they said, or an adjudicator did.
    """
    found: dict[PairKey, bool] = {}
    for pair, votes in said.items():
        outcome = resolution_of(votes).outcome
        if outcome != "open" and (len(votes.given) >= _SEVERAL or votes.settled is not None):
            found[pair] = outcome == "link"
    return found


@dataclass(frozen=True, slots=True)
class SealedVote:
    """What one person said of a pair that another has now, comment sealed; no reader learns who."""

    decision: Decision
    comment: models.Comment | None
    settling: bool
    assignment: models.Assignment
    number: int


def numbered_pairs(mine: models.Assignment, numbers: Iterable[int]) -> dict[PairKey, int]:
    """Return where some pairs of an assignment stand, with their numbers."""
    wanted = mine.pairs.filter(number__in=list(numbers), withdrawn=False)
    return {(left, right): n for n, left, right in wanted.values_list("number", *_FIELDS[:2])}


def given_votes_on(
    mine: models.Assignment, version: models.Version, numbered: Mapping[PairKey, int]
) -> dict[int, list[SealedVote]]:
    """Return what others said of pairs in a version, where it is final; in no order that matters.

    The pairs have the numbers of an assignment, which may be on a later version.
    """
    others = models.AssignedPair.objects.filter(
        assignment__version=version,
        assignment__state__in=_CLOSED,
        withdrawn=False,
        left__in={left for left, _ in numbered},
        right__in={right for _, right in numbered},
    )
    found: dict[int, list[SealedVote]] = {number: [] for number in numbered.values()}
    others = others.exclude(assignment=mine).exclude(origin__in=GOLD)
    said = others.exclude(verdict="").select_related("assignment")
    for each in said.prefetch_related("comments__pair"):
        number = numbered.get((each.left, each.right))
        if number is not None:
            found[number].append(_vote(each))
    return found


def _vote(pair: models.AssignedPair) -> SealedVote:
    comments = sorted(pair.comments.all(), key=lambda each: each.number)
    return SealedVote(
        decision=decision_of(pair.verdict, pair.reason),
        comment=comments[-1] if comments else None,
        settling=pair.assignment.kind == "adjudication",
        assignment=pair.assignment,
        number=pair.number,
    )


def state_of_given_votes(version: models.Version) -> tuple[Any, ...]:
    """Return what is another when people have said something else of a version's pairs."""
    revisions = models.Revision.objects.filter(pair__assignment__version=version)
    assignments = models.Assignment.objects.filter(version=version).order_by("state")
    return (
        revisions.aggregate(last=Max("pk"))["last"],
        tuple(assignments.values_list("state").annotate(Count("pk"))),
        version.acceptances.count(),
        version.label_sets.count(),
    )


def _review(votes: Votes, said: Decision | None, reviewer: str, *, closed: bool) -> None:
    votes.waiting += not closed
    if closed and said:
        votes.given.append(said)
        votes.reviewers.append(reviewer)


def _settle(votes: Votes, said: Decision | None, *, closed: bool) -> None:
    """Count that an adjudicator has or had a pair; the latest decision counts."""
    votes.adjudicating |= not closed
    if closed and said:
        votes.settled = said


def decision_of(verdict: str, reason: str) -> Decision:
    return Decision(cast("Verdict", verdict), cast("Reason", reason) if reason else None)


@dataclass(frozen=True, slots=True)
class PairVotes:
    version: int
    left: int
    right: int
    votes: tuple[Vote, ...]


def votes_of(project: models.Project) -> list[PairVotes]:
    """Return the reviewed pairs of a project with the decisions that count, submitted or not.

    Who rated is said by the key of their account. What an ended assignment has decided counts;
    what was passed on does not, until its new owner decides it.
    """
    decisions = _decisions(project)
    terms = _terms(project)
    found: dict[tuple[int, int, int], list[Vote]] = {}
    for version, left, right, assignment, lower, verdict, reason, state in decisions:
        account, starting = terms[assignment]
        decision = decision_of(verdict, reason)
        vote = Vote(account, decision, _opened(starting | dict(lower), state))
        found.setdefault((version, left, right), []).append(vote)
    return [PairVotes(*pair, tuple(votes)) for pair, votes in found.items()]


def names_of(raters: Collection[str]) -> dict[str, str]:
    return {str(each.pk): str(each) for each in models.Account.objects.filter(pk__in=raters)}


def _terms(project: models.Project) -> dict[object, tuple[str, dict[str, Level | None]]]:
    reviews = models.Assignment.objects.filter(project=project, kind="review")
    return {
        each.pk: (str(each.account_id), dict.fromkeys(each.attributes) | dict(each.terms.starting))
        for each in reviews
    }


def _decisions(project: models.Project) -> list[tuple[Any, ...]]:
    latest = models.Revision.objects.filter(
        number=F("pair__revision"),
        pair__assignment__project=project,
        pair__assignment__kind="review",
        pair__withdrawn=False,
    ).exclude(pair__origin__in=GOLD)
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
