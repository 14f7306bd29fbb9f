"""An opening: one transaction from the lock on the ledger to the entry that tells of it.

Where hints are on, the adviser of the forecast that there was when the pairs were given out names
the cell to open next. It is asked with what is drawn and with prices as they are told, so that a
suggestion tells nothing that the page does not tell.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import partial
from typing import Any, Final
from uuid import UUID

from mindfirl.core.errors import NotOpen, NotYours
from mindfirl.core.ledger import events
from mindfirl.core.policy import Role, check_may_begin, may_begin
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review import opening as rule
from mindfirl.core.review.shown_pair import Meters, ShownPair, characters_in, show_pair
from mindfirl.core.risk.kapr import Step, View
from mindfirl.core.values.schema import level_number
from mindfirl.planner.suggestions import Adviser
from mindfirl.services.review.disclosure.opened import (
    count_characters,
    open_pair,
    totals_of,
)
from mindfirl.store import vault
from mindfirl.store.faults import fault_point
from mindfirl.store.hot_path import (
    current_pair,
    keep_cell,
    keep_refused,
    keep_spent,
    own_assignment,
)
from mindfirl.store.ledger.writer import LockedHead, append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell
from mindfirl.store.queries.reviews import count_decided
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import SingleFlightCache, population_of
from mindfirl.workspace.seen_together import most_of, project_total


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of an opening: the pair as it is now, and why it was refused, if it was.

    ``stale`` says that the page had shown another state: nothing was opened or charged.
    """

    pair: ShownPair
    meters: Meters
    refused: rule.Refusal | None = None
    stale: bool = False

    @classmethod
    def to(cls, outcome: rule.Outcome, pair: ShownPair, meters: Meters) -> Answer:
        refused = outcome.reason if isinstance(outcome, rule.Refused) else None
        return cls(pair, meters, refused, isinstance(outcome, rule.Stale))


def assignment_of(*, account: Account, assignment: UUID) -> Assignment:
    """Return an assignment of a person; those of others do not exist for them."""
    return assignment_and_roles(account=account, assignment=assignment)[0]


def assignment_and_roles(
    *, account: Account, assignment: UUID
) -> tuple[Assignment, frozenset[Role]]:
    """Return the same with the roles of the person in its project."""
    found = own_assignment(account.pk, assignment)
    if found is None:
        raise NotYours
    _check_may_begin(account, found[0])
    return found


def _check_may_begin(account: Account, mine: Assignment) -> None:
    wanted: dict[str, Any] = {"pass_mark": mine.project.pass_mark, "right": account.practice_right}
    if may_begin(mine.kind, **wanted, begun=mine.state != "open" or mine.characters is not None):
        return
    check_may_begin(mine.kind, **wanted, begun=count_decided(mine) > 0)


def show_pairs(*, assignment: Assignment, numbers: Iterable[int]) -> list[ShownPair]:
    index = population_of(assignment)
    rows = assignment.pairs.filter(number__in=list(numbers), withdrawn=False)
    return [
        _shown(index, assignment, row, open_pair(index, assignment, row, opened))
        for row in rows.prefetch_related("open_cells")
        for opened in [list(row.open_cells.all())]
    ]


def meters_of(*, assignment: Assignment) -> Meters:
    """Say what an assignment has spent and shown; nothing is written by looking."""
    shown, characters = assignment.shown, assignment.characters
    if characters is None:
        shown, characters = count_characters(assignment)
    spent = Fraction(assignment.spent, assignment.limit) if assignment.limit else Fraction(0)
    return Meters(spent, shown, characters)


def open_step(
    *, account: Account, assignment: Assignment, token: str, step: Step, seen: int, now: datetime
) -> Answer:
    """Open cells of a pair for their price; asked again, it costs nothing."""
    mine = assignment
    if mine.account_id != account.pk:
        raise NotYours
    index = population_of(mine)
    with commit():
        context = _locked(index, mine, token)
        together = context.ledger.together
        project, most = None, most_of(mine)
        if together is not None or most is not None:
            project = project_total(mine, context.row, together, most)
        totals = totals_of(mine, project)
        outcome = rule.attempt(index, mine.terms, context.pair, rule.Wanted(step, seen), totals)
        pair = _record(context, outcome, now)
        _remember(context.row, step, outcome)
    shown = _shown(index, mine, context.row, pair)
    answer = Answer.to(outcome, shown, meters_of(assignment=mine))
    fault_point("before answer")
    return answer


