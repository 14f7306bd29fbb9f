"""How often reviewers are right, measured on pairs whose answer is known some other way.

Those are pairs with known answers, and sampled pairs that an adjudicator decided; never pairs that
came to an adjudicator because reviewers disagreed. Without any, votes alone tell something by
Dawid and Skene (1979). Match weights are no part of it: they would be counted twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp, fsum, log, log1p, log2
from typing import Final

from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Verdict
from mindfirl.core.review.evidence import USUAL_ACCURACY, Accuracy, VerdictBits, side_of
from mindfirl.core.review.exact_bounds import beta_bound, share_bounds

PRIOR_RIGHT: Final = 16
PRIOR_WRONG: Final = 4
"""The prior of everybody's accuracy: 16 right answers of 20."""
ENOUGH: Final = PRIOR_RIGHT + PRIOR_WRONG
"""From as many judgements on as are presumed, accuracy is measured."""
ENOUGH_OF_A_STEP: Final = 100
"""From as many judgements of each of the six steps on, a surer step can count more."""
_BOUND: Final = 0.2
"""The lower bound that holds with 80%."""
_GUESS: Final = 0.5
_STEPS: Final[tuple[Verdict, ...]] = VERDICTS[:-1]

Judgements = Mapping[Verdict, tuple[int, int]]
"""How often each verdict was given: of pairs that are the same, and of different ones."""


@dataclass(frozen=True, slots=True)
class KnownVote:
    """What a reviewer said of a pair of which it is known whether it is the same."""

    reviewer: str
    verdict: Verdict
    same: bool


def judgements_of(votes: Iterable[KnownVote]) -> dict[str, Judgements]:
    """Count for each reviewer how often each verdict was given, of both kinds of pairs."""
    counts: defaultdict[str, dict[Verdict, tuple[int, int]]] = defaultdict(dict)
    for vote in votes:
        same, different = counts[vote.reviewer].get(vote.verdict, (0, 0))
        counts[vote.reviewer][vote.verdict] = (same + vote.same, different + (not vote.same))
    return dict(counts)


def accuracy_of(judged: Judgements) -> Accuracy:
    """Return the accuracy that judgements show, for the same and for different pairs apart."""
    right, wrong = (_answers(judged, same=True, said=said) for said in (True, False))
    rejected, mistaken = (_answers(judged, same=False, said=said) for said in (False, True))
    return Accuracy(accuracy_by(right, wrong), accuracy_by(rejected, mistaken))


def accuracy_by(right: int, wrong: int) -> float:
    """Return the share of right answers that counts: a lower bound, once enough were seen.

    Before that it is the usual one, or less where the first answers are worse. It is never below
    a guess.
    """
    seen_right, seen_wrong = PRIOR_RIGHT + right, PRIOR_WRONG + wrong
    if right + wrong >= ENOUGH:
        return max(beta_bound(seen_right, seen_wrong, _BOUND), _GUESS)
    return max(min(USUAL_ACCURACY, seen_right / (seen_right + seen_wrong)), _GUESS)


def bits_of(judged: Judgements) -> VerdictBits:
    """Return what each verdict adds: both sides as measured, steps apart where all are known."""
    if any(sum(judged.get(step, (0, 0))) < ENOUGH_OF_A_STEP for step in _STEPS):
        return accuracy_of(judged).bits
    return {**_bits_by_step(judged), CANNOT_TELL: 0.0}


@dataclass(frozen=True, slots=True)
class MeasuredShare:
    """How many answers were right of those that could be judged, with the interval of the share.

    There is an interval once enough were judged; answers that took no side are left out.
    """

    right: int
    judged: int
    bounds: tuple[float, float] | None


def measured_share(judged: Judgements) -> MeasuredShare:
    """Count the right answers among judgements, of the same and of different pairs together."""
    right, wrong = (
        sum(_answers(judged, same=same, said=same is agrees) for same in (True, False))
        for agrees in (True, False)
    )
    looked_at = right + wrong
    bounds = share_bounds(right, looked_at) if looked_at >= ENOUGH else None
    return MeasuredShare(right, looked_at, bounds)


def _answers(judged: Judgements, *, same: bool, said: bool) -> int:
    place = 0 if same else 1
    return sum(counts[place] for verdict, counts in judged.items() if side_of(verdict) is said)


def _bits_by_step(judged: Judgements) -> dict[Verdict, float]:
    """Return the bits of each step, rising from surely different to surely the same."""
    same, different = ([_seen(judged, step, place) for step in _STEPS] for place in (0, 1))
    bits = [
        log2(of_same / fsum(same)) - log2(of_different / fsum(different))
        for of_same, of_different in zip(same, different, strict=True)
    ]
    often = [sum(judged[step]) for step in _STEPS]
    return {
        step: max(each, 0.0) if side_of(step) else min(each, 0.0)
        for step, each in zip(_STEPS, never_falling(bits, often), strict=True)
    }


def _seen(judged: Judgements, step: Verdict, place: int) -> float:
    """Count a step with its share of what is presumed: three steps are right, three wrong."""
    presumed = PRIOR_RIGHT if side_of(step) is (place == 0) else PRIOR_WRONG
    return judged[step][place] + 2 * presumed / len(_STEPS)


