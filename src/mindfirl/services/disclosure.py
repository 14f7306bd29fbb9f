"""Openings: the only place where values become characters for a person.

A pair is drawn from what the ledger says is open, and nothing else. An opening is one transaction:
the project's ledger is locked, the pair's state is read, the price is made and held against κ and
the budget, the entry is appended; only when that is safe on the disk are the characters drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final, cast
from uuid import UUID

from django.db.models import F

from mindfirl.core.banded import banded_prices
from mindfirl.core.display import Sign, cell, disclosed, levels
from mindfirl.core.errors import NothingToOpen, NotOpen, NotYours
from mindfirl.core.events import Opened, Refused
from mindfirl.core.events import Reason as Refusal
from mindfirl.core.kapr import View, charges, row_risks, units, view
from mindfirl.core.population.arrays import restore
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.schema import LEVELS, MASKED, PARTIAL, Level, Pair, one_of
from mindfirl.engine.indexes import index_arrays
from mindfirl.engine.schemas import parse_schema
from mindfirl.store import vault
from mindfirl.store.at_hand import AtHand
from mindfirl.store.faults import reach
from mindfirl.store.ledger import append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell
from mindfirl.store.writing import writing

_POPULATIONS: Final = AtHand[PopulationIndex](most=4)
"""The indexes of the assignments that this process was asked for last, shared by its threads."""


@dataclass(frozen=True, slots=True)
class Step:
    """A level that a cell can be opened to, and the share of the budget that it takes.

    Where κ refuses it, and that may be told, it takes nothing that could be said.
    """

    level: Level
    takes: Fraction | None
    affordable: bool


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as its person sees it: signs of two rows, marks, and the steps ahead."""

    attribute: str
    level: Level
    rows: tuple[tuple[Sign, ...], tuple[Sign, ...]]
    marks: tuple[str, ...]
    frequencies: tuple[str, str]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class ShownPair:
    """A pair as its person sees it; ``state`` counts what was opened in it.

    ``steps`` are those that open several cells at once; none where prices are banded.
    """

    token: str
    number: int
    state: int
    cells: tuple[ShownCell, ...]
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Meters:
    """What is spent of the budget, and how many characters are shown of how many."""

    spent: Fraction
    shown: int
    characters: int


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an opening: the pair as it is now, and why it was refused, if it was.

    ``stale`` says that the page had shown another state: nothing was opened or charged.
    """

    pair: ShownPair
    meters: Meters
    refused: Refusal | None = None
    stale: bool = False


def assignment_of(*, account: Account, assignment: UUID) -> Assignment:
    """Return an assignment of a person; those of others do not exist for them."""
    found = Assignment.objects.select_related("project", "version__index")
    mine = found.filter(pk=assignment, account=account).first()
    if mine is None:
        raise NotYours
    return mine


def show_pairs(*, assignment: Assignment, numbers: Iterable[int]) -> list[ShownPair]:
    """Draw pairs of an assignment, by their numbers, as far as they are open."""
    index = _population(assignment)
    rows = assignment.pairs.filter(number__in=list(numbers), withdrawn=False)
    return [
        _drawn(index, assignment, row, opened)
        for row in rows.prefetch_related("open_cells")
        for opened in [list(row.open_cells.all())]
    ]


def meters_of(*, assignment: Assignment) -> Meters:
    """Say what an assignment has spent and shown; nothing is written by looking."""
    shown, characters = assignment.shown, assignment.characters
    if characters is None:
        shown, characters = _counted(assignment)
    spent = Fraction(assignment.spent, assignment.limit) if assignment.limit else Fraction(0)
    return Meters(spent, shown, characters)


def open_cell(
    *,
    account: Account,
    assignment: UUID,
    token: str,
    attribute: str,
    level: Level,
    seen: int,
    now: datetime,
) -> Answer:
    """Open one cell of a pair to a level, for its price; asked again, it costs nothing."""
    return _open(account, assignment, _Wanted(token, (attribute,), level, seen), now)


def open_row(
    *, account: Account, assignment: UUID, token: str, level: Level, seen: int, now: datetime
) -> Answer:
    """Open every cell of a pair that has a level, all or nothing, for one price."""
    return _open(account, assignment, _Wanted(token, (), level, seen), now)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is to be opened: some cells of a pair, or all that have the level."""

    token: str
    attributes: tuple[str, ...]
    level: Level
    seen: int

    def __post_init__(self) -> None:
        one_of("level", self.level, LEVELS)


