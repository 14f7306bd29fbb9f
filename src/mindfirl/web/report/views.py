"""The report of a project: the one that was made last, as a page and as files; a new one."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.services import report as reports
from mindfirl.store.models import LedgerHead, Report
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of
from mindfirl.web.http.pages import status_for
from mindfirl.web.page.long_work import enqueue, job_for
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.report import printing
from mindfirl.web.report.report_page import report_part


def report(request: Request) -> HttpResponse:
    return _made(request) if request.method == "POST" else _page(request)


def report_json(request: Request) -> HttpResponse:
    found = _newest(request)
    if found is None:
        return redirect("report", request.project.name)
    headers = _as_file(found, "json")
    return HttpResponse(f"{found.text}\n", content_type="application/json", headers=headers)


def report_pdf(request: Request) -> HttpResponse:
    found = _newest(request)
    if found is None:
        return redirect("report", request.project.name)
    try:
        printed = printing.report_pdf(found.content)
    except SettingError as error:
        return to_page(request, "report", wrong=words_of(error))
    headers = _as_file(found, "pdf")
    return HttpResponse(printed, content_type="application/pdf", headers=headers)


def _made(request: Request) -> HttpResponse:
    names, _usual = reports.groups_of(project=request.project, actor=request.actor)
    group = request.POST.get("group", "")
    if group and group not in names:
        return _page(request, wrong=_("This attribute no longer exists. Choose another."))
    if request.project.shredded:
        messages.error(request, _("A new report is not possible, because the keys were destroyed."))
        return redirect("report", request.project.name)
    enqueue(request, "report", group=group)
    return redirect("report", request.project.name)


def _page(request: Request, *, wrong: str = "") -> HttpResponse:
    found = _newest(request)
    names, usual = reports.groups_of(project=request.project, actor=request.actor)
    content = found.content if found else None
    chosen = content["groups"] if content else None
    head = LedgerHead.objects.filter(project=request.project).first()
    told = content["ledger"]["entries"] + 1 if content else 0  # with the one of the report itself
    return step_page(
        request,
        "",
        report_part(content) if content else None,
        template="report/page.html",
        job=job_for(request.project, "report"),
        names=names,
        chosen=chosen["attribute"] if chosen else usual,
        wrong=wrong,
        prints=printing.printer() is not None,
        since=max(head.entries - told, 0) if head and content else 0,
        shredded=request.project.shredded,
        status=status_for(wrong),
    )


def _newest(request: Request) -> Report | None:
    return reports.newest_report(project=request.project, actor=request.actor)


def _as_file(found: Report, ending: str) -> dict[str, str]:
    name = f"report-{found.project.name}-{found.number}.{ending}"
    return {"Content-Disposition": f'attachment; filename="{name}"'}
