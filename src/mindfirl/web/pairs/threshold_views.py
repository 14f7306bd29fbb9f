"""The two thresholds: which pairs need a person, and what that asks of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.errors import Busy, ChangedMeanwhile
from mindfirl.engine.bands import Bands
from mindfirl.services import jobs
from mindfirl.services import pairs as candidates
from mindfirl.services.plan import plans
from mindfirl.store.models import Job, Scoring
from mindfirl.store.queries.plans import sample_of, scoring_of, state_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page
from mindfirl.web.page import figures
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.long_work import is_under_way, job_for
from mindfirl.web.page.steps import step_page
from mindfirl.web.pairs.forms import SAMPLE, SampledThresholdsForm, ThresholdsForm
from mindfirl.web.pairs.weight_histogram import STEP, Chart, chart_of
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs

FINDING: Final = ("pairs score", "pairs upload")
"""The kinds of work that find pairs."""


@dataclass(frozen=True, slots=True)
class Burden:
    """What thresholds would ask of people, and what that could cost."""

    non_links: int
    missed: str
    missed_share: str
    review: int
    time: str
    partial: str
    full: str
    known: int
    contested: int
    settled: int
    links: int
    false: str
    false_share: str


@dataclass(frozen=True, slots=True)
class BurdenPart:
    burden: Burden


@dataclass(frozen=True, slots=True)
class ErrorsPart:
    sentences: list[str]


@dataclass(frozen=True, slots=True)
class ThresholdsPage:
    form: SampledThresholdsForm
    pairs: int
    chart: Chart
    chart_step: float
    burden: Burden
    remarks: Sequence[str]
    job: Job | None
    seen: str


def pairs_thresholds(request: Request) -> HttpResponse:
    if request.method == "POST":
        return _save(request)
    scoring = scoring_of(request.project)
    if state_of(scoring).split()[:1] != request.GET.get("seen", "").split()[:1]:
        sentence = _("The pairs were found anew since you opened this page. Open it again.")
        return page(
            request, "pairs/errors.html", ErrorsPart([sentence]), status=HTTPStatus.CONFLICT
        )
    form = ThresholdsForm(request.GET)
    if not form.is_valid():
        return errors_part(request, form)
    opened = open_pairs(request.project)
    return page(request, "pairs/burden.html", BurdenPart(_burden(opened, _bands(form))))


def errors_part(request: Request, form: Form) -> HttpResponse:
    """Say what is wrong with a form, without the page around it."""
    wrong = ErrorsPart([str(each) for errors in form.errors.values() for each in errors])
    return page(request, "pairs/errors.html", wrong, status=HTTPStatus.UNPROCESSABLE_ENTITY)


def thresholds_page(
    request: Request,
    scoring: Scoring,
    form: SampledThresholdsForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    form = form or _asked_or_saved(request, scoring)
    opened = open_pairs(request.project)
    wrong = form.is_bound and not form.is_valid()
    both = wrong and form.errors.keys() & {"lower", "upper"}
    shown = _bands(form) if form.is_bound and not both else opened.bands
    if wrong:
        add_errors(form)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    drawn = ThresholdsPage(
        form=form,
        pairs=len(opened.candidates),
        chart=chart_of(opened.candidates.weight, shown),
        chart_step=STEP,
        burden=_burden(opened, shown),
        remarks=opened.scoring.remarks,
        job=pairs_job(request, after=scoring),
        seen=state_of(scoring_of(request.project)),
    )
    return step_page(request, "pairs", drawn, template="pairs/thresholds.html", status=status)


def pairs_job(request: Request, *, after: Scoring | None = None) -> Job | None:
    """Return the work that a page of pairs shows: what is under way, or what failed last."""
    job = job_for(request.project, *FINDING, "pairs bands")
    old = job is not None and after is not None and job.created < after.created
    return job if is_under_way(job) or not old else None


def _save(request: Request) -> HttpResponse:
    scoring = scoring_of(request.project)
    if scoring is None:
        messages.error(request, _("There are no pairs any more: the databases changed."))
        return redirect("pairs", request.project.name)
    form = SampledThresholdsForm(request.POST)
    if not form.is_valid():
        return thresholds_page(request, scoring, form)
    if "show" in request.POST:  # browsers that run no scripts
        asked = urlencode({name: form.data[name] for name in ("lower", "upper")})
        return redirect(f"{reverse('pairs', args=[request.project.name])}?{asked}")
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
        return thresholds_page(request, scoring, form, HTTPStatus.CONFLICT)
    if lacking:
        _work_out_risks(request)
    messages.success(request, _("The thresholds are saved."))
    return redirect("plan", request.project.name)


def _work_out_risks(request: Request) -> None:
    """Let unknown risks be worked out; if other work is under way, they stay unknown."""
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


def _asked_or_saved(request: Request, scoring: Scoring) -> SampledThresholdsForm:
    """Return the thresholds that a page is asked to show, or the saved ones."""
    sample = sample_of(request.project)
    sampled = {"sampled": bool(sample), "sample": sample or SAMPLE}
    if "lower" in request.GET or "upper" in request.GET:
        asked = {name: request.GET.get(name, "") for name in ("lower", "upper")}
        return SampledThresholdsForm({**asked, **sampled})
    saved = {"lower": f"{scoring.lower:.12g}", "upper": f"{scoring.upper:.12g}"}
    return SampledThresholdsForm(initial={**saved, **sampled})


def _burden(opened: OpenPairs, bands: Bands) -> Burden:
    found = candidates.burden_of(opened, bands)
    missed, false = found["expected_missed_links"], found["expected_false_links"]
    heavy = found["links"] + found["contested"]
    return Burden(
        non_links=found["non_links"],
        missed=_missed(missed) if missed > 0 else "",
        missed_share=figures.percent(missed / (found["expected_links"] or 1)),
        review=found["review"],
        time=figures.working_time(found["review"]),
        partial=figures.percent(found["K"]["partial"]),
        full=figures.percent(found["K"]["full"]),
        known=found["K_known"],
        contested=found["contested"],
        settled=found["settled"],
        links=found["links"],
        false=_false(false) if false > 0 else "",
        false_share=figures.percent(false / (heavy or 1)),
    )


def _missed(number: float) -> str:
    shown, form = figures.about(number)
    words = ngettext("%(about)s true link missed", "%(about)s true links missed", form)
    return words % {"about": shown}


def _false(number: float) -> str:
    shown, form = figures.about(number)
    return ngettext("%(about)s false link", "%(about)s false links", form) % {"about": shown}


def _bands(form: Form) -> Bands:
    return Bands(form.cleaned_data["lower"], form.cleaned_data["upper"])
