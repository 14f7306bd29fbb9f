"""What a visitor of the demonstration can try, for each of its accounts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.utils.translation import gettext_lazy as _

from mindfirl.services.upkeep.installation import is_demo

_REVIEWS: Final = (
    _("Practise first: a tour of the marks, then made-up pairs with known answers."),
    _("Continue “Hospital × Cancer registry”: decide with 1 to 6, and open a cell with Enter."),
    _("Press a to open everything in a pair: the screen shows the cost before you confirm."),
)
_TRIALS: Final = {
    "manager": (
        _(
            "“Hospital × Cancer registry”: see how far the reviews are, how well people agree, and "
            "on Plan what budgets would buy."
        ),
        _("“Second wave”: find pairs, move the thresholds, and plan who reviews them."),
        _(
            "“Pilot”: see the results, and on Agreement how often each reviewer was right. One "
            "release was downloaded, another is blocked: find out why."
        ),
    ),
    "worker": _REVIEWS,
    "colleague": _REVIEWS,
    "adjudicator": (
        _("Settle the conflicts of the follow-up: the votes are shown next to each pair."),
        _("Press w to see the parts of the match weight; only open cells are itemised."),
        _("Find the pairs that contradict each other: links lead from one to the next."),
    ),
    "auditor": (
        _("“Pilot”: read the report of what was disclosed to whom. It contains no personal data."),
        _("Verify the ledger of all decisions and openings, and download it."),
        _("Look for a name or a birth date: you will not find one."),
    ),
    "administrator": (
        _("Accounts: invite a person, and copy the link for choosing a password."),
        _("End somebody's sessions, or disable an account."),
        _("Look for the projects: administrators see none of them, unless a manager adds them."),
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
