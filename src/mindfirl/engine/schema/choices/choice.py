"""What a person chose for each column, as it was typed; and what there is to choose from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, get_args

from mindfirl.engine.schema.headings import Role
from mindfirl.engine.schema.schema_files.schema_file import Coarsening

ROLES: Final[tuple[str, ...]] = get_args(Role)
DISPLAYED: Final = ("identifier", "quasi-identifier")
DATE_PARTS: Final = ("decade", "year", "month")
MOST_CHARACTERS: Final = 20
"""More first characters than this are no coarsening that a form offers."""


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What one column of one database is to be.

    Its name is that of its attribute, or of a sensitive column in the linked data. What it keeps
    is what goes into the linked data: nothing said means the whole of a sensitive column, and
    nothing of one that is displayed.
    """

    database: str
    column: str
    role: str = "ignored"
    name: str = ""
    kind: str = ""
    date_order: str = ""
    keeps: str = ""

    @property
    def displayed(self) -> bool:
        """Whether the column is compared and shown, cell by cell."""
        return self.role in DISPLAYED

    @property
    def coarsening(self) -> Coarsening | None:
        """What is kept of a value in the linked data, where it is not kept whole."""
        if self.keeps.isdecimal():
            return int(self.keeps)
        return next((part for part in ("year", "month", "decade") if part == self.keeps), None)


@dataclass(frozen=True, slots=True)
class ColumnChoices:
    """What all columns are to be, and what is said about all databases."""

    columns: tuple[ColumnChoice, ...]
    date_order: str = "mdy"
    latest_year: str = ""
    without_duplicates: frozenset[str] = frozenset()

    @property
    def databases(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each.database for each in self.columns))

    def attributes(self) -> Mapping[str, list[int]]:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, each in enumerate(self.columns):
            if each.displayed and each.name:
                found[each.name].append(place)
        return found

    def columns_of(self, name: str) -> dict[str, str]:
        """Return the column that holds an attribute in each database."""
        places = self.attributes()[name]
        return {self.columns[place].database: self.columns[place].column for place in places}
