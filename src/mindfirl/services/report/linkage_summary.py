"""What was linked and how, what came of it, and how good that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from mindfirl.core.errors import SettingError
from mindfirl.core.review.quality import Quality, Range, Reviewed, Sample, estimate_quality
from mindfirl.core.review.resolution import resolve
from mindfirl.store.models import Project, Scoring, Version
from mindfirl.store.queries.plans import scoring_of
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.store.queries.votes import Votes, votes_in
from mindfirl.workspace.open_pairs import open_scoring
from mindfirl.workspace.open_version import open_version

_COUNTS: Final = (
    *("records", "persons", "linked_persons", "linked_records", "records_by"),
    *("given_out", "reviewed", "by_rule", "adjudicated", "links", "non_links"),
    *("automatic_links", "unsettled", "accepted"),
)
"""What a report takes from a linkage."""


def linked(project: Project) -> dict[str, Any]:
    """Say what was linked: databases, attributes, pairs by band, and what they came to."""
    version, scoring = current_version(project), scoring_of(project)
    bands = _bands(scoring) if scoring else None
    return {
        "databases": _databases(version) if version else [],
        "records": version.records if version else 0,
        "attributes": _attributes(version) if version else [],
        "pairs": bands,
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
    outcomes = Counter((each.origin, _outcome(each)) for each in votes_in(version).values())

    def sample(origin: str, band: int) -> Sample:
        drawn = sum(number for (where, _), number in outcomes.items() if where == origin)
        answers = (outcomes[origin, what] for what in ("link", "non-link", "open"))
        return Sample(band, drawn, *answers)

    try:
        links = sample("link", bands["linked"])
        nonlinks = sample("non-link", bands["not_linked"])
    except SettingError:  # the pairs were found anew, or the limits moved, since samples were drawn
        return None
    if not links.sampled and not nonlinks.sampled:
        return None
    reviewed = Reviewed(outcomes["review", "link"], outcomes["review", "open"])
    found = estimate_quality(links, nonlinks, reviewed)
    samples = {"links": asdict(links), "non_links": asdict(nonlinks), "reviewed": asdict(reviewed)}
    return {"samples": samples, **{name: _range(found, name) for name in Quality.__slots__}}


def _outcome(votes: Votes) -> str:
    """Say what people made of a pair; open where they disagree or cannot tell."""
    if votes.waiting and votes.settled is None:
        return "unreviewed"
    found = resolve(votes.given, votes.rule, settled=votes.settled)
    return "unreviewed" if found.why == "unreviewed" else found.outcome


def _range(found: Quality, name: str) -> dict[str, Any]:
    each: Range = getattr(found, name)
    return {"low": each.low, "high": each.high, **asdict(each)}
