"""An opening: one transaction from the lock on the ledger to the entry that tells of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from django.db.models import F

from mindfirl.core.display import levels
from mindfirl.core.errors import NothingToOpen, NotOpen, NotYours
from mindfirl.core.events import Opened, Refused
from mindfirl.core.events import Reason as Refusal
from mindfirl.core.kapr import View
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.schema import LEVELS, MASKED, Level, one_of
from mindfirl.services.disclosure.drawing import ShownPair, banded_of, drawn_pair
from mindfirl.services.disclosure.opened import (
    charge_of,
    counted,
    having,
    population_of,
    raised,
    seen_of,
    shown_in,
)
from mindfirl.store.faults import reach
from mindfirl.store.ledger import append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell
from mindfirl.store.writing import writing


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
    index = population_of(mine)
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
    answer = Answer(
        drawn_pair(index, mine, row, opened), meters_of(assignment=mine), refused, stale
    )
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
    before = seen_of(index, mine, row, opened)
    places = _places(index, before, wanted)
    if not places:
        return None, False  # it is open already
    if wanted.seen != len(opened):
        return None, True
    after = raised(before, places, LEVELS.index(wanted.level))
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
        mine.shown += shown_in(after) - shown_in(before)
        Assignment.objects.filter(pk=mine.pk).update(
            spent=F("spent") + charge, shown=F("shown") + shown_in(after) - shown_in(before)
        )
    return refused, False


def _price(
    index: PopulationIndex, mine: Assignment, before: View, after: View, wanted: _Wanted
) -> tuple[Refusal | None, int]:
    """Make the price of a step in units, and hold it against κ and the budget."""
    charge = charge_of(index, mine, before, after)
    if charge is None:
        return "kappa", 0
    if mine.spent + charge > mine.limit or _beyond_band(index, mine, before, wanted):
        return "budget", 0
    return None, charge


def _beyond_band(index: PopulationIndex, mine: Assignment, before: View, wanted: _Wanted) -> bool:
    """Say whether a banded price is more than is left: a refusal tells no more than the price."""
    if mine.settings["prices"] != "banded" or not wanted.attributes:
        return False
    price = banded_of(index, mine, before).get((wanted.attributes[0], wanted.level))
    left = Fraction(mine.limit - mine.spent, mine.limit)
    return price is not None and price > left


def _places(index: PopulationIndex, before: View, wanted: _Wanted) -> tuple[int, ...]:
    """Return the cells that a step raises; none where all are open already."""
    level = LEVELS.index(wanted.level)
    named = [index.schema.place(name) for name in wanted.attributes]
    for place in named:
        if wanted.level not in levels(before.differences[place]) or level == MASKED:
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
