"""The projects of a person, a new one, and the page of one."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import render

from mindfirl.core.policy import may
from mindfirl.store.queries.access import projects_of
from mindfirl.web.access import Request


def projects(request: Request) -> HttpResponse:
    """List the projects in which somebody has a role."""
    context = {
        "projects": projects_of(request.account),
        "creates": may(request.actor, "create project"),
    }
    return render(request, "projects/list.html", context)
