"""Signing in, with a code where the account has a second factor; signing out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from django.contrib.auth import login
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from mindfirl.services.accounts.second_factor import check_code, has_second_factor, wrong_code
from mindfirl.services.accounts.sign_in import check_password, open_session
from mindfirl.store.models import Account
from mindfirl.web.accounts.forms import Code, SignIn
from mindfirl.web.http.access import Request
from mindfirl.web.http.middleware import leave
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.demonstration import trials
from mindfirl.web.page.fields import add_errors

_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
_PENDING: Final = "password given"
_CODE_WAIT: Final = timedelta(minutes=10)
"""How long after the password its code is waited for."""


def sign_in(request: Request) -> HttpResponse:
    if request.user.is_authenticated:
        return redirect("home")
    there = _own_path(request, request.POST.get("next") or request.GET.get("next", ""))
    form = SignIn(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        account = check_password(request=request, **form.cleaned_data)
        if account is not None:
            return _password_given(request, account, there)
        form.add_error("password", _("The user name or the password is wrong. Try again."))
    _focus(form)
    return page(
        request,
        "accounts/sign_in.html",
        form=form,
        next=there,
        trials=trials(),
        status=status_for(form.errors),
    )


def sign_in_code(request: Request) -> HttpResponse:
    account = _pending_account(request)
    if account is None:
        return redirect("sign-in")
    form = Code(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        code, now = form.cleaned_data["code"], timezone.now()
        if check_code(request=request, account=account, code=code, now=now):
            there = request.session.pop(_PENDING)["next"]
            return _open_session(request, account, there, second_factor=True)
        form.add_error("code", wrong_code())
    _focus(form)
    return page(
        request,
        "accounts/sign_in_code.html",
        form=form,
        account=account,
        status=status_for(form.errors),
    )


def sign_out(request: Request) -> HttpResponse:
    """End the session, and let the browser forget everything it kept."""
    leave(request)
    response = redirect("sign-in")
    response.headers["Clear-Site-Data"] = '"cache", "cookies", "storage"'
    return response


def _password_given(request: Request, account: Account, there: str) -> HttpResponse:
    if not has_second_factor(account):
        return _open_session(request, account, there, second_factor=False)
    request.session.cycle_key()
    request.session[_PENDING] = {
        "account": str(account.pk),
        "password": account.get_session_auth_hash(),
        "at": timezone.now().timestamp(),
        "next": there,
    }
    return redirect("sign-in-code")


def _pending_account(request: Request) -> Account | None:
    """Return whose code is waited for, unless it took too long or the password was changed."""
    pending = request.session.get(_PENDING)
    if pending is None or request.user.is_authenticated:
        return None
    age = timezone.now() - datetime.fromtimestamp(pending["at"], UTC)
    account = Account.objects.filter(pk=pending["account"], is_active=True).first()
    if account is None or age > _CODE_WAIT:
        return None
    return account if account.get_session_auth_hash() == pending["password"] else None


def _open_session(
    request: Request, account: Account, there: str, *, second_factor: bool
) -> HttpResponse:
    login(request, account, backend=_BACKEND)
    request.session.save()
    open_session(
        account=account,
        session_key=request.session.session_key or "",
        browser=_browser(request.headers.get("User-Agent", "")),
        second_factor=second_factor,
        now=timezone.now(),
    )
    return HttpResponseRedirect(there or reverse("home"))


def _focus(form: SignIn | Code) -> None:
    if form.is_bound:
        add_errors(form)
    else:
        next(iter(form.fields.values())).widget.attrs["autofocus"] = True


def _own_path(request: Request, there: str) -> str:
    own = there.startswith("/") and url_has_allowed_host_and_scheme(
        there, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return there if own else ""


def _browser(agent: str) -> str:
    name = next((word for sign, word in _BROWSERS.items() if sign in agent), _("Another browser"))
    system = next((word for sign, word in _SYSTEMS.items() if sign in agent), "")
    return f"{name}, {system}" if system else name


_BROWSERS: Final = {
    "Firefox/": "Firefox",
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
_SYSTEMS: Final = {
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Windows": "Windows",
    "Mac OS": "macOS",
    "Linux": "Linux",
}
"""By what browsers call themselves; the first that fits counts, since most claim to be others."""
