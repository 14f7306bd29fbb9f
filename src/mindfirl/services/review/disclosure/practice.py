"""The practice: made-up pairs on the terms of a real review; how it ended is kept, and no more.

Pairs are shown, priced and opened by the rules of any assignment, but there is no project behind
them, no ledger and no vault. What somebody opened and said is handed in and out; the caller keeps
it for a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any, Final

from mindfirl.core.errors import NotYours
from mindfirl.core.review import opening as rule
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import Terms
from mindfirl.core.review.shown_pair import Meters, ShownPair, characters_in, show_pair
from mindfirl.core.risk.kapr import Step, units_within, view_pair
from mindfirl.core.values.schema import LEVELS, Level, Pair
from mindfirl.services.review.disclosure.opening import Answer
from mindfirl.store.models import Account
from mindfirl.synthetic.practice_pairs import EXAMPLES, Example, practice_index

_BUDGET: Final = 300_000_000
"""In 10⁻⁹ of all that could be seen: a cell takes about as much of it as in real assignments."""

_REFRESH_AFTER: Final = timedelta(days=180)
_TERMS: Final = Terms()

PRACTICE: Final = {f"practice-{number}": number for number in range(1, len(EXAMPLES) + 1)}
"""The numbers of the pairs by their tokens."""


@dataclass(frozen=True, slots=True)
class Practice:
    opened: Mapping[str, tuple[Step, ...]] = field(default_factory=dict)
    said: Mapping[str, Decision] = field(default_factory=dict)
    first: Mapping[str, bool] = field(default_factory=dict)
    """Whether the first answer to a pair was right: after that it is known."""

    @classmethod
    def restored(cls, kept: Mapping[str, Any]) -> Practice:
        return cls(
            {
                token: tuple(Step(*each) for each in kept["opened"][token])
                for token in kept.get("opened", {})
            },
            {token: Decision(*said) for token, said in kept.get("said", {}).items()},
            kept.get("first", {}),
        )

    def kept(self) -> dict[str, Any]:
        return {
            "opened": {
                token: [list(each) for each in cells] for token, cells in self.opened.items()
            },
            "said": {token: [each.verdict, each.reason] for token, each in self.said.items()},
            "first": dict(self.first),
        }

    def right(self, token: str) -> bool | None:
        """Say whether a pair is decided rightly; nothing where it is not decided."""
        said = self.said.get(token)
        return None if said is None else said.same is example_of(token).same

    def right_at_once(self, token: str) -> bool | None:
        """Say whether the first answer was right, too: a later one shows less of a person."""
        right = self.right(token)
        return right and self.first.get(token, True)


def example_of(token: str) -> Example:
    return EXAMPLES[_number(token) - 1]


def show_practice(*, practice: Practice) -> list[ShownPair]:
    return [_shown(practice, token) for token in PRACTICE]


def practice_meters(*, practice: Practice) -> Meters:
    totals = _totals(practice)
    counts = [characters_in(_state(practice, token).view) for token in PRACTICE]
    shown, characters = (sum(each) for each in zip(*counts, strict=True))
    return Meters(Fraction(totals.spent, totals.limit), shown, characters)


def enough_to_see() -> Meters:
    """Say what is spent and shown by somebody who opens just enough."""
    enough = {
        token: tuple(Step(*each) for each in example_of(token).enough.items()) for token in PRACTICE
    }
    return practice_meters(practice=Practice(enough))


def open_practice_step(
    *, practice: Practice, token: str, step: Step, seen: int
) -> tuple[Practice, Answer]:
    """Open cells of a pair as in any assignment; asked again, it costs nothing."""
    state, totals = _state(practice, token), _totals(practice)
    outcome = rule.attempt(practice_index(), _TERMS, state, rule.Wanted(step, seen), totals)
    if isinstance(outcome, rule.Opened):
        opened = (Step(name, outcome.level) for name in outcome.cells)
        steps = (*practice.opened.get(token, ()), *opened)
        practice = replace(practice, opened={**practice.opened, token: steps})
    meters = practice_meters(practice=practice)
    return practice, Answer.to(outcome, _shown(practice, token), meters)


def decide_practice(*, practice: Practice, token: str, decision: Decision | None) -> Practice:
    _number(token)
    others = {each: said for each, said in practice.said.items() if each != token}
    if decision is None:
        return replace(practice, said=others)
    now = replace(practice, said={**others, token: decision})
    return replace(now, first={token: bool(now.right(token)), **now.first})


def finish_practice(*, account: Account, practice: Practice, now: datetime) -> None:
    """Keep when somebody finished the practice, and how many pairs they got right at once.

    Where they skipped it an earlier result stays.
    """
    account.practised = now
    if practice.said:
        account.practice_finished = now
        account.practice_right = right_at_once(practice)
        account.practice_pairs = len(PRACTICE)
    account.save(
        update_fields=["practised", "practice_finished", "practice_right", "practice_pairs"]
    )


def right_at_once(practice: Practice) -> int:
    return sum(practice.right_at_once(each) is True for each in PRACTICE)


def needs_practice(*, account: Account, now: datetime) -> bool:
    """Say whether the practice is offered first: before any work, and after a long absence."""
    return account.practised is None or now - account.practised > _REFRESH_AFTER


def _totals(practice: Practice) -> rule.Totals:
    index = practice_index()
    pairs, attributes = len(PRACTICE), len(index.schema.names)
    limit = units_within(_BUDGET, pairs=pairs, attributes=attributes, kappa=_TERMS.kappa)
    spent = sum(
        rule.units_of(index, _TERMS, _state(practice, token).view)
        - rule.units_of(index, _TERMS, _state(Practice(), token).view)
        for token in practice.opened
    )
    return rule.Totals(pairs, _BUDGET, limit, spent)


def _state(practice: Practice, token: str) -> rule.OpenPair:
    second = 2 * _number(token) - 1
    opened = practice.opened.get(token, ())
    levels: dict[str, Level] = {}
    for name, level in opened:
        levels[name] = max(levels.get(name, level), level, key=LEVELS.index)
    return rule.OpenPair(view_pair(practice_index(), Pair(second - 1, second), levels), len(opened))


def _shown(practice: Practice, token: str) -> ShownPair:
    state, number = _state(practice, token), _number(token)
    totals = _totals(practice)
    return show_pair(practice_index(), _TERMS, totals, state, token=token, number=number)


def _number(token: str) -> int:
    if token not in PRACTICE:
        raise NotYours
    return PRACTICE[token]
