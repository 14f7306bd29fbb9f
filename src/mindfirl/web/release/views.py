"""What may leave a project: releases made, settled, downloaded and deleted; decisions as labels."""

from __future__ import annotations

from typing import Any, Final, cast

from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import Busy, FieldErrors, SettingError
from mindfirl.core.policy import may
from mindfirl.services.release import handover, release_choices, release_states
from mindfirl.store.models import Account, Linkage, Release
from mindfirl.store.queries.projects import (
    current_version,
    handovers_of,
    newest_linkage,
    release_of,
    releases_in,
)
from mindfirl.web.accounts.forms import Password
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import status_for
from mindfirl.web.page.fields import ReasonForm, add_errors
from mindfirl.web.page.figures import count
from mindfirl.web.page.group_rows import linkage_group_rows
from mindfirl.web.page.long_work import enqueue, job_for
from mindfirl.web.page.steps import step_page, to_page
from mindfirl.web.release import findings_page, release_page
from mindfirl.web.release.findings_page import RemediesForm
from mindfirl.web.release.release_page import DownloadForm, ReleaseForm

_KIND: Final = "release create"


def releases(request: Request) -> HttpResponse:
    return _page(request)


def release_new(request: Request) -> HttpResponse:
    linkage = newest_linkage(request.project)
    if linkage is None:
        raise SettingError(_("Records are not linked yet. Link them first."))
    form = _release_form(request.POST, linkage)
    try:
        choices = release_choices.read_choices(linkage, form.changes())
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return _page(request, release_form=form)
    enqueue(request, _KIND, linkage=linkage.number, choices=choices.written())
    return redirect("releases", request.project.name)


def _release_form(typed: Any, linkage: Linkage) -> ReleaseForm:  # noqa: ANN401  # what Django reads forms from
    sensitive = release_choices.sensitive_columns(linkage)
    return ReleaseForm(typed, ways=release_choices.offered(linkage), sensitive=sensitive)


def release(request: Request, release: int) -> HttpResponse:
    return _release_page(request, _found(request, release))


def release_again(request: Request, release: int) -> HttpResponse:
    """Make a release again, with what was chosen for the columns in which something was found."""
    found = _found(request, release)
    try:
        choices = RemediesForm(request.POST, release=found).apply(found)
    except SettingError as error:
        return to_page(request, "release", found.number, wrong=words_of(error))
    enqueue(request, _KIND, linkage=found.linkage.number, choices=choices.written())
    return redirect("releases", request.project.name)


def release_confirm(request: Request, release: int) -> HttpResponse:
    found = _found(request, release)
    try:
        release_states.confirm_finding(
            release=found,
            actor=request.actor,
            account=request.account,
            column=request.POST.get("column", ""),
            kind=request.POST.get("kind", ""),
        )
    except SettingError as error:
        return to_page(request, "release", found.number, wrong=words_of(error))
    return to_page(request, "release", found.number, done=_("Finding accepted."))


def release_settle(request: Request, release: int) -> HttpResponse:
    found = _found(request, release)
    column, kind = (request.POST.get(name, "") for name in ("column", "kind"))
    form = ReasonForm(request.POST, key=_key(column, kind))
    try:
        settled = release_states.settle_finding(
            release=found,
            actor=request.actor,
            account=request.account,
            column=column,
            kind=kind,
            reason=form.typed(),
        )
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return _release_page(request, found, settling={(column, kind): form})
    except SettingError as error:
        return to_page(request, "release", found.number, wrong=words_of(error))
    waits = any("proposed" in each for each in settled.report["findings"])
    proposed = _("Proposal sent. Another manager, or the auditor, must confirm it.")
    done = proposed if waits else _("Finding accepted. The reason is recorded in the ledger.")
    return to_page(request, "release", found.number, done=done)


def release_download(request: Request, release: int) -> HttpResponse:
    found = _found(request, release)
    form = DownloadForm(request.POST, release=found)
    form.is_valid()
    try:
        handed = handover.download(
            request=request,
            release=found,
            actor=request.actor,
            account=request.account,
            password=form.cleaned_data.get("password", ""),
            form=form.cleaned_data.get("form", ""),
        )
    except FieldErrors as error:
        add_errors(form, {} if "password" in form.errors else field_words(error))
        return _release_page(request, found, download=form)
    except SettingError as error:
        return to_page(request, "release", found.number, wrong=words_of(error))
    return _file(handed)


