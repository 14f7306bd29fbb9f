"""What reviews leave open, who settles it, and the persons that it comes to."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, SettingError
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import write_percent
from mindfirl.services import dispatch as dispatching
from mindfirl.services import resolve as resolution
from mindfirl.services.link import linkages_of
from mindfirl.store.models import Assignment, Dispatch
from mindfirl.store.queries.access import members_of
from mindfirl.store.queries.plans import planned, waiting_dispatch
from mindfirl.web.dispatch.assignment_views import named_dispatch
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.page.expected_errors import expected_errors
from mindfirl.web.page.fields import ReasonForm, add_errors, box
from mindfirl.web.page.figures import count, pairs
from mindfirl.web.page.long_work import enqueue, job_for
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.resolve import conflicts_page
from mindfirl.web.resolve.every_pair import every_pair
from mindfirl.workspace.outcomes.changed_outcomes import changed_outcomes
from mindfirl.workspace.outcomes.linkage_errors import current_errors
from mindfirl.workspace.outcomes.pair_accounts import pair_accounts
from mindfirl.workspace.outcomes.standing import Standing, counts_of, standing_of
from mindfirl.workspace.proposals import may_confirm_dispatch

_KIND: Final = "link"
_LISTED: Final = 20
"""This many contradictions stand on the page; when they are settled, others follow."""


class LinkForm(forms.Form):
    unsettled = box("")
    more_errors = box(
        gettext_lazy("Link even though a sample shows more errors than the weights predict")
    )


def resolve(request: Request) -> HttpResponse:
    return _draw(request)


def resolve_give(request: Request) -> HttpResponse:
    if request.POST.get("seen") != _seen(_standing(request)):
        return _changed(request)
    who: dict[str, Any] = {"actor": request.actor, "account": request.account}
    try:
        made = resolution.give_conflicts(project=request.project, **who)
    except SettingError as error:
        return _draw(request, wrong=words_of(error))
    if made:
        messages.success(request, _given(made))
    else:
        messages.success(
            request, _("Proposal sent. Another manager or the auditor must confirm it.")
        )
    return redirect("resolve", request.project.name)


def resolve_confirm(request: Request) -> HttpResponse:
    waiting = named_dispatch(request, "adjudication")
    if waiting is None:
        return _changed(request)
    who: dict[str, Any] = {"actor": request.actor, "account": request.account}
    try:
        made = resolution.confirm_conflicts(dispatch=waiting, **who)
    except SettingError as error:
        return _draw(request, wrong=words_of(error))
    return to_page(request, "resolve", done=_given(made))


def resolve_withdraw(request: Request) -> HttpResponse:
    waiting = named_dispatch(request, "adjudication")
    if waiting is None:
        return _changed(request)
    try:
        dispatching.withdraw(dispatch=waiting, actor=request.actor)
    except SettingError as error:
        return _draw(request, wrong=words_of(error))
    return to_page(request, "resolve", done=_("Proposal withdrawn."))


def resolve_accept(request: Request) -> HttpResponse:
    standing = _standing(request)
    name = request.POST.get("contradiction", "")
    version = standing.version.pk if standing else 0
    known = {
        conflicts_page.contradiction_name(version, each.between): each.between
        for each in (resolution.paths_in(standing) if standing else ())
    }
    if name not in known:
        return _changed(request)
    form = ReasonForm(request.POST, key=name)
    try:
        resolution.accept(
            project=request.project,
            actor=request.actor,
            account=request.account,
            between=known[name],
            reason=form.typed(),
        )
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return _draw(request, accepting={name: form})
    except SettingError as error:
        return _draw(request, wrong=words_of(error))
    messages.success(request, _("Contradiction accepted. The reason is recorded in the ledger."))
    return redirect("resolve", request.project.name)


def link(request: Request) -> HttpResponse:
    standing = _standing(request)
    if standing is None:
        return _changed(request)
    counts = counts_of(standing)
    form = _link_form(counts, request.POST)
    unsettled = bool(form.is_valid() and form.cleaned_data["unsettled"])
    if counts["contradictions"]:
        return _draw(
            request, wrong=_("Not linked: contradictions are open. Settle or accept them first.")
        )
    if counts["unsettled"] and counts["rule"] != "evidence" and not unsettled:
        wrong = _("Settle these pairs first, or confirm that they count as not linked.")
        add_errors(form, {"unsettled": wrong})
        return _draw(request, linking=form)
    more_errors = bool(form.is_valid() and form.cleaned_data["more_errors"])
    if expected_errors(request.project).alarm and not more_errors:
        add_errors(form, {"more_errors": _("Accept this, or change what is linked first.")})
        return _draw(request, linking=form)
    accepted: dict[str, Any] = {"more_errors": True} if more_errors else {}
    if enqueue(request, _KIND, unsettled=unsettled, **accepted):
        messages.success(request, _("Linking records."))
    return redirect("resolve", request.project.name)


def _standing(request: Request) -> Standing | None:
    """Return how the pairs stand; nothing where none were found."""
    try:
        return standing_of(project=request.project, actor=request.actor)
    except SettingError:
        return None


def _changed(request: Request) -> HttpResponse:
    messages.warning(request, str(ChangedMeanwhile()))
    return _draw(request, status=HTTPStatus.CONFLICT)


def _seen(standing: Standing | None) -> str:
    """Name what is given out, so that one who saw something else is told."""
    if standing is None:
        return ""
    counts = counts_of(standing)
    return " ".join([str(standing.version.pk), *map(str, counts["conflicts"].values())])


def _given(made: list[Assignment]) -> str:
    size = sum(each.size for each in made)
    words = ngettext(
        "%(pairs)s assigned to %(people)s adjudicator.",
        "%(pairs)s assigned to %(people)s adjudicators.",
        len(made),
    )
    return words % {"pairs": pairs(size), "people": count(len(made))}


def _link_form(counts: dict[str, Any], typed: QueryDict | None = None) -> LinkForm:
    form, words = LinkForm(typed), _("Count %(pairs)s that are not settled as not linked")
    form.fields["unsettled"].label = words % {"pairs": pairs(counts["unsettled"])}
    return form


def _draw(
    request: Request,
    *,
    wrong: str = "",
    accepting: dict[str, ReasonForm] | None = None,
    linking: LinkForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    if wrong or accepting or linking:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    standing = _standing(request)
    job = job_for(request.project, _KIND)
    if standing is None:
        return step_page(request, "resolve", first="pairs", wrong=wrong, job=job, status=status)
    counts = counts_of(standing)
    waiting = waiting_dispatch(request.project, "adjudication")
    linkage = next(iter(linkages_of(project=request.project, actor=request.actor)), None)
    free, held = conflicts_page.conflicts(counts)
    listed, more = _contradictions(standing, accepting or {})
    give = ngettext(
        "Assign %(shown)s conflict to adjudicators",
        "Assign %(shown)s conflicts to adjudicators",
        free,
    )
    return step_page(
        request,
        "resolve",
        first="" if counts["given_out"] else "dispatch",
        wrong=wrong,
        job=job,
        lead=[
            *conflicts_page.lead(counts),
            *conflicts_page.carried(counts, changed_outcomes(standing)),
            *conflicts_page.checked_answers(counts),
        ],
        every=every_pair(pair_accounts(standing), current_errors(request.project), counts),
        kinds=conflicts_page.kinds(counts),
        free=free,
        busy=bool(held or counts["under_review"]),
        adjudicators=_adjudicators(request, waiting),
        seen=_seen(standing),
        give=give % {"shown": count(free)},
        proposed=waiting,
        proposed_pairs=pairs(waiting.plan["pairs"]) if waiting else "",
        confirms=waiting is not None
        and may_confirm_dispatch(waiting, request.actor, request.account),
        contradictions=listed,
        more=more,
        linkage=linkage,
        bands=conflicts_page.bands(linkage.report) if linkage else (),
        notes=conflicts_page.notes(linkage.report) if linkage else (),
        current=linkage is not None
        and linkage.version_id == standing.version.pk
        and all(linkage.report.get(name) == counts[name] for name in conflicts_page.SAME),
        unsettled=counts["unsettled"],
        undecided=conflicts_page.undecided(counts) if counts["rule"] == "evidence" else "",
        findings=conflicts_page.findings(counts),
        contradicted=counts["contradictions"],
        expected_errors=expected_errors(request.project),
        linking=linking or _link_form(counts),
        status=status,
    )


def _adjudicators(request: Request, waiting: Dispatch | None) -> list[tuple[str, str]]:
    """List the adjudicators of what is proposed, or else of the plan, with their budgets."""
    saved = None if waiting else planned(request.project)
    plan = ReviewPlan.from_json(waiting.plan["plan"]) if waiting else saved[0] if saved else None
    names = {str(each.account_id): str(each.account) for each in members_of(request.project)}
    return [
        (names[each.account], f"{write_percent(each.budget)}%")
        for each in (plan.people if plan else ())
        if each.role == "adjudicator" and each.account in names
    ]


def _contradictions(
    standing: Standing, accepting: dict[str, ReasonForm]
) -> tuple[list[tuple[int, str, resolution.Path, str, str, ReasonForm]], int]:
    """List the first contradictions, each with a form by which it is accepted; count the rest."""
    found = resolution.paths_in(standing)
    shown = []
    for number, path in enumerate(found, start=1):
        name = conflicts_page.contradiction_name(standing.version.pk, path.between)
        if number <= _LISTED or name in accepting:
            form = accepting.get(name) or ReasonForm(None, key=name)
            why, over = conflicts_page.why(path), conflicts_page.over(path)
            shown.append((number, name, path, why, over, form))
    return shown, len(found) - len(shown)
