"""One's own account: a password chosen by a link or changed, and open sessions."""

from __future__ import annotations

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccessLinkExpired, FieldErrors
from mindfirl.services.accounts.passwords import change_password, look_at_link, use_link
from mindfirl.services.accounts.second_factor import has_second_factor, recovery_codes_left
from mindfirl.services.accounts.sign_in import carry_session, end_session, sessions_of
from mindfirl.web.accounts.forms import ChangedPassword, NewPassword, say_wrong
from mindfirl.web.http.access import Request
from mindfirl.web.http.sessions import leave


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
            say_wrong(form, errors)
        else:
            leave(request)  # whoever was signed in here, it may be somebody else
            messages.success(request, _("Your password is chosen. Sign in with it."))
            return redirect("sign-in")
    say_wrong(form)
    return render(request, "accounts/link.html", {"link": link, "form": form}, status=_of(form))


def account(request: Request) -> HttpResponse:
    """Show one's own account."""
    return _account_page(request, ChangedPassword())


def account_password(request: Request) -> HttpResponse:
    """Change one's password; all other sessions end."""
    form = ChangedPassword(request.POST)
    if not form.is_valid():
        say_wrong(form)
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
        say_wrong(form, errors)
        return _account_page(request, form)
    update_session_auth_hash(request, request.account)
    carry_session(session=request.session_open, session_key=request.session.session_key or "")
    messages.success(request, _("Your password is changed. All your other sessions have ended."))
    return redirect("account")


def session_end(request: Request, session: UUID) -> HttpResponse:
    """End a session of one's own in another browser."""
    if not end_session(account=request.account, session_id=session):
        raise Http404
    messages.success(request, _("The session has ended."))
    return redirect("account")


def _account_page(request: Request, form: ChangedPassword) -> HttpResponse:
    context = {
        "form": form,
        "second_factor": has_second_factor(request.account),
        "codes_left": recovery_codes_left(request.account),
        "sessions": sessions_of(request.account, now=timezone.now()),
        "here": request.session_open,
    }
    return render(request, "accounts/own.html", context, status=_of(form))


def _link_over(request: Request) -> HttpResponse:
    context = {"sentence": str(AccessLinkExpired())}
    return render(request, "error.html", context, status=HTTPStatus.NOT_FOUND)


def _of(form: NewPassword | ChangedPassword) -> HTTPStatus:
    return HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
