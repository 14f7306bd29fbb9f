"""Learn a model from the records of a session: count patterns, estimate classes, say what they are.

No pair is known to be a match. What strangers have in common is counted; what records of one person
have in common is what explains best the pairs that have more in common than strangers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import log2
from typing import Final

from mindfirl.core.progress import Progress
from mindfirl.engine.scoring.blocking import Blocking, Rule
from mindfirl.engine.scoring.comparisons import Comparison
from mindfirl.engine.scoring.learning.class_kinds import (
    are_mixed,
    judge_classes,
    judge_look_alikes,
    look_alike_places,
)
from mindfirl.engine.scoring.learning.counting import (
    among_all,
    count_compared,
    strict_rules,
    weigh_pairs,
)
from mindfirl.engine.scoring.learning.declared import (
    Differing,
    false_links_by_weight,
    learn_matches,
    learn_other_people,
)
from mindfirl.engine.scoring.learning.estimation import (
    Counts,
    Estimate,
    PairClass,
    Tables,
    averaged,
    beside_look_alikes,
    estimate,
    first_share,
    matches_apart,
    six_classes,
    two_classes,
    without_matches,
)
from mindfirl.engine.scoring.learning.pair_scopes import Scope, learnt_from
from mindfirl.engine.scoring.learning.swallowed_matches import with_matches_apart
from mindfirl.engine.scoring.learning.unions import Floats, Union
from mindfirl.engine.scoring.learning.verdicts import NO_MATCHES, OTHER_RATES, judged
from mindfirl.engine.scoring.model import (
    LEAST_SHARE,
    OF_ONE_PERSON,
    ClassKind,
    LearntClass,
    Level,
    Model,
)
from mindfirl.engine.scoring.splink_inputs import Session

_MOST_PER_COMPARED: Final = 2.0
"""A class has at most this many pairs for each one that was compared."""


def train_model(
    session: Session,
    blocking: Blocking,
    *,
    seed: int,
    progress: Progress,
    without_duplicates: Sequence[int] = (),
) -> Model:
    """Learn what pairs of one person have in common, and how many of all pairs are such.

    ``without_duplicates`` are the numbers of databases that hold each person at most once.
    """
    progress("learning", 0, 4)
    pairs, certain = learnt_from(session, without_duplicates)
    raw, sampled = among_all(pairs)
    progress("learning", 1, 4)
    rules = strict_rules(blocking)
    union = Union([[session.schema.place(name) for name in rule] for rule in rules])
    counts = count_compared(pairs, rules, union)
    progress("learning", 2, 4)
    records = sum(session.sizes)
    share = first_share(records, pairs.possible)
    first = estimate(counts, two_classes(raw, share), union)
    chance = without_matches(raw, first.classes[0], records, sampled)
    two = estimate(counts, two_classes(chance, share), union)
    progress("learning", 3, 4)
    training = _Training(session, blocking, seed, rules, union, counts, chance, two)
    model = training.beside_certain(pairs, certain) if certain else training.by_six(share)
    progress("learning", 4, 4)
    return judged(model, counts, by_two=training.by_two)


@dataclass(frozen=True, slots=True, eq=False)
class _Training:
    """What was counted and what two classes learnt from it, and what more is learnt from there."""

    session: Session
    blocking: Blocking
    seed: int
    rules: Mapping[Rule, int]
    union: Union
    counts: Counts
    chance: Tables
    two: Estimate

    @property
    def differing(self) -> Differing:
        found = self.session.comparisons
        return Differing(
            [each.is_personal for each in found], [each.exchanged is not None for each in found]
        )

    @property
    def by_two(self) -> Model:
        """The model of matches and strangers alone."""
        return self.model(self.two.classes, ["matches", "strangers"])

    def by_six(self, share: float) -> Model:
        """Learn free classes beside matches and strangers.

        What two classes take for matches is a start that holds to nothing. Where neighbours or
        households are more than matches, it may lead to no matches at all, or to matches among
        twins and namesakes: only then, learning begins with what matches mostly have in common, and
        holds them and relatives to what is personal.
        """
        learnt, kinds = self._six(self.two.classes[0], share)
        if not self._are_matches(learnt, kinds):
            match = matches_apart(self.chance, share, self.differing.personal)
            again, kinds_again = self._six(match, share, apart=True)
            if "matches" not in kinds or self._are_matches(again, kinds_again):
                learnt, kinds = again, kinds_again
        if "matches" not in kinds:
            return replace(self.by_two, cannot_tell=NO_MATCHES)
        learnt, kinds = self._beside_look_alikes(*self._with_swallowed(learnt, kinds))
        found = zip(learnt.classes, kinds, learnt.compared.tolist(), strict=True)
        return self.model([_within_reason(*each) for each in found], kinds)

    def _are_matches(self, learnt: Estimate, kinds: Sequence[ClassKind]) -> bool:
        """Say whether there are matches, and no others among them."""
        if "matches" not in kinds:
            return False
        return not are_mixed(learnt.classes, kinds, self.session.comparisons)

    def _with_swallowed(
        self, learnt: Estimate, kinds: list[ClassKind]
    ) -> tuple[Estimate, list[ClassKind]]:
        """Take pairs of one person out of the classes of other people."""
        comparisons = self.session.comparisons
        classes = with_matches_apart(self.counts, learnt, kinds, comparisons)
        if len(classes) == len(kinds):
            return learnt, kinds
        again = estimate(self.counts, classes, self.union)
        found = judge_classes(again.classes, again.compared, comparisons)
        return (again, found) if self._are_matches(again, found) else (learnt, kinds)

    def _beside_look_alikes(
        self, learnt: Estimate, kinds: list[ClassKind]
    ) -> tuple[Estimate, list[ClassKind]]:
        """Take look-alikes out of the matches, who differ in one personal attribute alone.

        Where they are no more than errors explain, all stays as it was learnt without them.
        """
        comparisons = self.session.comparisons
        places = look_alike_places(comparisons, self.chance)
        classes = beside_look_alikes(learnt.classes, kinds.index("matches"), self.chance, places)
        again = estimate(self.counts, classes, self.union)
        more = judge_look_alikes(again.classes, kinds, comparisons, places)
        return (again, [*kinds, *more]) if "unclear" in more else (learnt, kinds)

    def _six(
        self, match: PairClass, share: float, *, apart: bool = False
    ) -> tuple[Estimate, list[ClassKind]]:
        comparisons = self.session.comparisons
        classes = six_classes(
            match,
            self.chance,
            share,
            self.differing.personal,
            [each.is_name for each in comparisons],
            addresses=sum(each.moves for each in comparisons),
            apart=apart,
        )
        learnt = estimate(self.counts, classes, self.union)
        return learnt, judge_classes(learnt.classes, learnt.compared, comparisons)

    def beside_certain(self, pairs: Scope, certain: Scope) -> Model:
        """Learn matches beside what certain non-matches have in common.

        What two classes take for matches may be whoever lives in one town: only then, learning
        begins with matches that hold to what is personal.
        """
        inside = count_compared(certain, self.rules, self.union)
        share = first_share(sum(self.session.sizes), certain.possible)
        apart = matches_apart(self.chance, share, self.differing.personal)
        chance, learnt = among_all(certain)[0], []
        for match in (self.two.classes[0], apart):
            starts = self.differing.starts(match.levels, chance)
            other = learn_other_people(inside, starts, chance, share, self.union)
            others: list[ClassKind] = ["other people"] * (len(other) - 1)
            kinds: list[ClassKind] = ["matches", "strangers", *others]
            found, differs = learn_matches(self.counts, match, self.chance, other, self.union)
            learnt.append((self.model(found.classes, kinds), differs))
            if self._are_matches(found, kinds):
                break
        else:
            learnt = learnt[:1]
        model, differs = learnt[-1]
        weights, one_in = weigh_pairs(certain, self.rules, model)
        scale = one_in * pairs.possible / certain.possible
        return replace(
            model,
            false_links=false_links_by_weight(weights, scale),
            warnings=(OTHER_RATES,) if differs else (),
        )

    def model(self, classes: Sequence[PairClass], kinds: Sequence[ClassKind]) -> Model:
        of_one = [each for each, kind in zip(classes, kinds, strict=True) if kind in OF_ONE_PERSON]
        share = sum(each.share for each in of_one)
        match = averaged(of_one)
        attributes = {
            each.attribute: _levels(each, match[place], self.chance[place])
            for place, each in enumerate(self.session.comparisons)
        }
        learnt = tuple(
            LearntClass(kind, each.share, tuple(_rounded(levels) for levels in each.levels))
            for kind, each in zip(kinds, classes, strict=True)
        )
        prior = log2(share / (1 - share))
        mode, engine = self.session.mode, self.session.engine.name
        return Model(attributes, prior, learnt, 1.0, self.blocking, mode, self.seed, engine)


def _within_reason(learnt: PairClass, kind: ClassKind, compared: float) -> PairClass:
    """Limit what is inferred: few compared pairs say little about many that were not compared."""
    if kind == "strangers":
        return learnt
    return replace(learnt, share=learnt.share * min(1.0, _MOST_PER_COMPARED * compared))


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
