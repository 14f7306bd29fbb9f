"""Who is in a project: roles given and taken away."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.policy import REVIEWERS, ROLES, Role
from mindfirl.services.projects import add_member, remove_member
from mindfirl.store.models import Account
from mindfirl.store.queries.access import account_named
from mindfirl.web.http.access import Request
from mindfirl.web.page.fields import add_errors
from mindfirl.web.plan import views
from mindfirl.web.plan.forms import ROLE_WORDS, MemberForm


def member_add(request: Request) -> HttpResponse:
    form = MemberForm(request.POST)
    try:
        account, role = _added(request, form)
    except FieldErrors as error:
        add_errors(form, error.fields)
        return views.draw(request, member_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    words = {"name": account, "role": ROLE_WORDS[role].lower()}
    messages.success(request, _("%(name)s is now %(role)s of this project.") % words)
    back = reverse("plan", args=[request.project.name])
    new = urlencode({"new": account.pk}) if role in REVIEWERS else ""
    return redirect(f"{back}?{new}" if new else back)


def member_remove(request: Request, member: int) -> HttpResponse:
    found = request.project.memberships.select_related("account").filter(pk=member).first()
    if found is None:
        raise Http404
    role = cast("Role", found.role)
    words = {"name": found.account, "role": ROLE_WORDS[role].lower()}
    try:
        remove_member(
            project=request.project, actor=request.actor, account=found.account, role=role
        )
    except SettingError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _("%(name)s is no longer %(role)s of this project.") % words)
    return redirect("plan", request.project.name)


def _added(request: Request, form: MemberForm) -> tuple[Account, Role]:
    form.is_valid()
    typed = form.cleaned_data
    account, role = account_named(typed.get("username", "")), typed.get("role", "")
    if account is None:
        raise FieldErrors({"username": _("Give the user name of somebody who can sign in.")})
    if role not in ROLES:
        raise FieldErrors({"role": _("Choose one of the roles.")})
    if request.project.memberships.filter(account=account, role=role).exists():
        raise FieldErrors({"role": _("They have this role already.")})
    try:
        add_member(project=request.project, actor=request.actor, account=account, role=role)
    except FieldErrors as error:
        at = {
            "username" if name == "account" else name: said for name, said in error.fields.items()
        }
        raise FieldErrors(at) from None
    return account, role
