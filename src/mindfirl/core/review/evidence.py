"""What people's votes add to the match weight of a pair, and what becomes of the pair.

Weight and votes are counted in bits of log2 odds. A vote never overrides a weight: it adds what a
person of that accuracy is worth. An adjudicator's decision is final, unless the project counts it
as evidence, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import fsum, log2
from typing import Final

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import CANNOT_TELL, VERDICTS, Decision, Resolution, Verdict

USUAL_ACCURACY: Final = 0.8
"""How often a reviewer is taken to be right until that is measured. With .9, reviewers who share
their errors made results worse."""
ADJUDICATOR_ACCURACY: Final = 0.98
"""How often adjudicators are taken to be right where their decisions are evidence."""
MOST_UNABLE: Final = 2
"""As many who cannot tell as send a pair to an adjudicator."""

VerdictBits = Mapping[Verdict, float]
"""The bits that each verdict adds to the weight of a pair."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How often somebody is right who can tell: of pairs that are the same, and of different ones.

    Somebody who is wrong more often than right counts as one who guesses: 0 bits.
    """

    same: float = USUAL_ACCURACY
    different: float = USUAL_ACCURACY

    def __post_init__(self) -> None:
        for share in (self.same, self.different):
            if not 0.5 <= share < 1:  # noqa: PLR2004  # a half is a guess
                raise SettingError("Accuracy must be a share. Give a number from 0.5 to below 1.")

    @property
    def bits(self) -> dict[Verdict, float]:
        """What the verdicts of this person add: all steps of one side alike."""
        for_same = log2(self.same / (1 - self.different))
        for_different = log2((1 - self.same) / self.different)
        sides = {True: for_same, False: for_different, None: 0.0}
        return {verdict: sides[side_of(verdict)] for verdict in VERDICTS}


def side_of(verdict: Verdict) -> bool | None:
    """Say whether a verdict calls two records the same; nothing where somebody cannot tell."""
    return None if verdict == CANNOT_TELL else Decision(verdict).same


USUAL_BITS: Final[VerdictBits] = Accuracy().bits
ADJUDICATOR_BITS: Final[VerdictBits] = Accuracy(ADJUDICATOR_ACCURACY, ADJUDICATOR_ACCURACY).bits


def decisive_weight(accuracy: float = USUAL_ACCURACY) -> float:
    """Return the weight below which one vote of this accuracy can change what becomes of a pair."""
    if not 0.5 <= accuracy < 1:  # noqa: PLR2004  # a half is a guess
        raise SettingError("Accuracy must be a share. Give a number from 0.5 to below 1.")
    return log2(accuracy / (1 - accuracy))


@dataclass(frozen=True, slots=True)
class WeighedVote:
    """What one reviewer said of a pair, and what their verdicts are worth."""

    reviewer: str
    decision: Decision
    worth: VerdictBits

    @property
    def bits(self) -> float:
        """What the vote adds to the weight of its pair."""
        return self.worth[self.decision.verdict]


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """The weight of a pair, the votes on it, and the band for people.

    Each reviewer counts once, with what they said last. ``settled`` is what an adjudicator decided:
    final where ``adjudicator`` is None, else worth as many bits as that says. Whether the reviews
    that were planned are there is for the caller to know.
    """

    weight: float
    votes: tuple[WeighedVote, ...]
    lower: float
    upper: float
    settled: Decision | None = None
    adjudicator: VerdictBits | None = None

    @property
    def divide(self) -> float:
        """The weight above which an undecided pair is linked: even odds, if that is in the band."""
        return dividing_weight(self.lower, self.upper)

    @property
    def vote_bits(self) -> float:
        """What reviewers add, in any order."""
        return fsum(vote.bits for vote in _once(self.votes))

    @property
    def combined(self) -> float:
        """The weight with all that people add to it, short of a final decision."""
        return fsum((self.weight, self.vote_bits, self._adjudicated_bits))

    @property
    def linked(self) -> bool:
        """What linking makes of the pair, whether it is settled or not."""
        final = self._final
        return self.combined > self.divide if final is None else final

    @property
    def resolution(self) -> Resolution:
        """What becomes of the pair, or why an adjudicator must look at it."""
        if self.settled is not None and self.settled.same is None:
            return Resolution("open", "cannot tell")
        if self.settled is None:
            why = self._why_open()
            if why is not None:
                return why
        return Resolution("link" if self.linked else "non-link")

    @property
    def _final(self) -> bool | None:
        if self.settled is None or self.adjudicator is not None:
            return None
        return self.settled.same

    @property
    def _adjudicated_bits(self) -> float:
        if self.settled is None or self.adjudicator is None:
            return 0.0
        return self.adjudicator[self.settled.verdict]

    def _why_open(self) -> Resolution | None:
        said = [vote.decision for vote in _once(self.votes)]
        if not said:
            return Resolution("open", "unreviewed")
        if any(decision.reason == "needs expert" for decision in said):
            return Resolution("open", "expert asked for")
        if sum(decision.same is None for decision in said) >= MOST_UNABLE:
            return Resolution("open", "cannot tell")
        if self.vote_bits * (self.weight - self.divide) < 0:
            return Resolution("open", "against weight")
        if self.lower < self.combined < self.upper:
            return Resolution("open", "still uncertain")
        return None


def dividing_weight(lower: float, upper: float) -> float:
    """Return the weight above which undecided pairs are linked: the nearest to 0 in the band."""
    return min(max(0.0, lower), upper)


def _once(votes: Iterable[WeighedVote]) -> Iterable[WeighedVote]:
    return {vote.reviewer: vote for vote in votes}.values()
