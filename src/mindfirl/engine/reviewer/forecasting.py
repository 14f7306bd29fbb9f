"""What budgets buy for the pairs of a project: the whole frontier, and what it rests on.

Labelled pairs are decided by a reviewer that has learnt from other people, and what a step must be
worth is chosen on other people's pairs too. So what is achieved on them is what could be achieved
on people who have not been seen yet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

import numpy as np
from threadpoolctl import threadpool_limits

from mindfirl.core.errors import SettingError
from mindfirl.core.planner.forecast import (
    FIXED,
    STEP_BY_STEP,
    Forecast,
    Part,
    Point,
    Source,
)
from mindfirl.core.planner.measures import Flags, achieved, expected, margin
from mindfirl.core.planner.paths import Ints, Paths, Reached, joined
from mindfirl.core.planner.people import Habits, people_right
from mindfirl.core.population.index import PopulationIndex
from mindfirl.engine.candidates import Positions
from mindfirl.engine.prospects import Prospects
from mindfirl.engine.reviewer import walking
from mindfirl.engine.reviewer.advice import Adviser, adviser_of
from mindfirl.engine.reviewer.fixed import characters_of, fixed_levels, units_of
from mindfirl.engine.reviewer.learning import Answered, calibrate
from mindfirl.engine.reviewer.looks import look_at, state_rows
from mindfirl.engine.reviewer.made_up import made_up_pairs
from mindfirl.engine.reviewer.policy import Policy
from mindfirl.engine.reviewer.teaching import SEED, Taught, teach
from mindfirl.engine.reviewer.walking import Drawn, Order, Terms, walk

BUDGETS: Final = (
    0.0005, 0.001, 0.0025, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.08,
    0.1, 0.15, 0.2, 0.3, 0.5,
)  # fmt: skip
"""The budgets of the frontier's points, as K."""
HARD: Final = (0.1, 0.9)
"""A pair is hard when, masked, it is thought the same with a probability between these."""
FEWEST: Final = 50
"""From fewer labelled pairs nothing is learnt."""
_UNLABELLED: Final = -1

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, eq=False)
class Labels:
    """Labelled pairs, by number among the given ones, and whether they are of one person."""

    numbers: Ints
    same: Flags


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Planned:
    """A forecast, what suggests steps by it, and what it expects of each pair."""

    forecast: Forecast
    adviser: Adviser
    prospects: Prospects


