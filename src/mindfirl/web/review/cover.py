"""The cover over pairs at which nobody is, and the password that takes it away."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus
from urllib.parse import parse_qs, quote, urlsplit

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.services.accounts.sign_in import check_password
from mindfirl.services.review.presence import idle_time, is_covered, note_presence, uncover
from mindfirl.web.accounts.forms import Password
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors
from mindfirl.web.review.position import posted_number


@dataclass(frozen=True, slots=True)
class Cover:
    """After which time a page covers itself, and what it then shows."""

    form: Password
    seconds: int
    minutes: int
    next: str


def review_presence(request: Request) -> HttpResponse:
    """Note that somebody was reading this many seconds ago, though their page asks for nothing."""
    at = timezone.now() - timedelta(seconds=posted_number(request, "ago"))
    note_presence(session=request.session_open, project=request.project, at=at)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)


def review_uncover(request: Request) -> HttpResponse:
    session, there = request.session_open, _return_address(request)
    form = Password(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        if is_own_password(request, form.cleaned_data["password"]):
            uncover(session=session, now=timezone.now())
            return HttpResponseRedirect(_with_pair_anchor(there))
        form.add_error("password", _("Wrong password. Enter the password you sign in with."))
    elif not form.is_bound:
        if not is_covered(session=session, project=request.project, now=timezone.now()):
            return HttpResponseRedirect(_with_pair_anchor(there))
        form.fields["password"].widget.attrs["autofocus"] = True
    add_errors(form)
    shown = cover(request, form, there)
    return page(request, "review/covered.html", cover=shown, status=status_for(form.errors))


def cover(request: Request, form: Password | None = None, there: str = "") -> Cover:
    idle = idle_time(request.project)
    return Cover(
        form=form or Password(),
        seconds=int(idle.total_seconds()),
        minutes=idle // timedelta(minutes=1),
        next=there or request.get_full_path(),
    )


def is_own_password(request: Request, password: str) -> bool:
    """Say whether a password is of who is signed in; wrong ones count as guesses."""
    name = request.account.username
    account = check_password(request=request, username=name, password=password)
    return account == request.account


def _return_address(request: Request) -> str:
    """Return where to go back to, if it is a page of this assignment; else its first one."""
    given = request.POST.get("next") or request.GET.get("next", "")
    review = reverse("review", args=[request.assignment.pk])
    return given if given.startswith((f"{review}?", f"{review}/")) else review


def _with_pair_anchor(there: str) -> str:
    """Let a browser scroll to the pair that an address names."""
    pair = parse_qs(urlsplit(there).query).get("pair", [""])[0]
    return f"{there}#pair-{quote(pair)}" if pair else there
