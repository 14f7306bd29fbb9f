"""A stand-in for what a forecast advises by, which is quickly made and easily foreseen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import Step, View
from mindfirl.services.review.disclosure import opening
from mindfirl.store import vault
from mindfirl.store.models import Project, SealedFile
from tests.support.forecasts import keep

BUDGETS = 10**12


@dataclass(frozen=True)
class StandIn:
    """Suggests the cheapest step that it was told of, unless it is dearer than a limit."""

    most: int = BUDGETS
    opened: ClassVar[list[int]] = []
    asked: list[tuple[dict[Step, int | None], float]] = field(default_factory=list)

    @classmethod
    def of(cls, table: pa.Table) -> StandIn:
        made = cls(table.column("most")[0].as_py())
        cls.opened.append(made.most)
        return made

    def table(self) -> pa.Table:
        return pa.table({"most": [self.most]})

    def worth_at(self, budget: int) -> float:
        return 1 / budget

    def suggest(
        self,
        index: PopulationIndex,
        seen: View,
        prices: Mapping[Step, int | None],
        *,
        worth_it: float,
    ) -> Step | None:
        assert len(index.schema.names) == len(seen.levels)
        self.asked.append((dict(prices), worth_it))
        known = [(price, *step) for step, price in prices.items() if price is not None]
        best: tuple[Any, ...] = min(known, default=(BUDGETS + 1,))
        return Step(best[1], best[2]) if best[0] <= self.most else None


def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what is sealed as an adviser be read as a stand-in."""
    StandIn.opened.clear()
    monkeypatch.setattr(opening, "Adviser", StandIn)


def advise(project: Project, *, most: int = BUDGETS, table: pa.Table | None = None) -> SealedFile:
    """Give a project a forecast that advises: by a stand-in, unless an adviser is given."""
    kept = StandIn(most).table() if table is None else table
    file = vault.seal(project, "adviser", kept)
    vault.record([file])
    return keep(project, adviser=SealedFile.objects.get(name=file.name)).adviser
