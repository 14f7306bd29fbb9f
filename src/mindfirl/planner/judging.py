"""Pairs decided by who has learnt from other people, and what that comes to within budgets.

What a step must be worth within a budget is chosen on the pairs of other judges, too; and the
answers on the way are set right by theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np

from mindfirl.core.forecast.frontier import STEP_BY_STEP, ForecastPart, Point
from mindfirl.core.forecast.habits import Habits, people_right
from mindfirl.core.forecast.measures import (
    HALF,
    Flags,
    achieved_measures,
    expected_measures,
    margin,
)
from mindfirl.core.forecast.paths import Floats, Ints, Paths, Reached, concatenate_paths
from mindfirl.core.progress import Progress
from mindfirl.core.risk.kapr import row_risks, units
from mindfirl.core.values.schema import FULL, LEVELS, MASKED
from mindfirl.planner.opening_policy import Policy, Taught
from mindfirl.planner.reviewer.cell_features import IDENTICAL, NAMES
from mindfirl.planner.reviewer.learning import Answered, calibrate
from mindfirl.planner.reviewer.pair_features import Looks, Numbers, state_rows
from mindfirl.planner.walking import Drawn, Order, walk


def fixed_levels(looks: Looks, policy: str) -> Numbers:
    """Return the levels of a policy that opens all cells alike, or those that differ."""
    size, width = looks.tells.shape[:2]
    if policy == "differing full":
        relation = looks.tells[:, :, MASKED, NAMES.index("relation")]
        return np.where(relation != IDENTICAL, FULL, MASKED)
    level = next(number for number, name in enumerate(LEVELS) if policy == f"all {name}")
    return np.full((size, width), level)


def fixed_units(drawn: Drawn, levels: Numbers) -> Numbers:
    found = np.zeros(len(drawn), dtype=np.int64)
    if not levels.any():
        return found
    for number, state in enumerate(levels.tolist()):
        risks = row_risks(drawn.index, drawn.view(number, state), drawn.terms.accounting)
        found[number] = units(risks, drawn.terms.kappa)
    return found


def fixed_characters(shows: Numbers, levels: Numbers) -> Numbers:
    shown: Numbers = np.take_along_axis(shows, levels[:, :, None], axis=2)[:, :, 0].sum(axis=1)
    return shown


BUDGETS: Final = (
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08,
    0.1, 0.15, 0.2, 0.3, 0.5,
)  # fmt: skip
UNLABELLED: Final = -1


def set_right_by_others(judge: Ints, truth: Flags, probability: Floats, masked: Floats) -> Floats:
    """Set answers right by other judges', more so of pairs that are hard when ``masked``.

    States on a way are not random. And most pairs are easy: what is learnt from all of them is not
    sure enough of hard ones.
    """
    answers, doubt = np.log(probability / (1 - probability)), 4 * masked * (1 - masked)
    found = probability.copy()
    for number in np.unique(judge).tolist():
        own = judge == number
        others = (judge != UNLABELLED) & ~own
        if others.any():
            known = Answered(answers[others], doubt[others], truth[others])
            found[own] = calibrate([known]).probability(answers[own], doubt[own])
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Judged:
    pairs: Drawn
    taught: Taught
    judge: Ints
    """The fold in which a pair is judged; -1 for those that have no label."""
    truth: Flags
    group: Ints

    @property
    def labelled(self) -> Flags:
        return np.asarray(self.judge != UNLABELLED)

    def judges(self) -> Iterator[tuple[Ints, Policy]]:
        for number, policy in ((UNLABELLED, self.taught.policy), *enumerate(self.taught.judges)):
            chosen = np.flatnonzero(self.judge == number)
            if len(chosen):
                yield chosen, policy

    def paths(self, order: Order, progress: Progress) -> Paths:
        parts, done = [], 0
        for chosen, policy in self.judges():
            some = self.pairs.some(chosen)
            told = partial(self._told, progress, order.name, done)
            parts.append((chosen, walk(some, policy, order=order, progress=told)))
            done += len(chosen)
        found = concatenate_paths(len(self.pairs), parts)
        masked = found.start[found.pair]
        return replace(found, probability=self._set_right(found.pair, found.probability, masked))

    def _set_right(self, pair: Ints, probability: Floats, masked: Floats) -> Floats:
        return set_right_by_others(self.judge[pair], self.truth[pair], probability, masked)

    def _told(self, progress: Progress, what: str, before: int, done: int, _steps: int) -> None:
        progress(what, before + done, len(self.pairs))

    def fixed(self, policies: Sequence[str]) -> dict[str, Reached]:
        """Return where all pairs stand by policies that show the same of every pair."""
        pairs = self.pairs
        levels = {policy: fixed_levels(pairs.looks, policy) for policy in policies}
        thought = {policy: self._thought(shown) for policy, shown in levels.items()}
        opened = [policy for policy, shown in levels.items() if shown.any()]
        thought |= self._set_right_together({policy: thought[policy] for policy in opened})
        return {
            policy: Reached(
                thought[policy],
                fixed_units(pairs, shown),
                fixed_characters(pairs.looks.shows, shown),
                fixed_characters(pairs.differing, shown),
                np.zeros(len(pairs), dtype=np.int64),
            )
            for policy, shown in levels.items()
        }

    def _thought(self, levels: Numbers) -> Floats:
        found = np.empty(len(self.pairs))
        for chosen, judge in self.judges():
            rows = state_rows(self.pairs.looks.tells[chosen], levels[chosen])
            found[chosen] = judge.probability(rows)
        return found

    def _set_right_together(self, thought: Mapping[str, Floats]) -> dict[str, Floats]:
        """Set answers to several states of all pairs right; those to masked pairs are already."""
        masked = self._thought(fixed_levels(self.pairs.looks, "all masked"))
        times = len(thought)
        pair = np.tile(np.arange(len(masked)), times)
        found = self._set_right(pair, np.concatenate([*thought.values()]), np.tile(masked, times))
        return dict(zip(thought, np.split(found, times), strict=True))

    def within(self, paths: Paths, chosen: Flags, budget: float) -> Reached:
        """Return where some pairs stand within a budget; worth is chosen on other judges' pairs."""
        numbers = np.flatnonzero(chosen)
        found = Reached(
            paths.start[numbers].copy(), *(np.zeros(len(numbers), dtype=np.int64) for _ in range(4))
        )
        for judge in np.unique(self.judge[numbers]).tolist():
            own = self.judge[numbers] == judge
            base = numbers if judge == UNLABELLED or own.all() else numbers[~own]
            worth = paths.some(base).worth_within(self.pairs.units_within(budget, len(base)))
            reached = paths.some(numbers[own]).reached(worth)
            for name in ("probability", "units", "characters", "differing", "steps"):
                getattr(found, name)[own] = getattr(reached, name)
        return found

    def part(
        self,
        chosen: Flags,
        frontier: Paths,
        fixed: Mapping[str, Reached],
        compared: Mapping[str, Paths],
        habits: Habits,
    ) -> ForecastPart:
        point = partial(self.point, np.flatnonzero(chosen), habits)
        ways = {STEP_BY_STEP: frontier, **compared}
        policies = {
            name: tuple(_rising(point(self.within(paths, chosen, budget)) for budget in BUDGETS))
            for name, paths in ways.items()
        }
        policies |= {name: (point(_some(stands, chosen)),) for name, stands in fixed.items()}
        labelled = chosen & self.labelled
        full = fixed["all full"].probability
        same = self.truth[labelled].mean() if labelled.any() else full[chosen].mean()
        return ForecastPart(int(chosen.sum()), int(labelled.sum()), float(same), policies)

    def point(self, numbers: Ints, habits: Habits, stands: Reached) -> Point:
        pairs = self.pairs
        measures = expected_measures(stands.probability)
        whole = pairs.differing[numbers, :, FULL].sum(axis=1)
        hidden = (whole - stands.differing) / np.maximum(whole, 1)
        people = people_right(stands.probability, hidden, habits)
        labelled = self.labelled[numbers]
        reached = off = None
        if labelled.any():
            thought, truth = stands.probability[labelled], self.truth[numbers][labelled]
            reached = achieved_measures(thought, truth).accuracy
            off = margin((thought >= HALF) == truth, self.group[numbers][labelled])
        spent = pairs.terms.kappa * int(stands.units.sum())
        return Point(
            budget=spent / (pairs.whole * len(numbers)),
            characters=float(stands.characters.mean()),
            accuracy=measures.accuracy,
            people=float(people.mean()),
            precision=measures.precision,
            recall=measures.recall,
            balanced=measures.balanced,
            undecided=measures.undecided,
            achieved=reached,
            margin=off,
        )


def _some(stands: Reached, chosen: Flags) -> Reached:
    return Reached(
        stands.probability[chosen],
        stands.units[chosen],
        stands.characters[chosen],
        stands.differing[chosen],
        stands.steps[chosen],
    )


def _rising(points: Iterator[Point]) -> Iterator[Point]:
    """Leave out points that cost no more than the one before: there is nothing more to buy."""
    before: Point | None = None
    for point in points:
        if before is None or point.budget > before.budget:
            yield point
            before = point
