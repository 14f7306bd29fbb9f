"""What may leave a project: releases made, settled, downloaded and deleted; decisions as labels."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any, Final, cast

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from mindfirl.core.errors import Busy, FieldErrors, SettingError
from mindfirl.core.policy import may
from mindfirl.engine.release import Form
from mindfirl.services import jobs
from mindfirl.services import release as export
from mindfirl.store.models import Account, Release
from mindfirl.store.queries.releases import handovers_of, newest_linkage, release_of, releases_in
from mindfirl.web.accounts.forms import Password
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import add_wrong
from mindfirl.web.page.figures import count
from mindfirl.web.page.long_work import job_for
from mindfirl.web.page.steps import step_page
from mindfirl.web.release import release_page as words
from mindfirl.web.release.forms import DownloadForm, ReasonForm, ReleaseForm

_KIND: Final = "release create"
_WRONG: Final = HTTPStatus.UNPROCESSABLE_ENTITY


def releases(request: Request) -> HttpResponse:
    """Show what was released, and ask what is to be."""
    return _page(request)


def release_new(request: Request) -> HttpResponse:
    """Let the runner make a release."""
    linkage = newest_linkage(request.project)
    if linkage is None:
        raise SettingError(_("The records are not linked yet. Link them first."))
    form = ReleaseForm(request.POST, ways=export.offered(linkage))
    try:
        choices = export.read_choices(linkage, form.changes())
        jobs.enqueue(
            project=request.project,
            kind=_KIND,
            parameters={"linkage": linkage.number, "choices": choices.written()},
            actor=request.actor,
            account=request.account,
        )
    except FieldErrors as error:
        add_wrong(form, error.fields)
        return _page(request, release_form=form, status=_WRONG)
    except Busy as error:
        messages.error(request, str(error))
    return redirect("releases", request.project.name)


def release(request: Request, release: int) -> HttpResponse:
    """Show a release, and whether it may leave."""
    return _release_page(request, _found(request, release))


def release_settle(request: Request, release: int) -> HttpResponse:
    """Let stand what the check of a release found in a column."""
    found = _found(request, release)
    column, kind = (request.POST.get(name, "") for name in ("column", "kind"))
    form = ReasonForm(request.POST, key=_key(column, kind))
    try:
        export.settle_finding(
            release=found,
            actor=request.actor,
            account=request.account,
            column=column,
            kind=kind,
            reason=form.typed(),
        )
    except FieldErrors as error:
        add_wrong(form, error.fields)
        return _release_page(request, found, settling={(column, kind): form}, status=_WRONG)
    except SettingError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("It is settled, and the ledger tells why."))
    return redirect("release", request.project.name, found.number)


def release_download(request: Request, release: int) -> HttpResponse:
    """Give a release to somebody who gives their password again."""
    found = _found(request, release)
    form = DownloadForm(request.POST)
    form.is_valid()
    try:
        handed = export.download(
            request=request,
            release=found,
            actor=request.actor,
            account=request.account,
            password=form.cleaned_data.get("password", ""),
            form=cast("Form", form.cleaned_data.get("form", "")),
        )
    except FieldErrors as error:
        add_wrong(form, {} if "password" in form.errors else error.fields)
        return _release_page(request, found, download=form, status=_WRONG)
    except SettingError as error:
        messages.error(request, str(error))
        return redirect("release", request.project.name, found.number)
    return _file(handed)


def release_delete(request: Request, release: int) -> HttpResponse:
    """Delete a release, and its key."""
    found = _found(request, release)
    form = ReasonForm(request.POST, key="delete")
    try:
        export.delete_release(release=found, actor=request.actor, reason=form.typed())
    except FieldErrors as error:
        add_wrong(form, error.fields)
        return _release_page(request, found, deleting=form, status=_WRONG)
    except (SettingError, Busy) as error:
        messages.error(request, str(error))
        return redirect("release", request.project.name, found.number)
    messages.success(request, _("The release is deleted, and its key is destroyed."))
    return redirect("releases", request.project.name)


def release_labels(request: Request) -> HttpResponse:
    """Give what people decided to somebody who gives their password again."""
    form = Password(request.POST, auto_id="labels-%s")
    form.is_valid()
    try:
        handed = export.export_labels(
            request=request,
            project=request.project,
            actor=request.actor,
            account=request.account,
            password=form.cleaned_data.get("password", ""),
        )
    except FieldErrors as error:
        add_wrong(form, {} if "password" in form.errors else error.fields)
        return _page(request, labels_form=form, status=_WRONG)
    except SettingError as error:
        messages.error(request, str(error))
        return redirect("releases", request.project.name)
    return _file(handed)


def _file(handed: export.Handed) -> HttpResponse:
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
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    linkage, made = newest_linkage(request.project), releases_in(request.project)
    labelled = may(request.actor, "export labels") and not request.project.shredded
    decided = export.labels_of(request.project) if labelled else 0
    ways = export.offered(linkage) if linkage else {}
    context: dict[str, Any] = {
        "linkage": linkage,
        "persons": count(linkage.report["persons"]) if linkage else "",
        "lead": words.all_words(made),
        "releases": [words.described(each) for each in made],
        "form": release_form or ReleaseForm(None, ways=ways),
        "may_release": may(request.actor, "make release"),
        "job": job_for(request.project, _KIND),
        "labels_form": labels_form or Password(auto_id="labels-%s"),
        "labels": count(decided) if decided else "",
    }
    return step_page(request, "releases", context, template="release/page.html", status=status)


def _release_page(
    request: Request,
    found: Release,
    *,
    settling: dict[tuple[str, str], ReasonForm] | None = None,
    download: DownloadForm | None = None,
    deleting: ReasonForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    state = words.state_of(found)
    forms = settling or {}
    context: dict[str, Any] = {
        "release": words.described(found),
        "answer": words.answer(found),
        "facts": words.facts(found),
        "findings": [
            {**each, "form": forms.get((each["column"], each["kind"])) or _reason(each)}
            for each in words.findings(found, _names(found))
        ],
        "settles": may(request.actor, "settle finding") and words.may_be_settled(found),
        "download": download or DownloadForm(),
        "downloads": may(request.actor, "download release") and state == "ready",
        "refusal": _refusal(request, found),
        "deleting": deleting or ReasonForm(None, key="delete"),
        "deletes": may(request.actor, "delete release") and state != "deleted",
        "got": words.got(handovers_of(found)),
    }
    return step_page(request, "releases", context, template="release/release.html", status=status)


def _refusal(request: Request, found: Release) -> str:
    """Say why this person, of all, may not have a release that is ready."""
    try:
        export.check_open(found, request.account)
    except SettingError as error:
        return str(error)
    return ""


def _reason(finding: dict[str, Any]) -> ReasonForm:
    return ReasonForm(None, key=_key(finding["column"], finding["kind"]))


def _key(column: str, kind: str) -> str:
    """Name the form of a finding on its page."""
    return f"settle-{column}-{kind}".replace(" ", "-")


def _names(release: Release) -> dict[str, str]:
    """Return the names of those who settled something."""
    settled = [each["settled"]["by"] for each in release.report["findings"] if "settled" in each]
    known = Account.objects.filter(pk__in=[each for each in settled if each])
    return {str(each.pk): str(each) for each in known}


def _found(request: Request, number: int) -> Release:
    found = release_of(request.project, number)
    if found is None:
        raise Http404
    return found
