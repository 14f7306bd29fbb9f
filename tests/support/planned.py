"""The uncertain pairs of people whose truth is known: what a planner plans for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.population.index import PopulationIndex, index_columns
from mindfirl.engine.bands.burden import bands_for_rates
from mindfirl.engine.bands.settlement import settle_candidates
from mindfirl.engine.scoring.engines import DuckDBEngine
from mindfirl.engine.scoring.run import score_pairs
from mindfirl.synthetic.individuals import SCHEMA
from mindfirl.synthetic.look_alikes import look_alikes
from tests.support.scoring_populations import Known


@dataclass(frozen=True, eq=False, repr=False)
class Uncertain:
    """The pairs that the bands send to people, and what is known of them."""

    index: PopulationIndex
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    weight: NDArray[np.float64]
    persons: NDArray[np.int64]
    """Whose each record of the index is."""
    family: NDArray[np.str_]
    """Of each pair: how the person of its first record, or of its second, is related to others."""

    @property
    def same(self) -> NDArray[np.bool_]:
        return np.asarray(self.persons[self.left] == self.persons[self.right])


def uncertain(known: Known, family: NDArray[np.str_], *, seed: int = 1) -> Uncertain:
    """Score, choose bands as a project does, and take what goes to people."""
    found, _ = score_pairs(
        known.identities,
        known.schema,
        known.blocking(),
        mode=known.mode,
        engine=DuckDBEngine(),
        seed=seed,
    )
    sizes = [table.num_rows for table in known.identities]
    alone = np.repeat(np.arange(len(sizes)), sizes) if known.mode == "link" else None
    sent = settle_candidates(found, bands_for_rates(found), alone).sent
    left, right = found.left[sent], found.right[sent]
    return Uncertain(
        index_columns(known.schema, known.columns),
        left,
        right,
        found.weight[sent],
        known.persons,
        np.where(family[left] != "", family[left], family[right]),
    )


@cache
def uncertain_look_alikes(persons: int, *, seed: int = 1) -> Uncertain:
    made = look_alikes(persons, seed=seed)
    known = Known(made.identities(), SCHEMA, made.person, "link")
    return uncertain(known, made.family)
