"""Assignments under way: how far they are, and changes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any, Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.services.dispatch import assignments as working
from mindfirl.services.dispatch.assignments import AssignmentProgress, progress_of
from mindfirl.store.models import Account, Assignment
from mindfirl.store.queries.access import members_of
from mindfirl.web.dispatch.assignment_forms import (
    BudgetForm,
    ChangeForm,
    DueForm,
    EndForm,
    RestForm,
)
from mindfirl.web.dispatch.assignment_page import (
    KINDS,
    AssignmentRow,
    AssignmentsPart,
    ChangeAction,
    ChangePage,
    LivePart,
    assignment_row,
    known,
    together,
)
from mindfirl.web.http.access import Request, View
from mindfirl.web.http.pages import page
from mindfirl.web.page.fields import add_errors

_TAKERS: Final = {"worker": "review", "adjudicator": "adjudication"}
"""What those with a role can take over."""

_People = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class _Change:
    """A change that is typed: its form, what it is called, and what does it."""

    form: type[ChangeForm]
    label: Any
    question: Any
    done: Any
    do: Callable[[Request, Assignment, Any], None]
    confirm: Any = ""
    hint: Any = ""


def assignments_part(request: Request) -> AssignmentsPart:
    found = progress_of(project=request.project, actor=request.actor)
    people = _takers(request)
    return AssignmentsPart(
        assignments=[_with_changes(request, each, people) for each in found],
        together=together(found),
        assignments_known=known(found),
        assignments_live=any(ASSIGNMENT_STATES[each.state] for each in found),
    )


def project_live(request: Request) -> HttpResponse:
    """Show how far the assignments are, on a page that is open."""
    found = progress_of(project=request.project, actor=request.actor)
    part = LivePart(
        assignments=[assignment_row(each) for each in found],
        together=together(found),
        changed=request.GET.get("known") != known(found),
    )
    return page(request, "dispatch/live.html", part)


def assignment_rows(request: Request) -> list[AssignmentRow]:
    return [
        assignment_row(each) for each in progress_of(project=request.project, actor=request.actor)
    ]


def assignment_pause(request: Request, assignment: UUID) -> HttpResponse:
    return _change_at_once(request, assignment, working.pause, _("The assignment is paused."))


def assignment_resume(request: Request, assignment: UUID) -> HttpResponse:
    return _change_at_once(request, assignment, working.resume, _("The assignment goes on."))


def change_view(name: str) -> View:
    return partial(_changed, CHANGES[name])


def _change_at_once(
    request: Request, assignment: UUID, do: Callable[..., None], done: str
) -> HttpResponse:
    try:
        do(assignment=_found(request, assignment), actor=request.actor)
    except SettingError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, done)
    return redirect("project", request.project.name)


def _changed(change: _Change, request: Request, assignment: UUID) -> HttpResponse:
    """Make a change as it was typed, or ask again, with what is wrong at its field."""
    found = _found(request, assignment)
    form = _form(change, found, _takers(request), request.POST)
    try:
        change.do(request, found, form)
    except (FieldErrors, SettingError) as error:
        add_errors(form, error.fields if isinstance(error, FieldErrors) else {"": str(error)})
        asked = ChangePage(form, change.label, change.question % {"name": found.account})
        wrong = HTTPStatus.UNPROCESSABLE_ENTITY
        return page(request, "dispatch/change.html", asked, status=wrong)
    messages.success(request, change.done % {"name": found.account})
    return redirect("project", request.project.name)


def _move_due(request: Request, found: Assignment, form: DueForm) -> None:
    typed = form.typed("due")
    try:
        due = date.fromisoformat(typed) if typed else None
    except ValueError:
        wrong = {"due": _("Give a day as year, month and day: 2030-01-31.")}
        raise FieldErrors(wrong) from None
    working.move_due(assignment=found, actor=request.actor, due=due)


def _raise_budget(request: Request, found: Assignment, form: BudgetForm) -> None:
    typed = {"budget": form.typed("budget"), "reason": form.typed("reason")}
    working.raise_budget(assignment=found, actor=request.actor, **typed)


def _end(request: Request, found: Assignment, form: EndForm) -> None:
    working.end(assignment=found, actor=request.actor, reason=form.typed("reason"))


def _reassign(request: Request, found: Assignment, form: RestForm) -> None:
    chosen = form.chosen()
    accounts = Account.objects.in_bulk(list(chosen))
    working.reassign(
        assignment=found,
        actor=request.actor,
        to=[accounts[UUID(account)] for account in chosen],
        budgets=list(chosen.values()),
        reason=form.typed("reason"),
    )


CHANGES: Final = {
    "due": _Change(
        DueForm,
        gettext_lazy("Move the due date"),
        gettext_lazy("When is the assignment of %(name)s due?"),
        gettext_lazy("The assignment of %(name)s has another due date."),
        _move_due,
    ),
    "budget": _Change(
        BudgetForm,
        gettext_lazy("Raise the budget"),
        gettext_lazy("How much may %(name)s see?"),
        gettext_lazy("The budget of %(name)s is raised."),
        _raise_budget,
    ),
    "reassign": _Change(
        RestForm,
        gettext_lazy("Give the rest to others"),
        gettext_lazy("Who takes over the rest of the pairs of %(name)s?"),
        gettext_lazy("The rest of the pairs of %(name)s went to others."),
        _reassign,
        gettext_lazy("The assignment ends with what was decided, and its rest goes to others?"),
        gettext_lazy(
            "This assignment ends with its pairs and what was spent; the pairs that are left are "
            "new assignments, each with a budget of its own."
        ),
    ),
    "end": _Change(
        EndForm,
        gettext_lazy("End the assignment"),
        gettext_lazy("Why does the assignment of %(name)s end?"),
        gettext_lazy("The assignment of %(name)s has ended."),
        _end,
        gettext_lazy("End this assignment for good?"),
        gettext_lazy("Nothing can be opened or decided in it afterwards."),
    ),
}
"""The changes that are typed, by the last word of their routes."""


def _found(request: Request, assignment: UUID) -> Assignment:
    related = request.project.assignments.select_related("account", "project", "dispatch")
    found = related.filter(pk=assignment).first()
    if found is None:
        raise Http404
    return found


def _takers(request: Request) -> _People:
    found: _People = {kind: [] for kind in KINDS}
    for each in members_of(request.project):
        if each.role in _TAKERS and each.account.is_active:
            found[_TAKERS[each.role]].append((str(each.account_id), str(each.account)))
    return found


def _form(
    change: _Change, found: Assignment, people: _People, typed: QueryDict | None
) -> ChangeForm:
    return change.form(
        typed,
        key=f"{found.pk}-{change.form.__name__}",
        initial={"due": found.due.isoformat() if found.due else ""},
        people=[each for each in people[found.kind] if each[0] != str(found.account_id)],
    )


def _with_changes(request: Request, each: AssignmentProgress, people: _People) -> AssignmentRow:
    found = each.assignment
    ended = not ASSIGNMENT_STATES[each.state]
    names = [name for name in CHANGES if not ended]
    if each.state == "ended" and each.passed_on < each.pairs:
        names = ["reassign"]
    actions = tuple(
        ChangeAction(
            form=_form(CHANGES[name], found, people, None),
            label=CHANGES[name].label,
            confirm=CHANGES[name].confirm,
            hint=CHANGES[name].hint,
            address=reverse(f"assignment-{name}", args=[request.project.name, found.pk]),
        )
        for name in names
    )
    return replace(assignment_row(each), running=not ended, actions=actions)
