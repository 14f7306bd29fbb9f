"""How good the links are: how many are right, how many are missed, from samples that people saw.

People look at some pairs that were linked automatically, and at some that were not. From what they
call links follows how many there are in each band, with Wilson's 95% interval. Where they cannot
tell, there are three readings: all those pairs are links, none is, or they are left out; all three
are given, since the truth is somewhere in their range.

What people decided counts as right, and pairs that were never compared count as nothing: a recall
of 1 says that none of the candidates was missed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Final, Literal, get_args

from mindfirl.core.errors import SettingError

Reading = Literal["link", "non-link", "left out"]
READINGS: Final[tuple[Reading, ...]] = get_args(Reading)
"""What pairs are taken for of which people cannot tell."""

Why = Literal["no pairs", "no answers", "no links"]
"""Why a figure is not defined: nothing to look at, nobody who could tell, no link at all."""

Z95: Final = 1.959963984540054
"""The normal quantile of 97.5%: an interval of 95%."""
Z95_OF_TWO: Final = 2.241402727604947
"""That of 98.75%: two intervals that hold both at once in 95% of cases."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Pairs of a band that people looked at, and what came of it.

    ``band`` is how many pairs the band has, ``sampled`` how many of them were drawn at random.
    Sampled pairs that are none of the three were not answered yet and count as not drawn.
    """

    band: int
    sampled: int
    links: int
    nonlinks: int
    cannot_tell: int

    def __post_init__(self) -> None:
        answers = (self.links, self.nonlinks, self.cannot_tell)
        if min(answers) < 0 or not sum(answers) <= self.sampled <= self.band:
            raise SettingError(
                f"A band of {self.band} pairs cannot have {self.sampled} sampled ones with "
                f"{sum(answers)} answers. Count them again."
            )


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The pairs for people, without those of the samples: linked, or left open."""

    links: int
    cannot_tell: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure and its interval of 95%."""

    low: float
    estimate: float
    high: float


@dataclass(frozen=True, slots=True)
class NotDefined:
    """No figure, and why."""

    why: Why


Figure = Estimate | NotDefined


@dataclass(frozen=True, slots=True)
class Range:
    """A figure by what is made of the pairs of which people cannot tell."""

    as_link: Figure
    as_nonlink: Figure
    left_out: Figure

    @property
    def low(self) -> float | None:
        """The lowest end of all intervals; nothing where no reading is defined."""
        return min((each.low for each in self._defined), default=None)

    @property
    def high(self) -> float | None:
        """The highest end of all intervals; nothing where no reading is defined."""
        return max((each.high for each in self._defined), default=None)

    @property
    def _defined(self) -> list[Estimate]:
        each = (self.as_link, self.as_nonlink, self.left_out)
        return [figure for figure in each if isinstance(figure, Estimate)]


@dataclass(frozen=True, slots=True)
class Quality:
    """What samples say of the automatic bands, and with the reviewed pairs, of all links.

    ``missed`` are links among the automatic non-links. ``recall`` is of all links among the
    candidates; a reviewed pair that was left open is missed where it is read as a link.
    """

    automatic_precision: Range
    missed: Range
    precision: Range
    recall: Range


def estimate_quality(links: Sample, nonlinks: Sample, reviewed: Reviewed) -> Quality:
    """Estimate from samples of the automatic links and non-links, and the reviewed pairs."""
    return Quality(
        automatic_precision=_range(lambda reading: _share(links, 0, reading)),
        missed=_range(lambda reading: _links_in(nonlinks, reading, Z95)),
        precision=_range(lambda reading: _share(links, reviewed.links, reading)),
        recall=_range(lambda reading: _recall(links, nonlinks, reviewed, reading)),
    )


def wilson(successes: int, trials: int, z: float = Z95) -> Estimate:
    """Return a share and its score interval after Wilson (1927), without continuity correction."""
    share, spread = successes / trials, z * z / trials
    centre = (share + spread / 2) / (1 + spread)
    half = sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    # At 0 and 1 the interval ends there; rounding must not say otherwise.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return Estimate(low, share, high)


def _range(figure: Callable[[Reading], Figure]) -> Range:
    return Range(*map(figure, READINGS))


def _links_in(sample: Sample, reading: Reading, z: float) -> Figure:
    """Estimate how many links a band holds.

    They are at least those that were seen, and at most all but the non-links that were seen: where
    the whole band was looked at, nothing is left to estimate.
    """
    if sample.band == 0:
        return Estimate(0, 0, 0)
    yes = sample.links + (sample.cannot_tell if reading == "link" else 0)
    no = sample.nonlinks + (sample.cannot_tell if reading == "non-link" else 0)
    if yes + no == 0:
        return NotDefined("no answers")
    share, estimate = wilson(yes, yes + no, z), yes * sample.band / (yes + no)
    return Estimate(
        min(max(share.low * sample.band, yes), estimate),
        estimate,
        max(min(share.high * sample.band, sample.band - no), estimate),
    )


def _share(sample: Sample, certain: int, reading: Reading) -> Figure:
    """Estimate which share of the pairs of a band, and of some certain links, are links."""
    if sample.band + certain == 0:
        return NotDefined("no pairs")
    found = _links_in(sample, reading, Z95)
    if isinstance(found, NotDefined):
        return found
    whole = sample.band + certain
    low, high = ((end + certain) / whole for end in (found.low, found.high))
    return Estimate(low, (found.estimate + certain) / whole, high)


def _recall(links: Sample, nonlinks: Sample, reviewed: Reviewed, reading: Reading) -> Figure:
    """Estimate the recall; its ends are those of both intervals, each wide enough for two."""
    right = _links_in(links, reading, Z95_OF_TWO)
    missed = _links_in(nonlinks, reading, Z95_OF_TWO)
    if isinstance(right, NotDefined):
        return right
    if isinstance(missed, NotDefined):
        return missed
    left_open = reviewed.cannot_tell if reading == "link" else 0

    def part(found: float, lost: float) -> float:
        found, lost = found + reviewed.links, lost + left_open
        return found / (found + lost)

    if right.estimate + reviewed.links + missed.estimate + left_open == 0:
        return NotDefined("no links")
    return Estimate(
        part(right.low, missed.high),
        part(right.estimate, missed.estimate),
        part(right.high, missed.low),
    )
