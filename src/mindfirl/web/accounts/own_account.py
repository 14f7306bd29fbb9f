"""One's own account: a password chosen by a link or changed, and open sessions."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccessLinkExpired, FieldErrors
from mindfirl.services.accounts.second_factor import has_second_factor, recovery_codes_left
from mindfirl.services.accounts.sign_in import (
    carry_session,
    change_password,
    end_session,
    look_at_link,
    sessions_of,
    use_link,
)
from mindfirl.store.models import AccessLink, OpenSession
from mindfirl.web.accounts.forms import ChangedPassword, NewPassword
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import ErrorPage, page, status_for
from mindfirl.web.http.sessions import leave
from mindfirl.web.page.fields import add_errors


@dataclass(frozen=True, slots=True)
class AccessLinkPage:
    link: AccessLink
    form: NewPassword


@dataclass(frozen=True, slots=True)
class AccountPage:
    form: ChangedPassword
    second_factor: bool
    codes_left: int
    sessions: list[OpenSession]
    here: OpenSession


def access_link(request: Request, token: str) -> HttpResponse:
    """Let somebody choose a password by a link: to look at it does not use it."""
    link = look_at_link(token)
    if link is None:
        return _link_over(request)
    form = NewPassword(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            use_link(token=token, password=form.cleaned_data["password"])
        except AccessLinkExpired:
            return _link_over(request)
        except FieldErrors as errors:
            add_errors(form, errors.fields)
        else:
            leave(request)  # whoever was signed in here, it may be somebody else
            messages.success(request, _("Your password is chosen. Sign in with it."))
            return redirect("sign-in")
    add_errors(form)
    asked = AccessLinkPage(link, form)
    return page(request, "accounts/link.html", asked, status=status_for(form.errors))


def account(request: Request) -> HttpResponse:
    return _account_page(request, ChangedPassword())


def account_password(request: Request) -> HttpResponse:
    form = ChangedPassword(request.POST)
    if not form.is_valid():
        add_errors(form)
        return _account_page(request, form)
    try:
        change_password(
            request=request,
            account=request.account,
            old=form.cleaned_data["old_password"],
            new=form.cleaned_data["new_password"],
            keep=request.session_open.pk,
        )
    except FieldErrors as errors:
        add_errors(form, errors.fields)
        return _account_page(request, form)
    update_session_auth_hash(request, request.account)
    carry_session(session=request.session_open, session_key=request.session.session_key or "")
    messages.success(request, _("Your password is changed. All your other sessions have ended."))
    return redirect("account")


def session_end(request: Request, session: UUID) -> HttpResponse:
    if not end_session(account=request.account, session_id=session):
        raise Http404
    messages.success(request, _("The session has ended."))
    return redirect("account")


def _account_page(request: Request, form: ChangedPassword) -> HttpResponse:
    own = AccountPage(
        form=form,
        second_factor=has_second_factor(request.account),
        codes_left=recovery_codes_left(request.account),
        sessions=sessions_of(request.account, now=timezone.now()),
        here=request.session_open,
    )
    return page(request, "accounts/own.html", own, status=status_for(form.errors))


def _link_over(request: Request) -> HttpResponse:
    return page(
        request, "error.html", ErrorPage(str(AccessLinkExpired())), status=HTTPStatus.NOT_FOUND
    )
