"""What suggests the next step to a worker: the policy, as plain arrays that can be kept.

It holds no value, but numbers made of values; so it is kept where values are. What it suggests is a
function of what the worker can see, prices included.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import Step, View
from mindfirl.core.risk.percent import WHOLE
from mindfirl.core.values.schema import LEVELS
from mindfirl.planner.opening_policy import Candidate, PairState, Policy, Taught, worth
from mindfirl.planner.reviewer.cell_features import WIDTH
from mindfirl.planner.reviewer.learning import NODE_FIELDS, Calibration, Forest, forest_of
from mindfirl.planner.reviewer.pair_features import CellReader, Key, References, appearances
from mindfirl.planner.walking import LEAST_GAIN, SURE

_FORMAT: Final = 1


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Adviser:
    policy: Policy
    attributes: tuple[str, ...]
    worths: Mapping[float, float]

    def worth_at(self, budget: int) -> float:
        """Return what a step must be worth within a budget of whole 10⁻⁹."""
        fitting = [each for each in self.worths if each * WHOLE <= budget]
        return self.worths[max(fitting)] if fitting else max(self.worths.values())

    def suggest(
        self,
        index: PopulationIndex,
        view: View,
        prices: Mapping[Step, int | None],
        *,
        worth_it: float,
    ) -> Step | None:
        """Suggest the step with the best gain for its price in ledger units, if it is worth it."""
        steps = [(step, price) for step, price in prices.items() if price is not None]
        if not steps or index.schema.names != self.attributes:
            return None
        standing = self._standing(index, view, [_candidate(index, view, *each) for each in steps])
        if max(standing.probability, 1 - standing.probability) >= SURE:
            return None
        (gains,) = self.policy.gains([standing])
        values = [worth(gain, price) for gain, (_, price) in zip(gains, steps, strict=True)]
        best = max(range(len(steps)), key=values.__getitem__)
        good = gains[best] > LEAST_GAIN and values[best] >= worth_it
        return steps[best][0] if good else None

    def _standing(
        self, index: PopulationIndex, view: View, candidates: list[Candidate]
    ) -> PairState:
        reader = CellReader(index)
        tells = np.full((len(view.levels), len(LEVELS), WIDTH), np.nan, dtype=np.float32)
        for place, (difference, level) in enumerate(
            zip(view.differences, view.levels, strict=True)
        ):
            tells[place, level] = reader.tells(view.records, place, difference, level)
        fine, coarse = (each[0] for each in appearances(tells[None]))
        now = tells[np.arange(len(view.levels)), list(view.levels)]
        probability = self.policy.probability(now.reshape(1, -1))
        return PairState(now, view.levels, fine, coarse, float(probability[0]), candidates)

    def table(self) -> pa.Table:
        forest = self.policy.answers
        assert isinstance(forest, Forest)
        references, calibration = self.policy.references, self.policy.calibration
        lists = [
            [list(key), numbers.tolist()]
            for each in references.lists
            for key, numbers in each.items()
        ]
        about = {
            "format": _FORMAT,
            "attributes": self.attributes,
            "worths": list(self.worths.items()),
            "baseline": forest.baseline,
            "depth": forest.depth,
            "calibration": asdict(calibration),
            "lists": lists,
            "different": len(references.lists[0]),
            "shape": references.tells.shape,
        }
        arrays: dict[str, NDArray[Any]] = {
            "used": forest.used,
            "roots": forest.roots,
            "tells": references.tells.ravel(),
            **forest.nodes,
        }
        names = ["about", *arrays]
        contents = [json.dumps(about).encode(), *(each.tobytes() for each in arrays.values())]
        return pa.table({"name": names, "content": pa.array(contents, pa.large_binary())})

    @classmethod
    def of(cls, table: pa.Table) -> Adviser:
        kept = dict(
            zip(table.column("name").to_pylist(), table.column("content").to_pylist(), strict=True)
        )
        about = json.loads(kept["about"])
        used, roots = (np.frombuffer(kept[name], np.int64) for name in ("used", "roots"))
        nodes = {name: np.frombuffer(kept[name], kind) for name, kind in NODE_FIELDS.items()}
        tells = np.frombuffer(kept["tells"], np.float32).reshape(about["shape"])
        keyed: list[tuple[Key, NDArray[np.int64]]] = [
            ((key[0], key[1], key[2], key[3]), np.array(numbers, dtype=np.int64))
            for key, numbers in about["lists"]
        ]
        different = dict(keyed[: about["different"]])
        references = References(tells, (different, dict(keyed[about["different"] :])))
        policy = Policy(
            Forest(about["baseline"], about["depth"], used, roots, nodes),
            Calibration(**about["calibration"]),
            references,
        )
        return cls(policy, tuple(about["attributes"]), dict(about["worths"]))


def make_adviser(
    taught: Taught, attributes: tuple[str, ...], worths: Mapping[float, float]
) -> Adviser:
    learned, policy = taught.learned, taught.policy
    forest = forest_of(learned.model, learned.used)
    return Adviser(Policy(forest, policy.calibration, policy.references), attributes, worths)


def _candidate(index: PopulationIndex, view: View, step: Step, price: int) -> Candidate:
    place, level = index.schema.place(step[0]), LEVELS.index(step[1])
    group = next(
        (
            group
            for group in index.schema.swaps
            if place in group and view.differences[place].relation == "swapped"
        ),
        (place,),
    )
    return Candidate(group, level, price)
