"""What reviewing an amount of pairs takes and leads to, in the same words on every page."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from mindfirl.core.stated_errors import ErrorRange
from mindfirl.services.plan.amounts import Amount
from mindfirl.web.page.expected_errors import error_range
from mindfirl.web.page.figures import accuracy, working_time


@dataclass(frozen=True, slots=True)
class AmountWords:
    time: str
    false_links: str
    missed: str
    f1: str


def amount_words(amount: Amount) -> AmountWords:
    return AmountWords(
        time=working_time(amount.decisions) if amount.decisions else "–",
        false_links=_errors(amount.false_links),
        missed=_errors(amount.missed),
        f1=_f1(amount),
    )


def _errors(found: ErrorRange | None) -> str:
    return error_range(found.to_json() if found else None)


def _f1(amount: Amount) -> str:
    if amount.high - amount.low == 1:
        return _("not known")
    ends = {"low": accuracy(amount.low), "high": accuracy(amount.high)}
    return _("%(low)s to %(high)s") % ends