@dataclass(frozen=True, slots=True)
class _OpeningContext:
    """An assignment and a pair as they are while the ledger is locked."""

    mine: Assignment
    row: AssignedPair
    pair: rule.OpenPair
    ledger: LockedHead


def _locked(index: PopulationIndex, mine: Assignment, token: str) -> _OpeningContext:
    ledger = locked_head(mine.project)
    found = current_pair(mine, token)
    if found is None:
        raise NotYours
    row, opened = found
    if mine.state != "open":
        raise NotOpen(mine.state)
    if mine.characters is None:  # from the first opening on, the count is only added to
        mine.shown, mine.characters = count_characters(mine)
        mine.save(update_fields=["shown", "characters"])
    return _OpeningContext(mine, row, open_pair(index, mine, row, opened), ledger)


def _record(context: _OpeningContext, outcome: rule.Outcome, now: datetime) -> rule.OpenPair:
    """Append what happened to the ledger, and keep it; return the pair as it is then."""
    mine, ledger = context.mine, context.ledger
    event: events.Opened | events.Refused
    if isinstance(outcome, rule.Opened):
        about = (str(mine.pk), context.row.number, outcome.cells, outcome.level)
        event = events.Opened(*about, outcome.charge)
        ledger = LockedHead(ledger.head, outcome.project_seen)
    elif isinstance(outcome, rule.Refused):
        about = (str(mine.pk), context.row.number, outcome.cells, outcome.level)
        event = events.Refused(*about, outcome.reason)
    else:
        return context.pair
    told = append(mine.project, at=now, actor=str(mine.account_id), events=[event], locked=ledger)
    return (
        _keep(context, outcome, told.entries) if isinstance(outcome, rule.Opened) else context.pair
    )


def _remember(row: AssignedPair, step: Step, outcome: rule.Outcome) -> None:
    """Keep that κ refused a step: it would again, and the person knows, so it is not offered."""
    if not isinstance(outcome, rule.Refused) or outcome.reason != "kappa":
        return
    names = outcome.cells if step.attribute else ("",)
    known = {each.attribute: each for each in map(Step.parse, row.refused)}
    for name in names:
        least = min(known.get(name, step).level, step.level, key=level_number)
        known[name] = Step(name, least)
    row.refused = [str(each) for each in known.values()]
    keep_refused(row)


def _keep(context: _OpeningContext, outcome: rule.Opened, entry: int) -> rule.OpenPair:
    mine, before = context.mine, context.pair
    for name in outcome.cells:
        keep_cell(OpenCell(pair=context.row, attribute=name, level=outcome.level, entry=entry))
    mine.spent += outcome.charge
    mine.shown += characters_in(outcome.view)[0] - characters_in(before.view)[0]
    keep_spent(mine)
    return rule.OpenPair(outcome.view, before.opened + len(outcome.cells))


def _shown(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, pair: rule.OpenPair
) -> ShownPair:
    return show_pair(
        index,
        mine.terms,
        totals_of(mine),
        pair,
        token=row.token,
        number=row.number,
        refused=[Step.parse(each) for each in row.refused],
        advise=partial(suggested, index, mine) if mine.terms.hints else None,
    )


_MOST_ANSWERS: Final = 10_000
"""The number of answers of an adviser to remember: enough for the pairs people go back to."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Advising:
    """An adviser, and what it has answered: asked the same, it would answer the same."""

    adviser: Adviser
    answers: dict[Hashable, Step | None] = field(default_factory=dict)


_advisers: Final[SingleFlightCache[_Advising]] = SingleFlightCache(size=4)


def suggested(
    index: PopulationIndex, mine: Assignment, seen: View, prices: Mapping[Step, int | None]
) -> Step | None:
    """Return the step that is most worth its price, in units, if any is worth it."""
    held = _advisers.get(mine.adviser_id, (), lambda: _adviser_of(mine))
    asked = (mine.pk, mine.budget, seen.pair, seen.levels, tuple(prices.values()))
    with suppress(KeyError):
        return held.answers[asked]
    worth = held.adviser.worth_at(mine.budget)
    answer = held.adviser.suggest(index, seen, prices, worth_it=worth)
    if len(held.answers) >= _MOST_ANSWERS:
        held.answers.clear()
    held.answers[asked] = answer
    return answer


def _adviser_of(mine: Assignment) -> _Advising:
    assert mine.adviser is not None
    return _Advising(Adviser.of(vault.unseal(mine.adviser)))
