"""What a column is like, and what it is proposed to be; never a value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mindfirl.core.values.composed import DatePart
from mindfirl.core.values.schema import DateOrder, Kind
from mindfirl.engine.schema.headings import Role
from mindfirl.engine.schema.schema_file import Coarsening


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What was counted in a column, the proposed role, attribute and kind, and why.

    ``part`` is that of a date which is written in several columns. ``contains`` are other columns
    of the table whose words it repeats, ``covered`` is the share of its own words that they have;
    ``without`` are those whose words are left out when it is compared. Of a sensitive column,
    ``coarsen`` is the part of its values that is kept. ``date_fits`` are the cells that each order
    of dates can read, where any can, and ``unclear_dates`` those that are another date in another.
    """

    database: str
    column: str
    rows: int
    filled: int
    distinct: int
    shapes: tuple[str, ...]
    role: Role
    attribute: str
    kind: Kind | None
    date_order: DateOrder | None
    two_digit_years: bool
    warnings: tuple[str, ...]
    part: DatePart | None = None
    contains: tuple[str, ...] = ()
    covered: float = 0.0
    without: tuple[str, ...] = ()
    coarsen: Coarsening | None = None
    date_fits: tuple[tuple[DateOrder, int], ...] = ()
    unclear_dates: int = 0

    @property
    def displayed(self) -> bool:
        return bool(self.attribute)


def ignored(profile: ColumnProfile, reason: str) -> ColumnProfile:
    return replace(
        profile,
        role="ignored",
        attribute="",
        kind=None,
        date_order=None,
        two_digit_years=False,
        part=None,
        without=(),
        coarsen=None,
        warnings=(*profile.warnings, reason),
    )
