"""Pairs: how they are found, and which of them need a person."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from mindfirl.core.errors import Busy, ChangedMeanwhile, SettingError
from mindfirl.engine.bands import Bands
from mindfirl.services import jobs
from mindfirl.services import pairs as candidates
from mindfirl.services.data.uploads import PAIRS
from mindfirl.services.plan import plans
from mindfirl.store.models import Job, Scoring
from mindfirl.store.queries.pairs import sample_of, scored_before, scoring_of, state_of
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.web.data.upload_stream import SealingHandler
from mindfirl.web.http.access import Request
from mindfirl.web.page import figures
from mindfirl.web.page.long_work import job_for
from mindfirl.web.page.steps import step_page
from mindfirl.web.pairs.forms import (
    SAMPLE,
    FindForm,
    SampledThresholdsForm,
    ThresholdsForm,
    UploadForm,
)
from mindfirl.web.pairs.weight_histogram import STEP, chart_of

_FINDING: Final = ("pairs score", "pairs upload")
_GOING_ON: Final = ("waiting", "running")
_PLANNED_AT_ONCE: Final = 200_000
"""With more records the page is drawn before the comparisons are counted."""


def pairs(request: Request) -> HttpResponse:
    """Show how the pairs are found; once they are, which of them need a person."""
    if current_version(request.project) is None:
        messages.info(request, _("Bring the databases first: pairs are found among their records."))
        return redirect("data", request.project.name)
    if request.htmx:
        return _plan_alone(request)
    scoring, job = scoring_of(request.project), _job(request)
    finding = job is not None and job.kind in _FINDING and job.state in _GOING_ON
    if scoring is None or finding or "again" in request.GET:
        return _find_page(request, _find_form(request))
    return _thresholds_page(request, scoring, _shown_thresholds(request, scoring))


def find(request: Request) -> HttpResponse:
    """Let the pairs be found, or only say how many comparisons that would take."""
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        return _find_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    wanted = {"mode": planned.mode, "most": planned.most}
    if "show" in request.POST:
        return _shown(request, again="", **wanted)
    if _is_stale(request):
        return _find_page(request, form, status=HTTPStatus.CONFLICT)
    return _enqueued(request, "pairs score", {**wanted, "seed": 1})


@csrf_exempt
def upload(request: Request) -> HttpResponse:
    """Take in a file of scored pairs while the form is read; its token is checked within."""
    about = {"project": request.project, "actor": request.actor, "account": request.account}
    handler = SealingHandler(request, **about, purpose=PAIRS)
    request.upload_handlers = [handler]
    try:
        answer: HttpResponse = csrf_protect(_uploaded)(request, handler)
    finally:
        handler.refuse_all()
    return answer


def thresholds(request: Request) -> HttpResponse:
    """Say what limits would ask of people and could cost; or keep them, and go on."""
    if request.method == "POST":
        return _save_thresholds(request)
    scoring = scoring_of(request.project)
    if state_of(scoring).split()[:1] != request.GET.get("seen", "").split()[:1]:
        sentence = _("The pairs were found anew since you opened this page. Open it again.")
        return _told(request, [sentence], HTTPStatus.CONFLICT)
    form = ThresholdsForm(request.GET)
    if not form.is_valid():
        wrong = [str(each) for errors in form.errors.values() for each in errors]
        return _told(request, wrong, HTTPStatus.UNPROCESSABLE_ENTITY)
    opened = candidates.open_pairs(request.project)
    return render(request, "pairs/burden.html", {"burden": _burden(opened, _bands(form))})


def _save_thresholds(request: Request) -> HttpResponse:
    scoring = scoring_of(request.project)
    if scoring is None:
        messages.error(request, _("There are no pairs any more: the databases changed."))
        return redirect("pairs", request.project.name)
    form = SampledThresholdsForm(request.POST)
    if not form.is_valid():
        return _thresholds_page(request, scoring, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    if "show" in request.POST:
        return _shown(request, lower=form.data["lower"], upper=form.data["upper"])
    try:
        lacking = candidates.move_thresholds(
            project=request.project,
            actor=request.actor,
            seen=request.POST.get("seen", ""),
            bands=_bands(form),
        )
        plans.sample_quality(
            project=request.project, actor=request.actor, sample=form.cleaned_data["sample"]
        )
    except (ChangedMeanwhile, Busy) as error:
        messages.error(request, str(error))
        return _thresholds_page(request, scoring, form, HTTPStatus.CONFLICT)
    if lacking:
        _work_out_risks(request)
    messages.success(request, _("The thresholds are saved."))
    return redirect("plan", request.project.name)


def _work_out_risks(request: Request) -> None:
    """Let the risks that are not known be worked out; if other work goes on, they stay unknown."""
    try:
        jobs.enqueue(
            project=request.project,
            kind="pairs bands",
            parameters={},
            actor=request.actor,
            account=request.account,
        )
    except Busy:
        messages.warning(
            request,
            _(
                "What showing the pairs could cost is known for some of them only: other work "
                "is going on. Save the thresholds again when it is done."
            ),
        )


def _enqueued(request: Request, kind: str, wanted: dict[str, Any]) -> HttpResponse:
    """Let the runner do something, and show how far it is."""
    try:
        jobs.enqueue(
            project=request.project,
            kind=kind,
            parameters=wanted,
            actor=request.actor,
            account=request.account,
        )
    except Busy as error:
        messages.error(request, str(error))
    return redirect("pairs", request.project.name)


def _uploaded(request: Request, handler: SealingHandler) -> HttpResponse:
    """Keep the file, and let its pairs become those of the project."""
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
    return _enqueued(request, "pairs upload", {"mode": form.cleaned_data["mode"]})


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
    """Tell somebody whose page shows pairs that are gone, or does not show those that are there."""
    if state_of(scoring_of(request.project)) == request.POST.get("seen", ""):
        return False
    messages.error(request, str(ChangedMeanwhile()))
    return True


def _shown(request: Request, **asked: object) -> HttpResponse:
    """Show what was asked for: for browsers that run no scripts."""
    return redirect(f"{reverse('pairs', args=[request.project.name])}?{urlencode(asked)}")


def _about(request: Request) -> dict[str, int]:
    """Say what the choices depend on."""
    version = current_version(request.project)
    if version is None:
        raise SettingError(_("Nothing was imported yet. Bring the databases first."))
    return {"databases": len(databases_of(version)), "records": version.records}


def _find_form(request: Request) -> FindForm:
    """Return what was asked for, or what is proposed."""
    given = request.POST if request.method == "POST" else request.GET
    about = _about(request)
    asked = request.method == "POST" or "mode" in given or "most" in given
    return FindForm(given, **about) if asked else FindForm.proposed(**about)


def _planned(request: Request, form: FindForm) -> candidates.Blocked | None:
    """Plan what a form asks for; what cannot be is said at its field."""
    if not form.is_valid():
        return None
    wanted = form.cleaned_data
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
    scoring, job = scoring_of(request.project), _job(request)
    going_on = job is not None and job.state in _GOING_ON
    at_once = form.is_asked or about["records"] <= _PLANNED_AT_ONCE
    planned = _planned(request, form) if at_once and not going_on else None
    for each in (form, upload_form):
        each.focus()
    context = {
        "form": form,
        "upload_form": upload_form,
        "limit": settings.UPLOAD_LIMIT,
        "plan": planned and _plan(planned),
        "plan_later": not at_once,
        "job": job,
        "going_on": going_on,
        "scored": scoring and figures.count(scoring.pairs),
        "scored_before": scored_before(request.project),
        "seen": state_of(scoring),
    }
    return step_page(request, "pairs", context, template="pairs/find.html", status=status)


def _plan_alone(request: Request) -> HttpResponse:
    """Say how many comparisons the choices would take, without the page around it."""
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        wrong = [str(each) for errors in form.errors.values() for each in errors]
        return _told(request, wrong, HTTPStatus.UNPROCESSABLE_ENTITY)
    return render(request, "pairs/plan.html", {"plan": _plan(planned)})


def _plan(planned: candidates.Blocked) -> dict[str, Any]:
    blocking = planned.blocking
    return {
        "records": figures.count(planned.records),
        "total": figures.count(blocking.total),
        "rules": [
            {"attributes": rule, "pairs": figures.count(number)}
            for rule, number in zip(blocking.rules, blocking.comparisons, strict=True)
        ],
    }


def _shown_thresholds(request: Request, scoring: Scoring) -> SampledThresholdsForm:
    """Return the limits that a page is asked to show, or those that are kept."""
    sample = sample_of(request.project)
    kept = {"sampled": bool(sample), "sample": sample or SAMPLE}
    if "lower" in request.GET or "upper" in request.GET:
        asked = {name: request.GET.get(name, "") for name in ("lower", "upper")}
        return SampledThresholdsForm({**asked, **kept})
    saved = {"lower": f"{scoring.lower:.12g}", "upper": f"{scoring.upper:.12g}"}
    return SampledThresholdsForm(initial={**saved, **kept})


def _thresholds_page(
    request: Request,
    scoring: Scoring,
    form: SampledThresholdsForm,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    opened = candidates.open_pairs(request.project)
    wrong = form.is_bound and not form.is_valid()
    both = wrong and form.errors.keys() & {"lower", "upper"}
    shown = _bands(form) if form.is_bound and not both else opened.bands
    if wrong:
        form.focus()
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "form": form,
        "pairs": figures.count(len(opened.candidates)),
        "any": len(opened.candidates) > 0,
        "chart": chart_of(opened.candidates.weight, shown),
        "step": STEP,
        "burden": _burden(opened, shown),
        "remarks": opened.scoring.remarks,
        "job": _job(request, after=scoring),
        "seen": state_of(scoring_of(request.project)),
    }
    return step_page(request, "pairs", context, template="pairs/thresholds.html", status=status)


def _burden(opened: candidates.OpenPairs, bands: Bands) -> dict[str, Any]:
    """Write what limits would ask of people, and what that could cost."""
    found = candidates.burden_of(opened, bands)
    missed, false = found["expected_missed_links"], found["expected_false_links"]
    heavy = found["links"] + found["contested"]
    return {
        "non_links": figures.count(found["non_links"]),
        "missed": missed > 0 and _missed(missed),
        "missed_share": figures.percent(missed / (found["expected_links"] or 1)),
        "review": figures.count(found["review"]),
        "any_review": found["review"] > 0,
        "time": figures.working_time(found["review"]),
        "partial": figures.percent(found["K"]["partial"]),
        "full": figures.percent(found["K"]["full"]),
        "known": found["K_known"] and figures.count(found["K_known"]),
        "all_known": found["K_known"] == found["review"],
        "contested": found["contested"],
        "settled": found["settled"],
        "links": figures.count(found["links"]),
        "false": false > 0 and _false(false),
        "false_share": figures.percent(false / (heavy or 1)),
    }


def _missed(number: float) -> str:
    shown, form = figures.about(number)
    words = ngettext("%(about)s true link missed", "%(about)s true links missed", form)
    return words % {"about": shown}


def _false(number: float) -> str:
    shown, form = figures.about(number)
    return ngettext("%(about)s false link", "%(about)s false links", form) % {"about": shown}


def _bands(form: Form) -> Bands:
    return Bands(form.cleaned_data["lower"], form.cleaned_data["upper"])


def _job(request: Request, *, after: Scoring | None = None) -> Job | None:
    """Return the work that a page of pairs tells of: what goes on, or what failed last."""
    job = job_for(request.project, *_FINDING, "pairs bands")
    old = job is not None and after is not None and job.created < after.created
    return job if job and (job.state in _GOING_ON or not old) else None


def _told(request: Request, sentences: list[str], status: HTTPStatus) -> HttpResponse:
    return render(request, "pairs/errors.html", {"sentences": sentences}, status=status)
