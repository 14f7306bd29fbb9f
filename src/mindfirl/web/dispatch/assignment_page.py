"""Assignments under way, in words and on meters."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.forms import BoundField
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.risk.percent import WHOLE, write_percent
from mindfirl.services.dispatch.assignments import AssignmentProgress
from mindfirl.web.page.fields import box, day, percentage, reason_field
from mindfirl.web.page.figures import (
    along,
    count,
    pairs,
    percent,
    short_date,
    whole_percent,
    working_time,
)

STATES: Final = {
    "open": gettext_lazy("open"),
    "paused": gettext_lazy("paused"),
    "submitted": gettext_lazy("submitted"),
    "ended": gettext_lazy("ended"),
}
TONES: Final = {"open": "good", "paused": "warm"}
KINDS: Final = {"review": "", "adjudication": gettext_lazy("Settle conflicts")}
"""What an assignment is called that is not a review."""


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
    due = day(gettext_lazy("Due"), hint=gettext_lazy("Leave empty for no due date."))


class BudgetForm(ChangeForm):
    budget = percentage(gettext_lazy("New budget, in % of K"))
    reason = reason_field()


class EndForm(ChangeForm):
    reason = reason_field()


class RestForm(ChangeForm):
    """Others who take over the rest of an assignment, each within a budget of their own."""

    takers_label = gettext_lazy("People who take over the remaining pairs")
    budget_label = gettext_lazy("Budget, %")

    reason = reason_field()

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401  # as any change
        super().__init__(*given, **named)
        for account, name in self.people:
            self.fields[f"person-{account}"] = box(name)
            label = gettext_lazy("Budget of %(name)s in %%") % {"name": name}
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


@dataclass(frozen=True, slots=True)
class ProgressMeters:
    decided_width: str
    decided_words: str
    spent_width: str
    spent_words: str
    due_words: str = ""


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    progress: AssignmentProgress
    kind_words: Any
    state_words: Any
    tone: str
    budget: str
    meters: ProgressMeters
    running: bool = False
    actions: tuple[tuple[Any, ChangeForm, str], ...] = ()
    """Changes that can be made to it, with their forms and addresses."""


def assignment_row(progress: AssignmentProgress) -> AssignmentRow:
    budget = write_percent(progress.assignment.budget)
    spent = _("%(share)s of the budget of K %(budget)s%% used (K %(spent)s)") % {
        "share": percent(progress.spent),
        "budget": budget,
        "spent": percent(_k_spent(progress)),
    }
    return AssignmentRow(
        progress=progress,
        kind_words=KINDS[progress.assignment.kind],
        state_words=STATES[progress.state],
        tone=TONES.get(progress.state, ""),
        budget=f"{budget}%",
        meters=ProgressMeters(
            decided_width=along(progress.decided / progress.pairs if progress.pairs else 0),
            decided_words=_decided(progress),
            spent_width=along(progress.spent),
            spent_words=spent,
            due_words=_due(progress),
        ),
    )


@dataclass(frozen=True, slots=True)
class TogetherFigures:
    """How far all assignments are, and what the one that spent most has spent."""

    decided_share: str
    decided_words: str
    state_words: str
    spent: str
    spent_words: str


def together(found: Sequence[AssignmentProgress]) -> TogetherFigures:
    size = sum(each.pairs - each.passed_on for each in found)
    decided = sum(each.decided for each in found)
    open_still = sum(
        each.pairs - each.passed_on - each.decided
        for each in found
        if ASSIGNMENT_STATES[each.state]
    )
    words = _("%(decided)s of %(pairs)s decisions made")
    if open_still:
        words = _("%(decided)s of %(pairs)s decisions made · %(time)s left")
    state_words = _("%(decided)s of %(pairs)s decisions made.")
    spent, budget = highest_spent(found) or (0.0, 0)
    return TogetherFigures(
        decided_share=whole_percent(decided / size if size else 0.0),
        decided_words=words
        % {"decided": count(decided), "pairs": count(size), "time": working_time(open_still)},
        state_words=state_words % {"decided": count(decided), "pairs": count(size)},
        spent=percent(spent),
        spent_words=_("highest risk K spent in an assignment, of a budget of %(budget)s%%")
        % {"budget": write_percent(budget)},
    )


def highest_spent(found: Sequence[AssignmentProgress]) -> tuple[float, int] | None:
    """Return the K that the assignment with the highest has spent, and its budget in 10⁻⁹.

    It never falls: no assignment gives back what it spent, whatever is assigned later.
    """
    most = max(found, key=lambda each: (_k_spent(each), each.assignment.budget), default=None)
    return None if most is None else (_k_spent(most), most.assignment.budget)


def known(found: Sequence[AssignmentProgress]) -> str:
    """Return a digest that tells a page drawn before a change from one drawn after it."""
    told = [
        f"{each.assignment.pk} {each.state} {each.assignment.budget} {each.due}" for each in found
    ]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def _k_spent(progress: AssignmentProgress) -> float:
    """Return what an assignment has spent, as K of its pairs."""
    return progress.spent * progress.assignment.budget / WHOLE


def _decided(progress: AssignmentProgress) -> str:
    words = _("%(decided)s of %(pairs)s decided")
    if progress.passed_on:
        words = _("%(decided)s of %(pairs)s decided, %(passed_on)s reassigned to others")
    return words % {
        "decided": count(progress.decided),
        "pairs": pairs(progress.pairs),
        "passed_on": count(progress.passed_on),
    }


def _due(progress: AssignmentProgress) -> str:
    if progress.due is None:
        return _("no due date")
    words = _("due %(day)s, overdue") if progress.overdue else _("due %(day)s")
    return words % {"day": short_date(progress.due)}
