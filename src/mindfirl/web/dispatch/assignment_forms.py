"""Changes of an assignment as they are typed: its day, its budget, its end, who takes it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext_lazy as _

from mindfirl.web.page.fields import box, day, percentage, reason_field


class ChangeForm(forms.Form):
    """A change of one assignment; those of several stand on one page, each under a key."""

    def __init__(
        self,
        typed: Any,  # noqa: ANN401  # what Django reads forms from
        *,
        key: str,
        initial: dict[str, Any] | None = None,
        people: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(typed, auto_id=f"{key}-%s", initial=initial)
        self.people = people

    def plain_fields(self) -> list[BoundField]:
        return [self[name] for name in self.base_fields]

    def typed(self, name: str) -> str:
        self.is_valid()
        return str(self.cleaned_data.get(name, ""))


class DueForm(ChangeForm):
    """Another due day."""

    due = day(_("Due"), hint=_("Empty: on no certain day."))


class BudgetForm(ChangeForm):
    """A larger budget."""

    budget = percentage(_("New budget, in % of K"))
    reason = reason_field()


class EndForm(ChangeForm):
    """An end for good."""

    reason = reason_field()


class RestForm(ChangeForm):
    """Others who take over the rest of an assignment, each within a budget of their own."""

    takers_label = _("Who takes over the pairs that are left")
    budget_label = _("Budget, %")

    reason = reason_field()

    def __init__(
        self,
        typed: Any,  # noqa: ANN401  # what Django reads forms from
        *,
        key: str,
        initial: dict[str, Any] | None = None,
        people: Sequence[tuple[str, str]] = (),
    ) -> None:
        super().__init__(typed, key=key, initial=initial, people=people)
        for account, name in people:
            self.fields[f"person-{account}"] = box(name)
            label = _("Budget of %(name)s in %%") % {"name": name}
            self.fields[f"budget-{account}"] = percentage(label)

    def takers(self) -> list[tuple[str, BoundField, BoundField]]:
        return [
            (name, self[f"person-{account}"], self[f"budget-{account}"])
            for account, name in self.people
        ]

    def chosen(self) -> dict[str, str]:
        self.is_valid()
        return {
            account: self.typed(f"budget-{account}")
            for account, _name in self.people
            if self.cleaned_data.get(f"person-{account}")
        }