def never_falling(values: Iterable[float], often: Iterable[int]) -> list[float]:
    """Return the closest values that never fall: those that do are pooled by their counts."""
    pools: list[tuple[float, int, int]] = []
    for value, count in zip(values, often, strict=True):
        mean, weight, size = value, count, 1
        while pools and pools[-1][0] > mean:
            before, others, members = pools.pop()
            mean = (before * others + mean * weight) / (others + weight)
            weight, size = others + weight, members + size
        pools.append((mean, weight, size))
    return [mean for mean, _, size in pools for _ in range(size)]


@dataclass(frozen=True, slots=True)
class SideVote:
    """Which side a reviewer took on a pair; who cannot tell takes none."""

    pair: int
    reviewer: str
    same: bool


@dataclass(frozen=True, slots=True)
class Consensus:
    """What votes alone say: of each pair how likely it is the same, of each reviewer how accurate.

    ``fit`` is the logarithm of how likely the votes are, presumption included, after each round; it
    never falls.
    """

    same: Mapping[int, float]
    accuracy: Mapping[str, Accuracy]
    share: float
    fit: tuple[float, ...]


_ROUNDS: Final = 200
_STILL: Final = 1e-9


def consensus_of(votes: Iterable[SideVote], known: Mapping[int, bool]) -> Consensus:
    """Estimate answers and accuracies from votes, and from answers that are known.

    Each reviewer counts once on a pair, and is presumed to be right in 16 of 20: that also keeps
    "same" and "different" from being exchanged.
    """
    ballots = _ballots(votes, known)
    accuracy = {vote.reviewer: Accuracy() for cast in ballots.values() for vote in cast}
    share, fit = _GUESS, list[float]()
    while True:
        logs = {pair: _logs(cast, accuracy, share) for pair, cast in ballots.items()}
        same = {pair: _chance(logs[pair], known.get(pair)) for pair in ballots}
        fit.append(_fit(logs, known) + _presumption(accuracy.values(), share))
        if len(fit) == _ROUNDS or (len(fit) > 1 and fit[-1] - fit[-2] < _STILL):
            return Consensus(same, accuracy, share, tuple(fit))
        accuracy = _accuracies(ballots, same)
        share = (1 + fsum(same.values())) / (2 + len(same))


_Ballots = dict[int, list[SideVote]]


def _ballots(votes: Iterable[SideVote], known: Mapping[int, bool]) -> _Ballots:
    """Return the votes of each pair in an order of their own, each reviewer's last one."""
    last = {(vote.pair, vote.reviewer): vote for vote in votes}
    ballots: _Ballots = {pair: [] for pair in sorted({*known, *(pair for pair, _ in last)})}
    for place in sorted(last):
        ballots[place[0]].append(last[place])
    return ballots


def _logs(
    cast: Iterable[SideVote], accuracy: Mapping[str, Accuracy], share: float
) -> tuple[float, float]:
    """Return how likely the votes on a pair are if it is the same, and if not, as logarithms."""
    if_same, if_different = log(share), log(1 - share)
    for vote in cast:
        who = accuracy[vote.reviewer]
        if_same += log(who.same if vote.same else 1 - who.same)
        if_different += log(1 - who.different if vote.same else who.different)
    return if_same, if_different


def _chance(logs: tuple[float, float], known: bool | None) -> float:  # noqa: FBT001  # an answer
    return float(known) if known is not None else exp(logs[0] - _sum_of(logs))


def _sum_of(logs: tuple[float, float]) -> float:
    low, high = sorted(logs)
    return high + log1p(exp(low - high))


def _fit(logs: Mapping[int, tuple[float, float]], known: Mapping[int, bool]) -> float:
    return fsum(
        (each[0] if known[pair] else each[1]) if pair in known else _sum_of(each)
        for pair, each in logs.items()
    )


def _presumption(accuracies: Iterable[Accuracy], share: float) -> float:
    shares = [each for who in accuracies for each in (who.same, who.different)]
    right, wrong = PRIOR_RIGHT - 1, PRIOR_WRONG - 1
    logs = (right * log(each) + wrong * log(1 - each) for each in shares)
    return fsum((log(share), log(1 - share), *logs))


def _accuracies(ballots: _Ballots, same: Mapping[int, float]) -> dict[str, Accuracy]:
    """Return the likeliest accuracies, by how often each reviewer would be right."""
    votes: dict[str, list[SideVote]] = {}
    for cast in ballots.values():
        for vote in cast:
            votes.setdefault(vote.reviewer, []).append(vote)
    return {
        reviewer: Accuracy(
            _likeliest((same[vote.pair], vote.same) for vote in cast),
            _likeliest((1 - same[vote.pair], not vote.same) for vote in cast),
        )
        for reviewer, cast in sorted(votes.items())
    }


def _likeliest(answers: Iterable[tuple[float, bool]]) -> float:
    """Return the likeliest share of right answers, each counted by how much it is asked for."""
    counted = list(answers)
    right = PRIOR_RIGHT - 1 + fsum(count for count, was_right in counted if was_right)
    whole = PRIOR_RIGHT + PRIOR_WRONG - 2 + fsum(count for count, _ in counted)
    return max(right / whole, _GUESS)
