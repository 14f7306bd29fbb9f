"""The scored pairs of a project's newest version, and the state that a page shows them in."""

from __future__ import annotations

from mindfirl.store.models import Job, Project, Scoring
from mindfirl.store.queries.plans import planned
from mindfirl.store.queries.projects import current_version


def scoring_of(project: Project) -> Scoring | None:
    version = current_version(project)
    return Scoring.objects.filter(version=version).select_related("version").first()


def scored_before(project: Project) -> bool:
    """Say whether pairs were found for an earlier version; they went with it, or stayed with it."""
    kept = Scoring.objects.filter(version__project=project)
    kinds = ("pairs score", "pairs upload")
    found = Job.objects.filter(project=project, kind__in=kinds, state="done")
    return scoring_of(project) is None and (kept.exists() or found.exists())


def sample_of(project: Project) -> int:
    found = planned(project)
    return found[0].quality_sample if found else 0


def state_of(scoring: Scoring | None) -> str:
    """Name the state of scored pairs, so that one who works on an older page is told."""
    if scoring is None:
        return ""
    sample = sample_of(scoring.version.project)
    return f"{scoring.pk} {scoring.lower!r} {scoring.upper!r} {sample}"
