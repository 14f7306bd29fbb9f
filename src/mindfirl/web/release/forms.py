"""What leaves a project, as it is typed: choices for a release, reasons, passwords."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.engine.schema.schema_files import Coarsening
from mindfirl.services.release.release_choices import Choices, ChoicesTyped, coarsen_field
from mindfirl.web.accounts.forms import Password
from mindfirl.web.page.fields import choice, reason_field, whole

_SCOPES: Final = {
    "linked": gettext_lazy("Persons with several records"),
    "all": gettext_lazy("All records"),
}
_FORMS: Final = {"csv": "CSV", "parquet": "Parquet"}
_PARTS: Final = {
    "year": gettext_lazy("the year"),
    "month": gettext_lazy("the year and month"),
    "decade": gettext_lazy("the decade"),
}


class ReleaseForm(forms.Form):
    """What is to be in a release."""

    scope = choice(gettext_lazy("Whose records"), _SCOPES)
    term = whole(gettext_lazy("Days until it is deleted"))
    least_k = whole(
        gettext_lazy("Least k"), hint=gettext_lazy("So many persons in the smallest group.")
    )
    least_l = whole(
        gettext_lazy("Least l"), hint=gettext_lazy("So many different values in each group.")
    )

    def __init__(
        self,
        typed: Any,  # noqa: ANN401  # what Django reads forms from
        *,
        ways: Mapping[str, tuple[Coarsening, ...]],
    ) -> None:
        usual = Choices()
        initial = {name: getattr(usual, name) for name in ("term", "least_k", "least_l")}
        super().__init__(typed, initial=initial)
        self.attributes = list(ways)
        for name, offered in ways.items():
            among = {"": _("nothing of it"), **{str(way): part_words(way) for way in offered}}
            self.fields[coarsen_field(name)] = choice(name, among)

    def coarsened(self) -> list[BoundField]:
        return [self[coarsen_field(name)] for name in self.attributes]

    def changes(self) -> ChoicesTyped:
        self.is_valid()
        typed = self.cleaned_data
        return ChoicesTyped(
            linked_only=typed.get("scope") != "all",
            coarsen={name: typed.get(coarsen_field(name), "") for name in self.attributes},
            **{name: typed.get(name, "") for name in ("least_k", "least_l", "term")},
        )


class ReasonForm(forms.Form):
    """Why something is done; those of several things stand on one page, each under a key."""

    reason = reason_field()

    def __init__(self, typed: Any, *, key: str) -> None:  # noqa: ANN401  # what Django reads forms from
        super().__init__(typed, auto_id=f"{key}-%s")

    def typed(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("reason", ""))


class DownloadForm(Password):
    """The form of the file, and the password of who gets it."""

    field_order = ("form", "password")
    form = choice(gettext_lazy("As"), _FORMS)


def part_words(way: Coarsening) -> str:
    if isinstance(way, int):
        return ngettext("the first character", "the first %(n)d characters", way) % {"n": way}
    return str(_PARTS[way])