def _open(account: Account, number: UUID, wanted: _Wanted, now: datetime) -> Answer:
    mine = assignment_of(account=account, assignment=number)
    index = _population(mine)
    with writing():
        locked_head(mine.project)
        mine.refresh_from_db()
        if mine.characters is None:
            _keep_count(mine)
        if mine.state != "open":
            raise NotOpen(mine.state)
        row = mine.pairs.filter(token=wanted.token, withdrawn=False).first()
        if row is None:
            raise NotYours
        opened = list(row.open_cells.all())
        refused, stale = _step(index, mine, row, opened, wanted, now)
        reach("before commit")
    reach("after commit")
    opened = list(row.open_cells.all())
    answer = Answer(_drawn(index, mine, row, opened), meters_of(assignment=mine), refused, stale)
    reach("before answer")
    return answer


def _step(  # noqa: PLR0917  # all that an opening depends on
    index: PopulationIndex,
    mine: Assignment,
    row: AssignedPair,
    opened: Sequence[OpenCell],
    wanted: _Wanted,
    now: datetime,
) -> tuple[Refusal | None, bool]:
    """Take a step, or refuse it, within the transaction; say why, and whether the page was old."""
    if not wanted.attributes and mine.settings["prices"] == "banded":
        raise NothingToOpen  # no price for it was shown
    before = _seen(index, mine, row, opened)
    places = _places(index, before, wanted)
    if not places:
        return None, False  # it is open already
    if wanted.seen != len(opened):
        return None, True
    after = _raised(before, places, LEVELS.index(wanted.level))
    refused, charge = _price(index, mine, before, after, wanted)
    names = tuple(index.schema.names[place] for place in places)
    about = (str(mine.pk), row.number, names, wanted.level)
    event = Refused(*about, refused) if refused else Opened(*about, charge)
    head = append(mine.project, at=now, actor=str(mine.account_id), events=[event])
    if not refused:
        OpenCell.objects.bulk_create(
            OpenCell(pair=row, attribute=name, level=wanted.level, entry=head.entries)
            for name in names
        )
        mine.spent += charge
        mine.shown += _shown(after) - _shown(before)
        Assignment.objects.filter(pk=mine.pk).update(
            spent=F("spent") + charge, shown=F("shown") + _shown(after) - _shown(before)
        )
    return refused, False


def _price(
    index: PopulationIndex, mine: Assignment, before: View, after: View, wanted: _Wanted
) -> tuple[Refusal | None, int]:
    """Make the price of a step in units, and hold it against κ and the budget."""
    charge = _charge(index, mine, before, after)
    if charge is None:
        return "kappa", 0
    if mine.spent + charge > mine.limit or _beyond_band(index, mine, before, wanted):
        return "budget", 0
    return None, charge


def _charge(index: PopulationIndex, mine: Assignment, before: View, after: View) -> int | None:
    """Return what a step costs in units; nothing where κ refuses it."""
    kappa, accounting = mine.settings["kappa"], mine.settings["accounting"]
    if kappa > 1 and any(risk.k < kappa for risk in row_risks(index, after, "paper")):
        return None
    now, then = (units(row_risks(index, seen, accounting), kappa) for seen in (before, after))
    return then - now


def _beyond_band(index: PopulationIndex, mine: Assignment, before: View, wanted: _Wanted) -> bool:
    """Say whether a banded price is more than is left: a refusal tells no more than the price."""
    if mine.settings["prices"] != "banded" or not wanted.attributes:
        return False
    price = _banded(index, mine, before).get((wanted.attributes[0], wanted.level))
    left = Fraction(mine.limit - mine.spent, mine.limit)
    return price is not None and price > left


def _places(index: PopulationIndex, before: View, wanted: _Wanted) -> tuple[int, ...]:
    """Return the cells that a step raises; none where all are open already."""
    level = LEVELS.index(wanted.level)
    named = [index.schema.place(name) for name in wanted.attributes]
    for place in named:
        if wanted.level not in levels(before.differences[place]) or level == MASKED:
            raise NothingToOpen
    chosen = named or _having(before, wanted.level)
    if not chosen or level == MASKED:
        raise NothingToOpen
    raised = {place for place in chosen if before.levels[place] < level}
    for group in index.schema.swaps:  # cells that are swapped open together
        if raised & set(group) and before.differences[group[0]].relation.value == "swapped":
            raised |= {place for place in group if before.levels[place] < level}
    return tuple(sorted(raised))


def _having(seen: View, level: Level) -> list[int]:
    """Return the cells that have a level."""
    return [place for place, each in enumerate(seen.differences) if level in levels(each)]


def _raised(seen: View, places: Iterable[int], level: int) -> View:
    among = set(places)
    changed = tuple(level if place in among else old for place, old in enumerate(seen.levels))
    return replace(seen, levels=changed)