def release_delete(request: Request, release: int) -> HttpResponse:
    found = _found(request, release)
    form = ReasonForm(request.POST, key="delete")
    try:
        release_states.delete_release(release=found, actor=request.actor, reason=form.typed())
    except FieldErrors as error:
        add_errors(form, field_words(error))
        return _release_page(request, found, deleting=form)
    except (SettingError, Busy) as error:
        return to_page(request, "release", found.number, wrong=words_of(error))
    return to_page(request, "releases", done=_("Release deleted and its key destroyed."))


def release_labels(request: Request) -> HttpResponse:
    form = Password(request.POST, auto_id="labels-%s")
    form.is_valid()
    try:
        handed = handover.export_labels(
            request=request,
            project=request.project,
            actor=request.actor,
            account=request.account,
            password=form.cleaned_data.get("password", ""),
        )
    except FieldErrors as error:
        add_errors(form, {} if "password" in form.errors else field_words(error))
        return _page(request, labels_form=form)
    except SettingError as error:
        return to_page(request, "releases", wrong=words_of(error))
    return _file(handed)


def _file(handed: handover.Handed) -> HttpResponse:
    """Answer with a file to be kept, never to be shown."""
    answer = FileResponse(
        handed.content, as_attachment=True, filename=handed.name, content_type=handed.type
    )
    return cast("HttpResponse", answer)


def _page(
    request: Request,
    *,
    release_form: ReleaseForm | None = None,
    labels_form: Password | None = None,
) -> HttpResponse:
    linkage, made = newest_linkage(request.project), releases_in(request.project)
    labelled = may(request.actor, "export labels") and not request.project.shredded
    decided = handover.labels_of(request.project) if labelled else 0
    return step_page(
        request,
        "releases",
        linkage=linkage,
        persons=count(linkage.report["persons"]) if linkage else "",
        outdated=linkage is not None and linkage.version != current_version(request.project),
        lead=release_page.all_words(made),
        releases=[release_page.release_row(each) for each in made],
        form=release_form or (_release_form(None, linkage) if linkage else None),
        may_release=may(request.actor, "make release"),
        job=job_for(request.project, _KIND),
        labels_form=labels_form or Password(auto_id="labels-%s"),
        labels=count(decided) if decided else "",
        template="release/page.html",
        status=status_for(release_form or labels_form),
    )


def _release_page(
    request: Request,
    found: Release,
    *,
    settling: dict[tuple[str, str], ReasonForm] | None = None,
    download: DownloadForm | None = None,
    deleting: ReasonForm | None = None,
) -> HttpResponse:
    state, typed = release_page.state_of(found), settling or {}
    blocked = findings_page.barrier_words(found)
    remedies = RemediesForm(None, release=found)

    def form_for(column: str, kind: str) -> ReasonForm:
        return typed.get((column, kind)) or ReasonForm(None, key=_key(column, kind))

    groups = found.report["linkage_groups"]
    return step_page(
        request,
        "releases",
        release=release_page.release_row(found),
        answer=release_page.answer(found),
        barriers=blocked if state == "blocked" else [],
        facts=release_page.facts(found),
        findings=findings_page.finding_rows(
            found, _names(found), form_for, str(request.account.pk)
        ),
        remedies=remedies,
        remakes=may(request.actor, "make release") and state == "blocked" and remedies.fields,
        settles=may(request.actor, "settle finding") and state == "blocked" and not blocked,
        confirms=may(request.actor, "confirm finding") and state == "blocked" and not blocked,
        two_people=found.report["second_person"] or request.project.second_person,
        linkage_groups=linkage_group_rows(groups),
        least=groups["least"] if groups else 0,
        download=download or DownloadForm(release=found),
        downloads=may(request.actor, "download release") and state == "ready",
        refusal=_refusal(request, found),
        deleting=deleting or ReasonForm(None, key="delete"),
        deletes=may(request.actor, "delete release") and state != "deleted",
        got=[(each, release_page.WHAT[each.what]) for each in handovers_of(found)],
        template="release/release.html",
        status=status_for(settling or download or deleting),
    )


def _refusal(request: Request, found: Release) -> str:
    """Say why this person, of all, may not have a release that is ready."""
    try:
        handover.check_open(found, request.account)
    except SettingError as error:
        return words_of(error)
    return ""


def _key(column: str, kind: str) -> str:
    return f"settle-{column}-{kind}".replace(" ", "-")


def _names(release: Release) -> dict[str, str]:
    said = [
        each[state]["by"]
        for each in release.report["findings"]
        for state in ("settled", "proposed")
        if state in each
    ]
    known = Account.objects.filter(pk__in=[each for each in said if each])
    return {str(each.pk): str(each) for each in known}


def _found(request: Request, number: int) -> Release:
    found = release_of(request.project, number)
    if found is None:
        raise Http404
    return found
