"""The budget that a project's forecast recommends: one for all pages and commands."""

from __future__ import annotations

from mindfirl.core.forecast import frontier
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.store.models import Forecast, Project
from mindfirl.store.queries.plans import figures_of, forecast_of, is_stale


def reliable_figures(made: Forecast | None, plan: ReviewPlan) -> frontier.Forecast | None:
    """Return the figures of a forecast that can be held to, and is for a plan as it is."""
    if made is None or is_stale(made):
        return None
    figures = figures_of(made)
    return figures if figures.promises and figures.is_for(plan) else None


def recommended_budget(project: Project, plan: ReviewPlan) -> int | None:
    """Return the budget to give to workers, in whole 10⁻⁹; nothing where none can be supported."""
    figures = reliable_figures(forecast_of(project), plan)
    return figures.recommended_budget() if figures else None
