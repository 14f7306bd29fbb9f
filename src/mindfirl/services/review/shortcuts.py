"""How somebody reviews: their keys, and when the screen moves on or asks; kept with the account."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mindfirl.core.errors import SettingError
from mindfirl.core.review.decisions import changed_keys
from mindfirl.store.models import Account

_ALL: Final = 100


def choose_keys(*, account: Account, typed: Mapping[str, str]) -> None:
    account.review_keys = changed_keys(typed)
    account.save(update_fields=["review_keys"])


def usual_keys(*, account: Account) -> None:
    account.review_keys = {}
    account.save(update_fields=["review_keys"])


def switch_keys(*, account: Account, on: bool) -> None:
    account.single_keys = on
    account.save(update_fields=["single_keys"])


def choose_pace(*, account: Account, advances: bool, asks_above: int) -> None:
    """Choose whether a decision leads to the next pair, and which steps are asked about."""
    if not 0 <= asks_above <= _ALL:
        raise SettingError("The share to ask above is a percentage: a number from 0 to 100.")
    account.advances, account.asks_above = advances, asks_above
    account.save(update_fields=["advances", "asks_above"])
