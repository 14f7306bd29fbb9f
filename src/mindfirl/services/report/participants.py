"""What was linked and how good that is; who took part, by number alone, and whether they agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import ROLES
from mindfirl.core.review.agreement import Agreement
from mindfirl.core.review.agreement_summary import summary
from mindfirl.core.review.decisions import CANNOT_TELL
from mindfirl.core.review.plan import Terms
from mindfirl.core.review.quality import Quality, Range, Reviewed, Sample, estimate_quality
from mindfirl.store.models import Assignment, Project, Revision, Scoring, Version
from mindfirl.store.queries.plans import scoring_of
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.store.queries.reviews import decided_by_hour
from mindfirl.store.queries.votes import Votes, resolution_of, votes_given_in, votes_of
from mindfirl.workspace.open_pairs import open_scoring
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.outcomes.linkage_errors import describe_errors

_COUNTS: Final = (
    *("records", "persons", "linked_persons", "linked_records", "records_by"),
    *("given_out", "reviewed", "by_rule", "adjudicated", "links", "non_links"),
    *("automatic_links", "rule", "unsettled", "linked_by_weight", "accepted"),
)
"""What a report takes from a linkage."""


def linked(project: Project) -> dict[str, Any]:
    version, scoring = current_version(project), scoring_of(project)
    bands = _bands(scoring) if scoring else None
    return {
        "databases": _databases(version) if version else [],
        "records": version.records if version else 0,
        "attributes": _attributes(version) if version else [],
        "pairs": bands,
        "errors": describe_errors(project) if scoring else None,
        "linkage": _linkage(project),
        "quality": _quality(scoring.version, bands) if scoring and bands else None,
    }


def _databases(version: Version) -> list[dict[str, Any]]:
    return [
        {
            "name": each.name,
            "records": each.records,
            "without_duplicates": each.without_duplicates,
        }
        for each in databases_of(version)
    ]


def _attributes(version: Version) -> list[dict[str, str]]:
    attributes = open_version(version).schema.attributes
    return [{"name": each.name, "kind": each.kind} for each in attributes]


def _bands(scoring: Scoring) -> dict[str, Any]:
    pairs = open_scoring(scoring)
    candidates, found = pairs.candidates, pairs.settlement
    linked, sent, settled = (int(each.sum()) for each in (found.linked, found.sent, found.settled))
    return {
        "found_by": "model" if scoring.model else "elsewhere",
        "found": len(candidates),
        "linked": linked,
        "for_people": sent,
        "settled_by_links": settled,
        "not_linked": len(candidates) - linked - sent - settled,
        "lower": scoring.lower,
        "upper": scoring.upper,
    }


def _linkage(project: Project) -> dict[str, Any] | None:
    newest = project.linkages.order_by("-number").first()
    if newest is None:
        return None
    counts = {name: newest.report[name] for name in _COUNTS if name in newest.report}
    return {"number": newest.number, "made": newest.created.date().isoformat(), **counts}


def _quality(version: Version, bands: Mapping[str, Any]) -> dict[str, Any] | None:
    """Estimate how many links are right and how many are missed, where samples were reviewed."""
    outcomes = Counter((each.origin, _outcome(each)) for each in votes_given_in(version).values())

    def sample(origin: str, band: int) -> Sample:
        drawn = sum(number for (where, _), number in outcomes.items() if where == origin)
        answers = (outcomes[origin, what] for what in ("link", "non-link", "open"))
        return Sample(band, drawn, *answers)

    try:
        links = sample("link", bands["linked"])
        nonlinks = sample("non-link", bands["not_linked"])
    except SettingError:  # pairs or thresholds changed since samples were drawn
        return None
    if not links.sampled and not nonlinks.sampled:
        return None
    reviewed = Reviewed(outcomes["review", "link"], outcomes["review", "open"])
    found = estimate_quality(links, nonlinks, reviewed)
    samples = {"links": asdict(links), "non_links": asdict(nonlinks), "reviewed": asdict(reviewed)}
    return {"samples": samples, **{name: _range(found, name) for name in Quality.__slots__}}


def _outcome(votes: Votes) -> str:
    found = resolution_of(votes)
    return "unreviewed" if found.why == "unreviewed" else found.outcome


def _range(found: Quality, name: str) -> dict[str, Any]:
    each: Range = getattr(found, name)
    return {"low": each.low, "high": each.high, **asdict(each)}


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
