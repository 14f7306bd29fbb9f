"""What budgets buy for the pairs of a project's newest version, as it was forecast last."""

from __future__ import annotations

from mindfirl.core.forecast import frontier as planner
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.store.models import Forecast, Project
from mindfirl.store.queries.projects import current_version


def forecast_of(project: Project) -> Forecast | None:
    found = Forecast.objects.filter(version=current_version(project))
    return found.select_related("version", "scoring", "adviser", "prospects").first()


def figures_of(made: Forecast) -> planner.Forecast:
    return planner.forecast_from_json(made.content)


def is_stale(made: Forecast) -> bool:
    """Say whether a forecast is for other pairs, or other limits, than there are by now."""
    now = made.scoring
    return now is None or (now.lower, now.upper) != (made.lower, made.upper)


def choosing_forecast(project: Project, plan: ReviewPlan) -> Forecast | None:
    """Return the forecast by which a plan chooses among pairs, if it does and there is one.

    It must be for the pairs, the limits and the terms as they are now.
    """
    if plan.priority != "worth" or plan.most_pairs is None:
        return None
    found = forecast_of(project)
    if found is None or found.prospects is None or is_stale(found):
        return None
    return found if figures_of(found).is_for(plan) else None
