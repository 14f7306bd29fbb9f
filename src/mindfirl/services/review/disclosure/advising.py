"""Which cell to open next: what the adviser of an assignment makes of what its person sees.

It is asked with what is drawn and with prices as they are told, so that a suggestion tells nothing
that the page does not tell. It is the adviser of the forecast that there was when the pairs were
given out, whatever is forecast later.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import Step, View
from mindfirl.planner.suggestions import Adviser
from mindfirl.store import vault
from mindfirl.store.models import Assignment
from mindfirl.workspace.single_flight import SingleFlightCache

_MOST: Final = 10_000
"""So many answers of an adviser are remembered: of all pairs between which people go to and fro."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Advising:
    """An adviser, and what it has answered: asked the same, it would answer the same."""

    adviser: Adviser
    answers: dict[Hashable, Step | None] = field(default_factory=dict)


_AT_HAND: Final[SingleFlightCache[_Advising]] = SingleFlightCache(size=4)


def suggested(
    index: PopulationIndex, mine: Assignment, seen: View, prices: Mapping[Step, int | None]
) -> Step | None:
    """Return the step that is most worth its price, in units, if any is worth it."""
    held = _AT_HAND.get(mine.adviser_id, (), lambda: _opened(mine))
    asked = (mine.pk, mine.budget, seen.pair, seen.levels, tuple(prices.values()))
    with suppress(KeyError):
        return held.answers[asked]
    worth = held.adviser.worth_at(mine.budget)
    answer = held.adviser.suggest(index, seen, prices, worth_it=worth)
    if len(held.answers) >= _MOST:
        held.answers.clear()
    held.answers[asked] = answer
    return answer


def _opened(mine: Assignment) -> _Advising:
    assert mine.adviser is not None
    return _Advising(Adviser.of(vault.unseal(mine.adviser)))
