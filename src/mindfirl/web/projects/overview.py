"""How the review of a project goes: what is open, when it was decided, whether people agree."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from mindfirl.core.review.agreement import summary
from mindfirl.services.plan.stopping import if_stopped
from mindfirl.store.queries.agreement import names_of, votes_of
from mindfirl.store.queries.progress import decided_by_hour, levels_of
from mindfirl.web.dispatch.agreement_page import drawn
from mindfirl.web.dispatch.progress_page import heat_map, stopping_words, time_chart
from mindfirl.web.http.access import Request


def overview_context(request: Request) -> dict[str, Any]:
    """Return what the page of a project needs to show how its review goes."""
    return {
        "stopping": stopping_words(if_stopped(project=request.project, actor=request.actor)),
        "heat": heat_map(levels_of(request.project)),
        "decided": time_chart(decided_by_hour(request.project)),
    }


def agreement_context(request: Request) -> dict[str, Any]:
    """Return what the page of a project needs to say whether its reviewers agree."""
    found = summary(each.votes for each in votes_of(request.project))
    raters = {rater for each in found.of_two for rater in (each.first, each.second)}
    return {"agreement": drawn(found, names_of(raters))}


def project_overview(request: Request) -> HttpResponse:
    """Say how the review goes, for a page that is open."""
    return render(request, "projects/overview_live.html", overview_context(request))
