"""One's own account: a password chosen by a link or changed, sessions, the second factor, keys."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from io import BytesIO
from typing import Final
from uuid import UUID

import segno
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mindfirl.core.errors import AccessLinkExpired, FieldErrors, SettingError
from mindfirl.core.review.decisions import USUAL, keys_of
from mindfirl.services.accounts import second_factor as factors
from mindfirl.services.accounts import sign_in as sessions
from mindfirl.services.accounts.sign_in import change_password, look_at_link, use_link
from mindfirl.services.review.shortcuts import choose_keys, choose_pace, switch_keys, usual_keys
from mindfirl.web.accounts.forms import ChangedPassword, Code, NewPassword, Password
from mindfirl.web.accounts.language import LANGUAGES, chosen_language
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.middleware import leave
from mindfirl.web.http.pages import error_page, page, status_for
from mindfirl.web.page.fields import add_errors, whole_number

_WORDS: Final = {
    "surely different": gettext_lazy("Surely different"),
    "probably different": gettext_lazy("Probably different"),
    "perhaps different": gettext_lazy("Perhaps different"),
    "perhaps the same": gettext_lazy("Perhaps the same"),
    "probably the same": gettext_lazy("Probably the same"),
    "surely the same": gettext_lazy("Surely the same"),
    "cannot tell": gettext_lazy("Cannot tell"),
    "twins": gettext_lazy("Cannot tell: twins"),
    "needs expert": gettext_lazy("Cannot tell: needs an expert"),
    "bad data": gettext_lazy("Cannot tell: bad data"),
    "undo": gettext_lazy("Undo the last decision or flag"),
    "comment": gettext_lazy("Comment"),
    "flag": gettext_lazy("Flag the pair"),
    "open differences": gettext_lazy("Open all differences in the pair"),
    "open everything": gettext_lazy("Open everything in the pair"),
    "next undecided": gettext_lazy("Go to the next undecided pair"),
    "jump": gettext_lazy("Jump to a pair by number"),
    "suggested": gettext_lazy("Go to the suggested cell"),
    "explain": gettext_lazy("Explain the weight (conflicts only)"),
    "legend": gettext_lazy("Legend"),
    "guidance": gettext_lazy("Guidance"),
    "all keys": gettext_lazy("All keys"),
}


def account_shortcuts(request: Request) -> HttpResponse:
    if request.method != "POST":
        return _shortcuts_page(request, keys_of(request.account.review_keys), {})
    if "usual" in request.POST:
        usual_keys(account=request.account)
        messages.success(request, _("Shortcuts reset to default."))
        return redirect("account-shortcuts")
    if "pace" in request.POST:
        return _choose_pace(request)
    typed = {action: request.POST.get(_field(action), "") for action in USUAL}
    try:
        choose_keys(account=request.account, typed=typed)
    except FieldErrors as error:
        return _shortcuts_page(request, typed, field_words(error))
    switch_keys(account=request.account, on="single_keys" in request.POST)
    messages.success(request, _("Shortcuts saved."))
    return redirect("account-shortcuts")


def _choose_pace(request: Request) -> HttpResponse:
    share = request.POST.get("asks_above", "")
    try:
        choose_pace(
            account=request.account,
            advances="advances" in request.POST,
            asks_above=whole_number(share.strip().removesuffix("%").strip(), -1),
        )
    except SettingError as error:
        keys = keys_of(request.account.review_keys)
        return _shortcuts_page(request, keys, {}, typed_share=share, wrong_share=words_of(error))
    messages.success(request, _("Saved."))
    return redirect("account-shortcuts")


def _shortcuts_page(
    request: Request,
    keys: Mapping[str, str],
    wrong: Mapping[str, str],
    *,
    typed_share: str | None = None,
    wrong_share: str = "",
) -> HttpResponse:
    rows = [
        (_field(action), words, keys[action], USUAL[action], wrong.get(action, ""))
        for action, words in _WORDS.items()
    ]
    single_keys = "single_keys" in request.POST if wrong else request.account.single_keys
    return page(
        request,
        "accounts/shortcuts.html",
        rows=rows,
        single_keys=single_keys,
        wrong=bool(wrong),
        asks_above=request.account.asks_above if typed_share is None else typed_share,
        wrong_share=wrong_share,
        first=_field(next(iter(wrong), "")),
        status=status_for(wrong or wrong_share),
    )


def _field(action: str) -> str:
    return f"key-{action.replace(' ', '-')}"


def second_factor(request: Request) -> HttpResponse:
    if request.method != "POST":
        return _second_factor_page(request)
    if "begin" in request.POST:
        return _begin(request)
    form = Code(request.POST)
    if not form.is_valid():
        add_errors(form)
        return _second_factor_page(request, code=form)
    if factors.has_second_factor(request.account):
        return _give(request, form)
    return _confirm(request, form)


def _begin(request: Request) -> HttpResponse:
    form = _password_form("begin", request)
    if form.is_valid():
        try:
            factors.set_up_second_factor(
                request=request, account=request.account, password=form.cleaned_data["password"]
            )
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        else:
            return redirect("second-factor")
    add_errors(form)
    return _second_factor_page(request, begin=form)


def second_factor_qr(request: Request) -> HttpResponse:
    """Draw the secret that waits for its first code, for the camera of an authenticator."""
    pending = factors.pending_second_factor(request.account)
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
            codes = factors.new_recovery_codes(
                request=request, account=request.account, password=form.cleaned_data["password"]
            )
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        else:
            return page(request, "accounts/recovery_codes.html", codes=codes)
    add_errors(form)
    return _second_factor_page(request, codes=form)


def second_factor_end(request: Request) -> HttpResponse:
    if _is_owed(request):
        return redirect("second-factor")
    form = _password_form("end", request)
    if form.is_valid():
        try:
            factors.end_second_factor(
                request=request, account=request.account, password=form.cleaned_data["password"]
            )
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        else:
            messages.success(
                request, _("Second factor turned off. You now sign in with your password only.")
            )
            return redirect("account")
    add_errors(form)
    return _second_factor_page(request, end=form)


def _is_owed(request: Request) -> bool:
    """Say whether the code is to be given first: a password alone does not undo what adds to it."""
    return factors.has_second_factor(request.account) and not request.session_open.second_factor


def _confirm(request: Request, form: Code) -> HttpResponse:
    try:
        codes = factors.confirm_second_factor(
            account=request.account, code=form.cleaned_data["code"], now=timezone.now()
        )
    except FieldErrors as errors:
        add_errors(form, field_words(errors))
        return _second_factor_page(request, code=form)
    sessions.strengthen_session(session=request.session_open)
    return page(request, "accounts/recovery_codes.html", codes=codes)


def _give(request: Request, form: Code) -> HttpResponse:
    if not request.session_open.second_factor:
        code, now = form.cleaned_data["code"], timezone.now()
        if not factors.check_code(request=request, account=request.account, code=code, now=now):
            add_errors(form, {"code": factors.wrong_code()})
            return _second_factor_page(request, code=form)
        sessions.strengthen_session(session=request.session_open)
        messages.success(request, _("Second factor confirmed for this session."))
    return redirect("second-factor")


def _second_factor_page(
    request: Request,
    *,
    code: Code | None = None,
    codes: Password | None = None,
    end: Password | None = None,
    begin: Password | None = None,
) -> HttpResponse:
    pending = factors.pending_second_factor(request.account)
    secret = pending.secret if pending else ""
    status = status_for(code or codes or end or begin)
    return page(
        request,
        "accounts/second_factor.html",
        confirmed=factors.has_second_factor(request.account),
        secret=" ".join(secret[start : start + 4] for start in range(0, len(secret), 4)),
        given=request.session_open.second_factor,
        codes_left=factors.recovery_codes_left(request.account),
        form=code or Code(),
        codes_form=codes or _password_form("codes"),
        end_form=end or _password_form("end"),
        begin_form=begin or _password_form("begin"),
        status=status,
    )


def _password_form(purpose: str, request: Request | None = None) -> Password:
    """Make a form that asks for the password; two of them stand on one page."""
    return Password(None if request is None else request.POST, auto_id=f"{purpose}_%s")


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
            add_errors(form, field_words(errors))
        else:
            leave(request)  # whoever was signed in here, it may be somebody else
            messages.success(request, _("Password saved. Sign in with it now."))
            return redirect("sign-in")
    add_errors(form)
    return page(request, "accounts/link.html", link=link, form=form, status=status_for(form.errors))


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
        add_errors(form, field_words(errors))
        return _account_page(request, form)
    update_session_auth_hash(request, request.account)
    sessions.carry_session(
        session=request.session_open, session_key=request.session.session_key or ""
    )
    messages.success(request, _("Password changed. You were signed out everywhere else."))
    return redirect("account")


def session_end(request: Request, session: UUID) -> HttpResponse:
    if not sessions.end_session(account=request.account, session_id=session):
        raise Http404
    messages.success(request, _("Session ended."))
    return redirect("account")


def _account_page(request: Request, form: ChangedPassword) -> HttpResponse:
    return page(
        request,
        "accounts/own.html",
        form=form,
        languages=LANGUAGES.items(),
        chosen_language=chosen_language(request),
        second_factor=factors.has_second_factor(request.account),
        codes_left=factors.recovery_codes_left(request.account),
        sessions=sessions.sessions_of(request.account, now=timezone.now()),
        here=request.session_open,
        status=status_for(form.errors),
    )


def _link_over(request: Request) -> HttpResponse:
    return error_page(request, str(AccessLinkExpired()), HTTPStatus.NOT_FOUND)
