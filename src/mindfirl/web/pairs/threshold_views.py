"""The two thresholds: which pairs need a person, and what that asks of people."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from math import ceil
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import Busy, ChangedMeanwhile
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.review.review_amounts import guard_size
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.pairs.candidates import OUTSIDE
from mindfirl.services import pairs as candidates
from mindfirl.services.plan import plans
from mindfirl.store.models import Job, Scoring
from mindfirl.store.queries.plans import planned, sample_of, scoring_of, state_of
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import words_of
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.expected_errors import expected_errors
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.long_work import is_under_way, job_for
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.pairs.amounts_page import (
    OfferedAmount,
    amounts_page,
    asked_bands,
    bands_of_number,
    is_nothing,
    offers_amounts,
    own_amount,
)
from mindfirl.web.pairs.learning_page import learnt_words
from mindfirl.web.pairs.weight_histogram import STEP, chart_of, typed_bands
from mindfirl.workspace.open_pairs import OpenPairs, open_pairs

FINDING: Final = ("pairs score", "pairs upload")
_SHOWN: Final = (*FINDING, "labels import")
SAMPLE: Final = 50
"""This many pairs are proposed for a sample."""


def _weight_field(label: Any, *, required: Any, invalid: Any) -> forms.FloatField:  # noqa: ANN401  # translated when drawn
    return forms.FloatField(
        min_value=-int(OUTSIDE),
        max_value=int(OUTSIDE),
        label=label,
        error_messages={"required": required, "invalid": invalid},
    )


class ThresholdsForm(forms.Form):
    lower = _weight_field(
        gettext_lazy("Lower threshold"),
        required=gettext_lazy("Enter the lower threshold."),
        invalid=gettext_lazy("The lower threshold must be a number, such as -2.5."),
    )
    upper = _weight_field(
        gettext_lazy("Upper threshold"),
        required=gettext_lazy("Enter the upper threshold."),
        invalid=gettext_lazy("The upper threshold must be a number, such as 7.5."),
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        lower, upper = found.get("lower"), found.get("upper")
        if lower is not None and upper is not None and lower > upper:
            self.add_error(
                "lower",
                _(
                    "The lower threshold is above the upper one. Swap them, or enter the same "
                    "weight twice to send no pairs to people."
                ),
            )
        return found


class SampledThresholdsForm(ThresholdsForm):
    sampled = forms.BooleanField(required=False)
    sample = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        error_messages={"invalid": gettext_lazy("Enter a whole number, in digits.")},
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if not found.get("sampled"):
            self.errors.pop("sample", None)
            found["sample"] = 0
        elif "sample" not in self.errors and not found.get("sample"):
            self.add_error("sample", _("Enter how many pairs of each band, or clear the box."))
        return found


@dataclass(frozen=True, slots=True)
class Burden:
    """What thresholds would ask of people, as counts and in words."""

    found: dict[str, Any]
    time: str
    snapped: tuple[str, str] | None
    """The thresholds that the figures are for, where they are not those that were asked for."""
    own: OfferedAmount
    """What reviewing these pairs takes and leads to."""


def pairs_thresholds(request: Request) -> HttpResponse:
    if request.method == "POST":
        return _save(request)
    scoring = scoring_of(request.project)
    if state_of(scoring).split()[:1] != request.GET.get("seen", "").split()[:1]:
        sentence = _(
            "Not saved: the pairs were found again since you opened this page. Reload the page."
        )
        return page(request, "pairs/errors.html", sentences=[sentence], status=HTTPStatus.CONFLICT)
    opened = open_pairs(request.project)
    for name in ("pairs", "hours"):
        if name in request.GET:
            return _number_part(request, opened, name)
    form = ThresholdsForm(request.GET)
    if not form.is_valid():
        return errors_part(request, form)
    return _burden_part(request, opened, _bands(form))


def _number_part(request: Request, opened: OpenPairs, name: str) -> HttpResponse:
    """Answer a number of pairs or hours that is being typed with the thresholds for it."""
    try:
        bands = bands_of_number(request, opened, name, request.GET[name])
    except forms.ValidationError as error:
        return page(
            request,
            "pairs/errors.html",
            sentences=error.messages,
            status=HTTPStatus.UNPROCESSABLE_ENTITY,
        )
    return _burden_part(request, opened, bands)


def _burden_part(request: Request, opened: OpenPairs, bands: Bands) -> HttpResponse:
    burden = _burden(request, opened, bands)
    with_amounts = offers_amounts(opened)
    return page(request, "pairs/changed_thresholds.html", burden=burden, amounts=with_amounts)


def errors_part(request: Request, form: forms.Form) -> HttpResponse:
    wrong = [str(each) for errors in form.errors.values() for each in errors]
    return page(request, "pairs/errors.html", sentences=wrong, status=status_for(wrong))


def thresholds_page(
    request: Request,
    scoring: Scoring,
    form: SampledThresholdsForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
    *,
    amount_wrong: str = "",
) -> HttpResponse:
    form = form or _asked_or_saved(request, scoring)
    opened = open_pairs(request.project)
    wrong = form.is_bound and not form.is_valid()
    both = wrong and form.errors.keys() & {"lower", "upper"}
    shown = _bands(form) if form.is_bound and not both else opened.bands
    if wrong:
        add_errors(form)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    return step_page(
        request,
        "pairs",
        form=form,
        pairs=len(opened.candidates),
        chart=chart_of(opened.shown_weights, opened.snapped(shown)),
        chart_step=STEP,
        burden=_burden(request, opened, shown),
        amounts=amounts_page(request, opened, shown),
        amount_wrong=amount_wrong,
        expected_errors=expected_errors(request.project),
        remarks=opened.scoring.remarks,
        blocking=candidates.rules_used(opened.scoring),
        learnt=learnt_words(request),
        job=pairs_job(request, after=scoring),
        seen=state_of(scoring_of(request.project)),
        template="pairs/thresholds.html",
        status=status,
    )


def pairs_job(request: Request, *, after: Scoring | None = None) -> Job | None:
    """Return the work that a page of pairs shows: what is under way, or what failed last."""
    job = job_for(request.project, *_SHOWN)
    old = job is not None and after is not None and job.created < after.created
    return job if is_under_way(job) or not old else None


def _save(request: Request) -> HttpResponse:
    scoring = scoring_of(request.project)
    if scoring is None:
        messages.error(
            request,
            _(
                "The pairs are no longer valid, because the databases changed. "
                "Find the pairs again."
            ),
        )
        return redirect("pairs", request.project.name)
    try:
        form = SampledThresholdsForm(_with_asked_bands(request))
    except forms.ValidationError as error:
        wrong = " ".join(error.messages)
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return thresholds_page(request, scoring, status=status, amount_wrong=wrong)
    if not form.is_valid():
        return thresholds_page(request, scoring, form)
    if "show" in request.POST:  # browsers that run no scripts
        asked = urlencode({name: form.data[name] for name in ("lower", "upper")})
        return redirect(f"{reverse('pairs', args=[request.project.name])}?{asked}")
    try:
        candidates.move_thresholds(
            project=request.project,
            actor=request.actor,
            seen=request.POST.get("seen", ""),
            bands=_bands(form),
        )
        plans.sample_quality(
            project=request.project, actor=request.actor, sample=form.cleaned_data["sample"]
        )
    except (ChangedMeanwhile, Busy) as error:
        messages.error(request, words_of(error))
        return thresholds_page(request, scoring, form, HTTPStatus.CONFLICT)
    return _onward(request)


def _onward(request: Request) -> HttpResponse:
    if is_nothing(request):
        done = _("Thresholds saved. Without a review, records are linked here by their weights.")
        return to_page(request, "resolve", done=done)
    return to_page(request, "plan", done=_("Thresholds saved."))


def _with_asked_bands(request: Request) -> QueryDict:
    """Return what was sent, with the thresholds of the amount that was chosen, if one was."""
    bands = asked_bands(request, open_pairs(request.project))
    if bands is None:
        return request.POST
    sent = request.POST.copy()
    sent["lower"], sent["upper"] = repr(bands.lower), repr(bands.upper)
    return sent


def _asked_or_saved(request: Request, scoring: Scoring) -> SampledThresholdsForm:
    sample = sample_of(request.project) if planned(request.project) else _guard(request)
    sampled = {"sampled": bool(sample), "sample": sample or SAMPLE}
    if "lower" in request.GET or "upper" in request.GET:
        asked = {name: request.GET.get(name, "") for name in ("lower", "upper")}
        return SampledThresholdsForm({**asked, **sampled})
    opened = open_pairs(request.project)
    shown = typed_bands(opened.shown_weights, Bands(scoring.lower, scoring.upper))
    saved = {"lower": f"{shown.lower:.12g}", "upper": f"{shown.upper:.12g}"}
    return SampledThresholdsForm(initial={**saved, **sampled})


def _guard(request: Request) -> int:
    """Propose how many pairs of each automatic band guard it, until a plan says otherwise."""
    opened = open_pairs(request.project)
    found = opened.settlement
    looks = int(found.sent.sum()) * ReviewPlan().reviews
    links, below = int(found.linked.sum()), int(found.not_linked.sum())
    return ceil(guard_size(looks, links=links, below=below).pairs / 2)


def _burden(request: Request, opened: OpenPairs, bands: Bands) -> Burden:
    own = own_amount(request, opened, bands)
    found = candidates.burden_of(opened, bands)
    lower, upper = found["bands"]
    snapped = None if Bands(lower, upper) == bands else (_in_words(lower), _in_words(upper))
    return Burden(found, own.time, snapped, own)


def _in_words(weight: float) -> str:
    if abs(weight) < OUTSIDE:
        return f"{weight:g}"
    return _("below all pairs") if weight < 0 else _("above all pairs")


def _bands(form: forms.Form) -> Bands:
    return Bands(form.cleaned_data["lower"], form.cleaned_data["upper"])
