"""Fields as pages show them: what is typed stays as it is, and services say what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

_LONGEST_NUMBER: Final = 9


def words(
    label: object, *, hint: object = "", widget: forms.Widget | None = None
) -> forms.CharField:
    return forms.CharField(
        label=label,  # type: ignore[arg-type]  # a text, translated when it is drawn
        required=False,
        help_text=hint,  # type: ignore[arg-type]  # the same
        widget=widget or forms.TextInput(attrs={"autocomplete": "off"}),
    )


def reason_field() -> forms.CharField:
    hint = _("Recorded in the ledger and read by auditors. Do not name a person.")
    return words(_("Reason"), hint=hint)


def whole(label: object, *, hint: object = "") -> forms.CharField:
    attributes = {"inputmode": "numeric", "autocomplete": "off", "class": "short"}
    return words(label, hint=hint, widget=forms.TextInput(attrs=attributes))


def percentage(label: object, *, hint: object = "") -> forms.CharField:
    attributes = {"inputmode": "decimal", "autocomplete": "off", "class": "short"}
    return words(label, hint=hint, widget=forms.TextInput(attrs=attributes))


def day(label: object, *, hint: object = "") -> forms.CharField:
    return words(label, hint=hint, widget=forms.TextInput(attrs={"type": "date"}))


def choice(label: object, among: Mapping[str, object], *, hint: object = "") -> forms.CharField:
    return words(label, hint=hint, widget=forms.Select(choices=list(among.items())))


def box(label: object, *, hint: object = "") -> forms.BooleanField:
    return forms.BooleanField(label=label, required=False, help_text=hint)  # type: ignore[arg-type]  # as above


def number_within(
    label: object, allowed: range, *, hint: object, wrong: object
) -> forms.IntegerField:
    return forms.IntegerField(
        label=label,  # type: ignore[arg-type]  # as above
        min_value=allowed.start,
        max_value=allowed.stop - 1,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=hint,  # type: ignore[arg-type]  # as above
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            wrong,  # type: ignore[arg-type]  # as above
        ),
    )


def whole_number(text: str, default: int) -> int:
    """Read a number that a page wrote; what somebody wrote instead counts as the default."""
    fits = text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER
    return int(text) if fits else default


class ReasonForm(forms.Form):
    """Why something is done; those of several things stand on one page, each under a key."""

    reason = reason_field()

    def __init__(self, typed: Any, *, key: str) -> None:  # noqa: ANN401  # what Django reads forms from
        super().__init__(typed, auto_id=f"{key}-%s")

    def typed(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("reason", ""))


def add_errors(form: forms.Form, errors: Mapping[str, str] | None = None) -> None:
    """Put sentences at their fields, or above all fields; focus the first wrong field."""
    form.is_valid()
    for name, sentence in (errors or {}).items():
        form.add_error(name if name in form.fields else None, sentence)
    first = next((name for name in form.fields if name in form.errors), None)
    if first:
        form.fields[first].widget.attrs["autofocus"] = True
