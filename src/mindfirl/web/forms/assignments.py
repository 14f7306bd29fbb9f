"""Changes of an assignment as they are typed: its due day, its budget, its end, who takes it over."""

from __future__ import annotations

from collections.abc import Sequence

from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from mindfirl.web.forms.fields import PercentField, day


def _reason(hint: object) -> forms.CharField:
    return forms.CharField(
        label=_("Reason"),
        max_length=500,
        help_text=hint,  # type: ignore[arg-type]  # a text, translated when it is drawn
        error_messages={
            "required": _("Say why: the ledger keeps it."),
            "max_length": _("Shorten the reason to 500 characters."),
        },
    )


class ChangeForm(forms.Form):
    """A change of one assignment; several of them stand on one page."""

    def __init__(self, typed: Any, *, key: str, initial: dict[str, Any] | None = None) -> None:  # noqa: ANN401  # Django's
        super().__init__(typed, auto_id=f"{key}-%s", initial=initial)

    def plain_fields(self) -> list[BoundField]:
        """List the fields that stand one below the other."""
        return [self[name] for name in self.fields]


class DueForm(ChangeForm):
    """Another due day."""

    due = day(_("Due"), hint=_("Empty: on no certain day."))


class EndForm(ChangeForm):
    """An end for good."""

    reason = _reason(_("Nothing can be opened or decided afterwards. Do not name a person."))


class BudgetForm(ChangeForm):
    """A larger budget."""

    budget = PercentField(label=_("New budget, in % of K"))
    reason = _reason(_("The ledger keeps it, and auditors read it. Do not name a person."))


class RestForm(ChangeForm):
    """Others who take over the rest of an assignment, each within a budget of their own."""

    takers_label = _("Who takes over the pairs that are left")
    budget_label = _("Budget, %")

    def __init__(self, typed: Any, *, key: str, people: Sequence[tuple[str, str]]) -> None:  # noqa: ANN401  # Django's
        super().__init__(typed, key=key)
        self.people = people
        for account, name in people:
            chosen = forms.BooleanField(label=name, required=False)
            self.fields[f"person-{account}"] = chosen
            label = _("Budget of %(name)s in %%") % {"name": name}
            self.fields[f"budget-{account}"] = PercentField(label=label, required=False)

    def plain_fields(self) -> list[BoundField]:
        """All fields belong to people."""
        return []

    def takers(self) -> list[tuple[str, BoundField, BoundField]]:
        """List everybody who could take over, with their fields."""
        return [
            (name, self[f"person-{account}"], self[f"budget-{account}"])
            for account, name in self.people
        ]

    def clean(self) -> dict[str, Any]:
        """Ask for somebody, and for a budget of each."""
        chosen = self.chosen()
        if not chosen:
            self.add_error(None, _("Choose at least one person."))
        for account in chosen:
            name = f"budget-{account}"
            if name not in self.errors and self.cleaned_data.get(name) is None:
                self.add_error(name, _("Give a percentage, such as 2.5."))
        for account, _name in self.people:
            if account not in chosen:
                self.errors.pop(f"budget-{account}", None)
        return self.cleaned_data

    def chosen(self) -> list[str]:
        """Return who is to take over."""
        return [
            account for account, _name in self.people if self.cleaned_data.get(f"person-{account}")
        ]
