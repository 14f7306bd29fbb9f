"""Finding pairs, or uploading scored ones."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.csrf import csrf_exempt

from mindfirl.core.errors import Busy, ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.engine.scoring.blocking import default_most
from mindfirl.services import jobs
from mindfirl.services import pairs as candidates
from mindfirl.services.data.uploads import ANSWERS, PAIRS
from mindfirl.services.labels import read_source
from mindfirl.store.queries.plans import scored_before, scoring_of, state_of
from mindfirl.store.queries.projects import current_version, databases_of
from mindfirl.web.data.upload_stream import SealingHandler, kept_file, sealed_while_read
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import page
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.figures import count
from mindfirl.web.page.long_work import enqueue, is_under_way
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.pairs import threshold_views
from mindfirl.web.pairs.threshold_views import FINDING, errors_part, pairs_job

_COUNTED_AT_ONCE: Final = 200_000
"""With more records the page is drawn before the comparisons are counted."""
MODES: Final = {
    "link": gettext_lazy("between databases"),
    "dedupe": gettext_lazy("within each database"),
    "both": gettext_lazy("both between and within databases"),
}
SOURCES: Final = {
    "derived": gettext_lazy("also parts of values (rules derived from the data)"),
    "exact": gettext_lazy("whole values only"),
    "own": gettext_lazy("my own rules only"),
}
"""By which rules pairs are compared."""


class _ModeForm(forms.Form):
    mode = forms.ChoiceField(
        choices=list(MODES.items()),
        label=gettext_lazy("Look for pairs"),
        error_messages=dict.fromkeys(
            ("required", "invalid_choice"), gettext_lazy("Choose one of these.")
        ),
    )

    def __init__(self, *given: Any, databases: int, **named: Any) -> None:  # noqa: ANN401  # Django's
        super().__init__(*given, **named)
        if databases < 2:  # noqa: PLR2004  # across needs two
            field = self.fields["mode"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("dedupe", _("within the database"))]


class FindForm(_ModeForm):
    most = forms.IntegerField(
        min_value=1,
        max_value=10**12,
        label=gettext_lazy("Maximum number of comparisons"),
        help_text=gettext_lazy(
            "Rules are chosen to stay below this. More comparisons find a few more pairs and take "
            "longer."
        ),
        error_messages={
            "required": gettext_lazy("Enter the maximum number of comparisons."),
            "invalid": gettext_lazy("Enter a whole number, in digits."),
            "min_value": gettext_lazy("Allow at least one comparison."),
        },
    )
    source = forms.ChoiceField(
        required=False,
        choices=list(SOURCES.items()),
        label=gettext_lazy("Compare records that agree on"),
        error_messages={"invalid_choice": gettext_lazy("Choose one of these.")},
    )
    own = forms.CharField(
        required=False,
        max_length=2_000,
        label=gettext_lazy("Your own rules"),
        help_text=gettext_lazy(
            "Optional, one rule per line: what two records must have in common, such as "
            "“last_name + year of birth_date”."
        ),
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    is_asked = True
    """Whether somebody has chosen this, or it is proposed."""

    @classmethod
    def proposed(cls, *, databases: int, records: int) -> FindForm:
        wanted = {"mode": "link" if databases > 1 else "dedupe", "most": default_most(records)}
        form = cls({**wanted, "source": "derived"}, databases=databases)
        form.is_asked = False
        return form

    def clean_source(self) -> str:
        return self.cleaned_data["source"] or "derived"

    def clean_own(self) -> list[str]:
        return [line for line in self.cleaned_data["own"].splitlines() if line.strip()]


class UploadForm(_ModeForm):
    """Scored pairs from elsewhere; the file itself is sealed while the form is read."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File of scored pairs"),
        help_text=gettext_lazy(
            "CSV, Parquet or a workbook, from Splink, dedupe or another tool. Each row has two "
            "record IDs and, if known, a match weight or probability."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.parquet,.xlsx,.xls,.xlsb,.ods"}),
    )
    field_order = ("file", "mode")

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  # Django's
        super().__init__(*given, auto_id="upload_%s", **named)
        self.fields["mode"].label = _("Pairs are")


