"""The k-anonymized privacy risk: risk of a row, prices of all next states of a pair, totals.

    K = κ / (2n·D) · Σ_i (1 / max(k(i), κ)) · Σ_j p(i,j)

over the 2n rows of a display of n pairs with D attributes. Figures that are shown are exact
fractions. What is charged are whole units of 10⁻⁹ of a row's risk, each row rounded up, so that
charges add up to the same sum in any order and never fall below the risk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Final, NamedTuple, cast

from mindfirl.core.display.cells import offered_levels
from mindfirl.core.display.compare import Difference, Relation
from mindfirl.core.errors import SettingError
from mindfirl.core.population.conditions import Possible, count_fitting
from mindfirl.core.population.index import Levels, PopulationIndex
from mindfirl.core.values.schema import (
    ACCOUNTINGS,
    LEVELS,
    MASKED,
    Accounting,
    Level,
    Pair,
    Schema,
    State,
    check_kappa,
    check_pair_count,
    level_number,
    one_of,
)

UNITS: Final = 10**9
"""Ledger units in a row risk of 1."""

ROWS: Final = (0, 1)

Display = Iterable[tuple[Pair, State]]
"""The pairs of an assignment, each in its state."""


class Step(NamedTuple):
    """The opening of an attribute to a level; its text form is ``level:attribute``."""

    attribute: str
    level: Level

    @classmethod
    def parse(cls, text: str) -> Step:
        """Read a step from its text form; attributes may contain colons, levels do not."""
        level, _, attribute = text.partition(":")
        one_of("level", level, LEVELS)
        return cls(attribute, cast("Level", level))

    def __str__(self) -> str:
        return f"{self.level}:{self.attribute}"


@dataclass(frozen=True, slots=True)
class View:
    """A pair in a state: how its records differ, and the level of every cell."""

    pair: Pair
    differences: tuple[Difference, ...]
    levels: Levels

    @property
    def records(self) -> tuple[int, int]:
        """The records on the two rows."""
        return self.pair.left, self.pair.right

    def raised(self, places: Collection[int], level: int) -> View:
        """Return the pair with some of its cells at a level."""
        levels = [level if place in places else old for place, old in enumerate(self.levels)]
        return View(self.pair, self.differences, tuple(levels))


@dataclass(frozen=True, slots=True)
class Risk:
    """The risk of a row: the sum of its shares shown, as ``shown / scale``, and its k."""

    shown: int
    scale: int
    k: int

    def over(self, kappa: int) -> tuple[int, int]:
        """Return the risk r(i) as a numerator and a denominator."""
        return self.shown, self.scale * max(self.k, kappa)

    def exact(self, kappa: int) -> Fraction:
        """Return the risk r(i)."""
        return Fraction(*self.over(kappa))

    def units(self, kappa: int) -> int:
        """Return the risk R(i) in whole ledger units, rounded up."""
        numerator, denominator = self.over(kappa)
        return -(-UNITS * numerator // denominator)


@dataclass(frozen=True, slots=True)
class Opening:
    """A step ahead of a pair: the risks of its two rows after it, and whether κ refuses it."""

    places: tuple[int, ...]
    level: int
    risks: tuple[Risk, Risk]
    refused: bool


@dataclass(frozen=True, slots=True)
class NextSteps:
    """A pair as it stands, and every step that could be next."""

    now: tuple[Risk, Risk]
    steps: dict[Step, Opening]


def view_pair(index: PopulationIndex, pair: Pair, state: State) -> View:
    """Compare a pair and put its cells at their levels; a swapped group has the higher one."""
    if not isinstance(pair, Pair) or not isinstance(state, Mapping):
        raise SettingError("Give a pair made by pair(left, right), and a state {attribute: level}.")
    given = {index.schema.place(name): level_number(level) for name, level in state.items()}
    differences = index.differences(index.pair(pair.left, pair.right))
    levels = [given.get(place, MASKED) for place in range(len(differences))]
    for first, second in index.schema.swaps:
        if differences[first].relation is Relation.SWAPPED:
            levels[first] = levels[second] = max(levels[first], levels[second])
    return View(pair, differences, tuple(levels))


def row_possible(index: PopulationIndex, view: View, row: int, accounting: Accounting) -> Possible:
    """Find the records that could be the one on a row."""
    record = view.records[row]
    conditions = index.row_conditions(record, view.differences, view.levels, row, accounting)
    return index.possible(conditions)


def row_risks(index: PopulationIndex, view: View, accounting: Accounting) -> tuple[Risk, Risk]:
    """Return the risks of the two rows of a pair."""
    one_of("accounting", accounting, ACCOUNTINGS)
    first, second = (_Row.of(index, view, row, accounting).risk for row in ROWS)
    return first, second


def next_steps(
    index: PopulationIndex, view: View, *, kappa: int, accounting: Accounting
) -> NextSteps:
    """Work out every next step of a pair: the characters it shows and whom it leaves possible.

    Levels nest, so the records that a step leaves are those of now that fit the opened cell too.
    """
    check_kappa(kappa)
    one_of("accounting", accounting, ACCOUNTINGS)
    rows = [_Row.of(index, view, row, accounting) for row in ROWS]
    floors = rows
    if kappa > 1 and accounting != "paper":
        floors = [_Row.of(index, view, row, "paper") for row in ROWS]
    steps: dict[Step, Opening] = {}
    for name, places, level in _openable(index.schema, view):
        opening = steps.get(Step(index.schema.names[places[0]], LEVELS[level]))
        if opening is None:
            first, second = (row.opened(index, view, places, level) for row in rows)
            lows = [first, second]
            if floors is not rows:
                lows = [row.opened(index, view, places, level) for row in floors]
            refused = any(risk.k < kappa for risk in lows)
            opening = Opening(places, level, (first, second), refused)
        steps[Step(name, LEVELS[level])] = opening
    return NextSteps((rows[0].risk, rows[1].risk), steps)


def prices(
    index: PopulationIndex,
    pair: Pair,
    state: State,
    *,
    pairs: int,
    kappa: int,
    accounting: Accounting,
) -> dict[Step, Fraction | None]:
    """Return by how much each next step raises K in this many pairs; None where κ refuses it."""
    view = view_pair(index, pair, state)
    look = next_steps(index, view, kappa=kappa, accounting=accounting)
    whole = 2 * check_pair_count(pairs) * len(index.schema.attributes)
    before, under = _sum(look.now, kappa)
    found: dict[Step, Fraction | None] = {}
    for step, opening in look.steps.items():
        after, below = _sum(opening.risks, kappa)
        rise = kappa * (after * under - before * below)
        found[step] = None if opening.refused else Fraction(rise, whole * below * under)
    return found


def charges(
    index: PopulationIndex, pair: Pair, state: State, *, kappa: int, accounting: Accounting
) -> dict[Step, int | None]:
    """Return what each next step costs in ledger units; None where the floor κ refuses it."""
    return next_charges(index, view_pair(index, pair, state), kappa=kappa, accounting=accounting)


def next_charges(
    index: PopulationIndex, view: View, *, kappa: int, accounting: Accounting
) -> dict[Step, int | None]:
    """Return the same of a pair that is compared already."""
    look = next_steps(index, view, kappa=kappa, accounting=accounting)
    before = units(look.now, kappa)
    return {
        step: None if opening.refused else units(opening.risks, kappa) - before
        for step, opening in look.steps.items()
    }


def units(risks: Iterable[Risk], kappa: int) -> int:
    """Return the risk of some rows in ledger units."""
    return sum(risk.units(kappa) for risk in risks)


def score(risks: Sequence[Risk], *, attributes: int, kappa: int) -> Fraction:
    """Return K of a display, given the risks of all its rows."""
    check_kappa(kappa)
    if not risks:
        raise SettingError("A display needs at least one pair.")
    total = exact_sum(risk.over(kappa) for risk in risks)
    return Fraction(kappa, len(risks) * attributes) * total


def within_budget(spent: int, budget: int, *, pairs: int, attributes: int, kappa: int) -> bool:
    """Say whether this many units of row risk are within a budget of whole 10⁻⁹."""
    return kappa * spent <= budget * 2 * pairs * attributes


def budget_for(spent: int, *, pairs: int, attributes: int, kappa: int) -> int:
    """Return the smallest budget, in whole 10⁻⁹, that this many units of row risk fit."""
    return -(-kappa * spent // (2 * pairs * attributes))


def units_within(budget: int, *, pairs: int, attributes: int, kappa: int) -> int:
    """Return how many units of row risk fit a budget of whole 10⁻⁹ at the most."""
    return budget * 2 * pairs * attributes // kappa


def exact_sum(terms: Iterable[tuple[int, int]]) -> Fraction:
    """Add fractions, given as numerators and denominators; like denominators first, then halves."""
    by_denominator: dict[int, int] = {}
    for numerator, denominator in terms:
        by_denominator[denominator] = by_denominator.get(denominator, 0) + numerator
    sums = [Fraction(numerator, denominator) for denominator, numerator in by_denominator.items()]
    while len(sums) > 1:
        sums = [sum(sums[place : place + 2], Fraction(0)) for place in range(0, len(sums), 2)]
    return sums[0] if sums else Fraction(0)


@dataclass(frozen=True, slots=True)
class _Row:
    row: int
    accounting: Accounting
    possible: Possible
    shares: tuple[tuple[int, int, int], ...]
    risk: Risk

    @classmethod
    def of(cls, index: PopulationIndex, view: View, row: int, accounting: Accounting) -> _Row:
        """Work out who is possible on a row now, and what each level of its cells shows."""
        possible = row_possible(index, view, row, accounting)
        shares, scale = _shares(view.differences, row)
        shown = sum(share[level] for share, level in zip(shares, view.levels, strict=True))
        return cls(row, accounting, possible, shares, Risk(shown, scale, possible.size))

    def opened(
        self, index: PopulationIndex, view: View, places: tuple[int, ...], level: int
    ) -> Risk:
        """Return the risk of the row once some cells are at a level."""
        shown, k = self.risk.shown, self.risk.k
        for place in places:
            shown += self.shares[place][level] - self.shares[place][view.levels[place]]
        if k > 1:
            record = view.records[self.row]
            conditions = [
                condition
                for place in places
                for condition in index.cell_conditions(
                    record,
                    place,
                    view.differences[place],
                    level,
                    row=self.row,
                    accounting=self.accounting,
                )
            ]
            k = count_fitting(self.possible, conditions)
        return Risk(shown, self.risk.scale, k)


def _shares(
    differences: Sequence[Difference], row: int
) -> tuple[tuple[tuple[int, int, int], ...], int]:
    """Return what each cell shows at each level, as numerators of a scale common to the row."""
    sides = [difference.sides[row] for difference in differences]
    scale = lcm(*(len(side.marks) or 1 for side in sides))
    return tuple(
        (0, len(side.edited) * scale // len(side.marks), scale)
        if difference.relation is Relation.EDITED
        else (0, 0, scale if side.marks else 0)
        for difference, side in zip(differences, sides, strict=True)
    ), scale


def _openable(schema: Schema, view: View) -> Iterator[tuple[str, tuple[int, ...], int]]:
    """List the steps that a person may take: attribute, cells that open, level."""
    partners = {
        place: group
        for group in schema.swaps
        for place in group
        if view.differences[place].relation is Relation.SWAPPED
    }
    for place, name in enumerate(schema.names):
        for level in offered_levels(view.differences[place]):
            number = LEVELS.index(level)
            if number > view.levels[place]:
                yield name, partners.get(place, (place,)), number


def _sum(risks: tuple[Risk, Risk], kappa: int) -> tuple[int, int]:
    """Add the risks of two rows without reducing the fraction."""
    (first, under), (second, below) = risks[0].over(kappa), risks[1].over(kappa)
    return first * below + second * under, under * below
