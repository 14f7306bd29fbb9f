"""An opening: one transaction from the lock on the ledger to the entry that tells of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from mindfirl.core.display.cells import offered_levels
from mindfirl.core.errors import NothingToOpen, NotOpen, NotYours
from mindfirl.core.ledger.events import Opened, Refused
from mindfirl.core.ledger.events import Reason as Refusal
from mindfirl.core.ledger.replay import Head
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import View
from mindfirl.core.values.schema import LEVELS, MASKED, Level, one_of
from mindfirl.services.review.disclosure.drawing import (
    ShownPair,
    banded_of,
    banded_together,
    drawn_pair,
    drawn_view,
    left_of,
)
from mindfirl.services.review.disclosure.opened import (
    charge_of,
    counted,
    having,
    population_of,
    seen_of,
    shown_in,
)
from mindfirl.services.review.disclosure.project_total import together_after
from mindfirl.store.faults import reach
from mindfirl.store.hot_path.openings import current_pair, keep_cell, keep_spent, open_cells
from mindfirl.store.ledger.writer import LockedHead, append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell
from mindfirl.store.queries.reviews import own_assignment
from mindfirl.store.transactions import writing


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
    mine = own_assignment(account, assignment)
    if mine is None:
        raise NotYours
    return mine


def show_pairs(*, assignment: Assignment, numbers: Iterable[int]) -> list[ShownPair]:
    """Draw pairs of an assignment, by their numbers, as far as they are open."""
    index = population_of(assignment)
    rows = assignment.pairs.filter(number__in=list(numbers), withdrawn=False)
    return [
        drawn_pair(index, assignment, row, opened)
        for row in rows.prefetch_related("open_cells")
        for opened in [list(row.open_cells.all())]
    ]


def meters_of(*, assignment: Assignment) -> Meters:
    """Say what an assignment has spent and shown; nothing is written by looking."""
    shown, characters = assignment.shown, assignment.characters
    if characters is None:
        shown, characters = counted(assignment)
    spent = Fraction(assignment.spent, assignment.limit) if assignment.limit else Fraction(0)
    return Meters(spent, shown, characters)


def open_cell(
    *,
    account: Account,
    assignment: Assignment,
    token: str,
    attribute: str,
    level: Level,
    seen: int,
    now: datetime,
) -> Answer:
    """Open one cell of a pair to a level, for its price; asked again, it costs nothing."""
    return _open(account, assignment, _Wanted(token, (attribute,), level, seen), now)


def open_row(
    *, account: Account, assignment: Assignment, token: str, level: Level, seen: int, now: datetime
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


@dataclass(frozen=True, slots=True)
class _Desk:
    """All that an opening depends on, read while the ledger is locked."""

    index: PopulationIndex
    mine: Assignment
    row: AssignedPair
    opened: list[OpenCell]
    ledger: LockedHead


def _open(account: Account, mine: Assignment, wanted: _Wanted, now: datetime) -> Answer:
    if mine.account_id != account.pk:
        raise NotYours
    index = population_of(mine)
    with writing():
        desk = _at_desk(index, mine, wanted)
        refused, stale, seen = _step(desk, wanted, now)
        reach("before commit")
    reach("after commit")
    pair = drawn_view(index, mine, desk.row, seen, len(desk.opened))
    answer = Answer(pair, meters_of(assignment=mine), refused, stale)
    reach("before answer")
    return answer


def _at_desk(index: PopulationIndex, mine: Assignment, wanted: _Wanted) -> _Desk:
    """Lock the ledger, and read how the assignment and the pair stand now."""
    ledger = locked_head(mine.project)
    row = current_pair(mine, wanted.token)
    if row is None:
        raise NotYours
    if mine.state != "open":
        raise NotOpen(mine.state)
    if mine.characters is None:
        _keep_count(mine)
    return _Desk(index, mine, row, open_cells(row), ledger)


def _step(desk: _Desk, wanted: _Wanted, now: datetime) -> tuple[Refusal | None, bool, View]:
    """Take a step, or refuse it, within the transaction.

    Say why it was refused, whether the page was old, and how the pair stands then.
    """
    before = seen_of(desk.index, desk.mine, desk.row, desk.opened)
    places = _places(desk.index, before, wanted)
    if not places:
        return None, False, before  # it is open already
    if wanted.seen != len(desk.opened):
        return None, True, before
    after = before.raised(places, LEVELS.index(wanted.level))
    refused, charge = _price(desk, before, after, places)
    together = None if refused else together_after(desk.mine, desk.row, after, desk.ledger.together)
    if together and not together.allowed:
        refused = "together"
    about = (str(desk.mine.pk), desk.row.number, _names(desk.index, places), wanted.level)
    event = Refused(*about, refused) if refused else Opened(*about, charge)
    seen = together.seen if together and not refused else desk.ledger.together
    told = append(
        desk.mine.project,
        at=now,
        actor=str(desk.mine.account_id),
        events=[event],
        head=desk.ledger.head,
        together=seen,
    )
    if isinstance(event, Opened):
        _keep(desk, event, told, shown_in(after) - shown_in(before))
    return refused, False, before if refused else after


def _keep(desk: _Desk, event: Opened, told: Head, shown: int) -> None:
    """Keep what an entry of the ledger has just told of."""
    for name in event.cells:
        cell = OpenCell(pair=desk.row, attribute=name, level=event.level, entry=told.entries)
        keep_cell(cell)
        desk.opened.append(cell)
    desk.mine.spent += event.charge
    desk.mine.shown += shown
    keep_spent(desk.mine)


def _price(
    desk: _Desk, before: View, after: View, places: tuple[int, ...]
) -> tuple[Refusal | None, int]:
    """Make the price of a step in units, and hold it against κ and the budget."""
    mine = desk.mine
    charge = charge_of(desk.index, mine, before, after)
    if charge is None:
        return "kappa", 0
    if mine.spent + charge > mine.limit or _beyond_band(desk, before, after, places):
        return "budget", 0
    return None, charge


def _beyond_band(desk: _Desk, before: View, after: View, places: tuple[int, ...]) -> bool:
    """Say whether a banded price is more than is left: a refusal tells no more than the price."""
    index, mine = desk.index, desk.mine
    if mine.settings["prices"] != "banded":
        return False
    level = after.levels[places[0]]
    price = banded_of(index, mine, before).get((index.schema.names[places[0]], LEVELS[level]))
    if price is None or len(places) > 1:
        price = banded_together(index, mine, before, places, level)
    return price > left_of(mine)


def _names(index: PopulationIndex, places: Iterable[int]) -> tuple[str, ...]:
    return tuple(index.schema.names[place] for place in places)


def _places(index: PopulationIndex, before: View, wanted: _Wanted) -> tuple[int, ...]:
    """Return the cells that a step raises; none where all are open already."""
    level = LEVELS.index(wanted.level)
    named = [index.schema.place(name) for name in wanted.attributes]
    for place in named:
        if wanted.level not in offered_levels(before.differences[place]) or level == MASKED:
            raise NothingToOpen
    chosen = named or having(before, wanted.level)
    if not chosen or level == MASKED:
        raise NothingToOpen
    rising = {place for place in chosen if before.levels[place] < level}
    for group in index.schema.swaps:  # cells that are swapped open together
        if rising & set(group) and before.differences[group[0]].relation.value == "swapped":
            rising |= {place for place in group if before.levels[place] < level}
    return tuple(sorted(rising))


def _keep_count(mine: Assignment) -> None:
    """Keep the count from the first opening on: from then on it is only added to."""
    mine.shown, mine.characters = counted(mine)
    mine.save(update_fields=["shown", "characters"])
