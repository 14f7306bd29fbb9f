"""What showing pairs to people could cost: their risks with all cells partial, and all full."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.risk.kapr import UNITS, row_risks, view_pair
from mindfirl.core.values.schema import FULL, PARTIAL, Pair
from mindfirl.engine.pairs.candidates import Candidates

STATES: Final = (PARTIAL, FULL)
_FIGURES: Final = 2 * len(STATES)
_EVERY: Final = 256
"""Progress is told after so many pairs."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedRisks:
    """The risks of pairs, by pair, state (partial, full) and row: k, and the sum of shares shown.

    The pairs are known by their number among the candidates.
    """

    numbers: NDArray[np.int64]
    k: NDArray[np.uint32]
    shown: NDArray[np.float64]

    def known(self, chosen: NDArray[np.int64]) -> int:
        """Count the pairs among some whose risks are known."""
        return int(np.isin(self.numbers, chosen).sum())

    def lacking(self, order: NDArray[np.int64], *, needed: int, more: int) -> NDArray[np.int64]:
        """Return which risks to work out for pairs in the order of their need.

        None if so many as are needed are known; else those that are not, and some more.
        """
        if self.known(order[:needed]) == needed:
            return order[:0]
        return np.setdiff1d(order[: needed + more], self.numbers)

    def joined(self, other: ExpectedRisks) -> ExpectedRisks:
        numbers = np.concatenate((self.numbers, other.numbers))
        k = np.concatenate((self.k, other.k))
        return ExpectedRisks(numbers, k, np.concatenate((self.shown, other.shown)))

    def score(self, chosen: NDArray[np.int64], *, attributes: int, kappa: int) -> dict[str, float]:
        """Return K of a display of some pairs, if all cells were partial and if all were full.

        Pairs whose risks are not known are left out, as if they were not displayed.
        """
        rows = np.isin(self.numbers, chosen)
        if not rows.any():
            return {"partial": 0.0, "full": 0.0}
        risks = self.shown[rows] / np.maximum(self.k[rows], kappa)
        totals = risks.sum(axis=(0, 2)) * kappa / (2 * rows.sum() * attributes)
        return {"partial": float(totals[0]), "full": float(totals[1])}

    def costs(self, size: int, *, kappa: int) -> NDArray[np.int64]:
        """Return what each of so many candidates costs with all cells partial, in ledger units.

        Where that is not known, it is as much as with the others.
        """
        risks = self.shown[:, 0] / np.maximum(self.k[:, 0], kappa)
        units = np.ceil(risks.sum(axis=1) * UNITS).astype(np.int64)
        costs = np.full(size, round(units.mean()) if len(units) else 0)
        costs[self.numbers] = units
        return costs


NO_RISKS: Final = ExpectedRisks(
    np.empty(0, dtype=np.int64),
    np.empty((0, len(STATES), 2), dtype=np.uint32),
    np.empty((0, len(STATES), 2)),
)


def expected_risks(
    index: PopulationIndex,
    candidates: Candidates,
    numbers: Sequence[int] | NDArray[np.int64],
    *,
    progress: StepProgress = no_step_progress,
) -> ExpectedRisks:
    """Work out the risks of some pairs, by their number, by the published rules."""
    size = len(numbers)
    k = np.empty((size, len(STATES), 2), dtype=np.uint32)
    shown = np.empty((size, len(STATES), 2))
    width = len(index.schema.attributes)
    for row, number in enumerate(numbers):
        pair = Pair(int(candidates.left[number]), int(candidates.right[number]))
        masked = view_pair(index, pair, {})
        for place, level in enumerate(STATES):
            view = replace(masked, levels=(level,) * width)
            for side, risk in enumerate(row_risks(index, view, "paper")):
                k[row, place, side] = risk.k
                shown[row, place, side] = risk.shown / risk.scale
        if row % _EVERY == 0:
            progress(row, size)
    progress(size, size)
    return ExpectedRisks(np.asarray(numbers, dtype=np.int64), k, shown)


def risk_table(risks: ExpectedRisks) -> pa.Table:
    columns: dict[str, NDArray[Any]] = {"number": risks.numbers}
    for name, array in (("k", risks.k), ("shown", risks.shown)):
        flat = array.reshape(len(risks.numbers), _FIGURES)
        columns |= {f"{name}{place}": flat[:, place] for place in range(_FIGURES)}
    return pa.table(columns)


def risks_of(table: pa.Table) -> ExpectedRisks:
    arrays = [
        np.stack([table.column(f"{name}{place}").to_numpy() for place in range(_FIGURES)], axis=1)
        for name in ("k", "shown")
    ]
    k, shown = (array.reshape(-1, len(STATES), 2) for array in arrays)
    return ExpectedRisks(table.column("number").to_numpy(), k, shown)
