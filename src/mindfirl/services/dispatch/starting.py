"""Starting levels: what the cells that start open cost, and whether budgets cover that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from mindfirl.core.errors import FieldErrors
from mindfirl.core.progress import Progress, no_progress
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.kapr import budget_for
from mindfirl.core.risk.percent import write_percent
from mindfirl.core.values.schema import Pair
from mindfirl.engine.bands.dealing import Start, start_of
from mindfirl.workspace.open_version import OpenVersion

_EVERY: Final = 256
"""Progress is reported after so many pairs."""


@dataclass(frozen=True, slots=True)
class StartingCost:
    """What the starting levels of some pairs charge to the budget that a field asks for."""

    field: str
    budget: int
    pairs: int
    charge: int


def starting_cells(
    opened: OpenVersion, plan: ReviewPlan, pairs: Sequence[Pair], progress: Progress = no_progress
) -> list[Start]:
    """Put the cells of pairs at their starting levels."""
    if not plan.starting:
        return [Start()] * len(pairs)
    index, levels = opened.index(plan), dict(plan.starting)
    starts: list[Start] = []
    for number, pair in enumerate(pairs):
        if number % _EVERY == 0:
            progress("starting levels", number, len(pairs))
        starts.append(start_of(index, pair, levels, kappa=plan.kappa, accounting=plan.accounting))
    return starts


def check_budgets(costs: Iterable[StartingCost], *, attributes: int, kappa: int) -> None:
    wrong = {}
    for cost in costs:
        needed = budget_for(cost.charge, pairs=cost.pairs, attributes=attributes, kappa=kappa)
        if needed > cost.budget:
            wrong[cost.field] = (
                f"The starting levels alone take {write_percent(needed)}%, and the budget is "
                f"{write_percent(cost.budget)}%. Raise it, or let fewer cells start open."
            )
    if wrong:
        raise FieldErrors(wrong)