class AnswersForm(forms.Form):
    """Known answers from elsewhere; the file itself is sealed while the form is read."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File of known answers"),
        help_text=gettext_lazy(
            "Columns left, right and answer (same or different), or clerical labels from Splink. "
            "People do not review these pairs; linking uses the answers."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.parquet,.xlsx,.xls,.xlsb,.ods"}),
    )
    source = forms.CharField(
        required=False,
        label=gettext_lazy("Source"),
        help_text=gettext_lazy("For the ledger and the report, such as “Registry of 2024”."),
    )

    def __init__(self, typed: Any = None) -> None:  # noqa: ANN401  # what Django reads
        super().__init__(typed, auto_id="answers_%s")

    def clean_source(self) -> str:
        try:
            return read_source(self.cleaned_data["source"])
        except FieldErrors as error:
            raise forms.ValidationError(field_words(error)["source"]) from None


def pairs(request: Request) -> HttpResponse:
    if current_version(request.project) is None:
        messages.info(
            request,
            _("No databases yet. Import databases first; then find pairs among their records."),
        )
        return redirect("data", request.project.name)
    if request.htmx:
        return _comparisons(request)
    scoring, job = scoring_of(request.project), pairs_job(request)
    finding = job is not None and job.kind in FINDING and is_under_way(job)
    if scoring is None or finding or "again" in request.GET:
        return _find_page(request, _find_form(request))
    return threshold_views.thresholds_page(request, scoring)


def pairs_find(request: Request) -> HttpResponse:
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        return _find_page(request, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    wanted: dict[str, Any] = {
        "mode": planned.mode,
        "most": planned.most,
        "source": planned.source,
    }
    if "show" in request.POST:  # browsers that run no scripts
        asked = urlencode({"again": "", **wanted, "own": form.data.get("own", "")})
        return redirect(f"{reverse('pairs', args=[request.project.name])}?{asked}")
    if _is_stale(request):
        return _find_page(request, form, status=HTTPStatus.CONFLICT)
    enqueue(request, "pairs score", **wanted, own=form.cleaned_data["own"], seed=1)
    return redirect("pairs", request.project.name)


@csrf_exempt
def pairs_upload(request: Request) -> HttpResponse:
    """Take in a file of scored pairs while the form is read; its token is checked within."""
    return sealed_while_read(request, _uploaded, purpose=PAIRS)


def _uploaded(request: Request, handler: SealingHandler) -> HttpResponse:
    form = UploadForm(request.POST, databases=_about(request)["databases"])
    if not form.is_valid():
        return _find_page(request, upload_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if _is_stale(request):
        return _find_page(request, upload_form=form, status=HTTPStatus.CONFLICT)
    if jobs.current_job(request.project):
        return to_page(request, "pairs", wrong=str(Busy()))
    wrong = kept_file(request, handler)
    if wrong:
        form.add_error("file", wrong)
        return _find_page(request, upload_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    enqueue(request, "pairs upload", mode=form.cleaned_data["mode"])
    return redirect("pairs", request.project.name)


@csrf_exempt
def pairs_answers(request: Request) -> HttpResponse:
    """Take in a file of known answers while the form is read; its token is checked within."""
    return sealed_while_read(request, _answered, purpose=ANSWERS)


def _answered(request: Request, handler: SealingHandler) -> HttpResponse:
    _about(request)
    form = AnswersForm(request.POST)
    if not form.is_valid():
        return _find_page(request, answers_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    if jobs.current_job(request.project):
        return to_page(request, "pairs", wrong=str(Busy()))
    if wrong := kept_file(request, handler):
        form.add_error("file", wrong)
        return _find_page(request, answers_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    enqueue(request, "labels import", source=form.cleaned_data["source"])
    return redirect("pairs", request.project.name)


def _is_stale(request: Request) -> bool:
    """Tell somebody whose page shows pairs that are gone, or does not show the newest."""
    if state_of(scoring_of(request.project)) == request.POST.get("seen", ""):
        return False
    messages.error(request, str(ChangedMeanwhile()))
    return True


def _about(request: Request) -> dict[str, int]:
    version = current_version(request.project)
    if version is None:
        raise SettingError(_("No databases yet. Import databases first."))
    return {"databases": len(databases_of(version)), "records": version.records}


def _find_form(request: Request) -> FindForm:
    given = request.POST if request.method == "POST" else request.GET
    about = _about(request)
    asked = request.method == "POST" or "mode" in given or "most" in given
    return FindForm(given, databases=about["databases"]) if asked else FindForm.proposed(**about)


def _planned(request: Request, form: FindForm) -> candidates.Blocked | None:
    if not form.is_valid():
        return None
    wanted: dict[str, Any] = form.cleaned_data
    try:
        return candidates.plan_pairs(project=request.project, **wanted)
    except SettingError as error:
        form.add_error(
            "own" if wanted["own"] or wanted["source"] == "own" else "most", words_of(error)
        )
        return None


def _find_page(
    request: Request,
    form: FindForm | None = None,
    *,
    upload_form: UploadForm | None = None,
    answers_form: AnswersForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    about = _about(request)
    form = form or FindForm.proposed(**about)
    upload_form = upload_form or UploadForm(databases=about["databases"])
    scoring, job = scoring_of(request.project), pairs_job(request)
    going = is_under_way(job)
    at_once = form.is_asked or about["records"] <= _COUNTED_AT_ONCE
    planned = _planned(request, form) if at_once and not going else None
    answers_form = answers_form or AnswersForm()
    for each in (form, upload_form, answers_form):
        add_errors(each)
    return step_page(
        request,
        "pairs",
        template="pairs/find.html",
        form=form,
        upload_form=upload_form,
        answers_form=answers_form,
        answered=[
            (each, count(each.pairs)) for each in request.project.label_sets.order_by("number")
        ],
        limit=settings.UPLOAD_LIMIT,
        counted_later=not at_once,
        job=job,
        going=going,
        scored=scoring.pairs if scoring else None,
        scored_before=scored_before(request.project),
        seen=state_of(scoring),
        comparisons=planned,
        status=status,
    )


def _comparisons(request: Request) -> HttpResponse:
    form = _find_form(request)
    planned = _planned(request, form)
    if planned is None:
        return errors_part(request, form)
    return page(request, "pairs/comparisons.html", comparisons=planned)
