"""Accounts as their administrator sees them: invite, give new links, disable, enable."""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccountError, FieldErrors
from mindfirl.services.accounts import administration as service
from mindfirl.store.models import Account
from mindfirl.web.accounts.forms import NewAccount
from mindfirl.web.http.access import Request
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors


def accounts(request: Request) -> HttpResponse:
    form = NewAccount(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made, token = service.add_account(actor=request.actor, **form.cleaned_data)
        except FieldErrors as errors:
            add_errors(form, errors.fields)
        else:
            return _link_page(request, made, token)
    add_errors(form)
    return page(
        request,
        "accounts/list.html",
        accounts=service.all_accounts(actor=request.actor),
        form=form,
        status=status_for(form.errors),
    )


def account_reset(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    try:
        token = service.new_link(actor=request.actor, account=found)
    except AccountError as error:
        messages.error(request, str(error))
        return redirect("accounts")
    return _link_page(request, found, token)


def account_disable(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    try:
        service.disable(actor=request.actor, account=found)
    except AccountError as error:
        messages.error(request, str(error))
    else:
        said = _("%(name)s is disabled, and no longer signed in anywhere.")
        messages.success(request, said % {"name": found})
    return redirect("accounts")


def account_enable(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    service.enable(actor=request.actor, account=found)
    messages.success(request, _("%(name)s may sign in again.") % {"name": found})
    return redirect("accounts")


def _link_page(request: Request, account: Account, token: str) -> HttpResponse:
    address = request.build_absolute_uri(reverse("access-link", kwargs={"token": token}))
    return page(
        request,
        "accounts/new_link.html",
        account=account,
        address=address,
        days=settings.ACCESS_LINK_DAYS,
    )
