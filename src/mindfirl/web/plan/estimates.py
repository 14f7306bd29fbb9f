"""What budgets would buy, in words and on meters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mindfirl.core.review.plan import PersonPlan, ReviewPlan
from mindfirl.core.risk.percent import WHOLE
from mindfirl.services.plan.amounts import Amount
from mindfirl.services.plan.estimates import Estimate
from mindfirl.web.page.amount_words import amount_words
from mindfirl.web.page.figures import about, between, count, pairs, percent, working_time


@dataclass(frozen=True, slots=True)
class Buys:
    width: str
    starting_width: str
    words: str


def buys(found: Estimate, person: PersonPlan) -> Buys:
    budget = person.budget / WHOLE
    start = between(found.starting, found.partial, found.full) if found.starting else ""
    return Buys(
        width=between(budget, found.partial, found.full),
        starting_width=start,
        words=" · ".join([*_given(found, person), bought(found, person.budget)]),
    )


def bought(found: Estimate, budget: int) -> str:
    share = budget / WHOLE
    if share < found.starting:
        words = _("too low: the starting levels alone take %(share)s")
        return words % {"share": percent(found.starting)}
    if share >= found.full:
        return _("buys all cells at full")
    if share >= found.partial:
        words = _("buys all cells at partial, and %(share)s of all cells at full")
        return words % {"share": percent(share / found.full)}
    words = _("buys %(share)s of all cells at partial")
    return words % {"share": percent(share / found.partial)}


def left_over(found: Estimate) -> str:
    """Say how many pairs stay undecided, and what that costs; nothing where there are none."""
    if not found.left.pairs:
        return ""
    shown, number = about(found.left.wrong)
    wrong = ngettext(
        "Of these, %(wrong)s more is expected to be wrong than after review.",
        "Of these, %(wrong)s more are expected to be wrong than after review.",
        number,
    )
    left = _undecided(found) % {"left": pairs(found.left.pairs)}
    return f"{left} {wrong % {'wrong': shown}}"


def _undecided(found: Estimate) -> str:
    if found.rule == "evidence":
        return ngettext(
            "%(left)s is not reviewed; its weight decides.",
            "%(left)s are not reviewed; their weights decide.",
            found.left.pairs,
        )
    return ngettext(
        "%(left)s is not reviewed and will not be linked, unless you move the thresholds so that "
        "its weight decides.",
        "%(left)s are not reviewed and will not be linked, unless you move the thresholds so that "
        "their weights decide.",
        found.left.pairs,
    )


@dataclass(frozen=True, slots=True)
class AmountRow:
    """An amount of pairs to review: what it takes, what to expect, and how to choose it."""

    pairs: str
    time: str
    false_links: str
    missed: str
    f1: str
    choose: str
    chosen: bool


def amount_rows(amounts: Sequence[Amount], plan: ReviewPlan) -> list[AmountRow]:
    band = max((each.pairs for each in amounts), default=0)
    planned = band if plan.most_pairs is None else min(plan.most_pairs, band)
    return [
        AmountRow(
            pairs=_amount_words(each, band),
            **asdict(amount_words(each)),
            choose="" if not each.pairs else "0" if each.pairs == band else str(each.pairs),
            chosen=each.pairs == planned and planned > 0,
        )
        for each in amounts
    ]


def _amount_words(amount: Amount, band: int) -> str:
    if not amount.pairs:
        return _("None: link by weights alone")
    if amount.pairs == band:
        return _("All: %(pairs)s") % {"pairs": pairs(amount.pairs)}
    return pairs(amount.pairs)


def _given(found: Estimate, person: PersonPlan) -> list[str]:
    size = sum(each.pairs for each in found.workers if each.account == person.account)
    if person.role != "worker" or not size:
        return []
    return [_("%(pairs)s, %(hours)s") % {"pairs": pairs(size), "hours": working_time(size)}]


def work(found: Estimate) -> str:
    mixed_in = (
        (_("%(pairs)s to measure the automatic bands"), found.quality),
        (_("%(pairs)s to check known answers"), found.answers),
        (_("%(pairs)s to check reviewers"), found.gold),
    )
    samples = [words % {"pairs": count(number)} for words, number in mixed_in if number]
    decisions = _("%(decisions)s decisions, %(hours)s at 60 an hour") % {
        "decisions": count(found.decisions),
        "hours": working_time(found.decisions),
    }
    said = f"{', '.join([_('pairs for people'), *samples])} · {decisions}"
    if not found.given:
        return said
    return _("%(work)s · %(given)s more are already assigned") % {
        "work": said,
        "given": count(found.given),
    }


def remarks(found: Estimate) -> Iterator[str]:
    """Say what stays undecided, what the figures are made of, what is charged at once."""
    if found.left.pairs:
        yield left_over(found)
    words = _("K is a mean over %(reference)s reference pairs of these databases.")
    yield words % {"reference": count(found.reference)}
    if found.starting:
        words = _("The starting levels cost %(share)s of K before anything is opened.")
        yield words % {"share": percent(found.starting)}
    else:
        yield _("All cells start masked: nothing is charged before the first opening.")
