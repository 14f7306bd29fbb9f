"""Accounts: invitations, passwords, second factors, signing in."""

from mindfirl.services.accounts.administration import (
    Listed,
    account_named,
    add_account,
    add_first_administrator,
    all_accounts,
    disable,
    enable,
    new_link,
    remove_second_factor,
)

__all__ = [
    "Listed",
    "account_named",
    "add_account",
    "add_first_administrator",
    "all_accounts",
    "disable",
    "enable",
    "new_link",
    "remove_second_factor",
]
