"""What can advise those who review a project: which cell to open next."""

from __future__ import annotations

from mindfirl.core.errors import SettingError
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.store.models import Project, SealedFile
from mindfirl.store.queries.forecasts import forecast_of, is_stale


def adviser_of(project: Project) -> SealedFile | None:
    """Return the adviser of a project's forecast, if there is one for its pairs as they are."""
    found = forecast_of(project)
    return None if found is None or is_stale(found) else found.adviser


def adviser_for(
    project: Project, plan: ReviewPlan, proposed: str | None = None
) -> SealedFile | None:
    """Return what advises those who review by a plan; nothing where suggestions are off.

    Once a dispatch was proposed, its digest is given: it must be the same one still.
    """
    if not plan.hints:
        return None
    found = adviser_of(project)
    if found is None:
        raise SettingError(
            "Suggestions are on, and there is no forecast of the pairs as they are now. "
            "Under People and budget, make a forecast, or switch suggestions off."
        )
    if proposed not in (None, found.digest):
        raise SettingError(
            "There is another forecast since this was proposed, which would suggest other cells. "
            "Withdraw it, look at the plan, and propose it anew."
        )
    return found
