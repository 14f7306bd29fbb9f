"""The cover over pairs at which nobody is, and the password that takes it away."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import SettingError
from mindfirl.services.accounts.sign_in import check_password
from mindfirl.services.review.presence import idle_time, is_covered, note_presence, uncover
from mindfirl.web.accounts.forms import Password, say_wrong
from mindfirl.web.http.access import Request


def review_presence(request: Request) -> HttpResponse:
    """Note that somebody is reading, so many seconds ago, though their page asks for nothing."""
    ago = request.POST.get("ago", "")
    if not (ago.isascii() and ago.isdigit() and len(ago) < 6):  # noqa: PLR2004  # of a day at most
        raise SettingError("What was sent was not complete. Load the page anew, and try again.")
    at = timezone.now() - timedelta(seconds=int(ago))
    note_presence(session=request.session_open, project=request.project, at=at)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def review_uncover(request: Request) -> HttpResponse:
    """Ask for the password, and go back to where somebody was."""
    session, there = request.session_open, _there(request)
    form = Password(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        if is_theirs(request, form.cleaned_data["password"]):
            uncover(session=session, now=timezone.now())
            return HttpResponseRedirect(_at_the_pair(there))
        form.add_error("password", _("This is not your password. Type the one you sign in with."))
    elif not form.is_bound:
        if not is_covered(session=session, project=request.project, now=timezone.now()):
            return HttpResponseRedirect(_at_the_pair(there))
        form.fields["password"].widget.attrs["autofocus"] = True
    say_wrong(form)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "review/covered.html", covering(request, form, there), status=status)


def covering(request: Request, form: Password | None = None, there: str = "") -> dict[str, Any]:
    """Return what a page needs to cover itself: after which time, and what it then shows."""
    idle = idle_time(request.project)
    return {
        "cover": {
            "form": form or Password(),
            "seconds": int(idle.total_seconds()),
            "minutes": idle // timedelta(minutes=1),
            "next": there or request.get_full_path(),
        }
    }


def is_theirs(request: Request, password: str) -> bool:
    """Say whether a password is of who is signed in; wrong ones count as guesses."""
    name = request.account.username
    account = check_password(request=request, username=name, password=password)
    return account == request.account


def _there(request: Request) -> str:
    """Return where to go back to, if it is a page of this assignment; else its first one."""
    given = request.POST.get("next") or request.GET.get("next", "")
    review = reverse("review", args=[request.assignment.pk])
    return given if given.startswith((f"{review}?", f"{review}/")) else review


def _at_the_pair(there: str) -> str:
    """Let a browser scroll to the pair that an address names."""
    pair = parse_qs(urlsplit(there).query).get("pair", [""])[0]
    return f"{there}#pair-{quote(pair)}" if pair else there