def _seen(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Iterable[OpenCell]
) -> View:
    """Return a pair with its cells at the levels to which they are open."""
    state: dict[str, Level] = dict(mine.settings["starting"])
    state |= dict(row.lower)
    for each in opened:
        level = cast("Level", each.level)
        state[each.attribute] = max(
            state.get(each.attribute, LEVELS[MASKED]), level, key=LEVELS.index
        )
    return view(index, Pair(row.left, row.right), state)


def _drawn(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Sequence[OpenCell]
) -> ShownPair:
    """Draw a pair, with the price of every step ahead."""
    seen = _seen(index, mine, row, opened)
    steps = _steps(index, mine, seen)
    cells = tuple(
        ShownCell(
            attribute=name,
            level=LEVELS[seen.levels[place]],
            rows=drawn.rows,
            marks=drawn.marks,
            frequencies=(index.frequency(row.left, place), index.frequency(row.right, place)),
            steps=tuple(steps.get(name, ())),
        )
        for place, name in enumerate(index.schema.names)
        for drawn in [cell(seen.differences[place], LEVELS[seen.levels[place]])]
    )
    return ShownPair(row.token, row.number, len(opened), cells, _row_steps(index, mine, seen))


def _steps(index: PopulationIndex, mine: Assignment, seen: View) -> dict[str, list[Step]]:
    """Return the steps ahead of each cell, with their prices as shares of the budget."""
    found: dict[str, list[Step]] = {}
    if mine.settings["prices"] == "banded":
        share = Fraction(mine.limit - mine.spent, mine.limit) if mine.limit else Fraction(0)
        for (name, level), price in _banded(index, mine, seen).items():
            found.setdefault(name, []).append(Step(level, price, price <= share))
        return found
    kappa, accounting = mine.settings["kappa"], mine.settings["accounting"]
    state = dict(zip(index.schema.names, (LEVELS[level] for level in seen.levels), strict=True))
    priced = charges(index, seen.pair, state, kappa=kappa, accounting=accounting)
    for (name, level), charge in priced.items():
        found.setdefault(name, []).append(_step_for(mine, level, charge))
    return found


def _row_steps(index: PopulationIndex, mine: Assignment, seen: View) -> tuple[Step, ...]:
    """Return the steps that open several cells at once, where their price may be told exactly."""
    found: list[Step] = []
    if mine.settings["prices"] == "banded":
        return ()
    for number, level in enumerate(LEVELS[PARTIAL:], start=PARTIAL):
        places = [place for place in _having(seen, level) if seen.levels[place] < number]
        if len(places) > 1:
            after = _raised(seen, places, number)
            found.append(_step_for(mine, level, _charge(index, mine, seen, after)))
    return tuple(found)


def _step_for(mine: Assignment, level: Level, charge: int | None) -> Step:
    takes = None if charge is None else Fraction(charge, mine.limit or 1)
    return Step(level, takes, charge is not None and charge <= mine.limit - mine.spent)


def _banded(
    index: PopulationIndex, mine: Assignment, seen: View
) -> dict[tuple[str, Level], Fraction]:
    state = dict(zip(index.schema.names, (LEVELS[level] for level in seen.levels), strict=True))
    return banded_prices(
        index,
        seen.pair,
        state,
        pairs=mine.size,
        budget=mine.budget,
        kappa=mine.settings["kappa"],
        accounting=mine.settings["accounting"],
    )


def _shown(seen: View) -> int:
    """Count the characters that a pair shows."""
    return sum(
        shown
        for difference, level in zip(seen.differences, seen.levels, strict=True)
        for shown, _ in disclosed(difference, level)
    )


def _counted(mine: Assignment) -> tuple[int, int]:
    """Count the characters that the pairs of an assignment show, and have."""
    index = _population(mine)
    shown = characters = 0
    for row in mine.pairs.prefetch_related("open_cells"):
        seen = _seen(index, mine, row, row.open_cells.all())
        shown += _shown(seen)
        characters += sum(
            len(side.marks) for difference in seen.differences for side in difference.sides
        )
    return shown, characters


def _keep_count(mine: Assignment) -> None:
    """Keep the count from the first opening on: from then on it is only added to."""
    mine.shown, mine.characters = _counted(mine)
    mine.save(update_fields=["shown", "characters"])


def _population(mine: Assignment) -> PopulationIndex:
    """Return the index of an assignment's records, as it displays them."""
    shown: dict[str, Any] = {
        "date_swap": mine.settings["date_swaps"],
        "frequency": mine.settings["frequency_bands"] == "on",
    }

    def opened() -> PopulationIndex:
        schema = parse_schema(mine.version.schema, "the project's schema").schema
        return restore(schema.displayed(**shown), index_arrays(vault.unseal(mine.version.index)))

    return _POPULATIONS.get(mine.version.index.name, tuple(shown.items()), opened)
