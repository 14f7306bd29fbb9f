"""The ways of many pairs from masked to open, each step chosen by what can be seen before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from mindfirl.core.forecast.habits import Habits
from mindfirl.core.forecast.paths import Paths
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.banded import next_banded_prices
from mindfirl.core.risk.kapr import UNITS, View, next_steps, units
from mindfirl.core.values.schema import FULL, MASKED, Pair
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.planner.opening_policy import Candidate, PairState, Policy, reading_gains, worth
from mindfirl.planner.reviewer.pair_features import Looks, Numbers, state_rows

SURE: Final = 0.99
"""What is thought with this probability is sure enough: nothing more is opened."""
LEAST_GAIN: Final = 1e-5
_AT_ONCE: Final = 500

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Portion:
    """What one reviewer is thought to get: pairs, and a budget in 10⁻⁹; bands depend on both."""

    pairs: int = 500
    budget: int = 50_000_000


TYPICAL: Final = Portion()


@dataclass(frozen=True, slots=True)
class Order:
    """Which step comes next, and how much a budget must think it worth.

    Both are told by the step's gain, the step, and how unsure the pair is. ``weighs`` says whether
    gains are looked at; where they are, a step without any is not taken. ``reads`` says whether it
    is a gain, too, that people slip less often once they can read what differs.
    """

    name: str
    rank: Callable[[float, Candidate, float], float]
    needed: Callable[[float, Candidate, float], float]
    weighs: bool = True
    reads: bool = False


def _worth(gain: float, step: Candidate, _unsure: float) -> float:
    return worth(gain, step.price)


def _unsureness(_gain: float, _step: Candidate, unsure: float) -> float:
    return unsure


STEP_BY_STEP: Final = Order("step by step", _worth, _worth, reads=True)
"""The best gain for its price, to the machine reviewer and to people, while that is worth it."""
AS_SUGGESTED: Final = Order("as suggested", _worth, _worth)
"""The best gain for its price to the machine reviewer alone: suggestions know no other."""
UNTIL_SURE: Final = Order("until sure", lambda gain, _step, _unsure: gain, _unsureness)
"""The best gain, whatever it costs, until sure."""
CHEAPEST: Final = Order(
    "cheapest first", lambda _gain, step, _unsure: -step.price, _unsureness, weighs=False
)
"""The cheapest step, whatever it may tell, until sure."""


def any_order(seed: int) -> Order:
    dice = np.random.default_rng(seed)
    return Order(
        "random order", lambda _gain, _step, _unsure: dice.random(), _unsureness, weighs=False
    )


@dataclass(slots=True, eq=False, repr=False)
class _Walker:
    number: int
    levels: list[int]
    probability: float = 0.0
    least: float = np.inf
    steps: list[tuple[float, int, int, int, float]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Drawn:
    index: PopulationIndex
    left: Positions
    right: Positions
    looks: Looks
    terms: Terms
    portion: Portion = TYPICAL
    habits: Habits = field(default_factory=Habits)
    differing: Numbers = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "differing", self.looks.differing)

    def __len__(self) -> int:
        return len(self.left)

    @property
    def whole(self) -> int:
        """The units of a pair whose two rows show everything of a single person."""
        return 2 * len(self.index.schema.names) * UNITS

    def units_within(self, budget: float, pairs: int) -> int:
        return int(budget * self.whole * pairs / self.terms.kappa)

    def some(self, chosen: Numbers) -> Drawn:
        left, right = self.left[chosen], self.right[chosen]
        return replace(self, left=left, right=right, looks=self.looks.some(chosen))

    def view(self, number: int, levels: Sequence[int]) -> View:
        pair = Pair(int(self.left[number]), int(self.right[number]))
        return View(pair, self.looks.differences[number], tuple(levels))


def walk(
    drawn: Drawn,
    policy: Policy,
    *,
    order: Order = STEP_BY_STEP,
    progress: Progress = lambda _done, _steps: None,
) -> Paths:
    """Open the cells of pairs, one after the other, as far as it can be worth anything."""
    size, width = drawn.looks.tells.shape[:2]
    starts: list[float] = []
    walkers: list[_Walker] = []
    for start in range(0, size, _AT_ONCE):
        progress(start, size)
        some = [_Walker(n, [MASKED] * width) for n in range(start, min(start + _AT_ONCE, size))]
        _ask_reviewer(some, drawn, policy)
        starts += [walker.probability for walker in some]
        _walk_together(some, drawn, policy, order)
        walkers += some
    progress(size, size)
    return _paths(starts, walkers)


def _walk_together(walkers: Sequence[_Walker], drawn: Drawn, policy: Policy, order: Order) -> None:
    moving = [each for each in walkers if _goes_on(each, drawn, order)]
    while moving:
        standing = [_standing(each, drawn) for each in moving]
        gains = _gains(policy, standing, order, drawn, moving)
        moved = [
            each
            for each, (pair, charges), gained in zip(moving, standing, gains, strict=True)
            if _step(each, (pair, charges), gained, order, drawn)
        ]
        _ask_reviewer(moved, drawn, policy)
        for each in moved:
            each.steps[-1] = (*each.steps[-1][:4], each.probability)
        moving = [each for each in moved if _goes_on(each, drawn, order)]


def _goes_on(walker: _Walker, drawn: Drawn, order: Order) -> bool:
    """Say whether there is more to know of a pair, or more for people to read."""
    if _unsure(walker) > 1 - SURE:
        return True
    shown = _shown(drawn.differing[walker.number], walker.levels)
    whole = _shown(drawn.differing[walker.number], [FULL] * len(walker.levels))
    return order.reads and shown < whole


def _gains(
    policy: Policy,
    standing: Sequence[tuple[PairState, list[int]]],
    order: Order,
    drawn: Drawn,
    walkers: Sequence[_Walker],
) -> list[list[float]]:
    """Return the gains of steps; of pairs that are sure, nothing is left to know."""
    found = [[0.0] * len(pair.candidates) for pair, _ in standing]
    if not order.weighs:
        return found
    unsure = [n for n, walker in enumerate(walkers) if _unsure(walker) > 1 - SURE]
    known = policy.gains([standing[number][0] for number in unsure])
    for number, gains in zip(unsure, known, strict=True):
        found[number] = gains
    if order.reads:
        for gains, (pair, _), walker in zip(found, standing, walkers, strict=True):
            read = reading_gains(pair, drawn.differing[walker.number], drawn.habits)
            gains[:] = [max(one, 0.0) + other for one, other in zip(gains, read, strict=True)]
    return found


def _unsure(walker: _Walker) -> float:
    return min(walker.probability, 1 - walker.probability)


def _ask_reviewer(walkers: Sequence[_Walker], drawn: Drawn, policy: Policy) -> None:
    if not walkers:
        return
    numbers = [each.number for each in walkers]
    rows = state_rows(drawn.looks.tells[numbers], np.array([each.levels for each in walkers]))
    for each, probability in zip(walkers, policy.probability(rows).tolist(), strict=True):
        each.probability = probability


def _standing(walker: _Walker, drawn: Drawn) -> tuple[PairState, list[int]]:
    number, looks = walker.number, drawn.looks
    view = drawn.view(number, walker.levels)
    priced = list(priced_steps(drawn.index, view, drawn.terms, drawn.portion))
    pair = PairState(
        looks.tells[number, np.arange(len(walker.levels)), walker.levels],
        walker.levels,
        looks.appearance[number],
        looks.coarse[number],
        walker.probability,
        [step for step, _ in priced],
    )
    return pair, [charge for _, charge in priced]


def priced_steps(
    index: PopulationIndex, view: View, terms: Terms, portion: Portion
) -> Iterator[tuple[Candidate, int]]:
    look = next_steps(index, view, kappa=terms.kappa, accounting=terms.accounting)
    bands = {}
    if terms.prices == "banded":
        bands = next_banded_prices(
            index,
            view,
            pairs=portion.pairs,
            budget=portion.budget,
            kappa=terms.kappa,
            accounting=terms.accounting,
        )
    whole = portion.budget * 2 * portion.pairs * len(index.schema.names)
    before = units(look.now, terms.kappa)
    known = set()
    for step, opening in look.steps.items():
        if (opening.places, opening.level) in known or opening.refused:
            continue
        known.add((opening.places, opening.level))
        charge = units(opening.risks, terms.kappa) - before
        price = int(bands[step] * whole / terms.kappa) if bands else charge
        yield Candidate(opening.places, opening.level, price), charge


def _step(
    walker: _Walker,
    standing: tuple[PairState, Sequence[int]],
    gains: Sequence[float],
    order: Order,
    drawn: Drawn,
) -> bool:
    (pair, charges), unsure = standing, _unsure(walker)
    ranked = [
        (order.rank(gain, step, unsure), -number)
        for number, (gain, step) in enumerate(zip(gains, pair.candidates, strict=True))
        if gain > LEAST_GAIN or not order.weighs
    ]
    if not ranked:
        return False
    number = -max(ranked)[1]
    step, charge = pair.candidates[number], charges[number]
    for place in step.places:
        walker.levels[place] = step.level
    walker.least = min(walker.least, order.needed(gains[number], step, unsure))
    shown = _shown(drawn.looks.shows[walker.number], walker.levels)
    differing = _shown(drawn.differing[walker.number], walker.levels)
    walker.steps.append((walker.least, charge, shown, differing, walker.probability))
    return True


def _shown(shows: Numbers, levels: Sequence[int]) -> int:
    return sum(int(shows[place, level]) for place, level in enumerate(levels))


def _paths(starts: Sequence[float], walkers: Sequence[_Walker]) -> Paths:
    steps = [(walker.number, *step) for walker in walkers for step in walker.steps]
    columns = np.array(steps, dtype=np.float64).reshape(-1, 6).T
    return Paths(
        np.array(starts, dtype=np.float64),
        columns[0].astype(np.int64),
        columns[1],
        columns[2].astype(np.int64),
        columns[3].astype(np.int64),
        columns[4].astype(np.int64),
        columns[5],
    )
