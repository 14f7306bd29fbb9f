"""Four named choices of how much may be seen: what each costs, buys, and is expected to bring."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _

from mindfirl.core.forecast.frontier import Forecast, Point
from mindfirl.core.review.plan import ReviewPlan
from mindfirl.core.risk.percent import WHOLE, round_up_share, write_percent
from mindfirl.services.plan.estimates import Estimate
from mindfirl.web.page.figures import accuracy, count, percent
from mindfirl.web.page.labels import label

_LEAST: int = 1
"""The smallest budget that there is: it opens nothing."""
_NAMED = 2
"""This many attributes say what a budget buys."""


@dataclass(frozen=True, slots=True)
class Choice:
    name: str
    risk: str
    buys: str
    right: str
    budget: str
    chosen: bool


def choices(
    found: Estimate, plan: ReviewPlan, recommended: int | None, expected: Forecast | None
) -> list[Choice]:
    budgets = {person.budget for person in plan.workers}
    planned = budgets.pop() if len(budgets) == 1 else None
    return list(_choices(found, planned, recommended, expected))


def _choices(
    found: Estimate, planned: int | None, recommended: int | None, expected: Forecast | None
) -> Iterator[Choice]:
    band = expected.band if expected else None
    partial, full = round_up_share(found.partial), round_up_share(found.full)

    def choice(name: str, budget: int | None, buys: str, point: Point | None) -> Choice:
        return Choice(
            name=name,
            risk=percent(budget / WHOLE if budget and budget > _LEAST else 0.0) if budget else "–",
            buys=buys,
            right=accuracy(point.people) if point else "–",
            budget=write_percent(budget) if budget else "",
            chosen=budget is not None and budget == planned,
        )

    yield choice(
        _("Marks only"),
        _LEAST,
        _("nothing is opened: marks show what differs"),
        band.masked if band else None,
    )
    yield choice(
        _("Differing characters"),
        partial or None,
        _("the characters that differ, in every cell"),
        band.policies["all partial"][0] if band else None,
    )
    yield choice(
        _("Recommended by the forecast"),
        recommended,
        bought_cells(found, recommended)
        if recommended
        else _("needs a forecast with 200 known answers, and openings that help"),
        band.at(recommended / WHOLE) if band and recommended else None,
    )
    yield choice(_("Everything"), full or None, _("all cells in full"), band.full if band else None)
    known = {_LEAST, partial, full, recommended}
    if planned is not None and planned not in known:
        point = band.at(planned / WHOLE) if band else None
        yield choice(_("Own budget"), planned, bought_cells(found, planned), point)


def bought_cells(found: Estimate, budget: int) -> str:
    """Say how many cells of the dearest attributes a budget opens in the pairs of a worker."""
    size = max((each.pairs for each in found.workers), default=0)
    priced = sorted(found.attributes.items(), key=lambda item: -item[1])[:_NAMED]
    if not size or not priced or not all(share for _name, share in priced):
        return _("buys %(share)s of all cells at full") % {
            "share": percent(min(budget / WHOLE / found.full, 1.0) if found.full else 1.0)
        }
    words = _("for example %(number)s × %(attribute)s")
    said = [
        words % {"number": count(_cells(budget, share, size)), "attribute": label(name)}
        for name, share in priced
    ]
    joined = _(" or ").join([said[0], *(each.removeprefix(_("for example ")) for each in said[1:])])
    return _("%(cells)s, in full, of %(pairs)s pairs") % {"cells": joined, "pairs": count(size)}


def _cells(budget: int, share: float, size: int) -> int:
    return min(int(budget / WHOLE / share * size), size)
