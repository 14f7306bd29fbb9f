"""Which step a reader should take next, by what a drawn pair shows and what steps cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from mindfirl.core.kapr import Step, View
from mindfirl.core.population.index import PopulationIndex


@dataclass(frozen=True, slots=True)
class Adviser:
    """Suggests the cheapest step that is worth its price."""

    most: int

    @classmethod
    def of(cls, table: pa.Table) -> Adviser:
        """Return the adviser that was kept."""
        return cls(table.column("most")[0].as_py())

    def table(self) -> pa.Table:
        """Return what is to be kept."""
        return pa.table({"most": [self.most]})

    def worth_at(self, budget: int) -> float:
        """Return what a unit must be worth within a budget of so many 10⁻⁹."""
        return 1e9 / max(budget, 1)

    def suggest(
        self,
        index: PopulationIndex,
        seen: View,
        prices: Mapping[Step, int | None],
        *,
        worth: float,
    ) -> Step | None:
        """Return the next step, if one is worth its price."""
        assert len(index.schema.names) == len(seen.levels)
        assert worth > 0
        known = [(price, step) for step, price in prices.items() if price is not None]
        best = min(known, default=None)
        return None if best is None or best[0] > self.most else best[1]
