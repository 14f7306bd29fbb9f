"""One's own second factor: set up, confirmed, given later in a session, ended."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO

import segno
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors
from mindfirl.services.accounts.second_factor import (
    begin_second_factor,
    check_code,
    confirm_second_factor,
    end_second_factor,
    has_second_factor,
    new_recovery_codes,
    pending_second_factor,
    recovery_codes_left,
    wrong_code,
)
from mindfirl.services.accounts.sign_in import strengthen_session
from mindfirl.web.accounts.forms import Code, Password
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors


@dataclass(frozen=True, slots=True)
class SecondFactorPage:
    confirmed: bool
    secret: str
    given: bool
    codes_left: int
    form: Code
    codes_form: Password
    end_form: Password


@dataclass(frozen=True, slots=True)
class RecoveryCodesPage:
    codes: list[str]


def second_factor(request: Request) -> HttpResponse:
    """Show how the second factor stands; begin one, or take a code of it."""
    if request.method != "POST":
        return _page(request)
    if "begin" in request.POST:
        begin_second_factor(account=request.account)
        return redirect("second-factor")
    form = Code(request.POST)
    if not form.is_valid():
        add_errors(form)
        return _page(request, code=form)
    if has_second_factor(request.account):
        return _give(request, form)
    return _confirm(request, form)


def second_factor_qr(request: Request) -> HttpResponse:
    """Draw the secret that waits for its first code, for the camera of an authenticator."""
    pending = pending_second_factor(request.account)
    if pending is None:
        return redirect("second-factor")
    picture = BytesIO()
    drawn = segno.make(pending.uri, error="m", micro=False)
    drawn.save(picture, kind="svg", scale=4, border=4, dark="#000", light="#fff", xmldecl=False)
    return HttpResponse(picture.getvalue(), content_type="image/svg+xml")


def recovery_codes(request: Request) -> HttpResponse:
    if _is_owed(request):
        return redirect("second-factor")
    form = _password_form("codes", request)
    if form.is_valid():
        try:
            codes = new_recovery_codes(
                request=request, account=request.account, password=form.cleaned_data["password"]
            )
        except FieldErrors as errors:
            add_errors(form, errors.fields)
        else:
            return _codes_page(request, codes)
    add_errors(form)
    return _page(request, codes=form)


def second_factor_end(request: Request) -> HttpResponse:
    if _is_owed(request):
        return redirect("second-factor")
    form = _password_form("end", request)
    if form.is_valid():
        try:
            end_second_factor(
                request=request, account=request.account, password=form.cleaned_data["password"]
            )
        except FieldErrors as errors:
            add_errors(form, errors.fields)
        else:
            messages.success(request, _("You sign in with your password alone from now on."))
            return redirect("account")
    add_errors(form)
    return _page(request, end=form)


def _is_owed(request: Request) -> bool:
    """Say whether the code is to be given first: a password alone does not undo what adds to it."""
    return has_second_factor(request.account) and not request.session_open.second_factor


def _confirm(request: Request, form: Code) -> HttpResponse:
    """Take the first code of an authenticator, and show recovery codes, once."""
    try:
        codes = confirm_second_factor(
            account=request.account, code=form.cleaned_data["code"], now=timezone.now()
        )
    except FieldErrors as errors:
        add_errors(form, errors.fields)
        return _page(request, code=form)
    strengthen_session(session=request.session_open)
    return _codes_page(request, codes)


def _give(request: Request, form: Code) -> HttpResponse:
    """Take a code in a session that was opened without one."""
    if not request.session_open.second_factor:
        code, now = form.cleaned_data["code"], timezone.now()
        if not check_code(request=request, account=request.account, code=code, now=now):
            add_errors(form, {"code": wrong_code()})
            return _page(request, code=form)
        strengthen_session(session=request.session_open)
        messages.success(request, _("Your second factor was given in this session."))
    return redirect("second-factor")


def _page(
    request: Request,
    *,
    code: Code | None = None,
    codes: Password | None = None,
    end: Password | None = None,
) -> HttpResponse:
    pending = pending_second_factor(request.account)
    shown = SecondFactorPage(
        confirmed=has_second_factor(request.account),
        secret="" if pending is None else _in_fours(pending.secret),
        given=request.session_open.second_factor,
        codes_left=recovery_codes_left(request.account),
        form=code or Code(),
        codes_form=codes or _password_form("codes"),
        end_form=end or _password_form("end"),
    )
    status = status_for(code or codes or end)
    return page(request, "accounts/second_factor.html", shown, status=status)


def _codes_page(request: Request, codes: list[str]) -> HttpResponse:
    return page(request, "accounts/recovery_codes.html", RecoveryCodesPage(codes))


def _password_form(purpose: str, request: Request | None = None) -> Password:
    """Make a form that asks for the password; two of them stand on one page."""
    return Password(None if request is None else request.POST, auto_id=f"{purpose}_%s")


def _in_fours(secret: str) -> str:
    return " ".join(secret[start : start + 4] for start in range(0, len(secret), 4))
