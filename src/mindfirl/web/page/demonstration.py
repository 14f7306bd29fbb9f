"""What a visitor of the demonstration can try, for each of its accounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from mindfirl.services.upkeep.installation import is_demo

_REVIEWS: Final = (
    _("Practise first: a tour of the marks, then made-up pairs whose answers are told."),
    _("Continue “Hospital × Cancer registry”: decide with 1 to 6, and open a cell with Enter."),
    _("Press a to open everything of a pair: the screen says what that costs before you pay."),
)
_TRIALS: Final = {
    "manager": (
        _("“Hospital × Cancer registry”: how far the reviews are, and how well people agree."),
        _("“Second wave”: find the pairs, move the thresholds, and plan who reviews them."),
        _("“Pilot”: what came out. One release was downloaded, another is blocked: see why."),
    ),
    "worker": _REVIEWS,
    "colleague": _REVIEWS,
    "adjudicator": (
        _("Settle the conflicts of the follow-up: the votes are shown beside each pair."),
        _("Press w to see what the match weight is made of; only open cells are itemised."),
        _("Find the pairs that contradict each other: the ring leads from one to the next."),
    ),
    "auditor": (
        _("“Pilot”: read the report of what was disclosed to whom. It holds no personal data."),
        _("Verify the ledger of all decisions and openings, and download it."),
        _("Look for a name or a birth date anywhere: you will not find one."),
    ),
    "administrator": (
        _("Accounts: add a person, and copy the link with which they sign in."),
        _("End somebody's sessions, or disable an account."),
        _("Open a project's address: administrators see no data either."),
    ),
}


_ANOTHER: Final = "colleague"
"""Somebody with the same work as another."""


@dataclass(frozen=True, slots=True)
class Trial:
    account: str
    steps: tuple[object, ...]


def trials(account: str | None = None) -> list[Trial]:
    """Return what to try in a demonstration, with one account or with each; elsewhere nothing."""
    if not is_demo():
        return []
    if account is None:
        return [Trial(name, steps) for name, steps in _TRIALS.items() if name != _ANOTHER]
    return [Trial(account, _TRIALS[account])] if account in _TRIALS else []
