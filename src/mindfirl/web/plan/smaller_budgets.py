"""What smaller budgets than the recommended one cost, and what the recommended one is for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.utils.translation import gettext as _

from mindfirl.core.forecast.frontier import Forecast, ForecastPart, Point
from mindfirl.core.risk.percent import round_up_share, write_percent
from mindfirl.web.page.figures import accuracy

_BUDGETS: Final = (0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
_LISTED: Final = 3
_ABOUT: Final = 1.02
"""What a budget pays for is chosen on other pairs, and may cost a little more on these."""
_MUCH_LESS: Final = 0.5
"""A share of the recommended budget: a reviewer without slips would need clearly less."""


def smaller_budgets(figures: Forecast, loss: float) -> list[str]:
    """Say what smaller budgets cost, and how much of the recommended one only helps reading."""
    if not figures.recommended_budget(loss):
        return []
    wanted = figures.band.recommended(loss, of_people=True)
    return [_costs(figures.band, wanted), *_readable(figures.band, wanted, loss)]


def _costs(band: ForecastPart, wanted: Point) -> str:
    words = _(
        "With less, people are expected to decide fewer pairs correctly: %(listed)s when "
        "everything is masked."
    )
    smaller = [budget for budget in _BUDGETS if budget < wanted.budget][:_LISTED]
    listed = [
        _("%(right)s at %(budget)s")
        % {"right": accuracy(band.at(budget * _ABOUT).people), "budget": f"{budget * 100:g}%"}
        for budget in smaller
    ]
    return words % {"listed": ", ".join([*listed, accuracy(band.masked.people)])}


def _readable(band: ForecastPart, wanted: Point, loss: float) -> Iterator[str]:
    """Say what a reviewer without slips would need, where that is clearly less."""
    known = band.recommended(loss)
    if known.budget > _MUCH_LESS * wanted.budget:
        return
    words = _(
        "Somebody who never slips would need only %(budget)s. The rest makes values easier to "
        "read: in published studies, people made more mistakes the more of what differs was hidden."
    )
    yield words % {"budget": needed_budget(known)}


def needed_budget(point: Point) -> str:
    return f"{write_percent(round_up_share(point.budget))}%" if point.budget else "0%"
