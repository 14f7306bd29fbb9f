"""What can be typed on the page of pairs: how to find them, and where the thresholds are."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.engine.scoring.blocking import default_most

MODES: Final = {
    "link": gettext_lazy("across the databases"),
    "dedupe": gettext_lazy("within each database"),
    "both": gettext_lazy("both across and within"),
}
_MOST_COMPARISONS: Final = 10**12
_HEAVIEST: Final = 1_000
_MOST_SAMPLED: Final = 10_000
SAMPLE: Final = 50
"""So many pairs are proposed for a sample."""


class _ModeForm(forms.Form):
    """Where pairs are: across the databases, within each, or both."""

    mode = forms.ChoiceField(
        choices=list(MODES.items()),
        label=gettext_lazy("Look for pairs"),
        error_messages={
            "required": gettext_lazy("Choose one of these."),
            "invalid_choice": gettext_lazy("Choose one of these."),
        },
    )

    def __init__(self, *given: Any, databases: int, records: int, **named: Any) -> None:  # noqa: ANN401  # Django's
        self.records = records
        super().__init__(*given, **named)
        if databases < 2:  # noqa: PLR2004  # across needs two
            field = self.fields["mode"]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [("dedupe", _("within the database"))]


class FindForm(_ModeForm):
    """Which records are compared with which, and how many comparisons are made at the most."""

    most = forms.IntegerField(
        min_value=1,
        max_value=_MOST_COMPARISONS,
        label=gettext_lazy("Compare so many pairs at the most"),
        help_text=gettext_lazy(
            "The rules are chosen so that they stay below this. More comparisons find a few more "
            "pairs, and take longer."
        ),
        error_messages={
            "required": gettext_lazy("Say how many pairs may be compared."),
            "invalid": gettext_lazy("Write a whole number, in digits."),
            "min_value": gettext_lazy("Allow at least one comparison."),
        },
    )

    is_asked = True
    """Whether somebody has chosen this, or it is proposed."""

    @classmethod
    def proposed(cls, *, databases: int, records: int) -> FindForm:
        wanted = {"mode": "link" if databases > 1 else "dedupe", "most": default_most(records)}
        form = cls(wanted, databases=databases, records=records)
        form.is_asked = False
        return form


class UploadForm(_ModeForm):
    """Scored pairs from elsewhere; the file itself is sealed while the form is read."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File of scored pairs"),
        help_text=gettext_lazy(
            "CSV, Parquet or a workbook, from Splink, dedupe or any other: the ids of two records "
            "in each row, and a match weight or probability where there is one."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.parquet,.xlsx,.xls,.xlsb,.ods"}),
    )
    field_order = ("file", "mode")

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  # Django's
        super().__init__(*given, auto_id="upload_%s", **named)
        self.fields["mode"].label = _("Its pairs are")


class ThresholdsForm(forms.Form):
    """Where the thresholds are."""

    lower = forms.FloatField(
        min_value=-_HEAVIEST,
        max_value=_HEAVIEST,
        label=gettext_lazy("Lower threshold"),
        error_messages={
            "required": gettext_lazy("Give the lower threshold."),
            "invalid": gettext_lazy("The lower threshold must be a number, such as -2.5."),
        },
    )
    upper = forms.FloatField(
        min_value=-_HEAVIEST,
        max_value=_HEAVIEST,
        label=gettext_lazy("Upper threshold"),
        error_messages={
            "required": gettext_lazy("Give the upper threshold."),
            "invalid": gettext_lazy("The upper threshold must be a number, such as 7.5."),
        },
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean() or self.cleaned_data
        lower, upper = found.get("lower"), found.get("upper")
        if lower is not None and upper is not None and lower > upper:
            self.add_error(
                "lower",
                _(
                    "The lower threshold is above the upper one. Exchange them, or give both the "
                    "same weight to send no pair to people."
                ),
            )
        return found


class SampledThresholdsForm(ThresholdsForm):
    """Where the thresholds are, and whether some automatic decisions are checked."""

    sampled = forms.BooleanField(required=False)
    sample = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=_MOST_SAMPLED,
        error_messages={"invalid": gettext_lazy("Write a whole number, in digits.")},
    )

    def clean(self) -> dict[str, Any]:
        found = super().clean()
        if not found.get("sampled"):
            self.errors.pop("sample", None)
            found["sample"] = 0
        elif "sample" not in self.errors and not found.get("sample"):
            self.add_error("sample", _("Say how many pairs of each band, or take the tick away."))
        return found
