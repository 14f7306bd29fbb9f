"""The practice: made-up pairs on the same terms as real ones; nothing of it is recorded.

Pairs are drawn and priced as in any assignment, but there is no project behind them, no ledger and
no vault. What somebody opened and said is handed in and out; whoever calls keeps it for a while.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from mindfirl.core.errors import NothingToOpen, NotYours
from mindfirl.core.review.decisions import Decision
from mindfirl.core.risk.kapr import View, units_within
from mindfirl.core.values.schema import MASKED, Level, level_number
from mindfirl.services.review.disclosure.drawing import ShownPair, Step, drawn_pair
from mindfirl.services.review.disclosure.opened import charge_of, seen_of, shown_in
from mindfirl.services.review.disclosure.opening import Answer, Meters
from mindfirl.store.models import Account, AssignedPair, Assignment, OpenCell
from mindfirl.synthetic.practice_pairs import EXAMPLES, Example, practice_index

_BUDGET: Final = 21_000_000
"""About a fiftieth of all that could be seen, in 10⁻⁹: ten times what is needed."""

_SETTINGS: Final[dict[str, Any]] = {
    "kappa": 1,
    "accounting": "paper",
    "prices": "exact",
    "starting": {},
}

PRACTICE: Final = {
    f"practice-{number}": AssignedPair(
        number=number, token=f"practice-{number}", left=2 * number - 2, right=2 * number - 1
    )
    for number in range(1, len(EXAMPLES) + 1)
}
"""The pairs by their tokens; none of them is ever saved."""


@dataclass(frozen=True, slots=True)
class Practice:
    """What somebody has opened and said so far, by the tokens of the pairs."""

    opened: Mapping[str, tuple[tuple[str, Level], ...]] = field(default_factory=dict)
    said: Mapping[str, Decision] = field(default_factory=dict)

    @classmethod
    def restored(cls, kept: Mapping[str, Any]) -> Practice:
        """Return the practice of which this was kept."""
        return cls(
            {
                token: tuple((name, level) for name, level in kept["opened"][token])
                for token in kept.get("opened", {})
            },
            {token: Decision(*said) for token, said in kept.get("said", {}).items()},
        )

    def kept(self) -> dict[str, Any]:
        """Return the practice as plain lists and words."""
        return {
            "opened": {
                token: [list(each) for each in cells] for token, cells in self.opened.items()
            },
            "said": {token: [each.verdict, each.reason] for token, each in self.said.items()},
        }

    def right(self, token: str) -> bool | None:
        """Say whether a pair is decided rightly; nothing where it is not decided."""
        said = self.said.get(token)
        return None if said is None else said.same is example_of(token).same


def example_of(token: str) -> Example:
    """Return the example that a token stands for."""
    return EXAMPLES[_row(token).number - 1]


def show_practice(*, practice: Practice) -> list[ShownPair]:
    """Draw all pairs, as far as they are open."""
    mine = _terms(practice)
    return [_drawn(mine, practice, token) for token in PRACTICE]


def practice_meters(*, practice: Practice) -> Meters:
    """Say what is spent and shown."""
    mine = _terms(practice)
    seen = [_seen(mine, practice, token) for token in PRACTICE]
    characters = (
        len(side.marks) for each in seen for cell in each.differences for side in cell.sides
    )
    return Meters(Fraction(mine.spent, mine.limit), sum(map(shown_in, seen)), sum(characters))


def enough_to_see() -> Meters:
    """Say what is spent and shown by somebody who opens just enough."""
    return practice_meters(
        practice=Practice({token: tuple(example_of(token).enough.items()) for token in PRACTICE})
    )


def open_practice_cell(
    *, practice: Practice, token: str, attribute: str, level: Level, seen: int
) -> tuple[Practice, Answer]:
    """Open one cell to a level, where the budget allows it; asked again, it costs nothing."""
    pair = _drawn(_terms(practice), practice, token)
    cell = pair.cells[practice_index().schema.place(attribute)]
    wanted = level_number(level)
    step = next((each for each in cell.steps if each.level == level), None)
    if step is None and (wanted == MASKED or wanted > level_number(cell.level)):
        raise NothingToOpen
    return _taken(practice, pair, (attribute,), step, seen)


def open_practice_row(
    *, practice: Practice, token: str, level: Level, seen: int
) -> tuple[Practice, Answer]:
    """Open every cell that has a level, all or nothing."""
    level_number(level)  # refuses what is none
    pair = _drawn(_terms(practice), practice, token)
    step = next((each for each in pair.steps if each.level == level), None)
    if step is None:
        raise NothingToOpen
    rising = [
        cell.attribute for cell in pair.cells if any(each.level == level for each in cell.steps)
    ]
    return _taken(practice, pair, rising, step, seen)


def decide_practice(*, practice: Practice, token: str, decision: Decision | None) -> Practice:
    """Note a decision about a pair, or take it back."""
    mine = _row(token).token
    others = {each: said for each, said in practice.said.items() if each != mine}
    return replace(practice, said={**others, mine: decision} if decision else others)


def finish_practice(*, account: Account, now: datetime) -> None:
    """Note that somebody has practised, or does not want to."""
    account.practised = now
    account.save(update_fields=["practised"])


def _taken(
    practice: Practice, pair: ShownPair, attributes: Iterable[str], step: Step | None, seen: int
) -> tuple[Practice, Answer]:
    """Take a step, or say why not; there is none where it was taken already."""
    stale = step is not None and seen != pair.state
    refused = step is not None and not stale and not step.affordable
    if step is not None and not stale and not refused:
        cells = (*practice.opened.get(pair.token, ()), *((name, step.level) for name in attributes))
        practice = replace(practice, opened={**practice.opened, pair.token: cells})
    now = _drawn(_terms(practice), practice, pair.token)
    meters = practice_meters(practice=practice)
    return practice, Answer(now, meters, "budget" if refused else None, stale)


def _terms(practice: Practice) -> Assignment:
    """Return the assignment that the practice would be, with what is spent of its budget."""
    index = practice_index()
    limit = units_within(
        _BUDGET, pairs=len(PRACTICE), attributes=len(index.schema.names), kappa=_SETTINGS["kappa"]
    )
    mine = Assignment(size=len(PRACTICE), budget=_BUDGET, limit=limit, settings=_SETTINGS)
    for token in practice.opened:
        masked, now = _seen(mine, Practice(), token), _seen(mine, practice, token)
        mine.spent += charge_of(index, mine, masked, now) or 0
    return mine


def _drawn(mine: Assignment, practice: Practice, token: str) -> ShownPair:
    return drawn_pair(practice_index(), mine, _row(token), _opened(practice, token))


def _seen(mine: Assignment, practice: Practice, token: str) -> View:
    return seen_of(practice_index(), mine, _row(token), _opened(practice, token))


def _opened(practice: Practice, token: str) -> list[OpenCell]:
    return [OpenCell(attribute=name, level=level) for name, level in practice.opened.get(token, ())]


def _row(token: str) -> AssignedPair:
    if token not in PRACTICE:
        raise NotYours
    return PRACTICE[token]
