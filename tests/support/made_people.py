"""Records of synthetic people, some of which repeat an earlier person's, with errors."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
import pyarrow as pa

from mindfirl.synthetic.individuals import draw_people, with_mishaps


@dataclass(frozen=True, slots=True)
class SyntheticPeople:
    records: pa.Table
    same: tuple[tuple[int, int], ...]


def make_people(size: int, *, seed: int, repeated: float = 0.05) -> SyntheticPeople:
    """Make so many records; a share of them repeats an earlier person's record, with errors."""
    dice = Random(seed)
    repeats = int(size * repeated)
    originals = draw_people(size - repeats, np.random.default_rng(seed), dice)
    sources = dice.sample(range(size - repeats), repeats)
    rows = originals.take(pa.array(sources, pa.int64())).to_pylist()
    copies = [with_mishaps(dice, row) for row in rows]
    records = pa.concat_tables([originals, pa.Table.from_pylist(copies, schema=originals.schema)])
    same = tuple((source, size - repeats + copy) for copy, source in enumerate(sources))
    return SyntheticPeople(records, same)