def make_forecast(
    index: PopulationIndex,
    left: Positions,
    right: Positions,
    labels: Labels,
    *,
    source: Source,
    terms: Terms,
    habits: Habits,
    others: Sequence[int] = (5, 10),
    orders: Sequence[Order] = (),
    groups: Mapping[str, Flags] | None = None,
    progress: Progress = lambda _what, _done, _steps: None,
) -> Planned:
    """Forecast what budgets buy for pairs, some of which are labelled.

    ``others`` are values of κ whose cost is told, ``orders`` are policies to compare with, and
    ``groups`` are parts of the pairs to be told apart.
    """
    with threadpool_limits(1, user_api="openmp"):
        looks = look_at(index, left, right, partial(progress, "drawing pairs"))
        pairs = Drawn(index, left, right, looks, terms)
        judged = _judged(pairs, labels, source, progress)
        frontier = judged.paths(walking.STEP_BY_STEP, progress)
        chosen = {
            "band": np.ones(len(looks), dtype=np.bool_),
            "hard": (frontier.start > HARD[0]) & (frontier.start < HARD[1]),
        }
        for name, flags in (groups or {}).items():
            chosen |= {name: flags, f"hard {name}": flags & chosen["hard"]}
        fixed: dict[str, Reached] = {policy: judged.fixed(policy) for policy in FIXED}
        compared = {order.name: judged.paths(order, progress) for order in orders}
        parts = {
            name: judged.part(flags, frontier, fixed, compared, habits)
            for name, flags in chosen.items()
            if flags.any()
        }
        forecast = Forecast(
            source=source,
            labelled=len(labels.numbers),
            attributes=index.schema.names,
            kappa=terms.kappa,
            accounting=terms.accounting,
            prices=terms.prices,
            parts=parts,
            kappas={
                kappa: _at_kappa(judged, kappa, parts["band"], habits, progress)
                for kappa in others
                if kappa != terms.kappa and kappa <= index.size
            },
        )
    return Planned(
        forecast,
        adviser_of(judged.taught, index.schema.names, _worths(pairs, frontier)),
        _prospects(pairs, frontier, parts["band"]),
    )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Judged:
    """Pairs, who decides which of them, and the truth about those that are labelled."""

    pairs: Drawn
    taught: Taught
    judge: Ints
    """The fold in which a pair is judged; -1 for those that have no label."""
    truth: Flags
    group: Ints

    @property
    def labelled(self) -> Flags:
        """Whether each pair has a label."""
        return np.asarray(self.judge != _UNLABELLED)

    def judges(self) -> Iterator[tuple[Ints, Policy]]:
        """Return the pairs of each judge."""
        for number, policy in ((_UNLABELLED, self.taught.policy), *enumerate(self.taught.judges)):
            chosen = np.flatnonzero(self.judge == number)
            if len(chosen):
                yield chosen, policy

    def paths(self, order: Order, progress: Progress) -> Paths:
        """Return the ways of all pairs, each as its judge goes it."""
        parts, done = [], 0
        for chosen, policy in self.judges():
            some = self.pairs.some(chosen)
            told = partial(self._told, progress, order.name, done)
            parts.append((chosen, walk(some, policy, order=order, progress=told)))
            done += len(chosen)
        return self._set_right(joined(len(self.pairs), parts))

    def _set_right(self, paths: Paths) -> Paths:
        """Set the answers on the ways right by those of other judges.

        Which cells were opened depends on what was thought before, so answers on the way are not
        those of states at random.
        """
        answers = np.log(paths.probability / (1 - paths.probability))
        judge, truth = self.judge[paths.pair], self.truth[paths.pair]
        masked = np.zeros(len(answers))
        found = paths.probability.copy()
        for number in np.unique(judge).tolist():
            own = judge == number
            others = (judge != _UNLABELLED) & ~own
            if others.any():
                known = Answered(answers[others], masked[others], truth[others])
                found[own] = calibrate([known]).probability(answers[own], masked[own])
        return replace(paths, probability=found)

    def _told(self, progress: Progress, what: str, before: int, done: int, _steps: int) -> None:
        progress(what, before + done, len(self.pairs))

    def fixed(self, policy: str) -> Reached:
        """Return where all pairs stand under a policy that shows the same of each."""
        pairs = self.pairs
        levels = fixed_levels(pairs.looks, policy)
        probability = np.empty(len(pairs))
        for chosen, judge in self.judges():
            rows = state_rows(pairs.looks.tells[chosen], levels[chosen])
            probability[chosen] = judge.probability(rows)
        units, shown = units_of(pairs, levels), characters_of(pairs.looks, levels)
        return Reached(probability, units, shown, np.zeros(len(pairs), dtype=np.int64))

    def within(self, paths: Paths, chosen: Flags, budget: float) -> Reached:
        """Return where some pairs stand within a budget.

        What a step must be worth is chosen on the pairs of other judges.
        """
        numbers = np.flatnonzero(chosen)
        found = Reached(
            paths.start[numbers].copy(), *(np.zeros(len(numbers), dtype=np.int64) for _ in range(3))
        )
        for judge in np.unique(self.judge[numbers]).tolist():
            own = self.judge[numbers] == judge
            base = numbers if judge == _UNLABELLED or own.all() else numbers[~own]
            worth = paths.some(base).worth_within(self.pairs.units_within(budget, len(base)))
            reached = paths.some(numbers[own]).reached(worth)
            for name in ("probability", "units", "characters", "steps"):
                getattr(found, name)[own] = getattr(reached, name)
        return found

    def part(
        self,
        chosen: Flags,
        frontier: Paths,
        fixed: Mapping[str, Reached],
        compared: Mapping[str, Paths],
        habits: Habits,
    ) -> Part:
        """Say what budgets buy for some of the pairs."""
        point = partial(self._point, np.flatnonzero(chosen), habits)
        ways = {STEP_BY_STEP: frontier, **compared}
        policies = {
            name: tuple(_rising(point(self.within(paths, chosen, budget)) for budget in BUDGETS))
            for name, paths in ways.items()
        }
        policies |= {name: (point(_some(stands, chosen)),) for name, stands in fixed.items()}
        labelled = chosen & self.labelled
        full = fixed["all full"].probability
        same = self.truth[labelled].mean() if labelled.any() else full[chosen].mean()
        return Part(int(chosen.sum()), int(labelled.sum()), float(same), policies)

    def _point(self, numbers: Ints, habits: Habits, stands: Reached) -> Point:
        pairs = self.pairs
        measures = expected(stands.probability)
        hidden = 1 - stands.characters / np.maximum(pairs.looks.length[numbers], 1)
        people = people_right(stands.probability, np.clip(hidden, 0, 1), habits)
        labelled = self.labelled[numbers]
        reached = off = None
        if labelled.any():
            thought, truth = stands.probability[labelled], self.truth[numbers][labelled]
            reached = achieved(thought, truth).accuracy
            off = margin((thought >= _HALF) == truth, self.group[numbers][labelled])
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


