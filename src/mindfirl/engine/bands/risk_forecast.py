"""What showing pairs to people could cost, and what a forecast expects of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.forecast.paths import Floats, Ints
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.risk.kapr import UNITS, Risk, Step, next_steps, row_risks, view_pair
from mindfirl.core.values.schema import FULL, LEVELS, PARTIAL, Accounting, Pair
from mindfirl.engine.pairs.candidates import Candidates, Keys, Positions, pair_keys

STATES: Final = (PARTIAL, FULL)
_FIGURES: Final = 2 * len(STATES)
_EVERY: Final = 256


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExpectedRisks:
    """The risks of candidates, by pair, state (partial, full) and row: k, and shares shown."""

    numbers: NDArray[np.int64]
    k: NDArray[np.uint32]
    shown: NDArray[np.float64]

    def known(self, chosen: NDArray[np.int64]) -> int:
        return int(np.isin(self.numbers, chosen).sum())

    def lacking(self, order: NDArray[np.int64], *, needed: int, more: int) -> NDArray[np.int64]:
        """Return whose risks to work out, by need: none, or those not known and some more."""
        if self.known(order[:needed]) == needed:
            return order[:0]
        return np.setdiff1d(order[: needed + more], self.numbers)

    def joined(self, other: ExpectedRisks) -> ExpectedRisks:
        numbers = np.concatenate((self.numbers, other.numbers))
        k = np.concatenate((self.k, other.k))
        return ExpectedRisks(numbers, k, np.concatenate((self.shown, other.shown)))

    def score(self, chosen: NDArray[np.int64], *, attributes: int, kappa: int) -> dict[str, float]:
        """Return K of some pairs, all partial and all full, without pairs of unknown risk."""
        rows = np.isin(self.numbers, chosen)
        if not rows.any():
            return {"partial": 0.0, "full": 0.0}
        risks = self.shown[rows] / np.maximum(self.k[rows], kappa)
        totals = risks.sum(axis=(0, 2)) * kappa / (2 * rows.sum() * attributes)
        return {"partial": float(totals[0]), "full": float(totals[1])}

    def costs(self, size: int, *, kappa: int) -> NDArray[np.int64]:
        """Return each candidate's cost with all cells partial; the mean where it is not known."""
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


MOST_SAMPLED: Final = 500
_SEED: Final = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledRisks:
    """The risks of pairs, by pair, state (all partial, all full, each attribute full) and row."""

    attributes: tuple[str, ...]
    k: NDArray[np.uint32]
    shown: NDArray[np.float64]

    def scores(self, kappa: int) -> list[float]:
        risks = self.shown / np.maximum(self.k, kappa)
        rows = 2 * max(len(self.k), 1)
        totals = risks.sum(axis=(0, 2)) * kappa / (rows * len(self.attributes))
        return [float(total) for total in totals]


def sample_pairs(candidates: Candidates, numbers: NDArray[np.int64]) -> list[Pair]:
    rng = np.random.default_rng(_SEED)
    drawn = np.sort(rng.permutation(numbers)[:MOST_SAMPLED])
    return [Pair(int(candidates.left[number]), int(candidates.right[number])) for number in drawn]


def sampled_risks(
    index: PopulationIndex, pairs: Sequence[Pair], accounting: Accounting
) -> SampledRisks:
    names = index.schema.names
    found = [_risks(index, pair, accounting) for pair in pairs]
    shape = (len(pairs), 2 + len(names), 2)
    k = np.array([[risk.k for risk in each] for each in found], dtype=np.uint32)
    shown = np.array([[risk.shown / risk.scale for risk in each] for each in found])
    return SampledRisks(names, k.reshape(shape), shown.reshape(shape))


def _risks(index: PopulationIndex, pair: Pair, accounting: Accounting) -> list[Risk]:
    masked, names = view_pair(index, pair, {}), index.schema.names
    risks: list[Risk] = []
    for level in (PARTIAL, FULL):
        risks += row_risks(index, replace(masked, levels=(level,) * len(names)), accounting)
    look = next_steps(index, masked, kappa=1, accounting=accounting)
    for name in names:
        opening = look.steps.get(Step(name, LEVELS[FULL]))
        risks += look.now if opening is None else opening.risks
    return risks


_SLICES: Final = 20
"""Pairs are alike when the chances to be the same, masked, are in one of this many slices."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prospects:
    """Of each pair: what is thought of it masked, its chance to end right, its cost in units."""

    masked: Floats
    right: Floats
    units: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CandidateProspects:
    numbers: Ints
    prospects: Prospects

    def right_as_masked(self) -> Floats:
        """Return how probably answers are right, on average over pairs that are alike masked.

        So whatever is chosen by it tells nothing of a pair that its masked cells do not tell.
        """
        alike = np.minimum((self.prospects.masked * _SLICES).astype(np.int64), _SLICES - 1)
        sums = np.bincount(alike, weights=self.prospects.right, minlength=_SLICES)
        mean: Floats = sums / np.maximum(np.bincount(alike, minlength=_SLICES), 1)
        return mean[alike]


def prospect_table(left: Positions, right: Positions, prospects: Prospects) -> pa.Table:
    return pa.table(
        {
            "left": left,
            "right": right,
            "masked": prospects.masked,
            "answer_right": prospects.right,
            "units": prospects.units,
        }
    )


def candidate_prospects(table: pa.Table, keys: Keys, numbers: Ints) -> CandidateProspects:
    """Take out of a table what is expected of some candidates, as far as there is any."""
    of = {name: table.column(name).to_numpy() for name in table.column_names}
    kept = pair_keys(of["left"], of["right"])
    _, here, there = np.intersect1d(keys, kept, return_indices=True)
    found = (of[name][there] for name in ("masked", "answer_right", "units"))
    return CandidateProspects(numbers[here], Prospects(*found))
