"""How good a linkage is where the truth is known: by its pairs, and by its groups of records.

Pairs inside groups are counted from the sizes of groups and of what two groupings have in common,
never one by one: a group of 10,000 records has 50 million pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.persons import PairPositions, Positions, components


@dataclass(frozen=True, slots=True)
class LinkageMeasures:
    """A linkage against the truth; shares are of 1, and of nothing, all is right.

    ``pairs`` are linked, ``right`` of them are of one person by the truth, directly or over other
    records. ``found`` of the ``true_pairs`` that the truth names are linked. B-cubed (``b3``) is
    the mean over records: how much of a record's group is of its person (precision), and how much
    of its person is in its group (recall).
    """

    pairs: int
    right: int
    true_pairs: int
    found: int
    b3_precision: float
    b3_recall: float
    largest_cluster: int

    @property
    def precision(self) -> float:
        """The share of linked pairs that are right."""
        return self.right / self.pairs if self.pairs else 1.0

    @property
    def recall(self) -> float:
        """The share of true pairs that are linked."""
        return self.found / self.true_pairs if self.true_pairs else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return _harmonic_mean(self.precision, self.recall)

    @property
    def b3_f1(self) -> float:
        """The harmonic mean of precision and recall by B-cubed."""
        return _harmonic_mean(self.b3_precision, self.b3_recall)


def measure_linkage(
    person: Positions, truth: PairPositions, databases: Positions | None = None
) -> LinkageMeasures:
    """Compare a linkage, given as the number of each record's group, with all true pairs.

    True pairs are given once each. They need not be closed: where A is B and B is C, a linked pair
    of A and C is right, and is no true pair that has to be found. With ``databases``, the number of
    each record's database, only pairs across databases count, and so should the truth.
    """
    true_person = components(len(person), truth.left, truth.right)
    both = _intersect(person, true_person)
    of_group, of_person, of_both = (_sizes(groups) for groups in (person, true_person, both))
    found = person[truth.left] == person[truth.right]
    return LinkageMeasures(
        pairs=count_linked(person, databases),
        right=count_linked(both, databases),
        true_pairs=len(found),
        found=int(found.sum()),
        b3_precision=_mean(of_both / of_group),
        b3_recall=_mean(of_both / of_person),
        largest_cluster=int(of_group.max(initial=0)),
    )


def count_linked(groups: Positions, databases: Positions | None) -> int:
    """Count the pairs of records inside groups; with databases, those across them."""
    within = 0 if databases is None else count_linked(_intersect(groups, databases), None)
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum()) - within


def _intersect(one: Positions, other: Positions) -> Positions:
    """Return groups of the records that are together in both of two groupings."""
    first, second = (np.unique(groups, return_inverse=True)[1] for groups in (one, other))
    crossed: Positions = first * (int(second.max(initial=0)) + 1) + second
    return crossed


def _sizes(groups: Positions) -> Positions:
    """Return for each record how many records its group has."""
    _, place, sizes = np.unique(groups, return_inverse=True, return_counts=True)
    of_records: Positions = sizes[place]
    return of_records


def _mean(shares: NDArray[np.float64]) -> float:
    return float(shares.mean()) if len(shares) else 1.0


def _harmonic_mean(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0
