"""The projects of a person: what waits for them, where each stands, and which are archived."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.policy import may
from mindfirl.services.projects import archive
from mindfirl.store.queries.access import projects_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.demonstration import trials
from mindfirl.web.projects.listed_projects import listed_project, waiting_items


def projects(request: Request) -> HttpResponse:
    find, archived = request.GET.get("find", "").strip(), "archived" in request.GET
    own = projects_of(request.account)
    shelf = [each for each in own if each[0].archived == archived]
    wanted = [
        each
        for each in shelf
        if find.casefold() in f"{each[0].title} {each[0].name} {each[0].purpose}".casefold()
    ]
    return page(
        request,
        "projects/list.html",
        projects=[listed_project(request.account, *each) for each in wanted],
        waiting=[]
        if archived or find
        else waiting_items(request.account, [each for each in own if not each[0].archived]),
        archived=archived,
        others=len(own) - len(shelf),
        none_at_all=not own,
        find=find,
        creates=may(request.actor, "create project"),
        trials=trials(request.account.username),
    )


def project_archive(request: Request) -> HttpResponse:
    archived = request.POST.get("archived") == "1"
    archive(project=request.project, actor=request.actor, archived=archived)
    done = _("%(project)s is archived.") if archived else _("%(project)s is listed again.")
    title = request.project.title or request.project.name
    messages.success(request, done % {"project": title})
    return redirect("projects")
