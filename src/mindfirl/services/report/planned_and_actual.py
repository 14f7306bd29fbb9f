"""What was forecast for the budgets that were given out, against what became of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mindfirl.core.forecast.frontier import Forecast
from mindfirl.core.risk.percent import WHOLE
from mindfirl.services.report.disclosures import Disclosed, together
from mindfirl.services.report.ledger_snapshot import LedgerSnapshot
from mindfirl.store.models import Assignment, Project
from mindfirl.store.queries.plans import figures_of, forecast_of, is_stale


def planned(
    project: Project, assignments: Sequence[Assignment], ledger: LedgerSnapshot, found: Disclosed
) -> dict[str, Any] | None:
    """Say what a forecast expects of the budgets of reviews, and what was spent and shown.

    K is held against K, and characters against characters, both of a pair that one person had.
    """
    made = forecast_of(project)
    if made is None:
        return None
    figures = figures_of(made)
    theirs: dict[int, list[Assignment]] = {}
    for mine in assignments:
        if mine.kind == "review" and mine.version_id == made.version_id:
            theirs.setdefault(ledger.accounts[str(mine.pk)].budget, []).append(mine)
    return {
        "made": made.created.date().isoformat(),
        "source": figures.source,
        "labelled": figures.labelled,
        "promises": figures.promises,
        "changed_since": is_stale(made),
        "pairs": made.pairs,
        "drawn": figures.band.pairs,
        "kappa": figures.kappa,
        "everything": _expected(figures, 1.0, everything=True),
        "budgets": [
            {
                "budget": budget / WHOLE,
                "expected": _expected(figures, budget / WHOLE),
                "actual": _actual(each, ledger, found),
            }
            for budget, each in sorted(theirs.items())
        ],
    }


def _expected(figures: Forecast, budget: float, *, everything: bool = False) -> dict[str, float]:
    point = figures.band.full if everything else figures.band.at(budget)
    return {
        "K": point.budget,
        "characters": point.characters,
        "people": point.people,
        "machine": point.accuracy,
    }


def _actual(
    assignments: Sequence[Assignment], ledger: LedgerSnapshot, found: Disclosed
) -> dict[str, Any]:
    seen = together(assignments, ledger, found)
    return {
        "assignments": seen["assignments"],
        "pairs": seen["pairs"],
        "K": seen["charged"],
        "characters": seen["characters"] / seen["pairs"] if seen["pairs"] else 0.0,
    }
