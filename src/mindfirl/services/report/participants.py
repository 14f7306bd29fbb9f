"""Who took part, by number alone; what they decided, and whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F

from mindfirl.core.policy import ROLES
from mindfirl.core.review.agreement import Agreement, summary
from mindfirl.core.review.decisions import CANNOT_TELL
from mindfirl.core.review.terms import Terms
from mindfirl.store.models import Assignment, Project, Revision
from mindfirl.store.queries.reviews import decided_by_hour
from mindfirl.store.queries.votes import votes_of

ENOUGH: Final = 10
"""Of fewer pairs nothing can be told."""
_HOURS: Final = timedelta(days=2)
"""Within so long, things are counted by the hour; else by the day."""
_KINDS: Final = ("review", "adjudication")
_TERMS: Final = [
    each.name
    for each in fields(Terms)
    if each.name not in ("project_limit", "starting", "guidance")
]


def roles(project: Project, assignments: Sequence[Assignment]) -> dict[str, Any]:
    held = Counter(project.memberships.values_list("role", flat=True))
    managers = set(project.memberships.filter(role="manager").values_list("account", flat=True))
    return {
        "members": {role: held[role] for role in ROLES},
        "managers_may_review": project.managers_may_review,
        "managers_who_reviewed": len(managers & {mine.account_id for mine in assignments}),
        "second_person": project.second_person,
        "second_factor": project.second_factor,
        "idle_minutes": project.idle_minutes,
    }


def terms(assignments: Sequence[Assignment]) -> dict[str, Any]:
    found = {name: sorted({getattr(mine.terms, name) for mine in assignments}) for name in _TERMS}
    limit = assignments[-1].terms.project_limit if assignments else None
    dispatches = len({mine.dispatch_id for mine in assignments})
    return {"dispatches": dispatches, "project_limit": limit, **found}


def decisions(project: Project) -> dict[str, dict[str, int]]:
    """Count the decisions that count, and those for which nothing had been opened."""
    latest = Revision.objects.filter(
        number=F("pair__revision"), pair__assignment__project=project, pair__withdrawn=False
    ).exclude(verdict="")
    found: dict[str, Counter[str]] = {kind: Counter() for kind in _KINDS}
    for kind, verdict, state in latest.values_list("pair__assignment__kind", "verdict", "state"):
        found[kind]["decided"] += 1
        found[kind]["without_opening"] += not state
        found[kind]["cannot_tell"] += verdict == CANNOT_TELL
    names = ("decided", "without_opening", "cannot_tell")
    return {kind: {name: each[name] for name in names} for kind, each in found.items()}


def over_time(project: Project, characters: Mapping[datetime, int]) -> dict[str, Any]:
    """Count characters shown and decisions by the hour, or by the day where it took longer."""
    decided = decided_by_hour(project)
    hours = sorted({*characters, *decided})
    by_hour = not hours or hours[-1] - hours[0] < _HOURS

    def start(hour: datetime) -> str:
        return (hour if by_hour else hour.replace(hour=0)).isoformat()

    counted: dict[str, Counter[str]] = {start(hour): Counter() for hour in hours}
    for hour in hours:
        counted[start(hour)]["characters"] += characters.get(hour, 0)
        counted[start(hour)]["decisions"] += decided.get(hour, 0)
    return {
        "unit": "hour" if by_hour else "day",
        "periods": [
            {"from": at, "characters": each["characters"], "decisions": each["decisions"]}
            for at, each in counted.items()
        ],
    }


def agreement(project: Project, numbers: Mapping[str, int]) -> dict[str, Any]:
    found = summary(each.votes for each in votes_of(project))
    return {
        "pairs": found.pairs,
        "cannot_tell": found.cannot_tell,
        "observed": _figure(found.sides.observed),
        "fleiss": _figure(found.sides.fleiss),
        "alpha": _figure(found.sides.alpha),
        "alpha_of_steps": _figure(found.steps),
        "of_two": sorted(
            (
                {
                    "people": sorted((numbers[each.first], numbers[each.second])),
                    "observed": _figure(each.observed),
                    "cohen": _figure(each.cohen),
                }
                for each in found.of_two
            ),
            key=lambda each: each["people"],
        ),
        "by_opened": [
            {"opened": key, "observed": _figure(each.observed), "alpha": _figure(each.alpha)}
            for key, each in found.opened
        ],
    }


def _figure(found: Agreement) -> dict[str, Any]:
    """Write a figure down; of too few pairs, only how many they are."""
    if found.units < ENOUGH:
        return {"units": found.units, "estimate": None, "lack": "too few units"}
    return {name: value for name, value in asdict(found).items() if name != "left_out"}
