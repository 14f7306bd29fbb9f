"""Pairs held against a file of the truth: its upload, and what earlier comparisons found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt

from mindfirl.core.errors import Busy
from mindfirl.services import jobs
from mindfirl.services.data.uploads import TRUTH
from mindfirl.services.evaluation.truth import FEWEST_PAIRS, MOST_JUDGEMENTS
from mindfirl.store.queries.judgements import KeptJudgement, truth_judgements
from mindfirl.store.queries.plans import scoring_of
from mindfirl.web.data.upload_stream import SealingHandler, kept_file, sealed_while_read
from mindfirl.web.http.access import Request
from mindfirl.web.page.figures import count
from mindfirl.web.page.long_work import enqueue, is_under_way, job_for
from mindfirl.web.page.steps import step_page, to_page

_KIND: Final = "pairs judge"
_WORDS: Final = {
    "at least": gettext_lazy("at least %(number)s"),
    "about": gettext_lazy("about %(number)s"),
    "fewer than": gettext_lazy("fewer than %(number)s"),
}


@dataclass(frozen=True, slots=True)
class JudgementWords:
    """What one comparison found, as figures: of the links, and of errors beside those expected."""

    day: str
    version: int
    pairs: str
    precision: str
    recall: str
    rows: list[tuple[str, str, str]]


@csrf_exempt
def pairs_truth(request: Request) -> HttpResponse:
    """Show comparisons, or take in a file while the form is read; its token is checked within."""
    if scoring_of(request.project) is None:
        return to_page(request, "pairs", wrong=_("No pairs yet. Find pairs first."))
    if request.method == "POST":
        return sealed_while_read(request, _uploaded, purpose=TRUTH)
    return _page(request)


def _uploaded(request: Request, handler: SealingHandler) -> HttpResponse:
    if jobs.current_job(request.project):
        return to_page(request, "pairs-truth", wrong=str(Busy()))
    if wrong := kept_file(request, handler):
        return _page(request, wrong)
    enqueue(request, _KIND)
    return redirect("pairs-truth", request.project.name)


def _page(request: Request, wrong: str = "") -> HttpResponse:
    kept, job = truth_judgements(request.project), job_for(request.project, _KIND)
    scoring = scoring_of(request.project)
    assert scoring
    used = sum(each.told.version == scoring.version.number for each in kept)
    return step_page(
        request,
        "pairs",
        template="pairs/truth.html",
        judgements=[_in_words(each) for each in kept[:MOST_JUDGEMENTS]],
        fewest=FEWEST_PAIRS,
        left=max(MOST_JUDGEMENTS - used, 0),
        limit=settings.UPLOAD_LIMIT,
        job=job if job and job.state != "done" else None,
        going=is_under_way(job),
        wrong=wrong,
        status=HTTPStatus.UNPROCESSABLE_ENTITY if wrong else HTTPStatus.OK,
    )


def _in_words(kept: KeptJudgement) -> JudgementWords:
    shown = {name: _written(figure) for name, figure in kept.told.shown}
    return JudgementWords(
        day=kept.at[:10],
        version=kept.told.version,
        pairs=count(kept.told.pairs),
        precision=shown["precision"],
        recall=shown["recall"],
        rows=list(_rows(shown)),
    )


def _rows(shown: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    yield _("True pairs that are linked"), shown["linked"], ""
    yield _("True pairs that are for people"), shown["for people"], ""
    yield _("False links"), shown["false links"], shown["expected false links"]
    yield _("Missed links"), shown["missed"], shown["expected missed"]
    yield _("Links never compared"), shown["never compared"], shown["expected never compared"]


def _written(figure: str) -> str:
    """Write a figure of the ledger in the language of the page."""
    for beginning, words in _WORDS.items():
        if figure.startswith(beginning):
            return str(words) % {"number": figure.removeprefix(beginning).strip()}
    if figure == "not known":
        return _("not known")
    low, high = figure.split(" to ")
    return _("%(low)s to %(high)s") % {"low": low, "high": high}
