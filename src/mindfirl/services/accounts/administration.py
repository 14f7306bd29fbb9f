"""Accounts as their administrator sees them: invited, given rights and links, shut out, deleted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccountError, FieldErrors
from mindfirl.core.policy import Actor, check_may
from mindfirl.store import accounts
from mindfirl.store.accounts import make_link
from mindfirl.store.models import Account, LedgerLine, OpenSession, SecondFactor

_ACTION: Final = "manage accounts"
_LONGEST_NAME: Final = 150


@dataclass(frozen=True, slots=True)
class Listed:
    account: Account
    invited: bool
    second_factor: bool


def add_account(
    *,
    actor: Actor,
    username: str,
    full_name: str = "",
    administrator: bool = False,
    creates_projects: bool = False,
) -> tuple[Account, str]:
    check_may(actor, _ACTION)
    name, full_name = accounts.canonical_username(username), " ".join(full_name.split())
    _check_fields(name, full_name)
    try:
        with transaction.atomic():
            account = Account.objects.create(
                username=name,
                full_name=full_name,
                is_administrator=administrator,
                creates_projects=creates_projects,
                password=make_password(None),
            )
            return account, make_link(account, purpose="invitation", now=timezone.now())
    except IntegrityError:
        raise FieldErrors({"username": _taken()}) from None


def add_first_administrator(*, actor: Actor, username: str) -> tuple[Account, str] | None:
    check_may(actor, _ACTION)
    if Account.objects.exists():
        return None
    return add_account(actor=actor, username=username, administrator=True, creates_projects=True)


def new_link(*, actor: Actor, account: Account) -> str:
    """Return the token of a link by which somebody chooses a password; earlier links end."""
    check_may(actor, _ACTION)
    with transaction.atomic():
        found = Account.objects.select_for_update().get(pk=account.pk)
        if not found.is_active:
            raise AccountError(_("This account is disabled. Enable it first."))
        purpose = "reset" if found.has_usable_password() else "invitation"
        return make_link(found, purpose=purpose, now=timezone.now())


def change_account(
    *,
    actor: Actor,
    account: Account,
    full_name: str,
    administrator: bool,
    creates_projects: bool,
) -> None:
    """Change what somebody is called on pages, and what they may do outside of projects."""
    check_may(actor, _ACTION)
    full_name = " ".join(full_name.split())
    if wrong := _wrong_full_name(full_name):
        raise FieldErrors({"full_name": wrong})
    with transaction.atomic():
        if account.is_administrator and not administrator:
            if actor.name == str(account.pk):
                words = _("You cannot take this right from yourself. Ask another administrator.")
                raise FieldErrors({"administrator": words})
            try:
                _check_another_administrator(account)
            except AccountError as error:
                raise FieldErrors({"administrator": str(error)}) from None
        Account.objects.filter(pk=account.pk).update(
            full_name=full_name,
            is_administrator=administrator,
            creates_projects=creates_projects,
        )


def delete(*, actor: Actor, account: Account) -> None:
    """Delete an account that no project knows of; what it did elsewhere would lose its name."""
    check_may(actor, _ACTION)
    if actor.name == str(account.pk):
        raise AccountError(_("You cannot delete your own account. Ask another administrator."))
    with transaction.atomic():
        Account.objects.select_for_update().get(pk=account.pk)
        _check_another_administrator(account)
        if is_in_a_ledger(account):
            raise AccountError(
                _(
                    "This person has or had a role in a project, and its ledger refers to the "
                    "account. Disable the account instead."
                )
            )
        account.delete()


def is_in_a_ledger(account: Account) -> bool:
    number = str(account.pk)
    told = LedgerLine.objects.filter(Q(actor=number) | Q(line__contains=number))
    return account.memberships.exists() or told.exists()


def remove_second_factor(*, actor: Actor, account: Account) -> None:
    """Take the second factor from somebody who has lost it, with all recovery codes."""
    check_may(actor, _ACTION)
    with transaction.atomic():
        account.recovery_codes.all().delete()
        account.sessions.all().delete()
        SecondFactor.objects.filter(account=account).delete()


def disable(*, actor: Actor, account: Account) -> None:
    """Shut somebody out, from their next request on."""
    check_may(actor, _ACTION)
    if actor.name == str(account.pk):
        raise AccountError(_("You cannot disable your own account. Ask another administrator."))
    with transaction.atomic():
        _check_another_administrator(account)
        Account.objects.filter(pk=account.pk).update(is_active=False)
        OpenSession.objects.filter(account=account).delete()
        account.links.filter(used=None).delete()


def enable(*, actor: Actor, account: Account) -> None:
    check_may(actor, _ACTION)
    Account.objects.filter(pk=account.pk).update(is_active=True)


def account_named(username: str) -> Account:
    found = Account.objects.filter(username=accounts.canonical_username(username)).first()
    if found is None:
        raise AccountError(
            "There is no account with that name. mindfirl user list shows all accounts."
        )
    return found


def all_accounts(*, actor: Actor, find: str = "") -> list[Listed]:
    """List the accounts; those alone whose name holds some text, where that is given."""
    check_may(actor, _ACTION)
    found = Account.objects.select_related("second_factor").order_by("username")
    if wanted := find.strip().replace("\0", ""):
        found = found.filter(Q(username__icontains=wanted) | Q(full_name__icontains=wanted))
    return [_listed(account) for account in found]


def _listed(account: Account) -> Listed:
    factor = getattr(account, "second_factor", None)
    return Listed(
        account=account,
        invited=not account.has_usable_password(),
        second_factor=factor is not None and factor.confirmed is not None,
    )


def _check_fields(username: str, full_name: str) -> None:
    wrong = {}
    if not accounts.is_username(username):
        wrong["username"] = _(
            "A user name has 1 to 150 letters, digits or the characters @ . _ + - and no spaces."
        )
    elif Account.objects.filter(username=username).exists():
        wrong["username"] = _taken()
    if sentence := _wrong_full_name(full_name):
        wrong["full_name"] = sentence
    if wrong:
        raise FieldErrors(wrong)


def _wrong_full_name(full_name: str) -> str:
    if len(full_name) <= _LONGEST_NAME and full_name.isprintable():
        return ""
    return _("A full name has at most 150 characters and no control characters.")


def _check_another_administrator(account: Account) -> None:
    """Refuse to shut out the last administrator; hold all of them until this is decided."""
    administrators = Account.objects.select_for_update().order_by("pk")
    active = list(administrators.filter(is_administrator=True, is_active=True))
    if [each.pk for each in active] == [account.pk]:
        raise AccountError(_("This is the last administrator. Create another one first."))


def _taken() -> str:
    return _("An account with that name already exists. Choose another name.")
