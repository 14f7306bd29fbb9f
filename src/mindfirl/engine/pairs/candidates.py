"""Candidate pairs: two records by position, and how much speaks for their being one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Positions = NDArray[np.int64]
Weights = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Candidates:
    """Scored pairs, each once, left before right; heaviest first, then by position.

    The weight is the base-2 logarithm of the odds that both records are of one person. ``levels``
    tells, by attribute, on which level of agreement each pair is (numbers of the model's levels);
    it is empty where the pairs were scored elsewhere.
    """

    left: Positions
    right: Positions
    weight: Weights
    levels: dict[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(self.left)

    @property
    def probability(self) -> Weights:
        """The probability that both records of a pair are of one person."""
        return 1 / (1 + np.exp2(-self.weight))

    def take(self, chosen: NDArray[Any]) -> Candidates:
        """Return some of the pairs, by number or by flag."""
        levels = {name: numbers[chosen] for name, numbers in self.levels.items()}
        return Candidates(self.left[chosen], self.right[chosen], self.weight[chosen], levels)


def ordered(
    left: Positions, right: Positions, weight: Weights, levels: dict[str, NDArray[Any]]
) -> Candidates:
    """Put pairs into their order: heaviest first, then by position."""
    first, second = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((second, first, -weight))
    return Candidates(first, second, weight, levels).take(order)


def candidates_table(found: Candidates) -> pa.Table:
    """Put pairs into a table, to be kept."""
    levels = {f"level {name}": numbers for name, numbers in found.levels.items()}
    return pa.table({"left": found.left, "right": found.right, "weight": found.weight, **levels})


def candidates_of(table: pa.Table) -> Candidates:
    """Take pairs out of a table."""
    columns = {name: table.column(name).to_numpy() for name in table.column_names}
    left, right, weight = (columns.pop(name) for name in ("left", "right", "weight"))
    levels = {name.removeprefix("level "): numbers for name, numbers in columns.items()}
    return Candidates(left, right, weight, levels)


Keys = NDArray[np.uint64]


def pair_keys(left: Positions, right: Positions) -> Keys:
    """Return a number for each pair, the same whichever record comes first."""
    first, second = np.minimum(left, right), np.maximum(left, right)
    return first.astype(np.uint64) << np.uint64(32) | second.astype(np.uint64)


def stands_before(keys: Keys) -> NDArray[np.bool_]:
    again = np.ones(len(keys), dtype=np.bool_)
    again[np.unique(keys, return_index=True)[1]] = False
    return again


def count_within(groups: NDArray[np.int64]) -> int:
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def pairs_within(groups: NDArray[np.int64]) -> tuple[Positions, Positions]:
    order = np.argsort(groups, kind="stable")
    _, starts, sizes = np.unique(groups[order], return_index=True, return_counts=True)
    left, right = [order[:0]], [order[:0]]
    # Groups of one size are a matrix, and there are few sizes.
    for size in np.unique(sizes):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        left.append(members[:, one].ravel())
        right.append(members[:, other].ravel())
    return np.concatenate(left), np.concatenate(right)
