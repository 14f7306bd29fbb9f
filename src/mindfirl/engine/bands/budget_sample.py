"""What budgets would buy, worked out exactly on a sample of the pairs for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import Risk, Step, next_steps, row_risks, view_pair
from mindfirl.core.values.schema import FULL, LEVELS, PARTIAL, Accounting, Pair
from mindfirl.engine.pairs.candidates import Candidates

MOST_SAMPLED: Final = 500
_SEED: Final = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SampledRisks:
    """The risks of some pairs, by pair, state and row: k, and the sum of shares shown.

    The states are all cells partial, all full, and each attribute full alone.
    """

    attributes: tuple[str, ...]
    k: NDArray[np.uint32]
    shown: NDArray[np.float64]

    def scores(self, kappa: int) -> list[float]:
        """Return K of each state, as if the sample were the display."""
        risks = self.shown / np.maximum(self.k, kappa)
        rows = 2 * max(len(self.k), 1)
        totals = risks.sum(axis=(0, 2)) * kappa / (rows * len(self.attributes))
        return [float(total) for total in totals]


def sample_pairs(candidates: Candidates, numbers: NDArray[np.int64]) -> list[Pair]:
    """Draw pairs, at most so many as can be worked out at once; the same ones every time."""
    rng = np.random.default_rng(_SEED)
    drawn = np.sort(rng.permutation(numbers)[:MOST_SAMPLED])
    return [Pair(int(candidates.left[number]), int(candidates.right[number])) for number in drawn]


def sampled_risks(
    index: PopulationIndex, pairs: Sequence[Pair], accounting: Accounting
) -> SampledRisks:
    """Work out the risks of some pairs in every state."""
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
