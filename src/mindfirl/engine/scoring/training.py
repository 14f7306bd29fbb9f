"""Learn a model from the records of a session: count patterns, estimate classes, say what they are.

No pair is known to be a match. What strangers have in common is counted; what records of one person
have in common is what explains best the pairs that have more in common than strangers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log2
from typing import Final

import numpy as np

from mindfirl.core.progress import Progress
from mindfirl.engine.scoring.blocking import Blocking, Rule, pairs_that_share
from mindfirl.engine.scoring.comparisons import Comparison
from mindfirl.engine.scoring.estimation import (
    Counts,
    Estimate,
    PairClass,
    Tables,
    compared_by_missing,
    count_missing,
    estimate,
    first_share,
    four_classes,
    two_classes,
    without_matches,
)
from mindfirl.engine.scoring.model import LEAST_SHARE, ClassKind, LearntClass, Level, Model
from mindfirl.engine.scoring.patterns import Patterns, count_patterns
from mindfirl.engine.scoring.splink_inputs import Session
from mindfirl.engine.scoring.unions import Floats, Union

_SAMPLE: Final = 500_000
"""This many pairs are looked at to see what strangers have in common."""
_ENOUGH_COMPARED: Final = 1_000_000
"""Strict rules find most matches: looser ones are left out of training beyond this many pairs."""
_MOST_COMPARED: Final = 20_000_000
_MOST_PATTERNS: Final = 300_000
_CLEAR: Final = 3.0
"""A class whose pairs weigh less than this many bits either way is unclear."""
_DIFFERENT: Final = 0.8
_PERSONAL: Final = re.compile(
    r"first|given|forename|vorname|pr[eé]nom|nombre|voornaam|imi[eę]|fornavn|f[öo]rnamn|nome"
    r"|ssn|soc_sec|nhs|nino|personal|passport|national",
    re.IGNORECASE,
)


def train_model(session: Session, blocking: Blocking, *, seed: int, progress: Progress) -> Model:
    """Learn what pairs of one person have in common, and how many of all pairs are such."""
    progress("learning", 0, 4)
    raw, sampled = _among_all(session)
    progress("learning", 1, 4)
    counts, union = _counts(session, blocking)
    progress("learning", 2, 4)
    records = sum(session.sizes)
    share = first_share(records, session.possible)
    first = estimate(counts, two_classes(raw, share), union)
    chance = without_matches(raw, first.classes[0], records, sampled)
    two = estimate(counts, two_classes(chance, share), union)
    progress("learning", 3, 4)
    personal = [_is_personal(each) for each in session.comparisons]
    four = estimate(counts, four_classes(two.classes[0], chance, share, personal), union)
    progress("learning", 4, 4)
    return _model(_Training(session, blocking, seed), counts, two, four)


def _is_personal(comparison: Comparison) -> bool:
    """Say whether relatives in one household differ in an attribute."""
    by_place = comparison.kind == "date" or comparison.exchanged is not None
    return by_place or _PERSONAL.search(comparison.attribute) is not None


def _among_all(session: Session) -> tuple[Tables, int]:
    """Return the shares of levels among all pairs, and how many were looked at."""
    found = count_patterns(session, [session.sample_sql(_SAMPLE)])
    raw = []
    for place, comparison in enumerate(session.comparisons):
        size = len(comparison.names)
        seen = np.bincount(found.levels[:, place], found.counts, size)[1:] + 1e-6
        identical = _identical(session, place)
        shares = seen[:-1] / seen[:-1].sum() * (1 - identical)
        raw.append(np.append(shares, identical))
    return raw, int(found.counts.sum())


def _identical(session: Session, place: int) -> float:
    """Return how likely two values of an attribute are identical, exactly."""
    codes, across = session.codes[place], session.mode == "link"
    same = pairs_that_share(codes, session.parts, across=across)
    filled = pairs_that_share((codes > 0).astype(np.int64), session.parts, across=across)
    return min(max(same / max(1, filled), 1 / (10 * max(1, len(codes)))), 1 - 1e-6)


def _counts(session: Session, blocking: Blocking) -> tuple[Counts, Union]:
    rules = _strict(blocking)
    union = Union([[session.schema.place(name) for name in rule] for rule in rules])
    found = _compared(session, [session.rule_sql(rule) for rule in rules], sum(rules.values()))
    places = list(union.places)
    gone = np.stack([session.codes[place] == 0 for place in places], axis=1)
    missing, possible = count_missing(gone, session.parts, across=session.mode == "link")
    neutral = {
        each.place: np.isin(found.levels[:, each.aside], session.comparisons[each.aside].exchanges)
        for each in session.comparisons
        if each.aside is not None
    }
    compared = compared_by_missing(found.levels, found.counts, places, missing, neutral)
    return Counts(found.levels, found.counts, missing, possible, compared), union


def _strict(blocking: Blocking) -> dict[Rule, int]:
    """Choose the rules to learn by, from strict to loose, until they make pairs enough."""
    chosen: dict[Rule, int] = {}
    sizes = zip(blocking.comparisons, blocking.rules, strict=True)
    for pairs, rule in sorted(sizes):
        if chosen and sum(chosen.values()) + pairs > _ENOUGH_COMPARED:
            break
        chosen[rule] = pairs
    return chosen


def _compared(session: Session, rules: Sequence[str], total: int) -> Patterns:
    """Count the patterns of compared pairs, of all or of a part that is large enough."""
    one_in = max(1, ceil(total / _MOST_COMPARED))
    found = count_patterns(session, [session.part_sql(rule, one_in) for rule in rules])
    if len(found.counts) > _MOST_PATTERNS:
        one_in *= ceil(len(found.counts) / _MOST_PATTERNS)
        found = count_patterns(session, [session.part_sql(rule, one_in) for rule in rules])
    return Patterns(found.levels, found.counts * one_in)


def _model(training: _Training, counts: Counts, two: Estimate, four: Estimate) -> Model:
    """Put together what two classes and what four classes learnt."""
    by_two = training.model(two.classes, two.classes, ["matches", "strangers"])
    kinds: list[ClassKind] = ["matches", "strangers"]
    kinds += [_kind(each, by_two, training.session.comparisons) for each in four.classes[2:]]
    model = training.model(two.classes, four.classes, kinds)
    levels = list(counts.levels.T)
    links_by_two, links = (
        float(counts.counts[each.weights(levels) > 0].sum()) for each in (by_two, model)
    )
    return replace(model, self_check=_significant(max(1.0, links_by_two) / max(1.0, links)))


@dataclass(frozen=True, slots=True, eq=False)
class _Training:
    session: Session
    blocking: Blocking
    seed: int

    def model(
        self,
        two: Sequence[PairClass],
        classes: Sequence[PairClass],
        kinds: Sequence[ClassKind],
    ) -> Model:
        match, strangers = two
        attributes = {
            each.attribute: _levels(each, match.levels[place], strangers.levels[place])
            for place, each in enumerate(self.session.comparisons)
        }
        learnt = tuple(
            LearntClass(kind, each.share, tuple(_rounded(levels) for levels in each.levels))
            for kind, each in zip(kinds, classes, strict=True)
        )
        prior = log2(match.share / (1 - match.share))
        mode, engine = self.session.mode, self.session.engine.name
        return Model(attributes, prior, learnt, 1.0, self.blocking, mode, self.seed, engine)


def _rounded(shares: Floats) -> tuple[float, ...]:
    return tuple(map(_significant, shares.tolist()))


def _levels(comparison: Comparison, match: Floats, chance: Floats) -> tuple[Level, ...]:
    names = comparison.names
    found = [Level(names[0], 0.0)]
    for name, by_match, by_chance in zip(names[1:], match, chance, strict=True):
        weight = round(log2(max(by_match, LEAST_SHARE) / by_chance), 9)
        found.append(Level(name, weight, _significant(by_chance)))
    return tuple(found)


def _significant(share: float) -> float:
    """Round so that the order in which threads add up does not show."""
    return float(f"{share:.10g}")


def _kind(learnt: PairClass, by_two: Model, comparisons: Sequence[Comparison]) -> ClassKind:
    """Say what a free class is: other people, dirty records of one, or unclear."""
    weight = by_two.prior + sum(
        float(np.array([level.weight for level in levels[1:]]) @ shares)
        for levels, shares in zip(by_two.attributes.values(), learnt.levels, strict=True)
    )
    differ = [
        _is_personal(each)
        for each, shares in zip(comparisons, learnt.levels, strict=True)
        if each.kind != "category" and shares[0] >= _DIFFERENT
    ]
    lighter, unlike = weight < 0, len(differ) > 1 and any(differ)
    if lighter != unlike or abs(weight) < _CLEAR:
        return "unclear"
    return "other people" if lighter else "dirty records"
