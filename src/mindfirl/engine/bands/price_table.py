"""What openings cost on average in a version of the data: the only prices told before a dispatch.

They are means over reference pairs. These are drawn once for a version by a seed that nobody can
know or choose, whichever pairs are candidates. So no figure depends on the pairs that somebody
chose, and none can be asked for again with one pair more or less.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.population.attribute_index import MISSING
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.progress import StepProgress, no_step_progress
from mindfirl.core.risk.kapr import Risk, Step, next_steps, row_risks, view_pair
from mindfirl.core.risk.percent import WHOLE, round_up_share
from mindfirl.core.values.schema import FULL, LEVELS, PARTIAL, Accounting, Pair
from mindfirl.engine.pairs.candidates import Positions, pair_keys

REFERENCE_PAIRS: Final = 1_000
_ROUNDS: Final = 8
"""So often partners are drawn for every record, before chance alone fills up."""
_EVERY: Final = 64
_STEPS: Final = (
    *(10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82),
    *(91, 100),
)
"""The preferred numbers of the series E24."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PriceTable:
    """The risks of the reference pairs, by pair, state and row.

    The states are: all cells partial, all full, and each attribute full alone.
    """

    attributes: tuple[str, ...]
    pairs: tuple[Pair, ...]
    k: NDArray[np.uint32]
    shown: NDArray[np.float64]

    def means(self, kappa: int) -> list[float]:
        """Return K of the reference pairs in each state."""
        risks = self.shown / np.maximum(self.k, kappa)
        rows = 2 * max(len(self.k), 1)
        totals = risks.sum(axis=(0, 2)) * kappa / (rows * len(self.attributes))
        return [float(total) for total in totals]

    def prices(self, kappa: int) -> Prices:
        partial, full, *single = map(rounded_up, self.means(kappa))
        return Prices(partial, full, dict(zip(self.attributes, single, strict=True)))


@dataclass(frozen=True, slots=True)
class Prices:
    """K of pairs with all cells partial, all full, or one attribute full; rounded up.

    K is a mean over rows, so it is the same for any number of pairs.
    """

    partial: float
    full: float
    attributes: dict[str, float]


def rounded_up(share: float) -> float:
    """Return a share of 1, rounded up to one of 24 steps of a power of ten.

    The steps are a tenth apart, whatever the power: one pair in a thousand hardly ever shows.
    """
    if share <= 0:
        return 0.0
    needed = round_up_share(share)
    power = float(f"1e{len(str(needed)) - 2}")
    step = next(each for each in _STEPS if each * power >= needed)
    return min(step * power, WHOLE) / WHOLE


def draw_reference_pairs(
    codes: Sequence[NDArray[Any]], *, seed: int, most: int = REFERENCE_PAIRS
) -> tuple[Pair, ...]:
    """Draw pairs of records; of fewer, all. ``codes`` are those of each attribute's values.

    They are to be like candidates, which agree on something: of records that share a value with
    the drawn one, a random one for each attribute, the most alike is taken.
    """
    size = len(codes[0])
    if size * (size - 1) // 2 <= most:
        return tuple(Pair(left, right) for left, right in combinations(range(size), 2))
    rng = np.random.default_rng(seed)
    sharing = [_Sharing.of(each) for each in codes]
    drawn: Positions = np.empty((0, 2), dtype=np.int64)
    for number in range(_ROUNDS + 1):
        left = rng.permutation(np.tile(rng.permutation(size)[:most], -(-most // size)))[:most]
        right = _alike(codes, sharing, left, rng) if number < _ROUNDS else _others(left, size, rng)
        drawn = _distinct(np.concatenate((drawn, np.stack((left, right), axis=1))))[:most]
        if len(drawn) == most:
            break
    while len(drawn) < most:
        left = rng.integers(size, size=most)
        right = _others(left, size, rng)
        drawn = _distinct(np.concatenate((drawn, np.stack((left, right), axis=1))))[:most]
    return tuple(Pair(left, right) for left, right in drawn.tolist())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Sharing:
    """Records in the order of one attribute's values: those that share a value are together."""

    order: Positions
    place: Positions
    start: Positions
    end: Positions

    @classmethod
    def of(cls, codes: NDArray[Any]) -> _Sharing:
        order = np.argsort(codes, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        ordered = codes[order]
        start = np.searchsorted(ordered, codes, side="left")
        return cls(order, place, start, np.searchsorted(ordered, codes, side="right"))

    def partner(self, records: Positions, rng: np.random.Generator) -> Positions:
        """Return another record with the same value, at random; where there is none, any other."""
        sharing = self.end[records] - self.start[records] - 1
        step = (rng.random(len(records)) * sharing).astype(np.int64)
        place = self.start[records] + step
        place += place >= self.place[records]
        return np.where(
            sharing > 0,
            self.order[np.minimum(place, len(self.order) - 1)],
            _others(records, len(self.order), rng),
        )


def _alike(
    codes: Sequence[NDArray[Any]],
    sharing: Sequence[_Sharing],
    left: Positions,
    rng: np.random.Generator,
) -> Positions:
    partners = np.stack([each.partner(left, rng) for each in sharing])
    agreeing = np.zeros(partners.shape)
    for each in codes:
        agreeing += (each[left] == each[partners]) & (each[left] != MISSING)
    best = np.argmax(agreeing + rng.random(partners.shape) / 2, axis=0)
    chosen: Positions = partners[best, np.arange(len(left))]
    return chosen


def _others(records: Positions, size: int, rng: np.random.Generator) -> Positions:
    others: Positions = (records + rng.integers(1, size, size=len(records))) % size
    return others


def _distinct(pairs: Positions) -> Positions:
    _, first = np.unique(pair_keys(pairs[:, 0], pairs[:, 1]), return_index=True)
    return pairs[np.sort(first)]


def work_out_prices(
    index: PopulationIndex,
    pairs: Sequence[Pair],
    accounting: Accounting,
    *,
    progress: StepProgress = no_step_progress,
) -> PriceTable:
    names, found = index.schema.names, []
    for number, pair in enumerate(pairs):
        if number % _EVERY == 0:
            progress(number, len(pairs))
        found.append(_risks(index, pair, accounting))
    progress(len(pairs), len(pairs))
    shape = (len(pairs), 2 + len(names), 2)
    k = np.array([[risk.k for risk in each] for each in found], dtype=np.uint32)
    shown = np.array([[risk.shown / risk.scale for risk in each] for each in found])
    return PriceTable(names, tuple(pairs), k.reshape(shape), shown.reshape(shape))


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


def price_columns(table: PriceTable) -> pa.Table:
    """Return a table of prices as it is kept."""
    columns: dict[str, NDArray[Any]] = {
        "left": np.array([pair.left for pair in table.pairs], dtype=np.int64),
        "right": np.array([pair.right for pair in table.pairs], dtype=np.int64),
    }
    for name, array in (("k", table.k), ("shown", table.shown)):
        flat = array.reshape(len(table.pairs), 2 * (2 + len(table.attributes)))
        columns |= {f"{name}{place}": flat[:, place] for place in range(flat.shape[1])}
    return pa.table(columns)


def price_table_of(kept: pa.Table, attributes: tuple[str, ...]) -> PriceTable:
    states = 2 + len(attributes)
    k, shown = (
        np.stack(
            [kept.column(f"{name}{place}").to_numpy() for place in range(2 * states)], axis=1
        ).reshape(-1, states, 2)
        for name in ("k", "shown")
    )
    ends = (kept.column(name).to_pylist() for name in ("left", "right"))
    return PriceTable(attributes, tuple(map(Pair, *ends)), k, shown)
