"""What a dispatch depends on: scored pairs, plan, forecast, adviser, what was given out."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal, cast
from uuid import UUID

from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.forecast import frontier as planner
from mindfirl.core.policy import DISPATCH_STATES, Role
from mindfirl.core.review.plan import Facts, PersonPlan, ReviewPlan
from mindfirl.store import models
from mindfirl.store.queries.projects import current_version


def planned(project: models.Project) -> tuple[ReviewPlan, int] | None:
    plan = models.Plan.objects.filter(project=project).first()
    if plan is None:
        return None
    people = tuple(
        PersonPlan(str(each.account_id), cast("Role", each.role), each.share, each.budget)
        for each in plan.people.order_by("id")
    )
    return replace(ReviewPlan.from_json(plan.content), people=people), plan.revision


def facts_of(project: models.Project, *, records: int, attributes: tuple[str, ...]) -> Facts:
    roles: dict[str, set[Role]] = {}
    for each in project.memberships.filter(account__is_active=True):
        roles.setdefault(str(each.account_id), set()).add(cast("Role", each.role))
    return Facts(
        records=records,
        attributes=attributes,
        roles={account: frozenset(held) for account, held in roles.items()},
        managers_may_review=project.managers_may_review,
        today=timezone.localdate().isoformat(),
        ends=project.ends.isoformat() if project.ends else "",
    )


def assigned_pairs(version: models.Version, account: UUID | None = None) -> set[tuple[int, int]]:
    found = models.AssignedPair.objects.filter(assignment__version=version)
    if account is not None:
        found = found.filter(assignment__account=account)
        return set(found.values_list("left", "right"))
    known = models.KnownAnswer.objects.filter(label_set__version=version)
    pairs = [*found.values_list("left", "right"), *known.values_list("left", "right")]
    return set(pairs)


def scoring_of(project: models.Project) -> models.Scoring | None:
    version = current_version(project)
    return models.Scoring.objects.filter(version=version).select_related("version").first()


def scored_before(project: models.Project) -> bool:
    """Say whether pairs were found for an earlier version; they went with it, or stayed with it."""
    kept = models.Scoring.objects.filter(version__project=project)
    kinds = ("pairs score", "pairs upload")
    found = models.Job.objects.filter(project=project, kind__in=kinds, state="done")
    return scoring_of(project) is None and (kept.exists() or found.exists())


def sample_of(project: models.Project) -> int:
    found = planned(project)
    return found[0].quality_sample if found else 0


def state_of(scoring: models.Scoring | None) -> str:
    """Name the state of scored pairs, so that one who works on an older page is told."""
    if scoring is None:
        return ""
    sample = sample_of(scoring.version.project)
    return f"{scoring.pk} {scoring.lower!r} {scoring.upper!r} {sample}"


def forecast_of(project: models.Project) -> models.Forecast | None:
    found = models.Forecast.objects.filter(version=current_version(project))
    return found.select_related("version", "scoring", "adviser", "prospects").first()


def figures_of(made: models.Forecast) -> planner.Forecast:
    return planner.forecast_from_json(made.content)


def is_stale(made: models.Forecast) -> bool:
    """Say whether a forecast is for other pairs, or other limits, than there are now."""
    now = made.scoring
    return now is None or (now.lower, now.upper) != (made.lower, made.upper)


def choosing_forecast(project: models.Project, plan: ReviewPlan) -> models.Forecast | None:
    """Return the forecast by which a plan chooses pairs, if there is one for all as it is now."""
    if plan.priority != "worth" or plan.most_pairs is None:
        return None
    found = forecast_of(project)
    if found is None or found.prospects is None or is_stale(found):
        return None
    return found if figures_of(found).is_for(plan) else None


def adviser_of(project: models.Project) -> models.SealedFile | None:
    """Return the adviser of a project's forecast, if there is one for its pairs as they are."""
    found = forecast_of(project)
    return None if found is None or is_stale(found) else found.adviser


def adviser_for(
    project: models.Project, plan: ReviewPlan, proposed: str | None = None
) -> models.SealedFile | None:
    """Return what advises those who review by a plan; nothing where suggestions are off.

    Once a dispatch was proposed, its digest is given: it must be the same one still.
    """
    if not plan.hints:
        return None
    found = adviser_of(project)
    if found is None:
        raise SettingError(
            "Suggestions are on, but there is no forecast for the current pairs. On the page "
            "Plan, create a forecast or turn suggestions off."
        )
    if proposed not in (None, found.digest):
        raise SettingError(
            "A newer forecast would suggest other cells than this proposal. Withdraw the "
            "proposal, check the plan, and propose it again."
        )
    return found


WAITING: Final = tuple(state for state, after in DISPATCH_STATES.items() if after)
"""The states of a dispatch that is neither done nor withdrawn."""


def waiting_dispatch(
    project: models.Project, kind: Literal["review", "adjudication"]
) -> models.Dispatch | None:
    found = project.dispatches.filter(kind=kind, state__in=WAITING)
    return found.select_related("proposed_by", "project").first()
