"""The keys of the review screen that somebody chose; they stay with the account."""

from __future__ import annotations

from collections.abc import Mapping

from mindfirl.core.review.decisions import changed_keys
from mindfirl.store.models import Account


def choose_keys(*, account: Account, typed: Mapping[str, str]) -> None:
    account.review_keys = changed_keys(typed)
    account.save(update_fields=["review_keys"])


def usual_keys(*, account: Account) -> None:
    account.review_keys = {}
    account.save(update_fields=["review_keys"])


def switch_keys(*, account: Account, on: bool) -> None:
    account.single_keys = on
    account.save(update_fields=["single_keys"])
