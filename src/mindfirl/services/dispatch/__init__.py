"""Dispatch: pairs proposed, confirmed and assigned; assignments under way."""

from mindfirl.services.dispatch.dispatches import (
    Progress,
    confirm,
    dispatch_now,
    no_progress,
    nothing,
    propose,
    withdraw,
)

__all__ = [
    "Progress",
    "confirm",
    "dispatch_now",
    "no_progress",
    "nothing",
    "propose",
    "withdraw",
]
