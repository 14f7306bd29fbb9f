"""Assignments under way: how far they are, and changes of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from http import HTTPStatus
from typing import Any, Final, Literal
from uuid import UUID

from django.http import Http404, HttpResponse, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.services.dispatch import assignments as working
from mindfirl.services.dispatch.assignments import AssignmentProgress, progress_of
from mindfirl.store.models import Account, Assignment, Dispatch
from mindfirl.store.queries.access import members_of
from mindfirl.store.queries.plans import waiting_dispatch
from mindfirl.web.dispatch import assignment_page
from mindfirl.web.http.access import Request, View
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import page
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.steps import to_page

_TAKERS: Final = {"worker": "review", "adjudicator": "adjudication"}

_People = dict[str, list[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class _Change:
    form: type[assignment_page.ChangeForm]
    label: Any
    question: Any
    done: Any
    do: Callable[[Request, Assignment, Any], None]
    confirm: Any = ""
    hint: Any = ""


@dataclass(frozen=True, slots=True)
class AssignmentsPart:
    assignments: list[assignment_page.AssignmentRow]
    together: assignment_page.TogetherFigures
    assignments_known: str
    assignments_live: bool


def assignments_part(request: Request) -> AssignmentsPart:
    found = progress_of(project=request.project, actor=request.actor)
    people = _takers(request)
    return AssignmentsPart(
        assignments=[_with_changes(request, each, people) for each in found],
        together=assignment_page.together(found),
        assignments_known=assignment_page.known(found),
        assignments_live=any(ASSIGNMENT_STATES[each.state] for each in found),
    )


def project_live(request: Request) -> HttpResponse:
    found = progress_of(project=request.project, actor=request.actor)
    return page(
        request,
        "dispatch/live.html",
        assignments=[assignment_page.assignment_row(each) for each in found],
        together=assignment_page.together(found),
        changed=request.GET.get("known") != assignment_page.known(found),
    )


def named_dispatch(request: Request, kind: Literal["review", "adjudication"]) -> Dispatch | None:
    """Return the dispatch that waits, if it is the one that a form names."""
    found = waiting_dispatch(request.project, kind)
    return found if found and request.POST.get("dispatch") == str(found.number) else None


def assignment_pause(request: Request, assignment: UUID) -> HttpResponse:
    return _change_at_once(request, assignment, working.pause, _("Assignment paused."))


def assignment_resume(request: Request, assignment: UUID) -> HttpResponse:
    return _change_at_once(request, assignment, working.resume, _("Assignment resumed."))


def change_view(name: str) -> View:
    return partial(_changed, CHANGES[name])


def _change_at_once(
    request: Request, assignment: UUID, do: Callable[..., None], done: str
) -> HttpResponse:
    try:
        do(assignment=_found(request, assignment), actor=request.actor)
    except SettingError as error:
        return to_page(request, "project", wrong=words_of(error))
    return to_page(request, "project", done=done)


def _changed(change: _Change, request: Request, assignment: UUID) -> HttpResponse:
    found = _found(request, assignment)
    form = _form(change, found, _takers(request), request.POST)
    try:
        change.do(request, found, form)
    except (FieldErrors, SettingError) as error:
        add_errors(
            form, field_words(error) if isinstance(error, FieldErrors) else {"": words_of(error)}
        )
        wrong = HTTPStatus.UNPROCESSABLE_ENTITY
        return page(
            request,
            "dispatch/change.html",
            form=form,
            label=change.label,
            question=change.question % {"name": found.account},
            status=wrong,
        )
    return to_page(request, "project", done=change.done % {"name": found.account})


def _move_due(request: Request, found: Assignment, form: assignment_page.DueForm) -> None:
    typed = form.typed("due")
    try:
        due = date.fromisoformat(typed) if typed else None
    except ValueError:
        wrong = {"due": _("Enter the day as year-month-day, such as 2030-01-31.")}
        raise FieldErrors(wrong) from None
    working.move_due(assignment=found, actor=request.actor, due=due)


def _raise_budget(request: Request, found: Assignment, form: assignment_page.BudgetForm) -> None:
    typed = {"budget": form.typed("budget"), "reason": form.typed("reason")}
    working.raise_budget(assignment=found, actor=request.actor, **typed)


def _end(request: Request, found: Assignment, form: assignment_page.EndForm) -> None:
    working.end(assignment=found, actor=request.actor, reason=form.typed("reason"))


def _reassign(request: Request, found: Assignment, form: assignment_page.RestForm) -> None:
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
        assignment_page.DueForm,
        gettext_lazy("Change due date"),
        gettext_lazy("Due date of the assignment of %(name)s"),
        gettext_lazy("Due date of the assignment of %(name)s changed."),
        _move_due,
    ),
    "budget": _Change(
        assignment_page.BudgetForm,
        gettext_lazy("Raise budget"),
        gettext_lazy("Budget of %(name)s"),
        gettext_lazy("Budget of %(name)s raised."),
        _raise_budget,
    ),
    "reassign": _Change(
        assignment_page.RestForm,
        gettext_lazy("Reassign remaining pairs"),
        gettext_lazy("Reassign the remaining pairs of %(name)s"),
        gettext_lazy("Remaining pairs of %(name)s reassigned."),
        _reassign,
        gettext_lazy("End this assignment with its decisions, and reassign the remaining pairs?"),
        gettext_lazy(
            "This assignment ends with its decisions and spending. The remaining pairs become new "
            "assignments, each with its own budget."
        ),
    ),
    "end": _Change(
        assignment_page.EndForm,
        gettext_lazy("End assignment"),
        gettext_lazy("End the assignment of %(name)s"),
        gettext_lazy("Assignment of %(name)s ended."),
        _end,
        gettext_lazy("End this assignment permanently?"),
        gettext_lazy("Nothing can be opened or decided in it afterwards."),
    ),
}


def _found(request: Request, assignment: UUID) -> Assignment:
    related = request.project.assignments.select_related("account", "project", "dispatch")
    found = related.filter(pk=assignment).first()
    if found is None:
        raise Http404
    return found


def _takers(request: Request) -> _People:
    found: _People = {kind: [] for kind in assignment_page.KINDS}
    for each in members_of(request.project):
        if each.role in _TAKERS and each.account.is_active:
            found[_TAKERS[each.role]].append((str(each.account_id), str(each.account)))
    return found


def _form(
    change: _Change, found: Assignment, people: _People, typed: QueryDict | None
) -> assignment_page.ChangeForm:
    return change.form(
        typed,
        key=f"{found.pk}-{change.form.__name__}",
        initial={"due": found.due.isoformat() if found.due else ""},
        people=[each for each in people[found.kind] if each[0] != str(found.account_id)],
    )


def _with_changes(
    request: Request, each: AssignmentProgress, people: _People
) -> assignment_page.AssignmentRow:
    found = each.assignment
    ended = not ASSIGNMENT_STATES[each.state]
    names = [name for name in CHANGES if not ended]
    if each.state == "ended" and each.passed_on < each.pairs:
        names = ["reassign"]
    actions = tuple(
        (
            CHANGES[name],
            _form(CHANGES[name], found, people, None),
            reverse(f"assignment-{name}", args=[request.project.name, found.pk]),
        )
        for name in names
    )
    return replace(assignment_page.assignment_row(each), running=not ended, actions=actions)
