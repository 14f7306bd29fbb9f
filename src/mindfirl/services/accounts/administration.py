"""Accounts as their administrator sees them: invited, given new links, disabled, enabled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.hashers import make_password
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mindfirl.core.errors import AccountError, FieldErrors
from mindfirl.core.policy import Actor, check_may
from mindfirl.store import accounts
from mindfirl.store.accounts import make_link
from mindfirl.store.models import Account, OpenSession, SecondFactor

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
        raise AccountError("There is no account of that name. mindfirl user list names them all.")
    return found


def all_accounts(*, actor: Actor) -> list[Listed]:
    check_may(actor, _ACTION)
    found = Account.objects.select_related("second_factor").order_by("username")
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
            "A name to sign in with has 1 to 150 letters, digits or the signs @ . _ + - and no "
            "spaces."
        )
    elif Account.objects.filter(username=username).exists():
        wrong["username"] = _taken()
    if len(full_name) > _LONGEST_NAME or not full_name.isprintable():
        wrong["full_name"] = _("A full name has at most 150 letters, and no control characters.")
    if wrong:
        raise FieldErrors(wrong)


def _check_another_administrator(account: Account) -> None:
    """Refuse to shut out the last administrator; hold all of them until this is decided."""
    administrators = Account.objects.select_for_update().order_by("pk")
    active = list(administrators.filter(is_administrator=True, is_active=True))
    if [each.pk for each in active] == [account.pk]:
        raise AccountError(_("This is the last administrator. Make another one first."))


def _taken() -> str:
    return _("There is an account of that name already. Choose another name.")
