"""Finding pairs, or uploading scored ones."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from mindfirl.core.errors import Busy, ChangedMeanwhile, SettingError
from mindfirl.services import jobs
from mindfirl.services import pairs as candidates
from mindfirl.services.data.uploads import PAIRS
from mindfirl.store.models import Job
from mindfirl.store.queries.plans import scored_before, scoring_of, state_of
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.web.data.upload_stream import SealingHandler
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.long_work import enqueue, is_under_way
from mindfirl.web.page.steps import step_page
from mindfirl.web.pairs import threshold_views
from mindfirl.web.pairs.forms import FindForm, UploadForm
from mindfirl.web.pairs.threshold_views import FINDING, errors_part, pairs_job

_COUNTED_AT_ONCE: Final = 200_000
"""With more records the page is drawn before the comparisons are counted."""


@dataclass(frozen=True, slots=True)
class ComparisonsPart:
    """Which records would be compared, and how many comparisons each rule takes."""

    comparisons: candidates.Blocked | None
    rules: list[tuple[tuple[str, ...], int]]


@dataclass(frozen=True, slots=True)
class FindPage:
    form: FindForm
    upload_form: UploadForm
    limit: int
    counted_later: bool
    job: Job | None
    going: bool
    scored: int | None
    scored_before: bool
    seen: str


def pairs(request: Request) -> HttpResponse:
    """Show how pairs are found; once they are, which of them need a person."""
    if current_version(request.project) is None:
        messages.info(request, _("Bring the databases first: pairs are found among their records."))
        return redirect("data", request.project.name)
    if request.htmx:
        return _comparisons(request)
    scoring, job = scoring_of(request.project), pairs_job(request)
    finding = job is not None and job.kind in FINDING and is_under_way(job)
    if scoring is None or finding or "again" in request.GET:
        return _find_page(request, _find_form(request))
    return threshold_views.thresholds_page(request, scoring)


def pairs_find(request: Request) -> HttpResponse:
    """Let the pairs be found, or only show how many comparisons that would take."""
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        return _find_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    wanted = {"mode": planned.mode, "most": planned.most}
    if "show" in request.POST:  # browsers that run no scripts
        asked = urlencode({"again": "", **wanted})
        return redirect(f"{reverse('pairs', args=[request.project.name])}?{asked}")
    if _is_stale(request):
        return _find_page(request, form, status=HTTPStatus.CONFLICT)
    enqueue(request, "pairs score", **wanted, seed=1)
    return redirect("pairs", request.project.name)


@csrf_exempt
def pairs_upload(request: Request) -> HttpResponse:
    """Take in a file of scored pairs while the form is read; its token is checked within."""
    about = {"project": request.project, "actor": request.actor, "account": request.account}
    handler = SealingHandler(request, **about, purpose=PAIRS)
    request.upload_handlers = [handler]
    try:
        answer: HttpResponse = csrf_protect(_uploaded)(request, handler)
    finally:
        handler.refuse_all()
    return answer


def _uploaded(request: Request, handler: SealingHandler) -> HttpResponse:
    form = UploadForm(request.POST, **_about(request))
    if not form.is_valid():
        return _find_page(request, upload_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if _is_stale(request):
        return _find_page(request, upload_form=form, status=HTTPStatus.CONFLICT)
    if jobs.current_job(request.project):
        messages.error(request, str(Busy()))
        return redirect("pairs", request.project.name)
    wrong = _kept(request, handler)
    if wrong:
        form.add_error("file", wrong)
        return _find_page(request, upload_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    enqueue(request, "pairs upload", mode=form.cleaned_data["mode"])
    return redirect("pairs", request.project.name)


def _kept(request: Request, handler: SealingHandler) -> str:
    """Keep the file of a form; return what is wrong with it."""
    if not handler.parts:
        return _("Choose a file first.")
    if "complete" not in request.POST:
        return _("The connection broke off. Nothing was kept; send it again.")
    part = handler.parts[0]
    part.keep()
    return part.sentence


def _is_stale(request: Request) -> bool:
    """Tell somebody whose page shows pairs that are gone, or does not show the newest."""
    if state_of(scoring_of(request.project)) == request.POST.get("seen", ""):
        return False
    messages.error(request, str(ChangedMeanwhile()))
    return True


def _about(request: Request) -> dict[str, int]:
    version = current_version(request.project)
    if version is None:
        raise SettingError(_("Nothing was imported yet. Bring the databases first."))
    return {"databases": len(databases_of(version)), "records": version.records}


def _find_form(request: Request) -> FindForm:
    given = request.POST if request.method == "POST" else request.GET
    about = _about(request)
    asked = request.method == "POST" or "mode" in given or "most" in given
    return FindForm(given, **about) if asked else FindForm.proposed(**about)


def _planned(request: Request, form: FindForm) -> candidates.Blocked | None:
    """Plan what a form asks for, or put what is impossible at its field."""
    if not form.is_valid():
        return None
    wanted: dict[str, Any] = form.cleaned_data
    try:
        return candidates.plan_pairs(project=request.project, **wanted)
    except SettingError as error:
        form.add_error("most", str(error))
        return None


def _find_page(
    request: Request,
    form: FindForm | None = None,
    *,
    upload_form: UploadForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    about = _about(request)
    form = form or FindForm.proposed(**about)
    upload_form = upload_form or UploadForm(**about)
    scoring, job = scoring_of(request.project), pairs_job(request)
    going = is_under_way(job)
    at_once = form.is_asked or about["records"] <= _COUNTED_AT_ONCE
    planned = _planned(request, form) if at_once and not going else None
    for each in (form, upload_form):
        add_errors(each)
    shown = FindPage(
        form=form,
        upload_form=upload_form,
        limit=settings.UPLOAD_LIMIT,
        counted_later=not at_once,
        job=job,
        going=going,
        scored=scoring.pairs if scoring else None,
        scored_before=scored_before(request.project),
        seen=state_of(scoring),
    )
    parts = (shown, _comparisons_part(planned))
    return step_page(request, "pairs", *parts, template="pairs/find.html", status=status)


def _comparisons(request: Request) -> HttpResponse:
    """Show how many comparisons the choices would take, without the page around it."""
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        return errors_part(request, form)
    return page(request, "pairs/comparisons.html", _comparisons_part(planned))


def _comparisons_part(planned: candidates.Blocked | None) -> ComparisonsPart:
    if planned is None:
        return ComparisonsPart(None, [])
    blocking = planned.blocking
    return ComparisonsPart(planned, list(zip(blocking.rules, blocking.comparisons, strict=True)))
