"""How a column writes its dates: in which order, and what about it is uncertain."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from mindfirl.core.values.dates import is_likely, is_possible, read_date, read_short_date
from mindfirl.core.values.schema import DATE_ORDERS, DateOrder
from mindfirl.engine.schema.contents import ColumnContents

_SHORT_YEAR: Final = re.compile(r"([0-9]{1,2})([-/. ])([0-9]{1,2})\2([0-9]{2})")
_PERHAPS: Final = re.compile(
    r"[0-9]{8}|[0-9]{4}[-/. ][0-9]{1,2}(?:[-/. ].*)?"
    r"|[0-9]{1,2}[-/. ](?:[0-9]{1,2}[-/. ])?[0-9]{4}(?: .*)?"
)
"""What is worth being read as a date, in every order."""

_SOME_YEAR: Final = 2099
"""Any will do: what is asked of years of two digits is whether month and day are possible."""


@dataclass(frozen=True, slots=True)
class DateForm:
    """How a column writes its dates; shares are of its filled cells.

    ``order`` is the one in which most values are possible dates, none where the shape of each says
    how it is to be read. ``ambiguous`` says that another order would do as well.
    """

    order: DateOrder | None
    possible: float
    only_otherwise: float
    two_digit_years: bool
    ambiguous: bool


def date_form(contents: ColumnContents) -> DateForm:
    """Find out how the dates of a column are written, if it holds any."""
    tally: defaultdict[tuple[DateOrder, ...], float] = defaultdict(float)
    for value, weight in contents.weighted():
        tally[possible_orders(value)] += weight / contents.filled
    dated = sum(share for orders, share in tally.items() if orders)
    fits = {each: sum(n for orders, n in tally.items() if each in orders) for each in DATE_ORDERS}
    best = max(DATE_ORDERS, key=lambda order: fits[order])
    short = any(_SHORT_YEAR.fullmatch(value) for value in contents.values)
    # A date with a long year that is possible in every order has its year first.
    by_shape = not short and set(tally) <= {(), DATE_ORDERS}
    rivals = [
        order
        for order in DATE_ORDERS
        if order != best and all((order in orders) == (best in orders) for orders in tally)
    ]
    return DateForm(
        order=None if by_shape else best,
        possible=fits[best],
        only_otherwise=dated - fits[best],
        two_digit_years=short,
        ambiguous=bool(rivals) and not by_shape,
    )


def possible_orders(value: str) -> tuple[DateOrder, ...]:
    """Return the orders in which a value is a day, or a month, that there could have been."""
    if _SHORT_YEAR.fullmatch(value):
        return tuple(order for order in DATE_ORDERS if _is_short_date(value, order))
    if not _PERHAPS.fullmatch(value):
        return ()
    return tuple(order for order in DATE_ORDERS if _is_possible(value, order))


def _is_short_date(value: str, order: DateOrder) -> bool:
    canonical = read_short_date(value, order, _SOME_YEAR)
    return canonical is not None and is_possible(canonical)


def _is_possible(value: str, order: DateOrder) -> bool:
    canonical = read_date(value, order)
    return canonical is not None and is_likely(canonical)
