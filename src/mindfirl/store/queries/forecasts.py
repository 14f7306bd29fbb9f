"""What budgets buy for the pairs of a project's newest version, as it was forecast last."""

from __future__ import annotations

from mindfirl.core.planner import forecast as planner
from mindfirl.store.models import Forecast, Project
from mindfirl.store.queries.projects import current_version


def forecast_of(project: Project) -> Forecast | None:
    """Return the forecast of the newest version, if one was made."""
    found = Forecast.objects.filter(version=current_version(project))
    return found.select_related("version", "scoring", "adviser").first()


def figures_of(made: Forecast) -> planner.Forecast:
    """Return the figures of a forecast."""
    return planner.from_json(made.content)


def is_stale(made: Forecast) -> bool:
    """Say whether a forecast is for other pairs, or other limits, than there are by now."""
    now = made.scoring
    return now is None or (now.lower, now.upper) != (made.lower, made.upper)
