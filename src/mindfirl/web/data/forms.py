"""What a project is called and for."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, ClassVar, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from mindfirl.services.projects import ProjectChanges
from mindfirl.store.models import Project

_LONGEST_NAME: Final = 80
_DAY: Final = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")


class Facts(forms.Form):
    """What a project is for, and on what ground."""

    title = forms.CharField(
        label=_("Title"),
        max_length=120,
        help_text=_("What people call it: “Stroke registry and hospital records, 2024”."),
        error_messages={"required": _("Give the project a title.")},
    )
    purpose = forms.CharField(
        label=_("Purpose"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_("What the linked data are for. The report repeats it."),
    )
    legal_basis = forms.CharField(
        label=_("Legal basis"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=_("The law, consent or agreement that allows it."),
    )
    approval = forms.CharField(
        label=_("Approval number"),
        required=False,
        max_length=120,
        help_text=_("Of the ethics board or data office, where there is one."),
    )
    ends = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=_DAY,
        help_text=_("No assignment may be due later."),
        error_messages={"invalid": _("Write the day as year-month-day: 2030-12-31.")},
    )

    def changes(self) -> ProjectChanges:
        return ProjectChanges(**{name: self.cleaned_data[name] for name in self.says})

    says: ClassVar[tuple[str, ...]] = ("title", "purpose", "legal_basis", "approval", "ends")


class NewProject(Facts):
    """A project to be made."""

    name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=_LONGEST_NAME,
        help_text=_(
            "Stands in addresses and commands: letters, digits, dots, hyphens and underscores. "
            "Made of the title if you leave it empty."
        ),
    )
    field_order = ("title", "name", "purpose", "legal_basis", "approval", "ends")

    def clean(self) -> dict[str, Any]:
        filled: dict[str, Any] = super().clean() or {}
        if not filled.get("name") and filled.get("title"):
            filled["name"] = name_of(filled["title"])
        return filled


class ProjectFacts(Facts):
    """What can be changed about a project."""

    managers_may_review = forms.BooleanField(
        label=_("Managers may review"),
        required=False,
        help_text=_("Else nobody is manager and reviewer at once. The report says which it was."),
    )
    second_person = forms.BooleanField(
        label=_("A second person confirms a dispatch"),
        required=False,
        help_text=_("Another manager, or the auditor, looks at the plan before pairs go out."),
    )
    second_factor = forms.BooleanField(
        label=_("Everybody needs a second factor"),
        required=False,
        help_text=_("Who signed in with a password alone is asked to set one up first."),
    )
    idle_minutes = forms.IntegerField(
        label=_("Minutes until pairs are covered"),
        min_value=1,
        max_value=60,
        widget=forms.NumberInput(attrs={"class": "short"}),
        help_text=_(
            "When a reviewer has done nothing for so long, what they opened leaves the screen, and "
            "their password is asked for. A session ends after 30 minutes anyway."
        ),
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"),
            _("Give a whole number of minutes from 1 to 60."),
        ),
    )
    revision = forms.IntegerField(widget=forms.HiddenInput)
    says: ClassVar[tuple[str, ...]] = (
        *Facts.says,
        "managers_may_review",
        "second_person",
        "second_factor",
        "idle_minutes",
    )


def facts_of(project: Project) -> dict[str, Any]:
    return {name: getattr(project, name) for name in (*ProjectFacts.says, "revision")}


def name_of(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    words = re.sub(r"[^a-z0-9._]+", "-", plain)
    return words.strip("-._")[:_LONGEST_NAME].rstrip("-._")
