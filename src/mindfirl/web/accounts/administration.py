"""Accounts as their administrator sees them: invite, change, give new links, shut out, delete."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccountError, FieldErrors
from mindfirl.services.accounts import administration as service
from mindfirl.store.models import Account
from mindfirl.web.accounts.forms import NewAccount, Rights
from mindfirl.web.http.access import Request
from mindfirl.web.http.error_words import field_words, words_of
from mindfirl.web.http.pages import page, status_for
from mindfirl.web.page.fields import add_errors
from mindfirl.web.page.figures import short_date


def accounts(request: Request) -> HttpResponse:
    form = NewAccount(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made, token = service.add_account(actor=request.actor, **form.cleaned_data)
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        else:
            return _link_page(request, made, token)
    add_errors(form)
    wanted = request.GET.get("find", "")
    return page(
        request,
        "accounts/list.html",
        accounts=service.all_accounts(actor=request.actor, find=wanted),
        find=wanted,
        form=form,
        status=status_for(form.errors),
    )


def account_change(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    if request.method != "POST":
        saved = {
            "full_name": found.full_name,
            "creates_projects": found.creates_projects,
            "administrator": found.is_administrator,
        }
        return _account_page(request, found, Rights(initial=saved))
    form = Rights(request.POST)
    if form.is_valid():
        try:
            service.change_account(actor=request.actor, account=found, **form.cleaned_data)
        except FieldErrors as errors:
            add_errors(form, field_words(errors))
        else:
            messages.success(request, _("Account saved."))
            return redirect("accounts")
    add_errors(form)
    return _account_page(request, found, form)


def account_delete(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    try:
        service.delete(actor=request.actor, account=found)
    except AccountError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, _("Account of %(name)s deleted.") % {"name": found})
    return redirect("accounts")


def account_reset(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    try:
        token = service.new_link(actor=request.actor, account=found)
    except AccountError as error:
        messages.error(request, words_of(error))
        return redirect("accounts")
    return _link_page(request, found, token)


def account_disable(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    try:
        service.disable(actor=request.actor, account=found)
    except AccountError as error:
        messages.error(request, words_of(error))
    else:
        said = _("%(name)s is disabled and signed out everywhere.")
        messages.success(request, said % {"name": found})
    return redirect("accounts")


def account_enable(request: Request, account: UUID) -> HttpResponse:
    found = get_object_or_404(Account, pk=account)
    service.enable(actor=request.actor, account=found)
    messages.success(request, _("%(name)s can sign in again.") % {"name": found})
    return redirect("accounts")


def _account_page(request: Request, account: Account, form: Rights) -> HttpResponse:
    return page(
        request,
        "accounts/change.html",
        account=account,
        form=form,
        own=account == request.account,
        kept=service.is_in_a_ledger(account),
        status=status_for(form.errors),
    )


def _link_page(request: Request, account: Account, token: str) -> HttpResponse:
    address = request.build_absolute_uri(reverse("access-link", kwargs={"token": token}))
    last = timezone.localdate() + timedelta(days=settings.ACCESS_LINK_DAYS)
    words = _(
        "You have an account in MINDFIRL. Your user name is %(name)s.\n\n"
        "Choose a password with this link. It works once, until %(day)s:\n%(address)s\n\n"
        "Do not pass the link on: anyone who has it can choose the password."
    )
    return page(
        request,
        "accounts/new_link.html",
        account=account,
        address=address,
        text=words
        % {
            "name": account.username,
            "day": short_date(last),
            "address": address,
        },
        days=settings.ACCESS_LINK_DAYS,
    )