_HALF: Final = 0.5


def _judged(pairs: Drawn, labels: Labels, source: Source, progress: Progress) -> _Judged:
    """Learn from labelled pairs, or where there are none, from people who do not exist."""
    learning = partial(progress, "learning")
    judge = np.full(len(pairs), _UNLABELLED)
    truth, group = np.zeros(len(pairs), dtype=np.bool_), np.zeros(len(pairs), dtype=np.int64)
    if source == "made up":
        progress("making people up", 0, 1)
        made = made_up_pairs(pairs.index.schema)
        taught = teach(made.looks, made.left, made.right, made.same, learning)
        return _Judged(pairs, taught, judge, truth, group)
    _check(labels)
    order = np.argsort(labels.numbers)
    numbers, same = labels.numbers[order], labels.same[order]
    taught = teach(
        pairs.looks.some(numbers), pairs.left[numbers], pairs.right[numbers], same, learning
    )
    judge[numbers], truth[numbers] = taught.folds.of_pair, same
    group[numbers] = taught.folds.group
    return _Judged(pairs, taught, judge, truth, group)


def _check(labels: Labels) -> None:
    if len(labels.numbers) < FEWEST or labels.same.all() or not labels.same.any():
        raise SettingError(
            f"There are {len(labels.numbers):,} labelled pairs among those for people, and "
            f"{FEWEST} are needed, both of one person and of two, to learn anything from them. "
            f"Label more, or widen the band."
        )


def _some(stands: Reached, chosen: Flags) -> Reached:
    return Reached(
        stands.probability[chosen],
        stands.units[chosen],
        stands.characters[chosen],
        stands.steps[chosen],
    )


def _rising(points: Iterator[Point]) -> Iterator[Point]:
    """Leave out points that cost no more than the one before: there is nothing more to buy."""
    before: Point | None = None
    for point in points:
        if before is None or point.budget > before.budget:
            yield point
            before = point


def _at_kappa(
    judged: _Judged, kappa: int, band: Part, habits: Habits, progress: Progress
) -> Point | None:
    """Return the smallest budget at another κ that does what one at the usual κ can do."""
    terms = replace(judged.pairs.terms, kappa=kappa)
    other = replace(judged, pairs=replace(judged.pairs, terms=terms))
    frontier = other.paths(replace(walking.STEP_BY_STEP, name=f"κ = {kappa}"), progress)
    everything = np.ones(len(judged.pairs), dtype=np.bool_)
    needed = band.recommended(of_people=True).people
    numbers = np.flatnonzero(everything)
    for budget in BUDGETS:
        point = other._point(numbers, habits, other.within(frontier, everything, budget))  # noqa: SLF001  # of the same class
        if point.people >= needed:
            return point
    return None


def _worths(pairs: Drawn, frontier: Paths) -> dict[float, float]:
    """Return what a step must be worth within each budget."""
    size = len(pairs)
    return {budget: frontier.worth_within(pairs.units_within(budget, size)) for budget in BUDGETS}


def _prospects(pairs: Drawn, frontier: Paths, band: Part) -> Prospects:
    """Return what is expected of each pair within the smallest budget that does."""
    enough = band.recommended(of_people=True).budget
    worth = frontier.worth_within(pairs.units_within(enough, len(pairs)))
    reached = frontier.reached(worth)
    right = np.maximum(reached.probability, 1 - reached.probability)
    return Prospects(frontier.start, right, reached.units)


__all__ = ["SEED", "Labels", "Planned", "Prospects", "Terms", "make_forecast"]
