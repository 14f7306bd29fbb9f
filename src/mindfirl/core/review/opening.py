"""The rule of an opening: which cells open together, what that costs, and why it is refused.

A person asks for a step and names the state of the pair that their page showed. The step opens
nothing where its cells are open already or the page was stale. Else it is refused, in this order:

``kappa``
    a row would leave fewer than κ records possible.
``budget``
    the charge is more than is left of the budget; or, where prices are banded, the banded price is,
    so that a refusal tells no more than the price.
``together``
    all people of the project would have seen more of these records than its limit allows. Where
    prices are banded, the hidden values count as the rarest there could be.

What is not refused is charged its exact price. Everything here is pure; who owns a pair, locks and
the ledger are the business of ``services.review.disclosure``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Final, Literal, get_args

from mindfirl.core.display.cells import offered_levels
from mindfirl.core.display.compare import Relation
from mindfirl.core.errors import NothingToOpen
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.attackers import AnySighting, Sighting, record_units
from mindfirl.core.risk.banded import banded_price_together, next_banded_prices
from mindfirl.core.risk.kapr import ROWS, Step, View, row_risks, units
from mindfirl.core.values.schema import LEVELS, MASKED, Level, Schema, level_number

Refusal = Literal["kappa", "budget", "together"]
REFUSALS: Final[tuple[Refusal, ...]] = get_args(Refusal)
"""Why an opening is refused, in this order."""


@dataclass(frozen=True, slots=True)
class OpenPair:
    """A pair as its person sees it, and how many cells were opened in it."""

    view: View
    opened: int = 0


@dataclass(frozen=True, slots=True)
class Wanted:
    """A step (for every cell, if it has no attribute), and how many cells were open on the page."""

    step: Step
    seen: int


@dataclass(frozen=True, slots=True)
class ProjectTotal:
    """What all people of a project have seen, in units, and the most they may see.

    ``elsewhere`` are the other rows on which the records of the pair are shown, by record: people
    who talk, or who see a record in several pairs, know what all its rows show. ``version`` is that
    of the pair, and ``outdated`` the attributes that its records have otherwise in a newer one;
    ``names`` calls attributes as they are known across versions.
    """

    seen: int
    limit: int | None = None
    elsewhere: Mapping[int, Sequence[AnySighting]] = field(default_factory=dict)
    version: int = 0
    outdated: Mapping[int, frozenset[str]] = field(default_factory=dict)
    names: tuple[str, ...] = ()

    def after(
        self, index: PopulationIndex, terms: Terms, before: View, after: View
    ) -> tuple[int, bool]:
        """Return what all have seen after a step of one pair, and whether that is allowed."""
        seen = told = self.seen
        banded = terms.prices == "banded" and self.limit is not None
        for row in ROWS:
            now, then = (
                [*self.elsewhere.get(view.records[row], ()), self._row(index, terms, view, row)]
                for view in (before, after)
            )
            spent, rise = record_units(now), record_units(then)
            seen += rise - spent
            told += (record_units(then, worst=True) if banded else rise) - spent
        return seen, self.limit is None or told <= self.limit

    def _row(self, index: PopulationIndex, terms: Terms, view: View, row: int) -> Sighting:
        outdated = self.outdated.get(view.records[row], frozenset())
        known = (self.version, outdated, self.names)
        return Sighting(index, view, row, terms.accounting, *known)


@dataclass(frozen=True, slots=True)
class Totals:
    """What an assignment may spend and has spent, in units; the project's total, where counted."""

    pairs: int
    budget: int
    limit: int
    spent: int = 0
    project: ProjectTotal | None = None

    @property
    def left(self) -> Fraction:
        """The share of the budget that is left."""
        return Fraction(self.limit - self.spent, self.limit) if self.limit else Fraction(0)

    def banding(self, terms: Terms) -> dict[str, Any]:
        """Return what banded prices depend on beside the pair."""
        about = {"pairs": self.pairs, "budget": self.budget}
        return {**about, "kappa": terms.kappa, "accounting": terms.accounting}


@dataclass(frozen=True, slots=True)
class Opened:
    """Cells open to a level, for a charge in units; ``project_seen`` is the project's new total."""

    cells: tuple[str, ...]
    level: Level
    charge: int
    view: View
    project_seen: int | None


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing opens, and nothing is charged."""

    cells: tuple[str, ...]
    level: Level
    reason: Refusal


@dataclass(frozen=True, slots=True)
class Stale:
    """The page had shown another state of the pair: nothing opens, and nothing is charged."""


@dataclass(frozen=True, slots=True)
class AlreadyOpen:
    """All cells of the step are open to its level or further."""


Outcome = Opened | Refused | Stale | AlreadyOpen


def attempt(
    index: PopulationIndex, terms: Terms, pair: OpenPair, wanted: Wanted, totals: Totals
) -> Outcome:
    """Decide what becomes of a step; raise :class:`NothingToOpen` where there is no such step."""
    before, level = pair.view, wanted.step.level
    places = rising_cells(index.schema, before, wanted.step)
    if not places:
        return AlreadyOpen()
    if wanted.seen != pair.opened:
        return Stale()
    after = before.raised(places, level_number(level))
    cells = tuple(index.schema.names[place] for place in places)
    charge = charge_for(index, terms, units_of(index, terms, before), after)
    if charge is None:
        return Refused(cells, level, "kappa")
    if totals.spent + charge > totals.limit or _beyond_band(index, terms, totals, before, after):
        return Refused(cells, level, "budget")
    seen, allowed = None, True
    if totals.project:
        seen, allowed = totals.project.after(index, terms, before, after)
    if not allowed:
        return Refused(cells, level, "together")
    return Opened(cells, level, charge, after, seen)


def rising_cells(schema: Schema, view: View, step: Step) -> tuple[int, ...]:
    """Return the cells that a step raises, with their swapped partners; none if all are open."""
    level = level_number(step.level)
    chosen = [schema.place(step.attribute)] if step.attribute else range(len(view.levels))
    having = [place for place in chosen if step.level in offered_levels(view.differences[place])]
    if level == MASKED or not having:
        raise NothingToOpen
    rising = {place for place in having if view.levels[place] < level}
    for group in schema.swaps:
        if rising & set(group) and view.differences[group[0]].relation is Relation.SWAPPED:
            rising |= {place for place in group if view.levels[place] < level}
    return tuple(sorted(rising))


def units_of(index: PopulationIndex, terms: Terms, view: View) -> int:
    """Return what a pair costs as it is shown, in units."""
    return units(row_risks(index, view, terms.accounting), terms.kappa)


def charge_for(index: PopulationIndex, terms: Terms, spent: int, after: View) -> int | None:
    """Return what it costs to show a pair that cost this many units; None where κ refuses it.

    κ bounds the records that are possible by what is shown: those of the published accounting.
    """
    kappa = terms.kappa
    if kappa > 1 and any(risk.k < kappa for risk in row_risks(index, after, "paper")):
        return None
    return units_of(index, terms, after) - spent


def _beyond_band(
    index: PopulationIndex, terms: Terms, totals: Totals, before: View, after: View
) -> bool:
    """Say whether a step has a banded price that is more than is left."""
    if terms.prices != "banded":
        return False
    places = [place for place, level in enumerate(before.levels) if after.levels[place] != level]
    level = after.levels[places[0]]
    if len(places) > 1:
        price = banded_price_together(index, before, places, level, **totals.banding(terms))
    else:
        step = Step(index.schema.names[places[0]], LEVELS[level])
        price = next_banded_prices(index, before, **totals.banding(terms))[step]
    return price > totals.left
